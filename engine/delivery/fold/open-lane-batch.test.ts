import { expect, test } from 'vitest'
import type { BatchRules } from './batch-rules.ts'
import { OpenLaneBatch } from './open-lane-batch.ts'

const RULES: BatchRules = {
  limits: { maxBytes: 10, maxEvents: 4, maxAgeMs: 500 },
  splitOf: () => '',
  bytesOf: () => 0,
}
const HEAD = { version: 1, type: 'test', options: '{}', split: 'x', openedMs: 1_000 }

test('consecutive rows of a record are one run', () => {
  const batch = new OpenLaneBatch(HEAD, RULES)
  expect([batch.add(7, 0, 1), batch.add(7, 1, 1), batch.add(7, 3, 1)]).toEqual([true, false, true])
  const { stretches } = batch.toBatch(0, 0)
  expect(stretches).toEqual([
    { offset: 7, row: 0, count: 2 },
    { offset: 7, row: 3, count: 1 },
  ])
  expect([batch.firstOffset, batch.runs, batch.events]).toEqual([7, 2, 3])
})

test('a batch is full at its number of events, or at its size; it does not take an event beyond that', () => {
  const batch = new OpenLaneBatch(HEAD, RULES)
  for (const row of [0, 1, 2]) batch.add(1, row, 3)
  expect([batch.isFull, batch.takes(1), batch.takes(2)]).toEqual([false, true, false])
  batch.add(1, 3, 1)
  expect(batch.isFull).toBe(true)
  const large = new OpenLaneBatch(HEAD, RULES)
  large.add(1, 0, 10)
  expect([large.isFull, large.deadlineMs]).toEqual([true, 1_500])
})

test('a restored batch goes on where it was', () => {
  const batch = new OpenLaneBatch(HEAD, RULES)
  batch.add(7, 0, 3)
  const restored = OpenLaneBatch.restored(batch.toBatch(0, 0), RULES)
  for (const each of [batch, restored]) each.add(7, 1, 3)
  expect(restored.toBatch(5, 2_000)).toEqual(batch.toBatch(5, 2_000))
})
