import { expect, test } from 'vitest'
import { INGEST_TOPIC, KEYED_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import { KeyPlacement } from './key-placement.ts'

const HOME = partitionOfAccount('a', 3)
const placementIn = (topic: string, partition: number) =>
  new KeyPlacement('a', { topic, partition, partitions: 3 })

test('at first all shares are at home: the other partitions of lines have none', () => {
  expect(placementIn(INGEST_TOPIC, HOME).shares).toEqual([0, 1, 2])
  expect(placementIn(INGEST_TOPIC, (HOME + 1) % 3).shares).toEqual([])
  expect(placementIn(KEYED_TOPIC, HOME).shares).toEqual([])
})

test('events of a share stay where it is, and follow it to the keyed partition of its number', () => {
  const home = placementIn(INGEST_TOPIC, HOME)
  const share = home.shareOf(7)
  expect(share).toBe(1)
  expect(home.targetOf(share)).toBeUndefined()
  home.give(share)
  expect(home.targetOf(share)).toEqual({ topic: 'keyed', partition: 1 })
  expect(home.missing).toEqual([1])
  home.take(share)
  expect(home.targetOf(share)).toBeUndefined()
})

test('a keyed partition sends events of its own share home while it lacks the share, and others to theirs', () => {
  const keyed = placementIn(KEYED_TOPIC, 1)
  expect(keyed.targetOf(1)).toEqual({ topic: 'ingest', partition: HOME })
  expect(keyed.targetOf(2)).toEqual({ topic: 'keyed', partition: 2 })
})

test('a restored placement has the same shares', () => {
  const home = placementIn(INGEST_TOPIC, HOME)
  home.isSpread = true
  home.give(0)
  const restored = placementIn(INGEST_TOPIC, HOME)
  restored.restore(home.snapshot())
  expect([restored.isSpread, restored.shares]).toEqual([true, [1, 2]])
})
