/** The low two bits of a tag give the form of a copy's length and distance, or of a literal's length. */
const LITERAL = 0
const NEAR_COPY = 1
const COPY = 2
/** Literals whose length does not fit into the tag: 60 means one more byte, 63 four. */
const FIRST_LONG_LITERAL = 60
const MAX_LENGTH_BYTES = 5

/** The data is not in the format of snappy. */
export class SnappyError extends Error {
  override readonly name = 'SnappyError'
}

/** Length of the decompressed data of a block. @throws SnappyError */
export function snappyLength(block: Buffer): number {
  return lengthAt(block).length
}

/** Decompresses data in snappy's block form, as Prometheus sends it. @throws SnappyError */
export function decompressSnappy(block: Buffer): Buffer {
  const { length, at: first } = lengthAt(block)
  const data = Buffer.allocUnsafe(length)
  let at = first
  let filled = 0
  const byte = (): number => {
    const value = block[at++]
    if (value === undefined) throw new SnappyError('it ends too early')
    return value
  }
  const number = (bytes: number): number => {
    let value = 0
    for (let index = 0; index < bytes; index++) value += byte() * 2 ** (8 * index)
    return value
  }
  while (at < block.length) {
    const tag = byte()
    const kind = tag & 3
    if (kind === LITERAL) {
      const short = tag >>> 2
      const size = (short < FIRST_LONG_LITERAL ? short : number(short - FIRST_LONG_LITERAL + 1)) + 1
      if (size > block.length - at || size > length - filled)
        throw new SnappyError('it announces more bytes than it contains')
      block.copy(data, filled, at, at + size)
      at += size
      filled += size
      continue
    }
    const size = kind === NEAR_COPY ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1
    const distance = kind === NEAR_COPY ? (tag >>> 5) * 256 + byte() : number(kind === COPY ? 2 : 4)
    if (distance === 0 || distance > filled || size > length - filled)
      throw new SnappyError('it repeats bytes that do not exist')
    // One byte at a time: the source of a copy may overlap its target.
    for (let end = filled + size; filled < end; filled++) data[filled] = data[filled - distance] as number
  }
  if (filled !== length) throw new SnappyError('it ends too early')
  return data
}

function lengthAt(block: Buffer): { readonly length: number; readonly at: number } {
  let length = 0
  for (let at = 0; at < MAX_LENGTH_BYTES; at++) {
    const byte = block[at]
    if (byte === undefined) break
    length += (byte & 0x7f) * 2 ** (7 * at)
    if (byte < 0x80) return { length, at: at + 1 }
  }
  throw new SnappyError('it has no length')
}
