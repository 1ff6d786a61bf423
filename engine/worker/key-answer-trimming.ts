import type { Topic } from '../log/log.ts'
import { DAY_MS } from '../times/duration.ts'

/** Keys are remembered for that long. */

/** Lets go of answers that no process looks at any more. Nothing has to be read first: whoever wants them is reading. */
export async function trimKeyAnswers(topic: Topic, nowMs: number): Promise<void> {
  for (let partition = 0; partition < topic.partitions; partition++) {
    const { first, next } = await topic.bounds(partition)
    if (first === next) continue
    const recent = (await topic.offsetAtTime(partition, nowMs - DAY_MS)) ?? next
    if (recent > first) await topic.trim(partition, recent)
  }
}
