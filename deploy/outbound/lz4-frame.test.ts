import { expect, test } from 'vitest'
import { lz4Frame } from './lz4-frame.ts'

/** Reads a frame by the published format: independent blocks without checksums. */
function unpacked(frame: Buffer): Buffer {
  expect(frame.subarray(0, 7).toString('hex')).toBe('04224d18604082')
  const parts: Buffer[] = []
  let at = 7
  for (let size = frame.readUInt32LE(at); size !== 0; size = frame.readUInt32LE(at)) {
    const bytes = (size & 0x7f_ff_ff_ff) >>> 0
    const block = frame.subarray(at + 4, at + 4 + bytes)
    parts.push(size >>> 31 === 1 ? block : unpackedBlock(block))
    at += 4 + bytes
  }
  expect(at + 4).toBe(frame.length)
  return Buffer.concat(parts)
}

function unpackedBlock(block: Buffer): Buffer {
  const output: number[] = []
  let at = 0
  const longer = (length: number) => {
    let sum = length
    if (length < 15) return sum
    let byte = 255
    while (byte === 255) {
      byte = block[at++] as number
      sum += byte
    }
    return sum
  }
  while (at < block.length) {
    const token = block[at++] as number
    const literals = longer(token >> 4)
    output.push(...block.subarray(at, at + literals))
    at += literals
    if (at === block.length) break
    const distance = block.readUInt16LE(at)
    at += 2
    const length = longer(token & 15) + 4
    expect(distance > 0 && distance <= output.length).toBe(true)
    for (let copied = 0; copied < length; copied++) output.push(output[output.length - distance] as number)
  }
  expect(output.length).toBeLessThanOrEqual(65_536)
  return Buffer.from(output)
}

const LINES = Buffer.from(
  Array.from({ length: 4_000 }, (_, index) => `GET /health 200 user=${index} ä€😀\n`).join(''),
)
// No four bytes of it occur again.
const NOISE = Buffer.from(
  Array.from({ length: 70_000 }, (_, index) => (Math.imul(index, index * 2_654_435_761) >>> 13) & 0xff),
)

test.each<[string, Buffer]>([
  ['nothing', Buffer.alloc(0)],
  ['one byte', Buffer.from('a')],
  ...[12, 13, 14, 19, 20, 300, 65_535, 65_536, 65_537, 200_000].map((length): [string, Buffer] => [
    `${length} equal bytes`,
    Buffer.alloc(length, 'a'),
  ]),
  ['lines', LINES],
  ['noise', NOISE],
])('%s come back', (_what, bytes) => {
  expect(unpacked(lz4Frame(bytes)).equals(bytes)).toBe(true)
})

test('lines become smaller, and noise hardly larger', () => {
  expect(lz4Frame(LINES).length).toBeLessThan(LINES.length / 2)
  expect(lz4Frame(NOISE).length).toBeLessThan(NOISE.length + 32)
})
