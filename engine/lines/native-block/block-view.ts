import { scanTexts } from '../columns/text-lengths.ts'

/** Words of a column, one per row. */
export interface WordView {
  /** Different words; the first is the empty one. */
  readonly words: readonly string[]
  /** Place of the word of each row. */
  readonly places: Uint8Array | Uint16Array | Uint32Array
}

/** Texts of a column. The text of a row is `bytes[starts[row]] … bytes[ends[row] - 1]`, behind its length. */
export class TextView {
  readonly bytes: Uint8Array
  readonly starts: Uint32Array
  readonly ends: Uint32Array

  constructor(bytes: Uint8Array, rows: number) {
    this.bytes = bytes
    this.starts = new Uint32Array(rows)
    this.ends = new Uint32Array(rows)
    scanTexts(bytes, this.starts, this.ends)
  }

  isEmpty(row: number): boolean {
    return this.starts[row] === this.ends[row]
  }

  text(row: number): string {
    const { buffer, byteOffset } = this.bytes
    const start = this.starts[row] as number
    return Buffer.from(buffer, byteOffset + start, (this.ends[row] as number) - start).toString()
  }

  /** Texts of consecutive rows, each with its length before it. */
  encoded(from: number, to: number): Uint8Array {
    return this.bytes.subarray(from === 0 ? 0 : this.ends[from - 1], to === 0 ? 0 : this.ends[to - 1])
  }
}

/** Elements of a column of arrays or maps. */
export interface ListView {
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

  /** Texts of which one at least is not empty; undefined when all are. */
  textsUnlessEmpty(): TextView | undefined {
    this.#beginColumn()
    const bytes = this.#rest()
    // An empty text has one byte, its length.
    return bytes.length === this.rows ? undefined : new TextView(bytes, this.rows)
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

  smallIntegers(bytesPerValue: 2 | 4): (row: number) => number {
    this.#beginColumn()
    const bytes = this.#bytes(this.rows * bytesPerValue)
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    return bytesPerValue === 2 ? row => view.getUint16(row * 2, true) : row => view.getUint32(row * 4, true)
  }

  #textElements({ end, count }: ListView & { readonly count: number }): ListView & { values(): TextView } {
    const bytes = count === 0 ? NO_BYTES : this.#rest()
    let values: TextView | undefined
    return {
      end,
      values: () => {
        values ??= new TextView(bytes, count)
        return values
      },
    }
  }

  #ends(): ListView & { readonly count: number } {
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
