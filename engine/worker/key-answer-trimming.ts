import type { Topic } from '../log/log.ts'
import { DAY_MS } from '../times/duration.ts'

/**
 * Deletes answers that are older than a day, the time for which keys are remembered. They need not be read first: a
 * process that needs them is reading them.
 */
export async function trimKeyAnswers(topic: Topic, nowMs: number): Promise<void> {
  for (let partition = 0; partition < topic.partitions; partition++) {
    const { first, next } = await topic.bounds(partition)
    if (first === next) continue
    const recent = (await topic.offsetAtTime(partition, nowMs - DAY_MS)) ?? next
    if (recent > first) await topic.trim(partition, recent)
  }
}
