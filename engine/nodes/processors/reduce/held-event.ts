import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { ChangedEvent } from '../../../../schemas/log/rekeyed.ts'
import { Event } from '../../../event/event.ts'
import { type EventColumns, eventColumns, eventsIn, eventsOfMany } from '../../../event/event-columns.ts'

/**
 * An event that is kept longer than its record is in hand: its own bytes, so that a few events do not keep whole
 * records in memory.
 */
export type HeldEvent = HeldColumns | BareEvent

interface HeldColumns extends Pick<EventColumns, 'changed'> {
  /** As of the columns, a code unit for each byte: tens of thousands of small buffers take several times the memory. */
  readonly lines: string
  /** As of the event. */
  readonly isExact: boolean
}

/** One that comes from no line. */
interface BareEvent {
  readonly message: JsonValue
  readonly metadata: JsonObject
  readonly timestamp: string
}

/** One for all. */
const UNCHANGED: readonly ChangedEvent[] = []

export function heldEvent(event: Event): HeldEvent {
  const { origin, message, metadata, timestamp } = event
  // Whose line it is, is known wherever the event goes.
  if (origin === null) return { message, metadata, timestamp }
  const { lines, changed } = eventColumns([event], '', origin.batch.route)
  return {
    lines: lines.toString('latin1'),
    changed: changed.length === 0 ? UNCHANGED : changed,
    isExact: event.isExact,
  }
}

export function releasedEvent(held: HeldEvent): Event {
  if ('lines' in held) return eventsIn({ ...held, lines: bytesOf(held) }, held.isExact)[0] as Event
  return Event.of(held.message, held.metadata, held.timestamp)
}

/** The same of many, in less memory than one by one. */
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

/** As JSON, for a snapshot. */
export function heldEventJson(held: HeldEvent): JsonObject {
  if (!('lines' in held)) return { ...held }
  const [changed] = held.changed
  const columns = {
    lines: bytesOf(held).toString('base64'),
    changed: (changed ?? null) as unknown as JsonValue,
  }
  // Snapshots of earlier behaviours do not say it.
  return held.isExact ? { ...columns, exact: true } : columns
}

/** @throws RangeError when the value is none */
export function heldEventOf(value: JsonValue | undefined): HeldEvent {
  if (!isJsonObject(value)) throw new RangeError('an event of a snapshot is no object')
  const { lines, changed, exact } = value
  if (typeof lines !== 'string') return value as unknown as BareEvent
  const changes = changed === null ? [] : [changed as unknown as ChangedEvent]
  const text = Buffer.from(lines, 'base64').toString('latin1')
  return { lines: text, changed: changes, isExact: exact === true }
}

function bytesOf({ lines }: HeldColumns): Buffer {
  return Buffer.from(lines, 'latin1')
}
