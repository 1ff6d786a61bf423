import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import {
  type IngestRequest,
  TIMESTAMP_ABSENT,
  TIMESTAMP_NUMBER_MS,
  TIMESTAMP_OTHER,
} from '../../schemas/log/line-batch.ts'
import { eventParser } from '../json/exact-json.ts'
import { textFormBytes } from '../json/json-size.ts'
import { isIndexKey, orderedObject } from '../json/ordered-object.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { rareMembersOf } from '../lines/columns/rare-members.ts'
import { PRESENT_FORMS, type ValueForms } from '../lines/columns/value-forms.ts'
import { canonicalTimeOf } from '../times/instant.ts'
import { utcTextMs } from '../times/utc-text.ts'
import { SENT_MESSAGES, UNREAD } from './sent-message.ts'

/**
 * Unit of data on the edges of a pipeline: message, metadata, timestamp, and sometimes annotations (components, section 1.1).
 *
 * An event is immutable: a processor that changes something makes a new one, so branches never see each other's changes.
 * An event made from a line of a batch stays a reference into the batch until its message is read as a whole. `member` reads
 * single members from the columns. An event of a gateway route is such a line as well: its text is the JSON of the message.
 *
 * There is one object per line, so it has no private methods: each would cost every object a further property.
 */
export class Event {
  /** The line that the event was made from; its request contains the members that were sent with it. */
  readonly origin: LineOrigin | null
  readonly #message: JsonValue | undefined
  readonly #metadata: JsonObject | undefined
  readonly #timestamp: string | undefined
  /** Results of classifications; only scripts read them. Most events have none. */
  readonly annotations: JsonObject | undefined
  #materialised: JsonValue | undefined
  #bytes: number | undefined

  private constructor(
    origin: LineOrigin | null,
    message: JsonValue | undefined,
    metadata: JsonObject | undefined,
    timestamp: string | undefined,
    annotations: JsonObject | undefined,
  ) {
    this.origin = origin
    this.#message = message
    this.#metadata = metadata
    this.#timestamp = timestamp
    this.annotations = annotations
  }

  static ofLine(batch: LineBatchView, index: number): Event {
    return new Event({ batch, index }, undefined, undefined, undefined, undefined)
  }

  /** @param timestamp RFC 3339 text, UTC */
  static of(message: JsonValue, metadata: JsonObject, timestamp: string): Event {
    return new Event(null, message, metadata, timestamp, undefined)
  }

  /** True for a line of log ingestion, which has its own host, app and so on. */
  get isLogLine(): boolean {
    return this.origin !== null && !this.origin.batch.isPushed
  }

  /** Forms of the values that are read from its line. */
  get forms(): ValueForms {
    return this.origin === null ? PRESENT_FORMS : this.origin.batch.forms
  }

  /** True while the message is unchanged since ingestion. */
  get untouched(): boolean {
    return this.#message === undefined
  }

