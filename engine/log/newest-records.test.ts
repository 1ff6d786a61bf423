import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { LogError, type Topic } from './log.ts'
import { memoryLog } from './memory-log.ts'
import { newestRecords } from './newest-records.ts'

const RECORD_BYTES = 10

async function topicOf(records: number): Promise<Topic> {
  const log = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  const topic = await log.topic('weir.test', 1)
  for (let number = 0; number < records; number++) {
    const value = Buffer.from(String(number).padStart(RECORD_BYTES, '0'))
    await topic.append(0, { value, producer: null, priority: 'ingest' })
  }
  return topic
}

async function numbersOf(topic: Topic, leftBytes: number): Promise<number[]> {
  const records = await newestRecords(topic, 0, await topic.bounds(0), { leftBytes })
  return records.map(({ value }) => Number(value))
}

function upTo(first: number, next: number): number[] {
  return Array.from({ length: next - first }, (_, index) => first + index)
}

test('all records are returned in their order if the budget suffices', async () => {
  for (const records of [0, 1, 63, 64, 65, 64 + 128, 1_000])
    expect(await numbersOf(await topicOf(records), records * RECORD_BYTES)).toEqual(upTo(0, records))
})

test('the newest records are returned if it does not', async () => {
  expect(await numbersOf(await topicOf(1_000), 300 * RECORD_BYTES)).toEqual(upTo(700, 1_000))
  expect(await numbersOf(await topicOf(1_000), RECORD_BYTES)).toEqual([999])
  expect(await numbersOf(await topicOf(1_000), 0)).toEqual([])
})

test('deleted records are not requested', async () => {
  const topic = await topicOf(500)
  await topic.trim(0, 450n)
  expect(await numbersOf(topic, 2 ** 20)).toEqual(upTo(450, 500))
})

test('records read before a failure are returned', async () => {
  const topic = await topicOf(500)
  let reads = 0
  const failing: Pick<Topic, 'read'> = {
    read: async (...request) => {
      if (++reads === 2) throw new LogError('LOG_UNAVAILABLE', 'The brokers are away.', { retriable: true })
      return topic.read(...request)
    },
  }
  const budget = { leftBytes: 200 * RECORD_BYTES }
  const bounds = { first: 0n, next: 500n }
  await expect(newestRecords(failing, 0, bounds, budget)).rejects.toThrow('away')
  expect(budget.leftBytes).toBe(200 * RECORD_BYTES)
  expect(await newestRecords(failing, 0, bounds, budget)).toHaveLength(200)
})
