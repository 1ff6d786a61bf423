import { beforeEach, expect, test } from 'vitest'
import { DEAD_LETTER_TOPIC } from '../../schemas/log/topics.ts'
import { type ManualClock, manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { Topic } from '../log/log.ts'
import { memoryLog } from '../log/memory-log.ts'
import { HOUR_MS } from '../times/duration.ts'
import { trimDeadLetters } from './dead-letter-trimming.ts'

let clock: ManualClock
let topic: Topic

beforeEach(async () => {
  clock = manualClock()
  topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(DEAD_LETTER_TOPIC, 2)
  for (let hour = 0; hour < 8; hour++) {
    for (const partition of [0, 1])
      await topic.append(partition, { value: Buffer.alloc(8), producer: null, priority: 'control' })
    clock.advance(HOUR_MS)
  }
})

async function trimmed(keptHours: number, shortTimes = 0): Promise<bigint> {
  const kept = { topic, retentionMs: () => keptHours * HOUR_MS }
  let left = shortTimes
  await trimDeadLetters(kept, [0], clock.wallMs(), () => left-- > 0)
  expect((await topic.bounds(1)).first).toBe(0n)
  return (await topic.bounds(0)).first
}

test('letters are removed after their retention, only in the partitions of this process', async () => {
  expect(await trimmed(8)).toBe(0n)
  expect(await trimmed(7)).toBe(1n)
  expect(await trimmed(3)).toBe(5n)
  expect(await trimmed(0.5)).toBe(8n)
})

test('while space is short the older half is removed, repeatedly, down to the last letter', async () => {
  const firsts: bigint[] = []
  for (let round = 0; round < 5; round++) firsts.push(await trimmed(8, 1))
  expect(firsts).toEqual([4n, 6n, 7n, 8n, 8n])
})
