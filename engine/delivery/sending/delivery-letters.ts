import type { DeadLetter } from '../../fold/dead-letters/dead-letter.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import type { AnsweredBatch } from '../fold/lane.ts'
import { type EventIds, withDeliveryId } from './event-id.ts'
import type { SentEvent } from './remote.ts'

/**
 * Dead letters of the events that a report gave up, if their pipeline keeps them. Repeats have the same names. Each event has the id with
 * which it was sent, so its replay can have it, too.
 */
export function deliveryLetters(
  { topic, partition }: PartitionName,
  { lane, batch, report, place, timeMs }: AnsweredBatch,
  events: readonly SentEvent[],
  idOf: EventIds,
): DeadLetter[] {
  const { pipeline, node } = lane
  let { row } = place
  return report.failures.flatMap(({ row: first, count, code, field, message }) =>
    events.slice(first, first + count).map(sent => ({
      topic,
      partition,
      offset: Number(place.offset),
      row: row++,
      pipeline,
      version: batch.version,
      node,
      failedAtMs: timeMs,
      code,
      field,
      message,
      event: withDeliveryId(sent.event, idOf(sent)),
    })),
  )
}
