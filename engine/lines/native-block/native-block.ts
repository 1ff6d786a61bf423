import { bytePool } from '../../memory/byte-pool.ts'
import { lengthSize, MAX_LENGTH_BYTES, writeLength } from '../columns/text-lengths.ts'

/**
 * Columns of one block in ClickHouse's Native format. Rows are appended into typed buffers that grow; nothing is
 * kept per row on the JavaScript heap. Numbers are little endian, as are all machines that Node 24 runs on.
 */

/** The first row reserves space, so an empty column takes none. Later blocks start with the space of the previous one. */
const INITIAL_ROWS = 8
const INITIAL_TEXT_BYTES = 256
/** Capacities are multiples of this number, so blocks of nearly the same size have the same capacity. */
const CAPACITY_STEP = 16
const WORD_RANGE = 2 ** 32
/** A larger buffer is borrowed. It is given back when the block is stored. */
const POOLED_BYTES = 4096

/** A column that knows its size and returns its bytes. */
export interface NativeColumn {
  /** Size of the result of `take` at present; the same rows always give the same number. */
  readonly bytes: number
  /** Returns the column's bytes and starts again. */
  take(): Uint8Array[]
}

/** Assembles the block: the numbers of columns and rows, then name, type and data of each column. */
export function nativeBlock(
  columns: readonly (readonly [name: string, type: string, column: NativeColumn])[],
  rows: number,
): Uint8Array[] {
  const chunks: Uint8Array[] = [counts(columns.length, rows)]
  for (const [name, type, column] of columns) {
    chunks.push(columnHead(name, type))
    for (const chunk of column.take()) if (chunk.length > 0) chunks.push(chunk)
  }
  return chunks
}

/** Size of the names and types in a block. */
export function columnNamesBytes(columns: readonly (readonly [name: string, type: string])[]): number {
  return columns.reduce((sum, [name, type]) => sum + columnHead(name, type).length, 0)
}

/** Heads of columns by name, then by type. */
const columnHeads = new Map<string, Map<string, Uint8Array>>()

/** Name and type of a column before its data in a block. There are few different ones, each made once. */
function columnHead(name: string, type: string): Uint8Array {
  const known = columnHeads.get(name)?.get(type)
  if (known !== undefined) return known
  const head = Buffer.concat([prefixed(name), prefixed(type)])
  const ofName = columnHeads.get(name) ?? new Map<string, Uint8Array>()
  columnHeads.set(name, ofName.set(type, head))
  return head
}

/** A block's first bytes: the numbers of columns and rows. */
function counts(columns: number, rows: number): Uint8Array {
  const bytes = Buffer.allocUnsafe(countsBytes(columns, rows))
  writeLength(bytes, writeLength(bytes, 0, columns), rows)
  return bytes
}

/** Size of a block's first bytes. */
export function countsBytes(columns: number, rows: number): number {
  return lengthSize(columns) + lengthSize(rows)
}

// Numbers have one class per type, by measurement. With a single class `append` sees arrays of three types, and a row
// takes 5 to 11 % longer.

export class UInt16Column implements NativeColumn {
  #values = new Uint16Array(0)
  #capacity = INITIAL_ROWS
  #rows = 0

  get bytes(): number {
    return this.#rows * 2
  }

