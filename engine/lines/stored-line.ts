/**
 * One row of `lines` on its way into a block. The own-store destination fills one instance again and again;
 * a block builder copies what it needs before it returns.
 */
export interface StoredLine {
  /** Short account id. */
  account: string
  /** Log time of its record, UNIX ms: the day it counts for, and its place in the store. */
  timeMs: number
  /** The line's own time, UNIX ms. */
  timestampMs: number
  host: string
  app: string
  level: string
  /** Empty strings stand for what is not known. */
  file: string
  env: string
  mac: string
  ip: string
  remoteAddress: string
  tags: readonly string[]
  /** The text is `textBytes[textStart] … textBytes[textEnd - 1]`, UTF-8. */
  textBytes: Uint8Array
  textStart: number
  textEnd: number
  /** JSON text of meta; empty when there is none. */
  meta: string
  /** JSON object of what is seldom there (_label, _annotation, _timestamp, _drift, _truncated); empty when none. */
  extra: string
  /** Bytes that count as usage. */
  sizeBytes: number
  retentionDays: number
  /** Days of the variable-retention pool; 0: the plan's. */
  poolDays: number
  /** Searchable fields by record path; an array gives one entry per element. The first `…Count` entries hold. */
  textFieldNames: string[]
  textFieldValues: string[]
  textFieldCount: number
  numberFieldNames: string[]
  numberFieldValues: number[]
  numberFieldCount: number
}

/** Collects rows of one batch and gives them as one Native block. */
export interface LineBlock {
  readonly rows: number
  /** Size of the block so far; the same rows always give the same number. */
  readonly bytes: number
  append(offset: bigint, row: number, line: StoredLine): void
  /** The block's bytes, to be written one after another; the builder is empty afterwards. */
  take(): Uint8Array[]
}
