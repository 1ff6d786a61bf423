import type { Bounds, LogRecord, Topic } from './log.ts'

/** Bytes per read for readers that share the process with others: their events take a few milliseconds. */
export const READ_BYTES = 1024 * 1024
/** Bytes per read for long stretches of small records. */
export const LONG_READ_BYTES = 4 * READ_BYTES

/**
 * The records of a range of offsets, or those below the end of the log if it ends before.
 *
 * @throws LogError like `Topic.read`
 */
export async function* recordsBetween(
  topic: Pick<Topic, 'read'>,
  partition: number,
  { first, next }: Bounds,
  readBytes = LONG_READ_BYTES,
): AsyncIterable<LogRecord> {
  for (let from = first; from < next; ) {
    const records = await topic.read(partition, from, readBytes)
    if (records.length === 0) return
    for (const record of records) {
      if (record.offset >= next) return
      yield record
      from = record.offset + 1n
    }
  }
}
