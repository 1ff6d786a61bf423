import type { LogRecord } from './log.ts'

/** Maximum size of the newest flushed records of all partitions together, in bytes. */
const TAIL_CACHE_BYTES = 64 * 1024 * 1024

/**
 * Keeps the newest flushed records of every partition in memory, so that readers at the head of the log do not read
 * files. The limit holds for the whole log: a quiet partition holds no memory that a busy one could use. The oldest
 * records are evicted first.
 */
export class TailCache {
  readonly #limitBytes: number
  readonly #flushes: { readonly tail: PartitionTail; readonly records: number; readonly bytes: number }[] = []
  #firstFlush = 0
  #bytes = 0

  constructor(limitBytes = TAIL_CACHE_BYTES) {
    this.#limitBytes = limitBytes
  }

  /** Adds the records of one flush of `bytes` bytes, which share one piece of memory. */
  add(tail: PartitionTail, records: readonly LogRecord[], bytes: number): void {
    tail.push(records)
    this.#flushes.push({ tail, records: records.length, bytes })
    this.#bytes += bytes
    while (this.#bytes > this.#limitBytes) this.#evictFirst()
    if (this.#firstFlush > 1024 && this.#firstFlush * 2 > this.#flushes.length) {
      this.#flushes.splice(0, this.#firstFlush)
      this.#firstFlush = 0
    }
  }

  #evictFirst(): void {
    const flush = this.#flushes[this.#firstFlush]
    if (flush === undefined) return
    flush.tail.evict(flush.records)
    this.#bytes -= flush.bytes
    this.#firstFlush++
  }
}

/** The newest flushed records of one partition: consecutive offsets. */
export class PartitionTail {
  /** Places before `#start` are empty, so that evicted records hold no memory. */
  #records: (LogRecord | undefined)[] = []
  #start = 0

  push(records: readonly LogRecord[]): void {
    for (const record of records) this.#records.push(record)
  }

  evict(count: number): void {
    this.#records.fill(undefined, this.#start, this.#start + count)
    this.#start += count
    if (this.#start < 1024 || this.#start * 2 < this.#records.length) return
    this.#records = this.#records.slice(this.#start)
    this.#start = 0
  }

  /** Records as `Topic.read` returns them; undefined when `from` is not in the cache. */
  read(from: number, maxBytes: number): LogRecord[] | undefined {
    const oldest = this.#records[this.#start]
    if (oldest === undefined || from < Number(oldest.offset)) return undefined
    const records: LogRecord[] = []
    let bytes = 0
    for (let at = this.#start + from - Number(oldest.offset); at < this.#records.length; at++) {
      const record = this.#records[at] as LogRecord
      bytes += record.value.length
      if (bytes > maxBytes && records.length > 0) break
      records.push(record)
    }
    return records
  }
}
