const MIN_MATCH = 4
/** Matches end this many bytes before the end of a block, and none begins in the last twelve: rules of the format. */
const LAST_LITERALS = 5
const LAST_MATCH = 12
const MAX_DISTANCE = 65_535
const HASH_BITS = 14
const HASH_FACTOR = 2_654_435_761
/** Independent blocks of up to 64 KiB without checksums; the last byte is the checksum of the two before it. */
const HEADER = Buffer.from([0x04, 0x22, 0x4d, 0x18, 0x60, 0x40, 0x82])
const END = Buffer.alloc(4)
const BLOCK_BYTES = 65_536
const NOT_COMPRESSED = 0x80_00_00_00

/** Compresses into an LZ4 frame, as Kafka demands it. A block that would grow is kept as it is. */
export function lz4Frame(bytes: Buffer): Buffer {
  const parts: Buffer[] = [HEADER]
  for (let start = 0; start < bytes.length; start += BLOCK_BYTES) {
    const block = bytes.subarray(start, start + BLOCK_BYTES)
    const packed = lz4Block(block)
    const isSmaller = packed.length < block.length
    const size = Buffer.alloc(4)
    size.writeUInt32LE(isSmaller ? packed.length : (block.length | NOT_COMPRESSED) >>> 0)
    parts.push(size, isSmaller ? packed : block)
  }
  return Buffer.concat([...parts, END])
}

/** One block: sequences of literals and matches with earlier bytes, found by a hash of four bytes. */
function lz4Block(block: Buffer): Buffer {
  const table = new Int32Array(1 << HASH_BITS).fill(-1)
  const output: number[] = []
  let literals = 0
  let at = 0
  while (at + LAST_MATCH < block.length) {
    const word = block.readUInt32LE(at)
    const slot = Math.imul(word, HASH_FACTOR) >>> (32 - HASH_BITS)
    const earlier = table[slot] as number
    table[slot] = at
    if (earlier < 0 || at - earlier > MAX_DISTANCE || block.readUInt32LE(earlier) !== word) {
      at++
      continue
    }
    let length = MIN_MATCH
    while (at + length < block.length - LAST_LITERALS && block[earlier + length] === block[at + length])
      length++
    addSequence(output, block.subarray(literals, at), length - MIN_MATCH)
    output.push((at - earlier) & 0xff, (at - earlier) >> 8)
    addLength(output, length - MIN_MATCH)
    at += length
    literals = at
  }
  addSequence(output, block.subarray(literals), 0)
  return Buffer.from(output)
}

/** Token and literals of a sequence. */
function addSequence(output: number[], literals: Buffer, match: number): void {
  output.push((Math.min(literals.length, 15) << 4) | Math.min(match, 15))
  addLength(output, literals.length)
  for (const byte of literals) output.push(byte)
}

/** The rest of a length for which four bits are too few. */
function addLength(output: number[], length: number): void {
  let rest = length - 15
  if (rest < 0) return
  for (; rest >= 255; rest -= 255) output.push(255)
  output.push(rest)
}
