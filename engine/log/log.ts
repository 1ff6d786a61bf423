/**
 * The log port: partitioned, append-only topics. All state of Weir stems from it. One contract suite
 * (test/conformance/log-contract.ts) covers every implementation.
 */
export interface Log {
  /**
   * Opens a topic, and creates it with that many partitions if it does not exist.
   *
   * @throws LogError LOG_PARTITIONS_DIFFER when it exists with another number of partitions
   */
  topic(name: string, partitions: number): Promise<Topic>
  /** Space in use, and the kinds of appends that are accepted at present. */
  space(): LogSpace
  /**
   * Reserves at least this much space for control records, which lines do not use; never less than a share of the limit.
   */
  reserve(bytes: number): void
  /** Waits for outstanding appends, then closes everything. Later calls throw LOG_CLOSED. */
  close(): Promise<void>
}

export interface LogSpace {
  readonly usedBytes: number
  readonly limitBytes: number
  /** Bytes of the limit reserved for control records (see `Log.reserve`). */
  readonly reservedBytes: number
  /** false: appends of ingestion are refused with LOG_FULL; control appends continue in the reserve. */
  readonly takesIngest: boolean
  /** false: the reserve is used up as well. */
  readonly takesControl: boolean
}

export interface Topic {
  readonly name: string
  /** UUID given when the topic was created: it distinguishes the log from an older one of the same name. */
  readonly logId: string
  readonly partitions: number

  /**
   * Asks for the present UUID. It differs from `logId` once another process has deleted the topic and created it again.
   * Absent where no other process can.
   *
   * @throws LogError LOG_UNAVAILABLE (retriable)
   */
  presentId?(): Promise<string>

  /**
   * Appends one record and resolves when it is durable: it survives the end of the process at any instant. Records of one
   * partition get rising offsets in the order of the calls. Calls that wait together share one flush to the disk. After
   * the answer, the caller may reuse the value's memory.
   *
   * @throws LogError LOG_FULL (retriable; nothing was stored), LOG_RECORD_TOO_LARGE (not retriable), LOG_UNAVAILABLE
   *   (retriable; it is unknown whether the record was kept), LOG_CLOSED
   */
  append(partition: number, record: NewRecord): Promise<Appended>

  /**
   * Reads the records of one partition from an offset on. Only durable records are returned.
   *
   * @param from      first offset wanted, inclusive
   * @param maxBytes  bound on the summed value sizes, in bytes. A single larger record is still returned, alone, so that
   *   a reader never stalls
   * @returns records in offset order, gaps allowed; empty at the head of the log
   * @throws LogError
   *   - LOG_OFFSET_OUT_OF_RANGE (not retriable): `from` is older than the earliest kept record or beyond the next offset
   *   - LOG_UNAVAILABLE (retriable)
   *   - LOG_CORRUPT, with a sentence that names file and byte
   */
  read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]>

  /** First kept offset and next offset; equal when the partition keeps no records. */
  bounds(partition: number): Promise<Bounds>

  /**
   * Resolves when the partition's next offset is beyond `offset`, or when the signal is aborted.
   *
   * @throws LogError LOG_CLOSED, also when the log is closed during the wait
   */
  waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void>

  /**
   * Allows the log to delete records below an offset. An implementation may keep more (the segment log deletes whole
   * segments). It never deletes records at or above `before`. `bounds().first` shows the result.
   *
   * @throws LogError LOG_UNAVAILABLE (retriable)
   */
  trim(partition: number, before: bigint): Promise<void>

  /** Offset of the earliest record appended at or after that time (by append time), or null. Used by retention. */
  offsetAtTime(partition: number, timeMs: number): Promise<bigint | null>
}

/**
 * Decides which appends a log that is running full refuses first. 'ingest': lines, which stay below the reserve. 'change':
 * ordinary changes of the configuration, which nothing ever removes. Their topic has a share of the log, and they leave half
 * of the reserve free. 'essential': changes of keys, rights, pauses and the like, which go a little further. 'outgoing': events that
 * a partition hands over to the outbox; a quarter of the reserve stays free of them, so that a full log can empty itself. 'control'
 * may use the whole log: ticks, cuts, owners, checkpoints, reports, rekeyed events, revocations.
 */
export type Priority = 'ingest' | 'change' | 'essential' | 'outgoing' | 'control'

export interface NewRecord {
  readonly value: Buffer
  /** Producer id and sequence: the reader drops a sequence that it has passed. */
  readonly producer: ProducerPosition | null
  readonly priority: Priority
  /**
   * Returns the lowest offset above all records of the partition that the writer knows; called when the record is sent. A
   * log whose end can go back below it, such as a broker, keeps it with the record. Other logs ignore it.
   */
  readonly knownEnd?: (() => bigint) | undefined
}

export interface ProducerPosition {
  readonly id: string
  /** 0, 1, 2, … within one partition of one topic. */
  readonly sequence: number
}

export interface Appended {
  readonly offset: bigint
  /** The log's clock at the append, UNIX ms. It may step back between records. */
  readonly appendTimeMs: number
}

export interface LogRecord extends Appended {
  readonly value: Buffer
  readonly producer: ProducerPosition | null
  /** End of the partition that the writer knew. A record at a lower offset was refused: see `isRefused`. */
  readonly knownEnd?: bigint
  /** Ids of nodes at which the events of the record fail, because an operator has put it into quarantine there. */
  readonly quarantinedNodes?: ReadonlySet<string>
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
  /**
   * The partition ends below the known end. Nothing was stored, and nothing will be until an operator accepts the loss.
   */
  | 'LOG_TAIL_LOST'
  | 'LOG_PARTITIONS_DIFFER'

export class LogError extends Error {
  override readonly name = 'LogError'
  readonly code: LogErrorCode
  /** true: the same call may succeed later. */
  readonly retriable: boolean

  constructor(code: LogErrorCode, message: string, options: { retriable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retriable = options.retriable ?? false
  }
}

/** Whether the error means that the log is unavailable, and not that a call was wrong. */
export function isLogAway(error: unknown): error is LogError {
  return error instanceof LogError && (error.retriable || error.code === 'LOG_CLOSED')
}

/** Whether the error means that the log has deleted the records to read. */
export function isTrimmed(error: unknown): boolean {
  return error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE'
}

/**
 * Maximum size of a record. A request is one record, so this limits the largest body that can be configured (10 MB for
 * senders built for other services). Other records have at most 900 KB.
 */
export const MAX_RECORD_BYTES = 16 * 1024 * 1024
