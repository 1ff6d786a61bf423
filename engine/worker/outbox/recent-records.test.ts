import { expect, test } from 'vitest'
import type { LogRecord } from '../../log/log.ts'
import { RecentRecords, RecordShelf } from './recent-records.ts'

/** A topic with records of ten bytes, which counts its reads. */
function countedTopic(offsets: readonly bigint[]) {
  const records = offsets.map(
    (offset): LogRecord => ({ offset, appendTimeMs: 0, value: Buffer.alloc(10), producer: null }),
  )
  const reads: bigint[] = []
  const read = async (_partition: number, from: bigint, maxBytes: number) => {
    reads.push(from)
    return records.filter(({ offset }) => offset >= from).slice(0, maxBytes / 10)
  }
  return { name: 'weir.outbox', read, reads }
}

const offsetsOf = (records: readonly LogRecord[]) => records.map(({ offset }) => offset)

test('records that were read last are the same objects, and are not read again', async () => {
  const topic = countedTopic([0n, 1n, 2n, 3n])
  const recent = new RecentRecords(topic, new RecordShelf(100))
  const [, second] = await recent.read(0, 0n, 30)
  const again = await recent.read(0, 1n, 100)
  expect([offsetsOf(again), again[0] === second, topic.reads]).toEqual([[1n, 2n], true, [0n]])
  expect(offsetsOf(await recent.read(0, 1n, 10))).toEqual([1n])
  expect(offsetsOf(await recent.read(0, 3n, 100))).toEqual([3n])
})

test('those that were read first make room', async () => {
  const topic = countedTopic([0n, 1n, 2n, 3n])
  const recent = new RecentRecords(topic, new RecordShelf(20))
  await recent.read(0, 0n, 100)
  await recent.read(0, 2n, 100)
  expect(topic.reads).toEqual([0n])
  await recent.read(0, 0n, 10)
  expect(topic.reads).toEqual([0n, 0n])
})

test('gaps between records, as on Kafka, end what is kept', async () => {
  const topic = countedTopic([0n, 5n, 6n])
  const recent = new RecentRecords(topic, new RecordShelf(100))
  await recent.read(0, 0n, 100)
  expect(offsetsOf(await recent.read(0, 0n, 100))).toEqual([0n])
  expect(offsetsOf(await recent.read(0, 1n, 100))).toEqual([5n, 6n])
  expect(offsetsOf(await recent.read(0, 5n, 100))).toEqual([5n, 6n])
})

test('the bound holds for all partitions together, and one that ends gives its part back', async () => {
  const shelf = new RecordShelf(40)
  const topics = [countedTopic([0n, 1n, 2n]), countedTopic([0n, 1n])] as const
  const [first, second] = topics.map(topic => new RecentRecords(topic, shelf)) as [
    RecentRecords,
    RecentRecords,
  ]
  await first.read(0, 0n, 100)
  await second.read(1, 0n, 100)
  expect(offsetsOf(await first.read(0, 1n, 100))).toEqual([1n, 2n])
  await first.read(0, 0n, 10)
  expect(topics.map(({ reads }) => reads)).toEqual([[0n, 0n], [0n]])
  first.clear()
  await first.read(0, 1n, 100)
  expect(topics[0].reads).toEqual([0n, 0n, 1n])
  await second.read(1, 0n, 10)
  expect(topics[1].reads).toEqual([0n])
})

test('a reader for once gets what is kept, and has nothing kept', async () => {
  const topic = countedTopic([0n, 1n])
  const recent = new RecentRecords(topic, new RecordShelf(100))
  await recent.readOnce(0, 0n, 100)
  await recent.read(0, 0n, 100)
  expect(offsetsOf(await recent.readOnce(0, 1n, 100))).toEqual([1n])
  expect(topic.reads).toEqual([0n, 0n])
})
