import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { FIFTH_BEHAVIOUR, FIRST_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { ChangedEvent } from '../../schemas/log/rekeyed.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { jsonBytes } from '../json/json-size.ts'
import { exactJsonText } from '../json/json-text.ts'
import { type ValueForms, valueFormsOf } from '../lines/columns/value-forms.ts'
import { Event } from './event.ts'
import { type EventColumns, eventColumns, eventsIn, eventsOfMany } from './event-columns.ts'

/**
 * An event that is kept after its record was handled. It has a copy of its bytes, so that a few events do not keep whole
 * records in memory.
 */
export type HeldEvent = HeldColumns | BareEvent

interface HeldColumns extends Pick<EventColumns, 'changed'> {
  /** Bytes of the columns, one code unit per byte: tens of thousands of small buffers take several times the memory. */
  readonly lines: string
  /** Forms of its values, as in the event. */
  readonly forms: ValueForms
}

/** An event that does not come from a line. */
export interface BareEvent {
  readonly message: JsonValue
  readonly metadata: JsonObject
  readonly timestamp: string
  readonly annotations?: JsonObject
}

/** Size of a held event in addition to its texts. */
export const HELD_BYTES = 100
/** A single list for all events. */
const UNCHANGED: readonly ChangedEvent[] = []

export function heldEvent(event: Event): HeldEvent {
  const { origin } = event
  if (origin === null) return bareEvent(event)
  // The account of a line is known wherever the event is.
  const { lines, changed } = eventColumns([event], '', origin.batch.entrance)
  return {
    lines: lines.toString('latin1'),
    changed: changed.length === 0 ? UNCHANGED : changed,
    forms: event.forms,
  }
}

export function bareEvent({ message, metadata, timestamp, annotations }: Event): BareEvent {
  return { message, metadata, timestamp, ...(annotations !== undefined && { annotations }) }
}

export function releasedEvent(held: HeldEvent): Event {
  if ('lines' in held) return eventsIn({ ...held, lines: bytesOf(held) }, held.forms)[0] as Event
  return releasedBareEvent(held)
}

export function releasedBareEvent({ message, metadata, timestamp, annotations }: BareEvent): Event {
  return Event.of(message, metadata, timestamp).withAnnotations(annotations)
}

/** Copies many events, in less memory than one by one. */
export function releasedEvents(held: readonly HeldEvent[]): Event[] {
  const events: Event[] = []
  let together: HeldColumns[] = []
  const end = () => {
    const [first] = together
    const columns = together.map(each => ({ lines: bytesOf(each), changed: each.changed }))
    if (first !== undefined) events.push(...eventsOfMany(columns, first.forms))
    together = []
  }
  for (const each of held) {
    if (!('lines' in each) || each.forms !== together[0]?.forms) end()
    if ('lines' in each) together.push(each)
    else events.push(releasedEvent(each))
  }
  end()
  return events
}

/** Estimated size of a held event, in bytes. It depends on the event alone. */
export function heldBytes(held: HeldEvent): number {
  if (!('lines' in held)) return bareBytes(held)
  let bytes = HELD_BYTES + held.lines.length
  for (const { message, metadata, annotations } of held.changed)
    for (const text of [message, metadata, annotations]) bytes += text?.length ?? 0
  return bytes
}

/** Estimated size of an event that does not come from a line. */
export function bareBytes({ message, metadata }: BareEvent): number {
  return HELD_BYTES + jsonBytes(message) + jsonBytes(metadata)
}

/** First character of a packed event that does not come from a line; the others begin with the number of their forms. */
const BARE = 'b'
const FORMS: readonly ValueForms[] = [FIRST_BEHAVIOUR, FIFTH_BEHAVIOUR, TWELFTH_BEHAVIOUR].map(valueFormsOf)

/**
 * A held event as one text: tens of thousands of objects take several times the memory. `join` copies its parts, while a text that is
 * added up keeps each of them.
 */
export function packedEvent(held: HeldEvent): string {
  if (!('lines' in held)) {
    const { message, metadata, timestamp, annotations } = held
    const parts = [BARE, exactJsonText(message), exactJsonText(metadata), JSON.stringify(timestamp)]
    if (annotations !== undefined) parts.push(exactJsonText(annotations))
    return parts.join('\n')
  }
  const [changed] = held.changed
  const change = changed === undefined ? '' : JSON.stringify(changed)
  return [FORMS.indexOf(held.forms), change, '\n', held.lines].join('')
}

export function unpackedEvent(packed: string): HeldEvent {
  if (packed[0] === BARE) {
    // JSON text has no line breaks.
    const [, message = '', metadata = '', timestamp = '', annotations] = packed.split('\n')
    return {
      message: parseExactJson(message),
      metadata: parseExactJson(metadata) as JsonObject,
      timestamp: JSON.parse(timestamp) as string,
      ...(annotations !== undefined && { annotations: parseExactJson(annotations) as JsonObject }),
    }
  }
  const end = packed.indexOf('\n')
  const change = packed.slice(1, end)
  return {
    lines: packed.slice(end + 1),
    changed: change === '' ? UNCHANGED : [JSON.parse(change) as ChangedEvent],
    forms: FORMS[Number(packed[0])] as ValueForms,
  }
}

/** JSON text of `heldEventJson` of a packed event. */
export function packedEventJson(packed: string): string {
  if (packed[0] !== BARE) return exactJsonText(heldEventJson(unpackedEvent(packed)))
  const [, message, metadata, timestamp, annotations] = packed.split('\n')
  const annotated = annotations === undefined ? '' : `,"annotations":${annotations}`
  return `{"message":${message},"metadata":${metadata},"timestamp":${timestamp}${annotated}}`
}

/** JSON form for a snapshot. */
export function heldEventJson(held: HeldEvent): JsonObject {
  return 'lines' in held ? columnsJson({ ...held, lines: bytesOf(held) }, held.forms) : { ...held }
}

/** JSON form of the columns of some events. The change of a single event is not in a list. */
export function columnsJson({ lines, changed }: EventColumns, forms: ValueForms): JsonObject {
  const changes = changed.length > 1 ? changed : (changed[0] ?? null)
  const columns = { lines: lines.toString('base64'), changed: changes as unknown as JsonValue }
  const { isExact, hasCanonicalTimes } = forms
  // Snapshots of earlier behaviours lack these members.
  return { ...columns, ...(isExact && { exact: true }), ...(hasCanonicalTimes && { times: 'canonical' }) }
}

/** @throws RangeError for an invalid value */
export function heldEventOf(value: JsonValue | undefined): HeldEvent {
  const columns = columnsOfJson(value)
  return 'forms' in columns ? { ...columns, lines: columns.lines.toString('latin1') } : columns
}

/** @returns columns with the forms of their events, or an event that does not come from a line @throws RangeError like `heldEventOf` */
export function columnsOfJson(
  value: JsonValue | undefined,
): (EventColumns & { readonly forms: ValueForms }) | BareEvent {
  if (!isJsonObject(value)) throw new RangeError('an event of a snapshot is not an object')
  const { lines, changed, exact, times } = value
  // The program wrote it.
  if (typeof lines !== 'string') return value as unknown as BareEvent
  const changes = changed === null ? [] : ([changed].flat() as unknown as ChangedEvent[])
  const behaviour =
    times === 'canonical' ? TWELFTH_BEHAVIOUR : exact === true ? FIFTH_BEHAVIOUR : FIRST_BEHAVIOUR
  return { lines: Buffer.from(lines, 'base64'), changed: changes, forms: valueFormsOf(behaviour) }
}

function bytesOf({ lines }: HeldColumns): Buffer {
  return Buffer.from(lines, 'latin1')
}
