import { copied, finish, joined, type Steps } from '../../../steps.ts'

type Column = Uint8Array | Uint16Array | Uint32Array | Float64Array

/** Writes numbers and columns one after the other in their form in memory (little endian). */
export class ColumnWriter {
  readonly #parts: Uint8Array[] = []

  numbers(...numbers: readonly number[]): void {
    this.column(Float64Array.from(numbers), numbers.length)
  }

  /** Writes only the first `length` values. The bytes are copied by `writing`. */
  column(column: Column, length: number): void {
    this.#parts.push(new Uint8Array(column.buffer, column.byteOffset, length * column.BYTES_PER_ELEMENT))
  }

  *writing(): Steps<Uint8Array> {
    const { buffer } = yield* joined(this.#parts)
    return new Uint8Array(buffer)
  }
}

/** Reads the output of a `ColumnWriter`, in the same order. */
export class ColumnReader {
  readonly #bytes: Uint8Array
  #at = 0

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  numbers(count: number): number[] {
    const column = new Float64Array(count)
    this.column(column, count)
    return Array.from(column)
  }

  /** @throws RangeError when the bytes end before the column does */
  column(column: Column, length: number): void {
    finish(this.reading(column, length))
  }

  /** Reads a column as `column` does, in stretches. */
  *reading(column: Column, length: number): Steps {
    const size = length * column.BYTES_PER_ELEMENT
    if (this.#at + size > this.#bytes.length || size > column.byteLength)
      throw new RangeError(`a column of ${size} bytes does not fit at ${this.#at} of ${this.#bytes.length}`)
    const source = this.#bytes.subarray(this.#at, this.#at + size)
    yield* copied(source, new Uint8Array(column.buffer, column.byteOffset, size))
    this.#at += size
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length
  }
}
