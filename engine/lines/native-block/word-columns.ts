import type { Steps } from '../../steps.ts'
import { ENTRIES_OF_STEP, grown, INITIAL_ROWS, room } from './column-buffers.ts'
import type { NativeColumn } from './native-block.ts'
import { Int64Column, WORD_RANGE } from './number-columns.ts'
import { TextColumn } from './text-column.ts'

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

  appendRepeated(word: string, count: number): void {
    if (count === 0) return
    this.append(word)
    const rows = this.#rows + count - 1
    if (rows > this.#indexes.length)
      this.#indexes = grown(this.#indexes, Uint32Array, Math.max(INITIAL_ROWS, rows))
    this.#indexes.fill(this.#lastIndex, this.#rows, rows)
    this.#rows = rows
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
    this.#appendEntries(names, values, 0, count)
    this.#ends.appendHalves(this.#names.rows, 0)
  }

  /** Like `append`, in steps. */
  *appending(names: readonly string[], values: readonly Value[], count: number): Steps {
    for (let from = 0; from < count; from += ENTRIES_OF_STEP) {
      this.#appendEntries(names, values, from, Math.min(count, from + ENTRIES_OF_STEP))
      yield
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

  #appendEntries(names: readonly string[], values: readonly Value[], from: number, to: number): void {
    for (let index = from; index < to; index++) {
      this.#names.append(names[index] as string)
      this.#values.append(values[index] as Value)
    }
  }

  /** All parts begin again when they are taken. */
  clear(): void {}

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

function writeUInt64(target: Buffer, at: number, value: number): void {
  target.writeUInt32LE(value % WORD_RANGE, at)
  target.writeUInt32LE(Math.floor(value / WORD_RANGE), at + 4)
}
