import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
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

test('the next process knows the ends of partitions, even if this one is killed', async () => {
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

test('a process that was killed right after a change of the configuration had not noted its end yet', async () => {
  const topic = { name: 'weir.config', logId: 'log', partitions: 1 }
  const note = LogEnds.open(folder).noteOf(topic)
  expect(note.read()).toBe(0n)
  await note.note(9n)
  expect([note.read(), LogEnds.open(folder).noteOf(topic).read()]).toEqual([9n, 9n])
})

test('another log of the same name is not treated as the previous one', async () => {
  const ends = LogEnds.open(folder)
  ends.note({ ...TOPIC, logId: 'a longer one of before' }, 0, 1_000_000n)
  await ends.close()
  const next = LogEnds.open(folder)
  next.note(TOPIC, 0, 1n)
  await next.close()
  expect(LogEnds.open(folder).of(TOPIC, 0)).toBe(1n)
})

test('a damaged file proves nothing', () => {
  expect(LogEnds.open(folder).isDamaged).toBe(false)
  writeFileSync(join(folder, 'log-ends.json'), '{"weir.ing')
  expect(LogEnds.open(folder)).toMatchObject({ isKnown: false, isDamaged: true })
})

test('a slightly wrong file ended the start with a stack, or asked for a quadrillion records: it proves nothing', () => {
  const write = (next: unknown, logId: unknown = 'log') =>
    writeFileSync(join(folder, 'log-ends.json'), JSON.stringify({ 'weir.ingest': { logId, next } }))
  write([3, 2 ** 40])
  expect([LogEnds.open(folder).isKnown, LogEnds.open(folder).of(TOPIC, 1)]).toEqual([true, 2n ** 40n])
  for (const next of [[-1.5, 0], [0.5], [-1], [10 ** 15], [2 ** 40 + 1], ['7'], [null], 'x', {}, undefined]) {
    write(next)
    const ends = LogEnds.open(folder)
    expect([next, ends.isKnown, ends.of(TOPIC, 0)]).toEqual([next, false, 0n])
  }
  write([1], 5)
  expect(LogEnds.open(folder).isKnown).toBe(false)
  for (const text of ['null', '5', '{"weir.ingest":null}', '{"weir.ingest":5}']) {
    writeFileSync(join(folder, 'log-ends.json'), text)
    expect(LogEnds.open(folder).of(TOPIC, 0)).toBe(0n)
  }
})

test('a folder in place of the file is refused with its path', () => {
  mkdirSync(join(folder, 'log-ends.json'))
  expect(() => LogEnds.open(folder)).toThrow(`${join(folder, 'log-ends.json')} cannot be read (EISDIR`)
})
