import { WORD_FILTER_PROGRAM } from '../wasm/word-filter-program.ts'
import { foldedText } from './word-keys.ts'

/** Number of sections of a filter. A start of a token has all its keys in one of them, so a search reads one section. */
export const SECTIONS = 64
/** A section is halved while at most this share of its bits is set; then up to twice the share is. */
const LEAST_FILL = 1 / 5
const BITS_OF_WORD = 64
const BYTES_OF_WORD = 8

/** Exports of assembly/word-filter.ts. */
interface FilterExports {
  readonly memory: { readonly buffer: ArrayBuffer }
  clear(): void
  addEncoded(bytes: number): number
  addOne(bytes: number): void
  bitsOf(section: number, words: number): number
  fold(section: number, words: number): void
  readonly marked: { readonly value: number }
  readonly SECTION_WORDS: { readonly value: number }
  readonly MAX_TEXTS: { readonly value: number }
  readonly INPUT: { readonly value: number }
  readonly INPUT_BYTES: { readonly value: number }
  readonly MARKS: { readonly value: number }
  readonly FILTER: { readonly value: number }
}

/** Bits of a text's mark: the further work that it needs beside its own keys. */
export const TEXT_MARK = {
  /** The text may contain texts of its fields with escapes. */
  escaped: 1,
  /** The text has the long s or the Kelvin sign, and must be added by `addText` as well. */
  folded: 2,
  /** The text of a field may be that of a deep object, written again. */
  nested: 4,
} as const

/** Compiled once per process. */
const program = new WebAssembly.Module(Buffer.from(WORD_FILTER_PROGRAM, 'base64'))

/**
 * Collects the keys of texts (word-keys.ts) as a Bloom filter. Its size follows from the number of different keys: each
 * section is halved as long as few of its bits are set.
 */
export class SegmentFilter {
  readonly #exports: FilterExports
  readonly #memory: Buffer
  readonly #input: number
  readonly #inputBytes: number

  constructor() {
    // The types of exports are those of the assembly.
    this.#exports = new WebAssembly.Instance(program, {}).exports as unknown as FilterExports
    this.#memory = Buffer.from(this.#exports.memory.buffer)
    this.#input = this.#exports.INPUT.value
    this.#inputBytes = this.#exports.INPUT_BYTES.value
  }

  /** Maximum number of bytes that can be loaded. */
  get inputBytes(): number {
    return this.#inputBytes
  }

  /** Maximum number of texts that can be loaded. */
  get maxTexts(): number {
    return this.#exports.MAX_TEXTS.value
  }

  /** Starts again. */
  clear(): void {
    this.#exports.clear()
  }

  /**
   * Copies texts of a column, each with its length before it as a varint, for `addLoaded`.
   *
   * @param at bytes that were loaded before
   * @returns bytes that are loaded now
   */
  load(bytes: Uint8Array, at: number): number {
    this.#memory.set(bytes, this.#input + at)
    return at + bytes.length
  }

  /**
   * Adds the loaded texts.
   *
   * @returns marks of each text, see TEXT_MARK; a view, valid until the next call; undefined when no text has a mark
   */
  addLoaded(bytes: number): Uint8Array | undefined {
    const count = this.#exports.addEncoded(bytes)
    if (this.#exports.marked.value === 0) return undefined
    const marks = this.#exports.MARKS.value
    return this.#memory.subarray(marks, marks + count)
  }

  addText(text: string): void {
    const bytes = Buffer.from(foldedText(text))
    for (let at = 0; at < bytes.length; ) {
      const end = endOfPart(bytes, at, this.#inputBytes)
      this.#memory.set(bytes.subarray(at, end), this.#input)
      this.#exports.addOne(end - at)
      at = end
    }
  }

  /** The filter in sections of their own sizes, each a power of two words. */
  sections(): Buffer[] {
    return this.#folded(this.#sizes())
  }

  /** The filter as one piece, in which all sections have the same size. */
  whole(): Buffer {
    const words = Math.max(...this.#sizes())
    return Buffer.concat(this.#folded(new Array<number>(SECTIONS).fill(words)))
  }

  /** Words that each section needs. */
  #sizes(): number[] {
    const { SECTION_WORDS, bitsOf } = this.#exports
    return Array.from({ length: SECTIONS }, (_, section) => {
      const bits = bitsOf(section, SECTION_WORDS.value)
      let words = SECTION_WORDS.value
      while (words > 1 && bits <= words * BITS_OF_WORD * LEAST_FILL) words /= 2
      return words
    })
  }

  /** Copies of all sections, after they were halved to their sizes. The filter is used up. */
  #folded(sizes: readonly number[]): Buffer[] {
    const { SECTION_WORDS, FILTER, fold } = this.#exports
    return sizes.map((size, section) => {
      for (let words = SECTION_WORDS.value; words > size; words /= 2) fold(section, words)
      const start = FILTER.value + section * SECTION_WORDS.value * BYTES_OF_WORD
      return Buffer.from(this.#memory.subarray(start, start + size * BYTES_OF_WORD))
    })
  }
}

/** End of a part of a long text, behind a character that is neither letter nor digit if there is one. */
function endOfPart(bytes: Uint8Array, start: number, maxBytes: number): number {
  if (bytes.length - start <= maxBytes) return bytes.length
  for (let end = start + maxBytes; end > start; end--) if (!isWordByte(bytes[end - 1] as number)) return end
  return start + maxBytes
}

function isWordByte(byte: number): boolean {
  return (byte >= 0x30 && byte <= 0x39) || (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x41 && byte <= 0x5a)
}
