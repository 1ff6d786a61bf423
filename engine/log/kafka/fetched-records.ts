import type { LogRecord } from '../log.ts'

/** Records of one partition that were fetched and not all read yet: a batch comes whole, whatever a reader asks for. */
export class FetchedRecords {
  #records: readonly LogRecord[] = []
  #bytes = 0

  /** Summed size of the values that are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** Takes the place of what was held. @param records in offset order */
  replace(records: readonly LogRecord[]): void {
    this.#records = records
    this.#bytes = sumBytes(records)
  }

  /** Those from an offset on, up to that many bytes, or one; nothing when they are not held. Forgets what was read. */
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

  /** Forgets what lies below an offset. */
  trim(before: bigint): void {
    this.replace(this.#records.filter(({ offset }) => offset >= before))
  }
}

function sumBytes(records: readonly LogRecord[]): number {
  return records.reduce((sum, { value }) => sum + value.length, 0)
}
