/**
 * The log port: partitioned, append-only topics. Everything that Weir remembers went through it first.
 * One contract suite (test/conformance/log-contract.ts) holds for every implementation.
 */
export interface Log {
  /**
   * Opens a topic and creates it when it is not there, with that many partitions.
   *
   * @throws LogError LOG_PARTITIONS_DIFFER when it is there with another number of partitions
   */
  topic(name: string, partitions: number): Promise<Topic>
  /** Room used and what appends are taken at the moment. */
  space(): LogSpace
  /** Lines leave at least that much room to control records, from now on; never less than a share of the limit. */
  reserve(bytes: number): void
  /** Waits for the appends in flight, then closes everything. Later calls throw LOG_CLOSED. */
  close(): Promise<void>
}

export interface LogSpace {
  readonly usedBytes: number
  readonly limitBytes: number
  /** Of them lines may not use these: see `Log.reserve`. */
  readonly reservedBytes: number
  /** False: appends of ingestion are refused with LOG_FULL; control appends go on from the reserve. */
  readonly takesIngest: boolean
  /** False: not even the reserve is left. */
  readonly takesControl: boolean
}

export interface Topic {
  readonly name: string
  /** UUID minted when the topic was created: tells a new log from the old one of the same name. */
  readonly logId: string
  readonly partitions: number

  /**
   * Appends one record and answers when it is durable: it survives the end of the process at any instant.
   * Records of one partition get rising offsets in the order of the calls. Calls that wait together
   * share one flush to the disk. Once answered, the caller may use the value's memory again.
   *
   * @throws LogError LOG_FULL (retriable; nothing was stored), LOG_RECORD_TOO_LARGE (not retriable), LOG_UNAVAILABLE (retriable;
   *         whether the record is kept is unknown), LOG_CLOSED
   */
  append(partition: number, record: NewRecord): Promise<Appended>

  /**
   * Reads the records of one partition from an offset on. Only durable records are ever returned.
   *
   * @param from      first offset wanted, inclusive
   * @param maxBytes  bound on the summed value sizes, in bytes; a single larger record is still
   *                  returned, alone, so that a reader never stalls
   * @returns records in offset order, gaps allowed; empty at the head of the log
   * @throws LogError LOG_OFFSET_OUT_OF_RANGE (not retriable) when `from` is older than the earliest kept record
   *         or beyond the next offset; LOG_UNAVAILABLE (retriable); LOG_CORRUPT with a sentence that names file and byte
   */
  read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]>

  /** First offset still kept and the offset that the next record will get; equal when nothing is kept. */
  bounds(partition: number): Promise<Bounds>

  /**
   * Resolves when the partition's next offset is beyond `offset`, or when the signal is aborted.
   *
   * @throws LogError LOG_CLOSED, also when the log is closed meanwhile
   */
  waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void>

  /**
   * Lets go of records below an offset. An implementation may keep more (the segment log deletes whole
   * segments); it never deletes anything at or above `before`. `bounds().first` tells the effect.
   *
   * @throws LogError LOG_UNAVAILABLE (retriable)
   */
  trim(partition: number, before: bigint): Promise<void>

  /** The earliest record appended at or after that time (by append time), or null. Used by retention. */
  offsetAtTime(partition: number, timeMs: number): Promise<bigint | null>
}

export interface NewRecord {
  readonly value: Buffer
  /** Who appended it and as which number of his: the reader drops a number it has passed. */
  readonly producer: ProducerPosition | null
  /** 'control' may use the reserve: ticks, cuts, owners, checkpoints, re-keyed events. */
  readonly priority: 'ingest' | 'control'
}

export interface ProducerPosition {
  readonly id: string
  /** 0, 1, 2, … within one partition of one topic. */
  readonly sequence: number
}

export interface Appended {
  readonly offset: bigint
  /** The log's clock when the record was appended, UNIX ms. May step back between records. */
  readonly appendTimeMs: number
}

export interface LogRecord extends Appended {
  readonly value: Buffer
  readonly producer: ProducerPosition | null
}

export interface Bounds {
  readonly first: bigint
  readonly next: bigint
}

export type LogErrorCode =
  | 'LOG_OFFSET_OUT_OF_RANGE'
  | 'LOG_FULL'
  | 'LOG_RECORD_TOO_LARGE'
  | 'LOG_UNAVAILABLE'
  | 'LOG_CLOSED'
  | 'LOG_CORRUPT'
  | 'LOG_IN_USE'
  /** The partition ends below what is known of it: nothing was stored, nor is it before somebody accepts the loss. */
  | 'LOG_TAIL_LOST'
  | 'LOG_PARTITIONS_DIFFER'

export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: LogErrorCode
  /** True: the same call may succeed later. */
  readonly retriable: boolean

  constructor(code: LogErrorCode, message: string, options: { retriable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retriable = options.retriable ?? false
  }
}

/** Whether the log cannot be used at the moment, rather than that a call was wrong. */
export function isLogAway(error: unknown): error is LogError {
  return error instanceof LogError && (error.retriable || error.code === 'LOG_CLOSED')
}

/**
 * A record is at most this large. A request is one record, so this bounds the largest body that can be configured
 * (10 MB for senders that were made for other services); records are 900 KB at most otherwise.
 */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024
