import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LogEnds } from './log-ends.ts'

const TOPIC = { name: 'weir.ingest', logId: 'log', partitions: 2 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-ends-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('the next process knows how far partitions were, also when this one is killed', async () => {
  const ends = LogEnds.open(folder)
  expect(ends.isKnown).toBe(false)
  ends.note(TOPIC, 1, 7n)
  ends.note(TOPIC, 1, 5n)
  await expect.poll(() => LogEnds.open(folder).of(TOPIC, 1)).toBe(7n)
  expect(statSync(join(folder, 'log-ends.json')).mode & 0o777).toBe(0o600)
  const next = LogEnds.open(folder)
  expect([next.isKnown, next.of(TOPIC, 0), next.of({ ...TOPIC, logId: 'other' }, 1)]).toEqual([true, 0n, 0n])
  next.note(TOPIC, 0, 3n)
  await next.close()
  expect(LogEnds.open(folder).of(TOPIC, 0)).toBe(3n)
  expect(LogEnds.open(folder).of(TOPIC, 1)).toBe(7n)
})

test('another log of the same name is not taken for the one of before', async () => {
  const ends = LogEnds.open(folder)
  ends.note({ ...TOPIC, logId: 'a longer one of before' }, 0, 1_000_000n)
  await ends.close()
  const next = LogEnds.open(folder)
  next.note(TOPIC, 0, 1n)
  await next.close()
  expect(LogEnds.open(folder).of(TOPIC, 0)).toBe(1n)
})

test('a damaged file tells nothing', () => {
  writeFileSync(join(folder, 'log-ends.json'), '{"weir.ing')
  expect(LogEnds.open(folder).isKnown).toBe(false)
})
