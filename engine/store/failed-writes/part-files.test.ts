import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isWhole } from './part-files.ts'

/** Bytes of `data.bin`, and of the same file of the projection. */
const COUNTED_BYTES = 1_000 + 24
let part: string

beforeEach(() => {
  part = mkdtempSync(join(tmpdir(), 'weir-part-'))
  const projection = join(part, 'usage.proj')
  mkdirSync(projection)
  for (const [folder, bytes] of [
    [part, 1_000],
    [projection, 24],
  ] as const) {
    writeFileSync(join(folder, 'data.bin'), Buffer.alloc(bytes))
    writeFileSync(join(folder, 'columns.txt'), Buffer.alloc(1_025))
    writeFileSync(join(folder, 'checksums.txt'), 'checksums')
  }
})
afterEach(() => rmSync(part, { recursive: true, force: true }))

test('a part is whole if its counted files have the size that the engine knows', async () => {
  expect(await isWhole(part, COUNTED_BYTES)).toBe(true)
  expect(await isWhole(part, COUNTED_BYTES + 1)).toBe(false)
})

test.each(['data.bin', 'usage.proj/data.bin'])('a part whose %s lacks a byte is not whole', async name => {
  truncateSync(join(part, name), name === 'data.bin' ? 999 : 23)
  expect(await isWhole(part, COUNTED_BYTES)).toBe(false)
})

test('a file that is not counted ends at a border of a block only if its write failed there', async () => {
  for (const name of ['columns.txt', 'checksums.txt', 'usage.proj/columns.txt'])
    for (const [bytes, whole] of [
      [0, false],
      [1, true],
      [511, true],
      [512, false],
      [513, true],
      [1_024, false],
    ] as const) {
      writeFileSync(join(part, name), Buffer.alloc(bytes))
      expect([name, bytes, await isWhole(part, COUNTED_BYTES)]).toEqual([name, bytes, whole])
      writeFileSync(join(part, name), 'x')
    }
})

test('a part that no longer exists is not whole', async () => {
  rmSync(part, { recursive: true })
  expect(await isWhole(part, 0)).toBe(false)
})
