import { capacityFor, grown } from '../../../growing-columns.ts'
import type { Steps } from '../../../steps.ts'
import type { ColumnReader, ColumnWriter } from './columns.ts'

/** Unit of space, so that an offset of 32 bits reaches 32 GiB. */
const GRANULE_BYTES = 8
const START_GRANULES = 32
/** Longest text in code units, of two bytes each unless it is Latin-1. */
export const MAX_KEY_UNITS = 512
const SIZE_CLASSES = (MAX_KEY_UNITS * 2) / GRANULE_BYTES + 1
const NONE = 0

/**
 * Texts of keys, code unit by code unit, in one flat array: a byte per unit if all units allow it. Each size has a free
 * list in the released space itself.
 */
export class KeyArena {
  #bytes = new Uint8Array(START_GRANULES * GRANULE_BYTES)
  #words = new Uint32Array(this.#bytes.buffer)
  /** First unused granule; granule 0 is never used, so that 0 can mean none. */
  #end = 1
  #released = 0
  readonly #free = new Uint32Array(SIZE_CLASSES)

  /** @returns the granule of the text */
  store(text: string, wide: boolean): number {
    const at = this.#allocate(granulesOf(text.length, wide))
    const bytes = this.#bytes
    let byte = at * GRANULE_BYTES
    for (let unit = 0; unit < text.length; unit++) {
      const code = text.charCodeAt(unit)
      bytes[byte++] = code & 0xff
      if (wide) bytes[byte++] = code >>> 8
    }
    return at
  }

  release(at: number, units: number, wide: boolean): void {
    const granules = granulesOf(units, wide)
    this.#words[at * 2] = this.#free[granules] as number
    this.#free[granules] = at
    this.#released += granules
  }

  /** Whether the text there, with the same number of units, is this one. */
  holds(at: number, wide: boolean, text: string): boolean {
    const bytes = this.#bytes
    let byte = at * GRANULE_BYTES
    for (let unit = 0; unit < text.length; unit++) {
      const code = wide
        ? (bytes[byte++] as number) | ((bytes[byte++] as number) << 8)
        : (bytes[byte++] as number)
      if (code !== text.charCodeAt(unit)) return false
    }
    return true
  }

  text(at: number, units: number, wide: boolean): string {
    const start = at * GRANULE_BYTES
    const bytes = Buffer.from(this.#bytes.buffer, start, wide ? units * 2 : units)
    return bytes.toString(wide ? 'utf16le' : 'latin1')
  }

  /** Copies a text from another arena. */
  copyFrom(source: KeyArena, at: number, units: number, wide: boolean): number {
    const granules = granulesOf(units, wide)
    const copy = this.#allocate(granules)
    const start = at * GRANULE_BYTES
    this.#bytes.set(source.#bytes.subarray(start, start + granules * GRANULE_BYTES), copy * GRANULE_BYTES)
    return copy
  }

  get byteLength(): number {
    return this.#bytes.byteLength
  }

  /** True when more space is in free lists than in use: sizes have changed, or most keys were removed. */
  get sparse(): boolean {
    return this.#end > 4 * START_GRANULES && this.#released * 2 > this.#end
  }

  write(writer: ColumnWriter): void {
    writer.numbers(this.#end, this.#released)
    writer.column(this.#free, SIZE_CLASSES)
    writer.column(this.#bytes, this.#end * GRANULE_BYTES)
  }

  static *read(reader: ColumnReader): Steps<KeyArena> {
    const arena = new KeyArena()
    const [end = 1, released = 0] = reader.numbers(2)
    reader.column(arena.#free, SIZE_CLASSES)
    arena.#end = end
    arena.#released = released
    arena.#reserve(end)
    yield* reader.reading(arena.#bytes, end * GRANULE_BYTES)
    return arena
  }

  #allocate(granules: number): number {
    const reused = this.#free[granules] as number
    if (reused !== NONE) {
      this.#free[granules] = this.#words[reused * 2] as number
      this.#released -= granules
      return reused
    }
    const at = this.#end
    this.#reserve(at + granules)
    this.#end = at + granules
    return at
  }

  #reserve(granules: number): void {
    const capacity = this.#bytes.length / GRANULE_BYTES
    if (granules <= capacity) return
    this.#bytes = grown(this.#bytes, capacityFor(granules, capacity) * GRANULE_BYTES)
    this.#words = new Uint32Array(this.#bytes.buffer)
  }
}

/** An empty text takes a granule as well, because its free list needs room for a link. */
function granulesOf(units: number, wide: boolean): number {
  return Math.max(1, Math.ceil((wide ? units * 2 : units) / GRANULE_BYTES))
}
