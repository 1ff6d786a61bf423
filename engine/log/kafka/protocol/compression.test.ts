import { zstdCompressSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compressed, contentBytesOf, decompressed, ZSTD } from './compression.ts'

/** Sizes on both sides of each edge: lengths of the field, and the size from which another thread does the work. */
const SIZES = [1, 255, 256, 257, 32_767, 32_768, 65_791, 65_792, 1_000_000]

test('the header of a frame names the size of its content, whichever length the field has', async () => {
  for (const bytes of SIZES) {
    const content = Buffer.alloc(bytes, 'some text')
    expect(contentBytesOf(await compressed(content))).toBe(bytes)
    expect(contentBytesOf(zstdCompressSync(content))).toBe(bytes)
    expect(await decompressed(ZSTD, await compressed(content))).toEqual(content)
  }
})

test('a header that names nothing, or that is cut, promises nothing', async () => {
  const frame = await compressed(Buffer.alloc(1_000, 'some text'))
  expect(contentBytesOf(Buffer.from('plain text'))).toBeUndefined()
  for (let end = 0; end < 6; end++) expect(contentBytesOf(frame.subarray(0, end))).toBeUndefined()
  expect(contentBytesOf(Buffer.from('28b52ffd0058', 'hex'))).toBeUndefined()
})

test('content that does not become smaller comes back, too', async () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => (at * at * 2_654_435_761) >>> 24))
  expect(await decompressed(ZSTD, await compressed(content))).toEqual(content)
})

test('a header that promises too much costs an error, not the memory', async () => {
  const frame = Buffer.from('28b52ffda0ffffff7f010000', 'hex')
  expect(contentBytesOf(frame)).toBe(0x7fffffff)
  const usedBytes = () => process.memoryUsage().arrayBuffers
  const before = usedBytes()
  const refused = decompressed(ZSTD, frame)
  expect(usedBytes() - before).toBeLessThan(100_000_000)
  await expect(refused).rejects.toThrow()
})
