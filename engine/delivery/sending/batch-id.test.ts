import { expect, test } from 'vitest'
import type { LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import { batchId, laneId, partId, partPlace } from './batch-id.ts'

const PARTITION = { logId: 'log', partition: 3 }
const LANE = { account: 'a', pipeline: 'p', node: 'out' }
const BATCH: LaneBatch = {
  ...{ number: 4, version: 2, type: 'test', options: '{}', split: 'x', openedMs: 1, closedMs: 2 },
  ...{ events: 3, bytes: 9 },
  stretches: [
    { offset: 7, row: 1, count: 2 },
    { offset: 9, row: 0, count: 1 },
  ],
}

test('the id follows from the place of the batch, and is a UUID', () => {
  const id = batchId(PARTITION, LANE, BATCH)
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(batchId(PARTITION, LANE, { ...BATCH, number: 5, options: '{"a":1}' })).toBe(id)
  const others = [
    batchId({ ...PARTITION, logId: 'other' }, LANE, BATCH),
    batchId({ ...PARTITION, partition: 4 }, LANE, BATCH),
    batchId(PARTITION, { ...LANE, node: 'other' }, BATCH),
    batchId(PARTITION, LANE, { ...BATCH, version: 3 }),
    batchId(PARTITION, LANE, { ...BATCH, split: 'y' }),
    batchId(PARTITION, LANE, { ...BATCH, stretches: BATCH.stretches.slice(0, 1) }),
  ]
  expect(new Set([id, ...others]).size).toBe(7)
})

test('a part of a batch has an id of its own, and the whole batch has that of the batch', () => {
  const id = batchId(PARTITION, LANE, BATCH)
  expect(partId(id, [0, 1, 2], 3)).toBe(id)
  expect(new Set([id, partId(id, [0], 3), partId(id, [1, 2], 3)]).size).toBe(3)
  expect(partId(id, [1, 2], 3)).toBe(partId(id, [1, 2], 3))
})

test('a lane has a name of its own', () => {
  const names = [
    laneId(PARTITION, LANE, 1),
    laneId(PARTITION, LANE, 2),
    laneId({ ...PARTITION, partition: 4 }, LANE, 1),
    laneId({ ...PARTITION, logId: 'other' }, LANE, 1),
    laneId(PARTITION, { ...LANE, account: 'b' }, 1),
    laneId(PARTITION, { ...LANE, node: 'other' }, 1),
  ]
  expect(new Set(names).size).toBe(6)
  for (const name of names) expect(name).toMatch(/^[0-9a-f-]{36}$/)
})

test('consecutive events have a place in their lane, and others have none', () => {
  const batch = { lane: 'lane', number: 4 }
  expect(partPlace(batch, [0, 1, 2], 3)).toEqual(batch)
  expect(partPlace(batch, [1, 2], 3)).toEqual({ ...batch, part: { first: 1, events: 2, of: 3 } })
  expect(partPlace(batch, [2], 3)).toEqual({ ...batch, part: { first: 2, events: 1, of: 3 } })
  expect(partPlace(batch, [0, 2], 3)).toBeUndefined()
})
