import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { IngestRequest } from '../../schemas/log/line-batch.ts'
import type { ChangedEvent } from '../../schemas/log/rekeyed.ts'
import type { KeptLine, RequestFacts } from '../lines/columns/line-batch-builder.ts'
import type { ValueForms } from '../lines/columns/value-forms.ts'
import type { Event, LineOrigin } from './event.ts'
import { changesOf, clearBuilder, type EventColumns, eventsIn } from './event-columns.ts'
import {
  type BareEvent,
  bareBytes,
  bareEvent,
  columnsJson,
  columnsOfJson,
  HELD_BYTES,
  releasedBareEvent,
} from './held-event.ts'

/**
 * An event that is kept after its record was handled, like a `HeldEvent`, until others of its kind leave with it. It is encoded
 * together with them, which takes a fraction of the time, and not before.
 */
export type KeptEvent = KeptEventLine | BareEvent

/** An event that comes from a line. It has copies of its texts, so that it does not keep its record in memory. */
interface KeptEventLine extends KeptLine {
  readonly request: KeptRequest
  /** Changes that nodes made, with index 0. */
  readonly changes: ChangedEvent | undefined
}

/** Facts that the events of a request share. */
interface KeptRequest {
  readonly entrance: string
  readonly forms: ValueForms
  readonly facts: RequestFacts
}

const NO_WORDS = { host: '', app: '', level: '', env: '', file: '' }
const NO_TEXTS = { line: '', meta: '', rest: '' }

export function keptEvent(event: Event): KeptEvent {
  const { origin } = event
  if (origin === null) return bareEvent(event)
  const { batch, index } = origin
  const request = keptRequest(origin)
  const timestampMs = batch.timestampMs(index)
  const timestampKind = batch.timestampKind(index)
  const changes = changesOf(event, 0)
  // An event of a gateway route consists only of its message.
  if (batch.isPushed && !event.untouched)
    return { ...NO_TEXTS, ...NO_WORDS, timestampMs, timestampKind, request, changes }
  const { line, meta, rest } = batch.rawTexts(index)
  const host = batch.ownHost(index)
  const app = batch.app(index)
  const level = batch.level(index)
  const env = batch.env(index)
  const file = batch.file(index)
  return { line, meta, rest, host, app, level, env, file, timestampMs, timestampKind, request, changes }
}

const REQUESTS = new WeakMap<IngestRequest, KeptRequest>()

function keptRequest({ batch, index }: LineOrigin): KeptRequest {
  const request = batch.request(index)
  let kept = REQUESTS.get(request)
  if (kept === undefined) {
    // The digest of an idempotency key is a part of the bytes of its record.
    const facts = { ...request, idempotency: null }
    kept = { entrance: batch.entrance, forms: batch.forms, facts }
    REQUESTS.set(request, kept)
  }
  return kept
}

/** Estimated size in bytes. It depends on the event alone. */
export function keptBytes(kept: KeptEvent): number {
  if (!('request' in kept)) return bareBytes(kept)
  const { line, meta, rest, host, app, level, env, file, request, changes } = kept
  const { hostname, remoteAddress, tags } = request.facts
  let bytes = HELD_BYTES + line.length + meta.length + rest.length + hostname.length + remoteAddress.length
  bytes += host.length + app.length + level.length + env.length + file.length
  for (const tag of tags) bytes += tag.length
  if (changes === undefined) return bytes
  for (const text of [changes.message, changes.metadata, changes.annotations]) bytes += text?.length ?? 0
  return bytes
}

/** The events, in order. */
export function returnedEvents(kept: readonly KeptEvent[]): Event[] {
  const events: Event[] = []
  for (const stretch of stretchesOf(kept))
    if ('bare' in stretch) events.push(releasedBareEvent(stretch.bare))
    else for (const event of eventsIn(columnsOf(stretch), stretch.request.forms)) events.push(event)
  return events
}

/** JSON forms for a snapshot, each of one or more events in order. */
export function keptEventsJson(kept: readonly KeptEvent[]): JsonObject[] {
  return Array.from(stretchesOf(kept), stretch =>
    'bare' in stretch ? { ...stretch.bare } : columnsJson(columnsOf(stretch), stretch.request.forms),
  )
}

/** Reads one such form. @throws RangeError for an invalid value */
export function keptEventsOf(json: JsonValue): KeptEvent[] {
  const columns = columnsOfJson(json)
  return 'forms' in columns ? eventsIn(columns, columns.forms).map(keptEvent) : [columns]
}

/** Lines of one entrance and with the same forms. */
interface Stretch {
  readonly request: KeptRequest
  readonly lines: KeptEventLine[]
}

function* stretchesOf(kept: readonly KeptEvent[]): Generator<Stretch | { readonly bare: BareEvent }> {
  let stretch: Stretch | undefined
  for (const each of kept) {
    const isLine = 'request' in each
    if (stretch !== undefined && !(isLine && isOfStretch(each.request, stretch.request))) {
      yield stretch
      stretch = undefined
    }
    if (!isLine) yield { bare: each }
    else if (stretch === undefined) stretch = { request: each.request, lines: [each] }
    else stretch.lines.push(each)
  }
  if (stretch !== undefined) yield stretch
}

function isOfStretch(one: KeptRequest, other: KeptRequest): boolean {
  return one === other || (one.entrance === other.entrance && one.forms === other.forms)
}

function columnsOf({ request, lines }: Stretch): EventColumns {
  const builder = clearBuilder()
  let at = 0
  while (at < lines.length) {
    const { request: present } = lines[at] as KeptEventLine
    builder.addRequest(batch => {
      for (; lines[at]?.request === present; at++) batch.addKept(lines[at] as KeptEventLine)
      return { facts: present.facts }
    })
  }
  const changed = lines.flatMap(({ changes }, index) =>
    changes === undefined ? [] : [{ ...changes, index }],
  )
  return { lines: builder.encode('', request.entrance), changed }
}
