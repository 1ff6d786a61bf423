import type { JsonObject } from '../../schemas/json.ts'
import type { IngestRequest } from '../../schemas/log/line-batch.ts'
import type { ChangedEvent } from '../../schemas/log/rekeyed.ts'
import { eventParser } from '../json/exact-json.ts'
import { jsonText } from '../json/json-text.ts'
import { LineBatchBuilder } from '../lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { PRESENT_FORMS, type ValueForms } from '../lines/columns/value-forms.ts'
import { Event, type LineOrigin } from './event.ts'

export type { ValueForms } from '../lines/columns/value-forms.ts'

/** Events in transit between partitions: the lines that they come from, and the changes that nodes made. */
export interface EventColumns {
  /** A LineBatch value with a line for each event. */
  readonly lines: Buffer
  readonly changed: readonly ChangedEvent[]
}

/**
 * Encodes events as columns. Members of their requests are kept with the lines, except idempotency keys: those were
 * judged when the lines arrived.
 */
export function eventColumns(events: readonly Event[], account: string, entrance: string): EventColumns {
  const builder = clearBuilder()
  let at = 0
  while (at < events.length) {
    const { request, end } = stretchFrom(events, at)
    const first = at
    builder.addRequest(batch => {
      for (let index = first; index < end; index++) {
        const event = events[index] as Event
        const { batch: source, index: line } = originOf(event)
        // An event of a gateway route consists only of its message. If it was changed or split, it does not carry the original
        // one.
        if (source.isPushed && !event.untouched) batch.addEvent('', source.timestampMs(line))
        else batch.copy(source, line)
      }
      return { facts: { ...request, idempotency: null } }
    })
    at = end
  }
  const changed = events.flatMap((event, index) => changesOf(event, index) ?? [])
  return { lines: builder.encode(account, entrance), changed }
}

/**
 * Size of the data that an event shares with others of its request, in bytes. It counts if the others are absent.
 * Requests to log ingestion share little.
 */
export function sharedBytes({ origin }: Event): number {
  return origin?.batch.isPushed ? origin.batch.metadataText(origin.index).length : 0
}

/** The events in the columns, with values in given forms. */
export function eventsIn({ lines, changed }: EventColumns, forms = PRESENT_FORMS): Event[] {
  return changedEvents(LineBatchView.decode(lines, forms), changed)
}

/** The events of a batch, with changes. */
export function changedEvents(batch: LineBatchView, changed: readonly ChangedEvent[]): Event[] {
  const parse = eventParser(batch.forms.isExact)
  const events = Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
  for (const { index, message, metadata, timestamp, annotations = null } of changed) {
    let event = events[index] as Event
    if (message !== null) event = event.withMessage(parse(message))
    if (metadata !== null) event = event.withMetadata(parse(metadata) as JsonObject)
    if (timestamp !== null) event = event.withTimestamp(timestamp)
    if (annotations !== null) event = event.withAnnotations(parse(annotations) as JsonObject)
    events[index] = event
  }
  return events
}

/**
 * The events in each of many columns. Events of the same entrance share one batch: a batch per event takes several times the memory
 * of its line.
 */
export function eventsOfMany(many: readonly EventColumns[], forms: ValueForms): Event[] {
  const events: Event[] = []
  let entrance = ''
  let together: { readonly view: LineBatchView; readonly changed: readonly ChangedEvent[] }[] = []
  const end = () => {
    if (together.length > 0)
      for (const event of eventsIn(joinedColumns(together, entrance), forms)) events.push(event)
    together = []
  }
  for (const { lines, changed } of many) {
    const view = LineBatchView.decode(lines, forms)
    if (view.entrance !== entrance) end()
    entrance = view.entrance
    together.push({ view, changed })
  }
  end()
  return events
}

/** Joins columns of the same entrance. The account of the result is not used. */
function joinedColumns(
  parts: readonly { readonly view: LineBatchView; readonly changed: readonly ChangedEvent[] }[],
  entrance: string,
): EventColumns {
  const builder = clearBuilder()
  const joined: ChangedEvent[] = []
  for (const { view, changed } of parts) {
    const first = builder.count
    for (const change of changed) joined.push({ ...change, index: first + change.index })
    let line = 0
    for (const request of view.requests) {
      const end = line + request.lines
      builder.addRequest(batch => {
        for (; line < end; line++) batch.copy(view, line)
        return { facts: request }
      })
    }
  }
  return { lines: builder.encode('', entrance), changed: joined }
}

/** Memory that an idle builder may keep. */
const MAX_KEPT_BYTES = 1024 * 1024
let lastBuilder = new LineBatchBuilder()

/** Returns the shared builder, cleared. It must be read before anybody else asks for it. Its columns are far larger than a few events need. */
export function clearBuilder(): LineBatchBuilder {
  if (lastBuilder.capacityBytes > MAX_KEPT_BYTES) lastBuilder = new LineBatchBuilder()
  lastBuilder.clear()
  return lastBuilder
}

/** The stretch of consecutive events whose lines belong to the same request. */
function stretchFrom(events: readonly Event[], first: number): { request: IngestRequest; end: number } {
  const requestAt = (index: number) => {
    const { batch, index: line } = originOf(events[index] as Event)
    return batch.request(line)
  }
  const request = requestAt(first)
  let end = first + 1
  while (end < events.length && requestAt(end) === request) end++
  return { request, end }
}

/** Changes that nodes made; undefined: none. @param index place of the event among others */
export function changesOf(event: Event, index: number): ChangedEvent | undefined {
  const { annotations } = event
  if (event.untouched && !event.metadataChanged && !event.timestampChanged && annotations === undefined)
    return undefined
  return {
    index,
    message: event.untouched ? null : jsonText(event.message),
    metadata: event.metadataChanged ? jsonText(event.metadata) : null,
    timestamp: event.timestampChanged ? event.timestamp : null,
    ...(annotations !== undefined && { annotations: jsonText(annotations) }),
  }
}

/** Every event of a pipeline comes from a line. */
function originOf({ origin }: Event): LineOrigin {
  if (origin === null) throw new RangeError('an event that comes from no line cannot travel')
  return origin
}
