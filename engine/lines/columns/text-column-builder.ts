import { MAX_LENGTH_BYTES, writeLength } from './text-lengths.ts'

const FIRST_BYTES = 4096
/** Below this size a loop is faster than a native copy. */
const SHORT_COPY_BYTES = 24

/**
 * Grows a text column: per row a length as varint, then UTF-8. Nothing is written while all rows are empty.
 *
 * The `TextColumn` of a stored block has the same form, but gives its bytes away. This one can be rolled back to a
 * mark. It keeps its bytes for the next batch, so that scanners write into them without a call per text.
 */
export class TextColumnBuilder {
  /** The column's bytes are the first `length`. A caller that writes by itself reserves room first. */
  bytes = Buffer.allocUnsafeSlow(FIRST_BYTES)
  length = 0
  #rows = 0
  #allEmpty = true

  get rows(): number {
    return this.#rows
  }

  /** The finished column; a view, valid until the next change. */
  view(): Buffer {
    return this.#allEmpty ? this.bytes.subarray(0, 0) : this.bytes.subarray(0, this.length)
  }

  reserve(more: number): void {
    const needed = this.length + more
    if (needed <= this.bytes.length) return
    const grown = Buffer.allocUnsafeSlow(Math.max(this.bytes.length * 2, needed))
    grown.set(this.bytes.subarray(0, this.length))
    this.bytes = grown
  }

  appendEmpty(): void {
    this.#rows++
    if (this.#allEmpty) return
    this.reserve(1)
    this.bytes[this.length++] = 0
  }

  /** Appends the text that `source` holds between `start` and `end`. */
  append(source: Buffer, start: number, end: number): void {
    const length = end - start
    this.startText(length)
    const target = this.bytes
    let at = this.length
    if (length > SHORT_COPY_BYTES) source.copy(target, at, start, end)
    else for (let from = start; from < end; from++) target[at++] = source[from] as number
    this.length += length
  }

  appendText(text: string): void {
    if (text === '') {
      this.appendEmpty()
      return
    }
    const length = Buffer.byteLength(text)
    this.startText(length)
    this.bytes.write(text, this.length, 'utf8')
    this.length += length
  }

  /** Appends a text whose bytes are code units. */
  appendRaw(bytes: string): void {
    if (bytes === '') {
      this.appendEmpty()
      return
    }
    this.startText(bytes.length)
    this.length += this.bytes.write(bytes, this.length, 'latin1')
  }

  /** Writes the length of a text whose bytes the caller writes behind it; the space for them is reserved. */
  startText(length: number): void {
    this.startRow()
    this.reserve(length + MAX_LENGTH_BYTES)
    this.length = writeLength(this.bytes, this.length, length)
  }

  /** Counts one row, whose length and bytes the caller writes. */
  startRow(): void {
    if (this.#allEmpty) this.#writeEmptyRows()
    this.#rows++
  }

  /** Appends all rows of another column. */
  appendAll(other: TextColumnBuilder): void {
    if (other.#allEmpty) this.appendEmptyRows(other.#rows)
    else this.appendRows(other.bytes, 0, other.length, other.#rows)
  }

  /** Appends rows that `source` holds between `start` and `end`, in the form of this column. */
  appendRows(source: Buffer, start: number, end: number, rows: number): void {
    if (this.#allEmpty) this.#writeEmptyRows()
    const length = end - start
    this.reserve(length)
    source.copy(this.bytes, this.length, start, end)
    this.length += length
    this.#rows += rows
  }

  appendEmptyRows(rows: number): void {
    this.#rows += rows
    if (!this.#allEmpty) this.#writeZeros(rows)
  }

  #writeEmptyRows(): void {
    this.#writeZeros(this.#rows)
    this.#allEmpty = false
  }

  #writeZeros(count: number): void {
    this.reserve(count)
    this.bytes.fill(0, this.length, this.length + count)
    this.length += count
  }

  mark(): TextColumnMark {
    return { rows: this.#rows, length: this.length, allEmpty: this.#allEmpty }
  }

  rollBack(mark: TextColumnMark): void {
    this.#rows = mark.rows
    this.length = mark.length
    this.#allEmpty = mark.allEmpty
  }
}

export interface TextColumnMark {
  readonly rows: number
  readonly length: number
  readonly allEmpty: boolean
}
