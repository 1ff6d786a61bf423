import type { Bounds, LogRecord, Topic } from './log.ts'
import { READ_BYTES, recordsBetween } from './records-between.ts'

const FIRST_WINDOW = 64n
const LAST_WINDOW = 4_096n

/** Budget shared by partitions that are read together. */
export interface ReadBudget {
  leftBytes: number
}

/**
 * The newest records within the bounds, in their order, until the budget is used up. A log can only be read forwards, so
 * windows of offsets are read from the end backwards.
 *
 * @throws LogError like `Topic.read`; the budget is then unchanged
 */
export async function newestRecords(
  topic: Pick<Topic, 'read'>,
  partition: number,
  { first, next }: Bounds,
  budget: ReadBudget,
): Promise<readonly LogRecord[]> {
  const newestFirst: LogRecord[] = []
  try {
    let end = next
    for (let offsets = FIRST_WINDOW; end > first && budget.leftBytes > 0; ) {
      const from = end - first > offsets ? end - offsets : first
      const window = await Array.fromAsync(
        recordsBetween(topic, partition, { first: from, next: end }, READ_BYTES),
      )
      newestFirst.push(...newestWithin(budget, window))
      end = from
      if (offsets < LAST_WINDOW) offsets *= 2n
    }
  } catch (error) {
    for (const { value } of newestFirst) budget.leftBytes += value.length
    throw error
  }
  return newestFirst.toReversed()
}

/** Records from the newest on; the last one may exceed the remaining budget. */
function* newestWithin(budget: ReadBudget, records: readonly LogRecord[]): Iterable<LogRecord> {
  for (const record of records.toReversed()) {
    if (budget.leftBytes <= 0) return
    budget.leftBytes -= record.value.length
    yield record
  }
}
