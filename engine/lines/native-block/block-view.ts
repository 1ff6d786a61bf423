import { scanTextEnds } from '../columns/text-lengths.ts'

/** Words of a column, one per row. */
export interface WordView {
  /** Different words; the first is the empty one. */
  readonly words: readonly string[]
  /** Place of the word of each row. */
  readonly places: Uint8Array | Uint16Array | Uint32Array
}

/** Texts of a column, each with its length before it. */
export class TextView {
  readonly #bytes: Uint8Array
  /** Whether all texts are empty. Such a column, of which a block has many, is not scanned. */
  readonly areEmpty: boolean
  readonly #ends: Uint32Array

  constructor(bytes: Uint8Array, rows: number) {
    this.#bytes = bytes
    // An empty text has one byte, its length.
    this.areEmpty = bytes.length === rows
    this.#ends = new Uint32Array(this.areEmpty ? 0 : rows)
    if (!this.areEmpty) scanTextEnds(bytes, this.#ends)
  }

  isEmpty(row: number): boolean {
    return this.areEmpty || this.#end(row) - this.#start(row) === 1
  }

  text(row: number): string {
    if (this.areEmpty) return ''
    const { buffer, byteOffset } = this.#bytes
    const end = this.#end(row)
    let start = this.#start(row)
    while ((this.#bytes[start++] as number) >= 0x80);
    return Buffer.from(buffer, byteOffset + start, end - start).toString()
  }

  /** Texts of consecutive rows, each with its length before it. */
  encoded(from: number, to: number): Uint8Array {
    return this.areEmpty
      ? this.#bytes.subarray(from, to)
      : this.#bytes.subarray(this.#start(from), this.#start(to))
  }

  /** End of those consecutive rows from one on whose encoded texts have at most so many bytes. */
  endWithin(from: number, to: number, maxBytes: number): number {
    if (this.areEmpty) return Math.min(to, from + maxBytes)
    const most = this.#start(from) + maxBytes
    if (this.#start(to) <= most) return to
    let [fits, exceeds] = [from, to]
    while (exceeds - fits > 1) {
      const middle = (fits + exceeds) >>> 1
      if (this.#start(middle) <= most) fits = middle
      else exceeds = middle
    }
    return fits
  }

  /** Place of the length of a row's text. */
  #start(row: number): number {
    return row === 0 ? 0 : (this.#ends[row - 1] as number)
  }

  #end(row: number): number {
    return this.#ends[row] as number
  }
}

/** Elements of a column of arrays or maps. */
export interface ListView {
  /** Number of elements of all rows. */
  readonly count: number
  /** Number of elements up to the end of a row. */
  end(row: number): number
}

/**
 * Reads the columns of a block in ClickHouse's Native format, in their order, as views of its pieces. Each piece is one
 * that a column has given: see `nativeBlock`.
 */
export class BlockView {
  readonly rows: number
  readonly #pieces: readonly Uint8Array[]
  #piece = 0
  #at = 0

  constructor(pieces: readonly Uint8Array[]) {
    this.#pieces = pieces
    this.#length()
    this.rows = this.#length()
  }

  words(): WordView {
    this.#beginColumn()
    this.#bytes(VERSION_BYTES)
    return this.#dictionary(this.rows)
  }

  wordLists(): ListView & WordView {
    this.#beginColumn()
    this.#bytes(VERSION_BYTES)
    const ends = this.#ends()
    return { ...ends, ...this.#dictionary(ends.count) }
  }

  texts(): TextView {
    this.#beginColumn()
    return new TextView(this.#rest(), this.rows)
  }

  /** Arrays of texts. The lengths of the elements are not read before they are asked for. */
  textLists(): ListView & { values(): TextView } {
    this.#beginColumn()
    return this.#textElements(this.#ends())
  }

  /** A map with texts as values. The lengths of the values are not read before they are asked for. */
  textMap(): ListView & { values(): TextView } {
    this.#beginColumn()
    this.#bytes(VERSION_BYTES)
    const ends = this.#ends()
    this.#dictionary(ends.count)
    return this.#textElements(ends)
  }

  /** 64-bit integers that are safe ones. */
  integers(): (row: number) => number {
    this.#beginColumn()
    return integersOf(this.#bytes(this.rows * 8))
  }

  /** The values of `integers`. */
  allIntegers(): Float64Array {
    const integer = this.integers()
    const values = new Float64Array(this.rows)
    for (let row = 0; row < values.length; row++) values[row] = integer(row)
    return values
  }

  smallIntegers(bytesPerValue: 2 | 4): (row: number) => number {
    this.#beginColumn()
    const bytes = this.#bytes(this.rows * bytesPerValue)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return bytesPerValue === 2 ? row => view.getUint16(row * 2, true) : row => view.getUint32(row * 4, true)
  }

  #textElements({ end, count }: ListView): ListView & { values(): TextView } {
    const bytes = count === 0 ? NO_BYTES : this.#rest()
    let values: TextView | undefined
    return {
      end,
      count,
      values: () => {
        values ??= new TextView(bytes, count)
        return values
      },
    }
  }

  #ends(): ListView {
    const end = integersOf(this.#bytes(this.rows * 8))
    return { end, count: this.rows === 0 ? 0 : end(this.rows - 1) }
  }

  #dictionary(rows: number): WordView {
    if (rows === 0) return { words: [''], places: NO_BYTES }
    const header = this.#bytes(8)
    const width = 1 << (header[0] as number)
    const count = integersOf(this.#bytes(8))(0)
    const keys = new TextView(this.#rest(), count)
    const words = Array.from({ length: count }, (_, index) => keys.text(index))
    this.#bytes(8)
    const { buffer, byteOffset } = this.#bytes(rows * width)
    if (width === 1) return { words, places: new Uint8Array(buffer, byteOffset, rows) }
    if (width === 2) return { words, places: new Uint16Array(buffer, byteOffset, rows) }
    return { words, places: new Uint32Array(buffer, byteOffset, rows) }
  }

  /** Name and type are before the data of a column. */
  #beginColumn(): void {
    for (let each = 0; each < 2; each++) this.#bytes(this.#length())
  }

  #length(): number {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.#bytes(1)[0] as number
      length |= (byte & 0x7f) << shift
      if (byte < 0x80) return length
    }
  }

  #bytes(count: number): Uint8Array {
    this.#endPiece()
    const piece = this.#pieces[this.#piece] ?? NO_BYTES
    if (this.#at + count > piece.length) throw new RangeError('a piece of the block ends within a column')
    this.#at += count
    return piece.subarray(this.#at - count, this.#at)
  }

  /** The rest of the present piece. */
  #rest(): Uint8Array {
    this.#endPiece()
    return this.#bytes((this.#pieces[this.#piece]?.length ?? 0) - this.#at)
  }

  #endPiece(): void {
    while (this.#at > 0 && this.#at === this.#pieces[this.#piece]?.length) {
      this.#piece++
      this.#at = 0
    }
  }
}

const VERSION_BYTES = 8
const NO_BYTES = new Uint8Array()
const WORD_RANGE = 2 ** 32

function integersOf({ buffer, byteOffset, length }: Uint8Array): (row: number) => number {
  const view = new DataView(buffer, byteOffset, length)
  return row => view.getUint32(row * 8, true) + view.getInt32(row * 8 + 4, true) * WORD_RANGE
}
