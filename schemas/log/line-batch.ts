import { HEADER_BYTES, WireType } from './wire-format.ts'

/** The route of what is sent to an account's log ingestion; all others are ids of gateway routes. */
export const INGEST_ROUTE = 'ingest'

/**
 * Lines of one account and route as columns; the shapes are described in avro/line-batch.1.avsc.
 *
 * What comes through a gateway route is no line of a log: there each line is the JSON text of a message, its time is the
 * event's, and the hostname of a request is the JSON text of the metadata that its events share; empty: none. Where `rest` is
 * not empty, a request was refused: it is the JSON text of a `Refusal`, and the line that of the beginning of its body.
 */
export interface LineBatch {
  readonly account: string
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

/** What a request says about all of its lines. Empty strings stand for what was not sent. */
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

/** The first key and digest that the log has wins; a repeat of the key is dropped by the engine. */
export interface Idempotency {
  readonly key: string
  readonly digest: Buffer
}

/** `<stream>/<number>`: costs one entry for the whole stream. */
export const NUMBERED_KEY = /^(.+)\/(\d{1,15})$/

/** How a line's timestamp was sent; with `OTHER` the text is member `timestamp` of its rest. */
export const TIMESTAMP_ABSENT = 0
export const TIMESTAMP_NUMBER_MS = 1
export const TIMESTAMP_TEXT_MS = 2
export const TIMESTAMP_OTHER = 3

/** Members of a line that few senders use, kept as one JSON text per line. */
export interface RareMembers {
  /** As sent, when it is not simply the number of milliseconds (TIMESTAMP_OTHER). */
  readonly timestamp?: string | number
  /** The time was out of bounds and replaced by the time of reception. */
  readonly clamped?: true
  /** Tags of the line itself, after cutting; the request's come first. */
  readonly tags?: readonly string[]
  readonly label?: unknown
  readonly annotation?: unknown
  /** The text was longer than the limit and was cut. */
  readonly truncated?: true
  /** Meta was over its limit: kept as text, cut, not parsed. */
  readonly metaCut?: true
  /** Members without a meaning of their own, as sent; they are kept under `_meta`. */
  readonly other?: Readonly<Record<string, unknown>>
}

/** Why a request to a gateway route was refused. */
export interface Refusal {
  /** One of the codes of components. */
  readonly code: string
  /** Place in the body; null: all of it. */
  readonly field: string | null
  readonly message: string
}

export const lineBatchType = new WireType<LineBatch>('LineBatch')

/** @param sizeHint see `WireType.encode` */
export function encodeLineBatch(batch: LineBatch, sizeHint?: number): Buffer {
  const bytes = batch.line.length + batch.meta.length + batch.rest.length + batch.count * 32
  return lineBatchType.encode(batch, sizeHint ?? bytes + 4096)
}

/** The account of an encoded batch, of which nothing else is read: it is the first member. */
export function accountOfBatch(bytes: Buffer): string {
  // A zigzag number: half of it. Account ids are short, so it is one byte.
  const length = (bytes[HEADER_BYTES] as number) >> 1
  return bytes.toString('utf8', HEADER_BYTES + 1, HEADER_BYTES + 1 + length)
}
