import { checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { cutKey } from '../../schemas/log/cuts.ts'
import { isTrimmed, type Topic } from '../log/log.ts'
import { LONG_READ_BYTES } from '../log/records-between.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { cutsOf } from './cuts-on-the-log.ts'

/**
 * The newest cut of each entity that the partitions of a topic know: from their newest checkpoints, and the later
 * records. Reads about as much as a start of their workers does.
 *
 * @param isOver called repeatedly: once it is true, the cuts that were found so far are the result
 * @throws LogError like `Topic.read`
 */
export async function knownCuts(
  topic: Topic,
  checkpoints: Topic,
  isOver: () => boolean = () => false,
): Promise<readonly Cut[]> {
  const newest = new Map<string, Cut>()
  const note = (cut: Cut) => {
    const key = cutKey(cut)
    if (cut.version > (newest.get(key)?.version ?? 0)) newest.set(key, cut)
  }
  const readPartition = async (partition: number) => {
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    if (kept !== undefined) for (const cut of checkpointType.decode(kept.body).cuts) note(cut as Cut)
    const { first, next } = await topic.bounds(partition)
    let offset = kept?.nextOffset ?? first
    if (offset < first) offset = first
    while (offset < next && !isOver()) {
      const records = await topic.read(partition, offset, LONG_READ_BYTES)
      if (records.length === 0) break
      for (const record of records) for (const cut of cutsOf(record)) note(cut)
      offset = (records.at(-1)?.offset as bigint) + 1n
    }
  }
  for (let partition = 0; partition < topic.partitions && !isOver(); ) {
    try {
      await readPartition(partition)
      partition++
    } catch (error) {
      // The owner of the partition has trimmed the log meanwhile. Before that it wrote a checkpoint, so the next look is shorter.
      if (!isTrimmed(error)) throw error
    }
  }
  return [...newest.values()]
}
