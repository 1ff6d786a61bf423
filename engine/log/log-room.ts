import type { Clock } from '../clock/clock.ts'
import { LogError, type LogSpace, MAX_RECORD_BYTES } from './log.ts'

/** The disk is asked at most that often. */
const DISK_CHECK_MS = 1000

export interface LogRoomOptions {
  readonly clock: Clock
  /** Bytes that the log may take, the reserve included. */
  readonly maxBytes: number
  /** Share of `maxBytes` that only control appends use; `reserve` may ask for more. */
  readonly reserveShare: number
  /** Ingestion stops when the disk has less left. What is below it is the control appends' reserve of the disk. */
  readonly minFreeDiskBytes: number
  /** Free bytes of the disk now; Infinity where there is none. */
  readonly freeBytes: () => number
}

/**
 * Who may still append, by the room that the files of the log take and by what the disk has left.
 * Lines are admitted while they fit below the reserve, so that it is there when it is needed. A control record is
 * admitted while the log is below its bound, which is passed by one such record at most.
 */
export class LogRoom {
  readonly #options: LogRoomOptions
  #reservedBytes: number
  #usedBytes = 0
  /** Admitted, not yet on the disk. */
  #waitingBytes = 0
  /** Of the record of lines that found no room last: until it would, there is no room for lines. */
  #refusedBytes = 0
  /** As last seen, less what the log took since: at full speed a reserve could be gone within a second. */
  #freeBytes = Number.POSITIVE_INFINITY
  #freeSeenAtMs = Number.NEGATIVE_INFINITY

  constructor(options: LogRoomOptions) {
    this.#options = options
    this.#reservedBytes = options.maxBytes * options.reserveShare
  }

  /** At least that much room is left to control records; never less than their share. */
  reserve(bytes: number): void {
    const { maxBytes, reserveShare } = this.#options
    this.#reservedBytes = Math.max(bytes, maxBytes * reserveShare)
  }

  /** Counts the record as waiting. @throws LogError LOG_FULL, LOG_RECORD_TOO_LARGE */
  admit(bytes: number, priority: 'ingest' | 'control'): void {
    const taken = this.#usedBytes + this.#waitingBytes
    const { maxBytes } = this.#options
    if (taken >= maxBytes) throw this.#full(`it uses ${taken} of ${maxBytes} bytes`)
    if (priority === 'ingest') this.#admitLines(taken, bytes)
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

  /** The records that waited have an outcome; `storedBytes` of them are on the disk. */
  settle(waitedBytes: number, storedBytes: number): void {
    this.#waitingBytes -= waitedBytes
    this.#freeBytes += waitedBytes
    this.change(storedBytes)
  }

  /** Files grew or, with a negative number, went away. */
  change(bytes: number): void {
    this.#usedBytes += bytes
    this.#freeBytes -= bytes
  }

  /** A write found no room: whatever was known of the disk is out of date. */
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

  /** Room that lines may fill. */
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
