import type { Topic } from '../log/log.ts'

export interface KeptDeadLetters {
  readonly topic: Topic
  /** Retention of letters. */
  readonly retentionMs: () => number
}

/**
 * Deletes dead letters that are past their retention. While the log is short of room, it also deletes the older half of
 * the rest, repeatedly: future lines are worth more than failed events. This also runs without a worker, which may need
 * the room to start.
 *
 * @param partitions those of this process
 */
export async function trimDeadLetters(
  { topic, retentionMs }: KeptDeadLetters,
  partitions: Iterable<number>,
  nowMs: number,
  isShort: () => boolean,
): Promise<void> {
  const keptMs = retentionMs()
  for (const partition of partitions) {
    const { first, next } = await topic.bounds(partition)
    if (first === next) continue
    const kept = (await topic.offsetAtTime(partition, nowMs - keptMs)) ?? next
    const before = isShort() ? kept + (next - kept + 1n) / 2n : kept
    if (before > first) await topic.trim(partition, before)
  }
}
