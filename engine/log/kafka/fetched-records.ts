import type { LogRecord } from '../log.ts'

/** Fetched records of one partition that are not read yet: a batch arrives as a whole, whatever size was requested. */
export class FetchedRecords {
  #records: readonly LogRecord[] = []
  #bytes = 0

  /** Total size of the values held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Replaces all records held. @param records in offset order */
  replace(records: readonly LogRecord[]): void {
    this.#records = records
    this.#bytes = sumBytes(records)
  }

  /**
   * Records from an offset on, up to this many bytes or a single record; empty when they are not held. Drops the records
   * before them.
   */
  take(from: bigint, maxBytes: number): readonly LogRecord[] {
    const start = this.#records.findIndex(({ offset }) => offset >= from)
    if (start < 0 || (this.#records[0] as LogRecord).offset > from) return []
    let end = start
    let bytes = 0
    for (; end < this.#records.length; end++) {
      bytes += (this.#records[end] as LogRecord).value.length
      if (bytes > maxBytes && end > start) break
    }
    const taken = this.#records.slice(start, end)
    this.replace(this.#records.slice(end))
    return taken
  }

  /** Drops records below an offset. */
  trim(before: bigint): void {
    this.replace(this.#records.filter(({ offset }) => offset >= before))
  }
}

function sumBytes(records: readonly LogRecord[]): number {
  return records.reduce((sum, { value }) => sum + value.length, 0)
}
