/**
 * Signed numbers of Kafka's records. A number n is doubled, and a negative one becomes -2n - 1. Each byte has seven bits of
 * it, the lowest first; the highest bit says that another byte follows.
 */

const MORE = 0x80
const BITS = 7
const BITS_MASK = 0x7f
/** Bytes of a number of 64 bits. */
const MAX_BYTES = 10

/** Bytes of a number from 0 to below 2^30. */
export function zigzagBytes(value: number): number {
  let bytes = 1
  for (let rest = value << 1; rest > BITS_MASK; rest >>>= BITS) bytes++
  return bytes
}

/** Writes a number from 0 to below 2^30. @returns the end */
export function writeZigzag(into: Buffer, start: number, value: number): number {
  let at = start
  let rest = value << 1
  for (; rest > BITS_MASK; rest >>>= BITS) into[at++] = (rest & BITS_MASK) | MORE
  into[at++] = rest
  return at
}

/** Reads one number after the other. */
export class VarintReader {
  readonly bytes: Buffer
  /** Position of the next byte; the caller moves it over bytes that are not numbers. */
  at: number

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes
    this.at = at
  }

  /** @returns exactly below 2^53 @throws RangeError beyond the end, or about a number of more than 64 bits */
  read(): number {
    const first = this.bytes[this.at++]
    if (first === undefined) throw new RangeError('a number ends beyond its buffer')
    return signed(first < MORE ? first : this.#readRest(first & BITS_MASK))
  }

  #readRest(first: number): number {
    let value = first
    let unit = MORE
    for (let count = 1; count < MAX_BYTES; count++) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) throw new RangeError('a number ends beyond its buffer')
      value += (byte & BITS_MASK) * unit
      if (byte < MORE) return value
      unit *= MORE
    }
    throw new RangeError('a number has more than 64 bits')
  }
}

function signed(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2
}
