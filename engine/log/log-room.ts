import type { Clock } from '../clock/clock.ts'
import { LogError, type LogSpace, MAX_RECORD_BYTES, type Priority } from './log.ts'

/** Minimum interval between reads of the free disk space. */
const DISK_CHECK_MS = 1000
/**
 * Share of the log for the topic of the configuration, without removals. Nothing frees this space, so without the share lines
 * would be refused for good. (Our choice.)
 */
const CHANGES_SHARE = { change: 0.25, essential: 0.3 } as const
/** Share of the reserve that changes leave free: in the end removals and checkpoints have it alone. */
const FREE_OF_CHANGES = { change: 0.5, essential: 0.25 } as const
/** Share of the reserve that stays free of events which are handed over: reports and checkpoints make room for them. */
const FREE_OF_OUTGOING = 0.25

export interface LogRoomOptions {
  readonly clock: Clock
  /** Maximum size of the log in bytes, including the reserve. */
  readonly maxBytes: number
  /** Share of `maxBytes` that only control appends may use; `reserve` can increase it. */
  readonly reserveShare: number
  /** Ingestion stops below this free disk space, which is the disk reserve for control appends. */
  readonly minFreeDiskBytes: number
  /** Free bytes of the disk now; Infinity without a disk. */
  readonly freeBytes: () => number
}

/**
 * Decides which appends are accepted, by the size of the log's files and the free disk space. Lines are accepted while
 * they fit below the reserve, so that it is available when needed. An ordinary change of the configuration is accepted while
 * its topic has not used its share and half of the reserve stays free; an essential one goes a little further. A control record is accepted while the log is below
 * its limit, which at most one such record exceeds.
 */
export class LogRoom {
  readonly #options: LogRoomOptions
  /** Bytes that control records need, by the last call of `reserve`. */
  #neededBytes = 0
  #usedBytes = 0
  /** Bytes that are accepted and not yet on the disk. */
  #waitingBytes = 0
  /** Size of the last refused record of lines: until it would fit, the log counts as full for lines. */
  #refusedBytes = 0
  /** Last reading minus the bytes written since: at full speed the reserve could be used up within a second. */
  #freeBytes = Number.POSITIVE_INFINITY
  #freeSeenAtMs = Number.NEGATIVE_INFINITY

  constructor(options: LogRoomOptions) {
    this.#options = options
  }

  /** Sets the minimum space for control records; never below their share. */
  reserve(bytes: number): void {
    this.#neededBytes = bytes
  }

  /**
   * Counts the record as waiting, if there is room.
   *
   * @param heldBytes size of the record's partition; read for changes only
   * @throws LogError LOG_FULL, LOG_RECORD_TOO_LARGE
   */
  admit(bytes: number, priority: Priority, heldBytes: () => number = () => 0): void {
    const taken = this.#usedBytes + this.#waitingBytes
    const { maxBytes } = this.#options
    if (taken >= maxBytes) throw this.#full(`it uses ${taken} of ${maxBytes} bytes`)
    if (priority === 'ingest') this.#admitLines(taken, bytes)
    if (priority === 'change' || priority === 'essential')
      this.#admitChange(priority, taken, bytes, heldBytes)
    if (priority === 'outgoing') this.#admitOutgoing(taken, bytes)
    this.#waitingBytes += bytes
    this.#freeBytes -= bytes
  }

  #admitLines(taken: number, bytes: number): void {
    const { maxBytes, reserveShare } = this.#options
    if (bytes > (maxBytes * (1 - reserveShare)) / 2) {
      const message = `A record of ${bytes} bytes is too large for a log of ${maxBytes} bytes.`
      throw new LogError('LOG_RECORD_TOO_LARGE', message)
    }
    if (this.#diskIsLow()) throw this.diskFull()
    if (taken + bytes <= this.#ingestBytes) return
    this.#refusedBytes = bytes
    throw this.#full(`lines may use ${Math.floor(this.#ingestBytes)} bytes, and ${taken} are in use`)
  }

  #admitChange(
    priority: 'change' | 'essential',
    taken: number,
    bytes: number,
    heldBytes: () => number,
  ): void {
    const { maxBytes, reserveShare } = this.#options
    if (priority === 'change' && this.#diskIsLow()) throw this.diskFull()
    const ofChanges = Math.floor(maxBytes * CHANGES_SHARE[priority])
    if (taken + bytes > ofChanges && heldBytes() + bytes > ofChanges)
      throw this.#full(`the configuration may use ${ofChanges} bytes, and ${heldBytes()} are in use`)
    const needed = priority === 'change' ? this.#neededBytes : 0
    const keptFree = Math.max(needed, maxBytes * reserveShare * FREE_OF_CHANGES[priority])
    if (taken + bytes <= maxBytes - keptFree) return
    throw this.#full(`${Math.ceil(keptFree)} bytes stay free for checkpoints, and ${taken} are in use`)
  }

  #admitOutgoing(taken: number, bytes: number): void {
    const keptFree = this.#reservedBytes * FREE_OF_OUTGOING
    if (taken + bytes <= this.#options.maxBytes - keptFree) return
    throw this.#full(
      `${Math.ceil(keptFree)} bytes stay free for reports and checkpoints, and ${taken} are in use`,
    )
  }

  /** Ends the wait of records; `storedBytes` of them are now on the disk. */
  settle(waitedBytes: number, storedBytes: number): void {
    this.#waitingBytes -= waitedBytes
    this.#freeBytes += waitedBytes
    this.change(storedBytes)
  }

  /** Changes the size of the log's files, by a negative number after removals. */
  change(bytes: number): void {
    this.#usedBytes += bytes
    this.#freeBytes -= bytes
  }

  /** A write found no space: the last reading of the disk is out of date. */
  recheckDisk(): void {
    this.#freeBytes = this.#options.freeBytes() - this.#waitingBytes
    this.#freeSeenAtMs = this.#options.clock.monotonicMs()
  }

  diskFull(cause?: unknown): LogError {
    return this.#full(`its disk has ${Math.max(0, this.#freeBytes)} bytes left`, cause)
  }

  space(): LogSpace {
    const taken = this.#usedBytes + this.#waitingBytes
    const { maxBytes } = this.#options
    const diskIsLow = this.#diskIsLow()
    return {
      usedBytes: this.#usedBytes,
      limitBytes: maxBytes,
      reservedBytes: Math.min(maxBytes, Math.ceil(this.#reservedBytes)),
      takesIngest: taken + this.#refusedBytes < this.#ingestBytes && !diskIsLow,
      takesControl: taken < maxBytes && this.#freeBytes >= MAX_RECORD_BYTES,
    }
  }

  get #reservedBytes(): number {
    const { maxBytes, reserveShare } = this.#options
    return Math.max(this.#neededBytes, maxBytes * reserveShare)
  }

  /** Bytes of the log that lines may use. */
  get #ingestBytes(): number {
    return Math.max(0, this.#options.maxBytes - this.#reservedBytes)
  }

  #diskIsLow(): boolean {
    const sinceMs = this.#options.clock.monotonicMs() - this.#freeSeenAtMs
    if (sinceMs >= DISK_CHECK_MS) this.recheckDisk()
    return this.#freeBytes < this.#options.minFreeDiskBytes
  }

  #full(why: string, cause?: unknown): LogError {
    return new LogError('LOG_FULL', `The log is full: ${why}.`, { retriable: true, cause })
  }
}
