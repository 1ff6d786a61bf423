/**
 * Searchable fields of one line by record path; an array gives one entry per element. Only the first `…Count` entries are
 * valid.
 */
export interface RowFields {
  textFieldNames: string[]
  textFieldValues: string[]
  textFieldCount: number
  numberFieldNames: string[]
  numberFieldValues: number[]
  numberFieldCount: number
}

/**
 * One row of `lines` on its way into a block. The own-store destination reuses one instance; a block builder copies the
 * values that it needs before it returns.
 */
export interface StoredLine extends RowFields {
  /** Short account id. */
  account: string
  /** Log time of its record, UNIX ms: it determines the day of its usage, and its place in the store. */
  timeMs: number
  /** The line's own time, UNIX ms. */
  timestampMs: number
  host: string
  app: string
  level: string
  /** File of the line. Empty strings mean unknown values. */
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
  /** JSON text of meta; empty without meta. */
  meta: string
  /** JSON object of rare members (_label, _annotation, _timestamp, _drift, _truncated); empty without any. */
  extra: string
  /** Bytes that count as usage. */
  sizeBytes: number
  retentionDays: number
  /** Days of the variable-retention pool; 0: the plan's. */
  poolDays: number
}

/** An empty line, to be filled. */
export function newStoredLine(): StoredLine {
  return {
    account: '',
    timeMs: 0,
    timestampMs: 0,
    host: '',
    app: '',
    level: '',
    file: '',
    env: '',
    mac: '',
    ip: '',
    remoteAddress: '',
    tags: [],
    textBytes: Buffer.alloc(0),
    textStart: 0,
    textEnd: 0,
    meta: '',
    extra: '',
    sizeBytes: 0,
    retentionDays: 0,
    poolDays: 0,
    textFieldNames: [],
    textFieldValues: [],
    textFieldCount: 0,
    numberFieldNames: [],
    numberFieldValues: [],
    numberFieldCount: 0,
  }
}

export function newRowFields(): RowFields {
  return {
    textFieldNames: [],
    textFieldValues: [],
    textFieldCount: 0,
    numberFieldNames: [],
    numberFieldValues: [],
    numberFieldCount: 0,
  }
}
