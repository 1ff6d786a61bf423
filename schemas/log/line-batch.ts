import { HEADER_BYTES, WireType } from './wire-format.ts'

/** Entrance of lines that come through log ingestion; every other entrance is the id of a gateway route. */
export const INGEST_ENTRANCE = 'ingest'

/**
 * Lines of one account and entrance as columns; the shapes are described in avro/line-batch.1.avsc.
 *
 * A batch of a gateway route contains events instead of log lines:
 * - Each line is the JSON text of a message, and its time is the event's.
 * - The hostname of a request is the JSON text of the metadata that its events share; empty: none.
 * - A non-empty `rest` marks a refused request: it is the JSON text of a `Refusal`, and the line is the beginning of the body.
 */
export interface LineBatch {
  readonly account: string
  /** Entrance of the lines; the field of the schema has this name. */
  readonly route: string
  readonly requests: readonly IngestRequest[]
  readonly count: number
  readonly dictionary: readonly string[]
  readonly hostIndex: Buffer
  readonly appIndex: Buffer
  readonly levelIndex: Buffer
  readonly envIndex: Buffer
  readonly fileIndex: Buffer
  readonly timestampMs: Buffer
  readonly timestampKind: Buffer
  readonly line: Buffer
  readonly meta: Buffer
  readonly rest: Buffer
}

/** Members that a request sets for all of its lines. Empty strings stand for omitted members. */
export interface IngestRequest {
  readonly lines: number
  readonly hostname: string
  readonly mac: string
  readonly ip: string
  readonly remoteAddress: string
  readonly tags: readonly string[]
  readonly receivedAtMs: number
  readonly driftMs: number | null
  readonly idempotency: Idempotency | null
}

/** The first key and digest on the log win; the engine drops a repeat of the key. */
export interface Idempotency {
  readonly key: string
  readonly digest: Buffer
}

/** `<stream>/<number>`: the whole stream needs only one entry. */
export const NUMBERED_KEY = /^(.+)\/(\d{1,15})$/

/** Form in which a line's timestamp was sent. With `OTHER`, member `timestamp` of its rest contains the text. */
export const TIMESTAMP_ABSENT = 0
export const TIMESTAMP_NUMBER_MS = 1
export const TIMESTAMP_TEXT_MS = 2
export const TIMESTAMP_OTHER = 3

/** Members of a line that few senders use, kept as one JSON text per line. */
export interface RareMembers {
  /** The original value when it is not a number of milliseconds (TIMESTAMP_OTHER). */
  readonly timestamp?: string | number
  /** The time was out of bounds and was replaced by the time of reception. */
  readonly clamped?: true
  /** The line's own tags, after cutting; the request's tags come first. */
  readonly tags?: readonly string[]
  readonly label?: unknown
  readonly annotation?: unknown
  /** The text was longer than the limit and was cut. */
  readonly truncated?: true
  /** Meta exceeded its limit: it is kept as text, cut and not parsed. */
  readonly metaCut?: true
  /** Unknown members as sent; they are kept under `_meta`. */
  readonly other?: Readonly<Record<string, unknown>>
}

/** Why a request to a gateway route was refused. */
export interface Refusal {
  /** One of the codes of components. */
  readonly code: string
  /** Place in the body; null: the whole body. */
  readonly field: string | null
  readonly message: string
}

export const lineBatchType = new WireType<LineBatch>('LineBatch', { sharesBytes: true })

/** @param sizeHint see `WireType.encode` */
export function encodeLineBatch(batch: LineBatch, sizeHint?: number): Buffer {
  const bytes = batch.line.length + batch.meta.length + batch.rest.length + batch.count * 32
  return lineBatchType.encode(batch, sizeHint ?? bytes + 4096)
}

/** Account of an encoded batch. Only the first member is read. */
export function accountOfBatch(bytes: Buffer): string {
  // The length is zigzag-encoded, so it is halved. Account ids are short, so it takes one byte.
  const length = (bytes[HEADER_BYTES] as number) >> 1
  return bytes.toString('utf8', HEADER_BYTES + 1, HEADER_BYTES + 1 + length)
}