  get message(): JsonValue {
    if (this.#message !== undefined) return this.#message
    this.#materialised ??= messageOf(this.origin as LineOrigin)
    return this.#materialised
  }

  get metadata(): JsonObject {
    return this.#metadata ?? metadataOf(this.origin as LineOrigin)
  }

  get timestamp(): string {
    return this.#timestamp ?? timestampOf(this.origin as LineOrigin)
  }

  get timestampMs(): number {
    if (this.#timestamp !== undefined) return utcTextMs(this.#timestamp)
    const { batch, index } = this.origin as LineOrigin
    return batch.timestampMs(index)
  }

  /** True when a node set the timestamp. */
  get timestampChanged(): boolean {
    return this.#timestamp !== undefined && this.origin !== null
  }

  /** True when a node changed the metadata that came with the request. */
  get metadataChanged(): boolean {
    return this.#metadata !== undefined && this.origin !== null
  }

  /**
   * A top-level member of the message; undefined when it is missing or the message is not an object. Reads from the columns if
   * possible.
   */
  member(key: string): JsonValue | undefined {
    const { origin } = this
    if (origin !== null && this.#message === undefined && this.#materialised === undefined) {
      const { batch, index } = origin
      if (batch.isPushed) {
        const value = SENT_MESSAGES.of(batch).member(index, key)
        if (value !== UNREAD) return value
      } else {
        switch (key) {
          case 'line':
            return batch.lineText(index)
          case 'host':
            return batch.host(index)
          case 'app':
            return batch.app(index) || undefined
          case 'level':
            return batch.level(index) || undefined
          case 'env':
            return batch.env(index) || undefined
          case 'file':
            return batch.file(index) || undefined
        }
      }
    }
    const message = this.message
    if (!isJsonObject(message)) return undefined
    return Object.hasOwn(message, key) ? message[key] : undefined
  }

  /**
   * The line whose text is the compact text of the message, which is an object. Undefined: the message has to be printed, or is
   * not an object.
   */
  get printedMessage(): LineOrigin | undefined {
    const { origin } = this
    if (origin === null || !origin.batch.isPushed) return undefined
    if (this.#message !== undefined || this.#materialised !== undefined) return undefined
    return SENT_MESSAGES.of(origin.batch).isCompact(origin.index) ? origin : undefined
  }

  /** @param bytes length of the message's JSON text, if it is known */
  withMessage(message: JsonValue, bytes?: number): Event {
    const event = new Event(this.origin, message, this.#metadata, this.#timestamp, this.annotations)
    event.#bytes = bytes
    return event
  }

  withMetadata(metadata: JsonObject): Event {
    const event = new Event(this.origin, this.#message, metadata, this.#timestamp, this.annotations)
    event.#bytes = this.#bytes
    return event
  }

  withTimestamp(timestamp: string): Event {
    const event = new Event(this.origin, this.#message, this.#metadata, timestamp, this.annotations)
    event.#bytes = this.#bytes
    return event
  }

  withAnnotations(annotations: JsonObject | undefined): Event {
    const event = new Event(this.origin, this.#message, this.#metadata, this.#timestamp, annotations)
    event.#bytes = this.#bytes
    return event
  }

  /** Length of the message's JSON text, if it was counted; undefined also for the text of a log line. */
  get countedBytes(): number | undefined {
    return this.#bytes
  }

  /**
   * Size in bytes that edges count: text and meta of an untouched log line, otherwise the UTF-8 length of the message's JSON
   * text.
   */
  get bytes(): number {
    if (this.#message === undefined && this.isLogLine) {
      const { batch, index } = this.origin as LineOrigin
      return batch.bytes(index)
    }
    if (this.#bytes !== undefined) return this.#bytes
    const isUnread = this.#message === undefined && this.#materialised === undefined
    const sent = isUnread && this.origin !== null ? sentBytes(this.origin) : UNREAD
    this.#bytes = sent === UNREAD ? textFormBytes(this.message) : sent
    return this.#bytes
  }

  /** Bytes of the rare members of the line that it was sent as, which `bytes` leaves out; 0: none. */
  get rareBytes(): number {
    return this.origin === null ? 0 : this.origin.batch.rareBytes(this.origin.index)
  }
}

export interface LineOrigin {
  readonly batch: LineBatchView
  readonly index: number
}

function sentBytes({ batch, index }: LineOrigin): number | typeof UNREAD {
  return SENT_MESSAGES.of(batch).bytes(index)
}

function timestampOf({ batch, index }: LineOrigin): string {
  const epochMs = batch.timestampMs(index)
  return batch.forms.hasCanonicalTimes
    ? canonicalTimeOf({ epochMs, nanos: 0 })
    : new Date(epochMs).toISOString()
}

function messageOf(origin: LineOrigin): JsonValue {
  const { batch, index } = origin
  return batch.isPushed ? eventParser(batch.forms.isExact)(batch.lineText(index)) : messageOfLine(origin)
}

function metadataOf(origin: LineOrigin): JsonObject {
  return origin.batch.isPushed ? metadataOfPushed(origin) : metadataOfLine(origin)
}

/** Metadata is parsed once per request. The events share it, and nothing changes it. */
const METADATA_OF_REQUESTS = new WeakMap<IngestRequest, JsonObject>()

function metadataOfPushed({ batch, index }: LineOrigin): JsonObject {
  const request = batch.request(index)
  let metadata = METADATA_OF_REQUESTS.get(request)
  if (metadata === undefined) {
    const text = batch.metadataText(index)
    metadata = text === '' ? {} : (eventParser(batch.forms.isExact)(text) as JsonObject)
    METADATA_OF_REQUESTS.set(request, metadata)
  }
  return metadata
}

/** The message of a line: see "From a line to an event" in docs/design/pipelines.md for its members. */
function messageOfLine({ batch, index }: LineOrigin): JsonObject {
  const request = batch.request(index)
  const rare = rareMembersOf(batch, index)
  const message: JsonObject = { line: batch.lineText(index) }
  const set = (key: string, text: string) => {
    if (text !== '') message[key] = text
  }
  const kind = batch.timestampKind(index)
  if (kind !== TIMESTAMP_ABSENT) {
    const timeMs = batch.timestampMs(index)
    if (kind === TIMESTAMP_OTHER) message.timestamp = rare?.timestamp ?? timeMs
    else message.timestamp = kind === TIMESTAMP_NUMBER_MS ? timeMs : String(timeMs)
  }
  set('app', batch.app(index))
  set('level', batch.level(index))
  set('env', batch.env(index))
  set('file', batch.file(index))
  set('host', batch.host(index))
  const metaText = batch.metaText(index)
  if (metaText !== '') message.meta = rare?.metaCut ? metaText : eventParser(batch.forms.isExact)(metaText)
  if (rare?.label !== undefined) message.label = rare.label as JsonValue
  if (rare?.annotation !== undefined) message.annotation = rare.annotation as JsonValue
  const tags = rare?.tags === undefined ? [...request.tags] : [...request.tags, ...rare.tags]
  if (tags.length > 0) message.tags = tags
  if (rare?.other !== undefined) {
    // A definition, not an assignment: a member named `__proto__` is an ordinary member.
    const others = Object.entries(rare.other as JsonObject).filter(([key]) => !Object.hasOwn(message, key))
    if (batch.forms.isExact && others.some(([key]) => isIndexKey(key)))
      return orderedObject([...Object.entries(message), ...others])
    for (const [key, value] of others)
      Object.defineProperty(message, key, { value, writable: true, enumerable: true, configurable: true })
  }
  return message
}

function metadataOfLine({ batch, index }: LineOrigin): JsonObject {
  const request = batch.request(index)
  let metadata = METADATA_OF_REQUESTS.get(request)
  if (metadata === undefined) {
    metadata = metadataOfLines(request)
    METADATA_OF_REQUESTS.set(request, metadata)
  }
  return metadata
}

function metadataOfLines({ hostname, mac, ip, tags }: IngestRequest): JsonObject {
  const query: JsonObject = { hostname }
  if (ip !== '') query.ip = ip
  if (mac !== '') query.mac = mac
  if (tags.length > 0) query.tags = tags.join(',')
  return { query }
}
