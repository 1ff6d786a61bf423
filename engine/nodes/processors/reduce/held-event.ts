import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { ChangedEvent } from '../../../../schemas/log/rekeyed.ts'
import { Event } from '../../../event/event.ts'
import { type EventColumns, eventColumns, eventsIn, eventsOfMany } from '../../../event/event-columns.ts'

/**
 * An event that is kept after its record was handled. It has a copy of its bytes, so that a few events do not keep whole
 * records in memory.
 */
export type HeldEvent = HeldColumns | BareEvent

interface HeldColumns extends Pick<EventColumns, 'changed'> {
  /** Bytes of the columns, one code unit per byte: tens of thousands of small buffers take several times the memory. */
  readonly lines: string
  /** Whether numbers keep their text, as in the event. */
  readonly isExact: boolean
}

/** An event that does not come from a line. */
interface BareEvent {
  readonly message: JsonValue
  readonly metadata: JsonObject
  readonly timestamp: string
  readonly annotations?: JsonObject
}

/** A single list for all events. */
const UNCHANGED: readonly ChangedEvent[] = []

export function heldEvent(event: Event): HeldEvent {
  const { origin, message, metadata, timestamp, annotations } = event
  // The account of a line is known wherever the event is.
  if (origin === null)
    return { message, metadata, timestamp, ...(annotations !== undefined && { annotations }) }
  const { lines, changed } = eventColumns([event], '', origin.batch.entrance)
  return {
    lines: lines.toString('latin1'),
    changed: changed.length === 0 ? UNCHANGED : changed,
    isExact: event.isExact,
  }
}

export function releasedEvent(held: HeldEvent): Event {
  if ('lines' in held) return eventsIn({ ...held, lines: bytesOf(held) }, held.isExact)[0] as Event
  return Event.of(held.message, held.metadata, held.timestamp).withAnnotations(held.annotations)
}

/** Copies many events, in less memory than one by one. */
export function releasedEvents(held: readonly HeldEvent[]): Event[] {
  const events: Event[] = []
  let together: HeldColumns[] = []
  const end = () => {
    const [first] = together
    const columns = together.map(each => ({ lines: bytesOf(each), changed: each.changed }))
    if (first !== undefined) events.push(...eventsOfMany(columns, first.isExact))
    together = []
  }
  for (const each of held) {
    if (!('lines' in each) || each.isExact !== together[0]?.isExact) end()
    if ('lines' in each) together.push(each)
    else events.push(releasedEvent(each))
  }
  end()
  return events
}

/** JSON form for a snapshot. */
export function heldEventJson(held: HeldEvent): JsonObject {
  if (!('lines' in held)) return { ...held }
  const [changed] = held.changed
  const columns = {
    lines: bytesOf(held).toString('base64'),
    changed: (changed ?? null) as unknown as JsonValue,
  }
  // Snapshots of earlier behaviours lack this member.
  return held.isExact ? { ...columns, exact: true } : columns
}

/** @throws RangeError for an invalid value */
export function heldEventOf(value: JsonValue | undefined): HeldEvent {
  if (!isJsonObject(value)) throw new RangeError('an event of a snapshot is not an object')
  const { lines, changed, exact } = value
  if (typeof lines !== 'string') return value as unknown as BareEvent
  const changes = changed === null ? [] : [changed as unknown as ChangedEvent]
  const text = Buffer.from(lines, 'base64').toString('latin1')
  return { lines: text, changed: changes, isExact: exact === true }
}

function bytesOf({ lines }: HeldColumns): Buffer {
  return Buffer.from(lines, 'latin1')
}
