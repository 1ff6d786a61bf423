import { expect, test } from 'vitest'
import { INGEST_TOPIC, KEYED_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import { passedIn, SpreadAccount, sourceKey } from './spread-account.ts'

const HOME = partitionOfAccount('a', 2)
const SOURCE = sourceKey({ topic: INGEST_TOPIC, partition: 1 })
const accountIn = (topic: string, partition: number) =>
  new SpreadAccount('a', { topic, partition, partitions: 2 })

test('a position that was passed is a repeat, for its source alone', () => {
  const account = accountIn(KEYED_TOPIC, 0)
  expect(account.advance(SOURCE, { offset: 5n, row: 1 })).toBe(true)
  expect(account.advance(SOURCE, { offset: 5n, row: 1 })).toBe(false)
  expect(account.advance(SOURCE, { offset: 4n, row: 9 })).toBe(false)
  expect(account.advance(SOURCE, { offset: 5n, row: 2 })).toBe(true)
  expect(account.advance(sourceKey({ topic: KEYED_TOPIC, partition: 1 }), { offset: 0n, row: 0 })).toBe(true)
})

test('a keyed partition knows the version below which no partition sends events any more', () => {
  const account = accountIn(KEYED_TOPIC, 0)
  expect(account.leastForwarded('p')).toBe(0)
  account.noteForwarded('p', 0, 3)
  expect(account.leastForwarded('p')).toBe(0)
  account.noteForwarded('p', 1, 2)
  account.noteForwarded('p', 0, 1)
  expect(account.leastForwarded('p')).toBe(2)
})

test('events from other partitions arrive at home and in keyed partitions', () => {
  expect(accountIn(INGEST_TOPIC, HOME).receives).toBe(true)
  expect(accountIn(INGEST_TOPIC, 1 - HOME).receives).toBe(false)
  expect(accountIn(KEYED_TOPIC, 1 - HOME).receives).toBe(true)
})

test('after a loss of records the shares exchanged from here are in doubt until a message about them', () => {
  const unheard = (account: SpreadAccount) => [0, 1].filter(share => account.isUnheard(share))
  const keyed = accountIn(KEYED_TOPIC, 1)
  keyed.doubt()
  expect(unheard(keyed)).toEqual([1])
  const home = accountIn(INGEST_TOPIC, HOME)
  home.doubt()
  expect(unheard(home)).toEqual([0, 1])
  expect([home.hear(0), home.hear(0)]).toEqual([true, false])
  expect(unheard(home)).toEqual([1])
  const other = accountIn(INGEST_TOPIC, 1 - HOME)
  other.doubt()
  expect(unheard(other)).toEqual([])
})

test('a restored account still knows the repeats', () => {
  const account = accountIn(KEYED_TOPIC, 1)
  account.advance(SOURCE, { offset: 5n, row: 1 })
  account.doubt()
  const restored = accountIn(KEYED_TOPIC, 1)
  restored.restore(account.snapshot())
  expect(restored.advance(SOURCE, { offset: 5n, row: 1 })).toBe(false)
  expect(restored.isUnheard(1)).toBe(true)
  expect([...passedIn(account.snapshot())]).toEqual([[SOURCE, { offset: 5n, row: 1 }]])
})
