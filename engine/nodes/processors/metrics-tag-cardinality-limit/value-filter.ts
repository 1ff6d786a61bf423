import { hash } from 'node:crypto'

/** With 12 bits per value and 8 hashes, some 0.3 % of other values seem to be among them. */
const BITS_PER_VALUE = 12
const MIN_BITS = 64
/** Number of words of a digest. */
const HASHES = 8

/**
 * Bloom filter of texts. Its hashes have no seed, so every process and every partition gets the same bits, and two filters
 * can be joined.
 */
export class ValueFilter {
  readonly bits: Uint8Array
  /** Number of values that were added. */
  count: number

  constructor(bits: Uint8Array, count: number) {
    this.bits = bits
    this.count = count
  }

  /** @param limit number of values that it is sized for */
  static for(limit: number): ValueFilter {
    return new ValueFilter(new Uint8Array(Math.ceil(Math.max(MIN_BITS, limit * BITS_PER_VALUE) / 8)), 0)
  }

  /** Whether a value was added; some others seem to be. */
  has(value: string): boolean {
    return placesOf(value, this.bits.length * 8).every(
      bit => ((this.bits[bit >>> 3] as number) & (1 << (bit & 7))) !== 0,
    )
  }

  add(value: string): void {
    for (const bit of placesOf(value, this.bits.length * 8)) {
      const byte = bit >>> 3
      this.bits[byte] = (this.bits[byte] as number) | (1 << (bit & 7))
    }
    this.count++
  }

  /** Adds the values of a filter of the same size. @throws RangeError when it has another size */
  join({ bits, count }: ValueFilter): void {
    if (bits.length !== this.bits.length) throw new RangeError('filters of values have different sizes')
    for (const [byte, value] of bits.entries()) this.bits[byte] = (this.bits[byte] as number) | value
    this.count += count
  }
}

/** The words of the digest are independent of each other; progressions of a few bits would collide in small filters. */
function placesOf(value: string, bits: number): number[] {
  const digest = hash('sha256', value, 'buffer')
  return Array.from({ length: HASHES }, (_, word) => digest.readUInt32LE(word * 4) % bits)
}