  append(value: number): void {
    if (this.#rows === this.#values.length) this.#values = grown(this.#values, Uint16Array, this.#capacity)
    this.#values[this.#rows++] = value
  }

  take(): Uint8Array[] {
    const taken = bytesOf(this.#values, this.#rows)
    this.#capacity = nextCapacity(this.#rows, INITIAL_ROWS)
    this.#values = new Uint16Array(0)
    this.#rows = 0
    return [taken]
  }
}

export class UInt32Column implements NativeColumn {
  #values = new Uint32Array(0)
  #capacity = INITIAL_ROWS
  #rows = 0

  get bytes(): number {
    return this.#rows * 4
  }

  append(value: number): void {
    if (this.#rows === this.#values.length) this.#values = grown(this.#values, Uint32Array, this.#capacity)
    this.#values[this.#rows++] = value
  }

  take(): Uint8Array[] {
    const taken = bytesOf(this.#values, this.#rows)
    this.#capacity = nextCapacity(this.#rows, INITIAL_ROWS)
    this.#values = new Uint32Array(0)
    this.#rows = 0
    return [taken]
  }
}

export class Float64Column implements NativeColumn {
  #values = new Float64Array(0)
  #capacity = INITIAL_ROWS
  #rows = 0

  get bytes(): number {
    return this.#rows * 8
  }

  append(value: number): void {
    if (this.#rows === this.#values.length) this.#values = grown(this.#values, Float64Array, this.#capacity)
    this.#values[this.#rows++] = value
  }

  appendAll(values: Float64Array): void {
    const rows = this.#rows + values.length
    if (rows > this.#values.length)
      this.#values = grown(this.#values, Float64Array, Math.max(this.#capacity, rows))
    this.#values.set(values, this.#rows)
    this.#rows = rows
  }

  take(): Uint8Array[] {
    const taken = bytesOf(this.#values, this.#rows)
    this.#capacity = nextCapacity(this.#rows, INITIAL_ROWS)
    this.#values = new Float64Array(0)
    this.#rows = 0
    return [taken]
  }
}

/** UInt64, Int64 and DateTime64: two halves per value, so that a safe integer does not become a bigint. */
export class Int64Column implements NativeColumn {
  #halves = new Uint32Array(0)
  #capacity = INITIAL_ROWS * 2
  #at = 0

  get bytes(): number {
    return this.#at * 4
  }

  /** @param value a safe integer; negative ones as two's complement */
  append(value: number): void {
    const high = Math.floor(value / WORD_RANGE)
    this.appendHalves(value - high * WORD_RANGE, high)
  }

  appendBigInt(value: bigint): void {
    this.appendHalves(Number(value & 0xffffffffn), Number((value >> 32n) & 0xffffffffn))
  }

  appendHalves(low: number, high: number): void {
    if (this.#at === this.#halves.length) this.#halves = grown(this.#halves, Uint32Array, this.#capacity)
    this.#halves[this.#at] = low
    this.#halves[this.#at + 1] = high
    this.#at += 2
  }

  /** Appends each value plus another one; the sums are less than 2^32. */
  appendSums(values: Uint32Array, added: number): void {
    const end = this.#at + values.length * 2
    if (end > this.#halves.length)
      this.#halves = grown(this.#halves, Uint32Array, Math.max(this.#capacity, end))
    let at = this.#at
    for (let index = 0; index < values.length; index++) {
      this.#halves[at++] = (values[index] as number) + added
      this.#halves[at++] = 0
    }
    this.#at = end
  }

  take(): Uint8Array[] {
    const taken = bytesOf(this.#halves, this.#at)
    this.#capacity = nextCapacity(this.#at, INITIAL_ROWS * 2)
    this.#halves = new Uint32Array(0)
    this.#at = 0
    return [taken]
  }
}

/** String: each value is its length as a varint, then its bytes. */
export class TextColumn implements NativeColumn {
  #buffer: Buffer = Buffer.alloc(0)
  #capacity = INITIAL_TEXT_BYTES
  #at = 0

  get bytes(): number {
    return this.#at
  }

  appendEmpty(): void {
    if (this.#at === this.#buffer.length) this.#reserve(1)
    this.#buffer[this.#at++] = 0
  }

  appendBytes(bytes: Uint8Array, start: number, end: number): void {
    const length = end - start
    if (this.#at + length + MAX_LENGTH_BYTES > this.#buffer.length) this.#reserve(length + MAX_LENGTH_BYTES)
    const buffer = this.#buffer
    let at = writeLength(buffer, this.#at, length)
    if (length < SHORT_BYTES) for (let from = start; from < end; from++) buffer[at++] = bytes[from] as number
    else {
      buffer.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), at)
      at += length
    }
    this.#at = at
  }

  /** Appends values that already have their lengths before them. */
  appendEncoded(bytes: Uint8Array): void {
    if (this.#at + bytes.length > this.#buffer.length) this.#reserve(bytes.length)
    this.#buffer.set(bytes, this.#at)
    this.#at += bytes.length
  }

  append(text: string): void {
    const { length } = text
    if (length === 0) {
      this.appendEmpty()
      return
    }
    const most = length * 3 + MAX_LENGTH_BYTES
    if (this.#at + most > this.#buffer.length) this.#reserve(most)
    if (length < SHORT_TEXT && this.#appendShortAscii(text)) return
    const buffer = this.#buffer
    const guess = lengthSize(length)
    const start = this.#at + guess
    const bytes = buffer.write(text, start)
    const actual = lengthSize(bytes)
    if (actual !== guess) buffer.copyWithin(this.#at + actual, start, start + bytes)
    writeLength(buffer, this.#at, bytes)
    this.#at += actual + bytes
  }

  take(): Uint8Array[] {
    const taken = this.#buffer.subarray(0, this.#at)
    this.#capacity = nextCapacity(this.#at, INITIAL_TEXT_BYTES)
    this.#buffer = Buffer.alloc(0)
    this.#at = 0
    return [taken]
  }

  #appendShortAscii(text: string): boolean {
    const buffer = this.#buffer
    const { length } = text
    const start = this.#at + 1
    for (let index = 0; index < length; index++) {
      const unit = text.charCodeAt(index)
      if (unit >= 0x80) return false
      buffer[start + index] = unit
    }
    buffer[this.#at] = length
    this.#at = start + length
    return true
  }

  #reserve(more: number): void {
    const next = room(Math.max(this.#capacity, this.#buffer.length * 2, this.#at + more))
    next.set(this.#buffer.subarray(0, this.#at))
    bytePool.giveBack(this.#buffer.buffer)
    this.#buffer = next
  }
}

/** Below this size a loop is faster than a call into the runtime. */
const SHORT_BYTES = 24
const SHORT_TEXT = 24

// Low-cardinality columns begin with the version of their form: keys and indexes in each block.
const KEYS_IN_BLOCK = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0])
// Flags "has keys of its own" and "replaces the dictionary"; the low byte contains the width of an index.
const DICTIONARY_FLAGS = 0x600
const DICTIONARY_HEADER_BYTES = 24

/** Words that have numbers, so that a codec can name them. A number keeps its word. */
export interface NumberedWords {
  /** The word of each number; number 0 is the empty one. */
  readonly texts: readonly string[]
}

/** LowCardinality(String) as dictionary and indexes. The first key is the empty text, as in the engine. */
export class WordColumn implements NativeColumn {
  #indexes = new Uint32Array(0)
  #rows = 0
  #keys = new Map<string, number>([['', 0]])
  #keyTexts = new TextColumn()
  #last = ''
  #lastIndex = 0
  #numbered: NumberedWords | undefined
  /** Index of the word of each number of `#numbered`, plus 1; 0: not met in this block. */
  #places = new Uint32Array(0)

  get bytes(): number {
    return KEYS_IN_BLOCK.length + this.dataBytes
  }

  /** Size without the version, which an array or a map writes before its offsets. */
  get dataBytes(): number {
    if (this.#rows === 0) return 0
    return DICTIONARY_HEADER_BYTES + this.#keyTexts.bytes + this.#rows * indexBytes(this.#keys.size)
  }

  get rows(): number {
    return this.#rows
  }

  append(word: string): void {
    if (this.#rows === 0) this.#keyTexts.appendEmpty()
    if (this.#rows === this.#indexes.length) this.#indexes = grown(this.#indexes, Uint32Array, INITIAL_ROWS)
    // Neighbouring lines mostly share their words.
    if (word !== this.#last) this.#find(word)
    this.#indexes[this.#rows++] = this.#lastIndex
  }

  /** Appends words by their numbers. */
  appendNumbered(words: NumberedWords, numbers: Uint32Array): void {
    if (numbers.length === 0) return
    if (this.#rows === 0) this.#keyTexts.appendEmpty()
    if (this.#numbered !== words) this.#numberAs(words)
    const rows = this.#rows + numbers.length
    if (rows > this.#indexes.length)
      this.#indexes = grown(this.#indexes, Uint32Array, Math.max(INITIAL_ROWS, rows))
    const indexes = this.#indexes
    let places = this.#places
    let at = this.#rows
    for (let index = 0; index < numbers.length; index++) {
      const number = numbers[index] as number
      let place = places[number] ?? 0
      if (place === 0) {
        place = this.#placeOf(number, words)
        places = this.#places
      }
      indexes[at++] = place - 1
    }
    this.#rows = rows
  }

  take(): Uint8Array[] {
    return [KEYS_IN_BLOCK, ...this.takeData()]
  }

  takeData(): Uint8Array[] {
    if (this.#rows === 0) return []
    const width = indexBytes(this.#keys.size)
    const header = Buffer.allocUnsafe(16)
    writeUInt64(header, 0, DICTIONARY_FLAGS | Math.log2(width))
    writeUInt64(header, 8, this.#keys.size)
    const count = Buffer.allocUnsafe(8)
    writeUInt64(count, 0, this.#rows)
    const chunks = [header, ...this.#keyTexts.take(), count, narrowed(this.#indexes, this.#rows, width)]
    this.#keys = new Map([['', 0]])
    this.#rows = 0
    this.#last = ''
    this.#lastIndex = 0
    this.#places.fill(0)
    return chunks
  }

  #numberAs(words: NumberedWords): void {
    this.#numbered = words
    this.#places.fill(0)
  }

  #placeOf(number: number, words: NumberedWords): number {
    if (number >= this.#places.length) {
      const places = new Uint32Array(Math.max(number + 1, this.#places.length * 2))
      places.set(this.#places)
      this.#places = places
    }
    this.#find(words.texts[number] as string)
    this.#places[number] = this.#lastIndex + 1
    return this.#lastIndex + 1
  }

  #find(word: string): void {
    let index = this.#keys.get(word)
    if (index === undefined) {
      index = this.#keys.size
      this.#keys.set(word, index)
      this.#keyTexts.append(word)
    }
    this.#last = word
    this.#lastIndex = index
  }
}

/** Array(LowCardinality(String)): version, end of each array, elements. */
export class WordsColumn implements NativeColumn {
  readonly #ends = new Int64Column()
  readonly #words = new WordColumn()

  get bytes(): number {
    return KEYS_IN_BLOCK.length + this.#ends.bytes + this.#words.dataBytes
  }

  append(words: readonly string[]): void {
    for (let index = 0; index < words.length; index++) this.#words.append(words[index] as string)
    this.#ends.appendHalves(this.#words.rows, 0)
  }

  take(): Uint8Array[] {
    return [KEYS_IN_BLOCK, ...this.#ends.take(), ...this.#words.takeData()]
  }
}

/** Map(LowCardinality(String), …): version of the keys, end of each map, keys, values. A key may repeat. */
export class MapColumn<Value, Values extends NativeColumn & { append(value: Value): void }>
  implements NativeColumn
{
  readonly #ends = new Int64Column()
  readonly #names = new WordColumn()
  readonly #values: Values

  constructor(values: Values) {
    this.#values = values
  }

  get bytes(): number {
    return KEYS_IN_BLOCK.length + this.#ends.bytes + this.#names.dataBytes + this.#values.bytes
  }

  /** The first `count` of both arrays are the entries of this row. */
  append(names: readonly string[], values: readonly Value[], count: number): void {
    for (let index = 0; index < count; index++) {
      this.#names.append(names[index] as string)
      this.#values.append(values[index] as Value)
    }
    this.#ends.appendHalves(this.#names.rows, 0)
  }

  /**
   * Appends the names of many rows. The caller appends as many values to the column that is returned.
   *
   * @param ends number of entries up to the end of each row
   */
  appendNumbered(ends: Uint32Array, words: NumberedWords, numbers: Uint32Array): Values {
    this.#ends.appendSums(ends, this.#names.rows)
    this.#names.appendNumbered(words, numbers)
    return this.#values
  }

  take(): Uint8Array[] {
    return [KEYS_IN_BLOCK, ...this.#ends.take(), ...this.#names.takeData(), ...this.#values.take()]
  }
}

function indexBytes(keys: number): 1 | 2 | 4 {
  if (keys <= 0x100) return 1
  return keys <= 0x10000 ? 2 : 4
}

function narrowed(indexes: Uint32Array, rows: number, width: 1 | 2 | 4): Uint8Array {
  const used = indexes.subarray(0, rows)
  // Each case returns a copy, so the wide buffer stays here for the next block.
  const { buffer, byteOffset } = room(rows * width)
  if (width === 1) new Uint8Array(buffer, byteOffset, rows).set(used)
  else if (width === 2) new Uint16Array(buffer, byteOffset, rows).set(used)
  else new Uint32Array(buffer, byteOffset, rows).set(used)
  return new Uint8Array(buffer, byteOffset, rows * width)
}

function bytesOf(values: Uint16Array | Uint32Array | Float64Array, count: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, count * values.BYTES_PER_ELEMENT)
}

function grown<T extends Uint16Array | Uint32Array | Float64Array>(
  values: T,
  type: new (buffer: ArrayBufferLike, byteOffset: number, length: number) => T,
  least: number,
): T {
  const length = Math.max(values.length * 2, least)
  const { buffer, byteOffset } = room(length * values.BYTES_PER_ELEMENT)
  const next = new type(buffer, byteOffset, length)
  next.set(values)
  bytePool.giveBack(values.buffer)
  return next
}

/**
 * A small buffer is taken from Node's pool, whose pieces are aligned: returning small arrays of their own as bytes is
 * expensive.
 */
function room(bytes: number): Buffer {
  return bytes < POOLED_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.from(bytePool.borrow(bytes), 0, bytes)
}

/** Capacity for a block like the previous one and a little more, so that a steady load never grows a buffer. */
function nextCapacity(used: number, initial: number): number {
  return Math.max(initial, Math.ceil((used * 9) / 8 / CAPACITY_STEP) * CAPACITY_STEP)
}

function writeUInt64(target: Buffer, at: number, value: number): void {
  target.writeUInt32LE(value % WORD_RANGE, at)
  target.writeUInt32LE(Math.floor(value / WORD_RANGE), at + 4)
}

function lengthBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(lengthSize(length))
  writeLength(bytes, 0, length)
  return bytes
}

function prefixed(text: string): Uint8Array {
  const bytes = Buffer.from(text)
  return Buffer.concat([lengthBytes(bytes.length), bytes])
}
