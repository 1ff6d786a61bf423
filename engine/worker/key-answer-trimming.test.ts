import { expect, test } from 'vitest'
import { KEYS_TOPIC } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { DAY_MS } from '../times/duration.ts'
import { trimKeyAnswers } from './key-answer-trimming.ts'

test('answers are removed after 24 h, not earlier, on every partition', async () => {
  const clock = manualClock()
  const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(KEYS_TOPIC, 3)
  const append = (partition: number) =>
    topic.append(partition, { value: Buffer.from('answers'), producer: null, priority: 'ingest' })
  await append(0)
  await append(2)
  clock.advance(1)
  await append(2)
  clock.advance(DAY_MS - 1)
  const kept = async () => {
    await trimKeyAnswers(topic, clock.wallMs())
    const bounds = await Promise.all([0, 1, 2].map(partition => topic.bounds(partition)))
    return bounds.map(({ first, next }) => Number(next - first))
  }
  expect(await kept()).toEqual([1, 0, 2])
  clock.advance(1)
  expect(await kept()).toEqual([0, 0, 1])
  clock.advance(1)
  expect(await kept()).toEqual([0, 0, 0])
})
