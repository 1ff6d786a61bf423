import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EndMark, MarkUnreadableError } from '../engine/configuration/end-mark.ts'
import { Seal } from '../engine/configuration/seal.ts'
import { seededEntropy } from '../engine/entropy/seeded-entropy.ts'
import { endMarkFile } from './end-mark-file.ts'

const SLOT_BYTES = 4096

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-mark-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const path = () => join(folder, 'configuration-end')
const keeper = (key = 1) => endMarkFile(path(), new Seal(Buffer.alloc(32, key), seededEntropy(1)))
const markAt = (next: number): EndMark => ({
  logId: 'a',
  losses: 0,
  next: BigInt(next),
  version: next,
  digest: 'ab'.repeat(32),
})

async function written(...nexts: number[]): Promise<void> {
  const file = keeper()
  for (const next of nexts) await file.write(markAt(next))
}

test('the last mark is read, also by another process', async () => {
  expect(await keeper().read()).toBeUndefined()
  for (const next of [1, 2, 3, 4, 5]) {
    // Each write is by a separate process.
    await written(next)
    expect(await keeper().read()).toEqual(markAt(next))
  }
  expect([statSync(path()).size, statSync(path()).mode & 0o777]).toEqual([2 * SLOT_BYTES, 0o600])
})

test.each([1, 2, 3, 4])(
  'a write that is torn at any byte leaves the previous mark (%i marks)',
  async count => {
    const nexts = Array.from({ length: count }, (_, index) => index + 1)
    await written(...nexts)
    const before = readFileSync(path())
    await written(count + 1)
    const after = readFileSync(path())
    const changed = [0, 1].filter(slot => {
      const [start, end] = [slot * SLOT_BYTES, (slot + 1) * SLOT_BYTES]
      return !before.subarray(start, end).equals(after.subarray(start, end))
    })
    expect(changed).toHaveLength(1)
    const start = (changed[0] as number) * SLOT_BYTES
    for (let at = 0; at < 220; at += 7) {
      const torn = Buffer.from(before)
      after.copy(torn, start, start, start + at)
      writeFileSync(path(), torn)
      expect((await keeper().read())?.next).toSatisfy(
        (next: bigint) => next === BigInt(count) || next === BigInt(count + 1),
      )
    }
  },
)

test('a file without a mark of this installation is refused', async () => {
  await written(1)
  await expect(keeper(2).read()).rejects.toThrow(MarkUnreadableError)
  writeFileSync(path(), '')
  await expect(keeper().read()).rejects.toThrow('is damaged')
  expect(existsSync(path())).toBe(true)
})
