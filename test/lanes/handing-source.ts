import { BackOff } from '../../engine/clock/back-off.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import type { Topic } from '../../engine/log/log.ts'
import type { OutgoingPart } from '../../schemas/log/outgoing.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import type { Dice } from '../support/dice.ts'
import { deletedPart, type HandingSource, handedPart, outgoingValue } from '../support/outgoing.ts'
import type { PlannedPart } from './plan.ts'

/** Maximum number of parts in a record. */
export const MOST_PARTS = 8
const PAUSES = { firstMs: 50, longestMs: 1_000 }

/** The partition that hands over the parts with a number. */
export function sourceOf(number: number): HandingSource {
  return { topic: [INGEST_TOPIC, KEYED_TOPIC][number] as string, partition: 0 }
}

/** Progress of a source, which its processes share: everything before it is durable in the outbox. */
export interface Progress {
  durable: number
}

/**
 * A process that hands over the parts of a source, as the worker of a partition does after a restart: it begins at a checkpoint,
 * repeats what was sent since, and divides parts into records as it comes.
 */
export async function handOver(
  topic: Topic,
  clock: Clock,
  {
    dice,
    number,
    parts,
    from,
    progress,
  }: {
    readonly dice: Dice
    readonly number: number
    readonly parts: readonly PlannedPart[]
    readonly from: number
    readonly progress: Progress
  },
): Promise<void> {
  for (let first = from; first < parts.length; ) {
    const end = Math.min(parts.length, first + 1 + dice.below(MOST_PARTS))
    const value = outgoingValue(encoded(parts, first, end), sourceOf(number))
    const append = () => topic.append(0, { value, producer: null, priority: 'control' })
    await new BackOff(clock, PAUSES).repeat(append, () => true)
    progress.durable = Math.max(progress.durable, end)
    first = end
    if (dice.chance(0.3)) await clock.sleep(dice.below(2_000))
  }
}

function encoded(parts: readonly PlannedPart[], first: number, end: number): OutgoingPart[] {
  const found: OutgoingPart[] = []
  for (let at = first; at < end; ) {
    const part = parts[at] as PlannedPart
    const position = { offset: BigInt(Math.floor(at / 4)), row: at % 4 }
    if (part.kind === 'deletion') {
      found.push(deletedPart(part.pipeline, position))
      at++
      continue
    }
    const { node, version } = part
    const lines: string[] = []
    const positions = []
    for (; at < end; at++) {
      const next = parts[at] as PlannedPart
      if (next.kind !== 'event' || next.node !== node || next.version !== version) break
      lines.push(next.line)
      positions.push({ offset: BigInt(Math.floor(at / 4)), row: at % 4 })
    }
    found.push(handedPart({ ...node, version, lines, positions }))
  }
  return found
}
