import type { BatchRun, LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import type { LogRecord, Topic } from '../../log/log.ts'
import { READ_BYTES } from '../../log/records-between.ts'
import { HandedEvents } from '../fold/handed-events.ts'
import { outboxRecord } from '../fold/outbox-record.ts'
import type { SentEvent } from './remote.ts'

/**
 * Bytes per read of the records of a batch: events are hardly larger on the log than in a body. A lane that is behind shares its records
 * with nobody, so more would be read in vain. A single record that is larger is read, too.
 */
export function readBytesOf({ bytes }: Pick<LaneBatch, 'bytes'>): number {
  return Math.min(READ_BYTES, 2 * bytes)
}

/**
 * Reads the events of a batch from the log, in order.
 *
 * @throws LogError like `Topic.read`; LOG_OFFSET_OUT_OF_RANGE when its records were trimmed
 */
export async function batchEvents(
  topic: Pick<Topic, 'name' | 'read'>,
  partition: number,
  batch: LaneBatch,
): Promise<SentEvent[]> {
  const events: SentEvent[] = []
  const name = { topic: topic.name, partition }
  const byRecord = Map.groupBy(batch.stretches, ({ offset }) => offset)
  let records: readonly LogRecord[] = []
  for (const [offset, own] of byRecord) {
    let record = records.find(each => Number(each.offset) === offset)
    if (record === undefined) {
      records = await topic.read(partition, BigInt(offset), readBytesOf(batch))
      record = records.find(each => Number(each.offset) === offset)
    }
    if (record === undefined) throw new RangeError(`record ${offset} of a batch is not on the log`)
    events.push(...eventsOf(name, record, own))
  }
  return events
}

function eventsOf(name: PartitionName, record: LogRecord, runs: readonly BatchRun[]): SentEvent[] {
  const { content } = outboxRecord(name, record)
  if (content.kind !== 'handed') throw new RangeError(`record ${record.offset} of a batch has no events`)
  const { source } = content
  const parts = content.parts.filter(part => part instanceof HandedEvents)
  const found = runs.flatMap(run => parts.flatMap(part => eventsIn(run, source, part)))
  const count = runs.reduce((sum, run) => sum + run.count, 0)
  if (found.length !== count) throw new RangeError(`record ${record.offset} lacks events of a batch`)
  return found
}

/** The events of a run of rows that a part contains. */
function eventsIn({ row, count }: BatchRun, source: string, part: HandedEvents): SentEvent[] {
  const { firstRow, positions } = part
  const first = Math.max(0, row - firstRow)
  const end = Math.min(positions.length, row + count - firstRow)
  if (first >= end) return []
  return part.events
    .slice(first, end)
    .map((event, index) => ({ event, source, position: positions[first + index] as SentEvent['position'] }))
}
