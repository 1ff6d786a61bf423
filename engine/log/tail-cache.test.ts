import { expect, test } from 'vitest'
import type { LogRecord } from './log.ts'
import { PartitionTail, TailCache } from './tail-cache.ts'

function records(first: number, count: number): LogRecord[] {
  return Array.from({ length: count }, (_, place) => ({
    offset: BigInt(first + place),
    appendTimeMs: 0,
    value: Buffer.alloc(10),
    producer: null,
  }))
}

const offsets = (read: LogRecord[] | undefined) => read?.map(({ offset }) => Number(offset))

test('records older than the bound are not in the cache, and newer ones are', () => {
  const cache = new TailCache(100)
  const tail = new PartitionTail()
  for (let first = 0; first < 100; first += 2) cache.add(tail, records(first, 2), 20)
  expect(tail.read(89, 1000)).toBeUndefined()
  expect(offsets(tail.read(90, 1000))).toEqual([90, 91, 92, 93, 94, 95, 96, 97, 98, 99])
  expect(offsets(tail.read(97, 10))).toEqual([97])
  expect(offsets(tail.read(97, 29))).toEqual([97, 98])
})

test('partitions share one bound, and the oldest flush of any of them is dropped first', () => {
  const cache = new TailCache(60)
  const [quiet, busy] = [new PartitionTail(), new PartitionTail()]
  cache.add(quiet, records(0, 2), 20)
  for (let first = 0; first < 4; first += 2) cache.add(busy, records(first, 2), 20)
  expect(offsets(quiet.read(0, 1000))).toEqual([0, 1])
  cache.add(busy, records(4, 2), 20)
  expect(quiet.read(0, 1000)).toBeUndefined()
  expect(offsets(busy.read(0, 1000))).toEqual([0, 1, 2, 3, 4, 5])
})

test('a flush larger than the bound is not kept, and the next one is', () => {
  const cache = new TailCache(30)
  const tail = new PartitionTail()
  cache.add(tail, records(0, 5), 50)
  expect(tail.read(0, 1000)).toBeUndefined()
  cache.add(tail, records(5, 2), 20)
  expect(tail.read(4, 1000)).toBeUndefined()
  expect(offsets(tail.read(5, 1000))).toEqual([5, 6])
})

test('offsets are found after any number of dropped records', () => {
  const cache = new TailCache(70)
  const tail = new PartitionTail()
  for (let first = 0; first < 9000; first += 3) {
    cache.add(tail, records(first, 3), 30)
    expect(offsets(tail.read(first + 1, 10))).toEqual([first + 1])
  }
})
