import { createHash } from 'node:crypto'
import type { BatchRun, LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import type { BatchPlace } from '../../nodes/contract/define-destination.ts'
import type { OutboxIdentity } from '../fold/delivery-fold.ts'
import type { LaneName } from '../fold/lane-cursor.ts'

/** Id of a batch. It follows from the places of its first and last event, so each repeat of the batch has it. */
export function batchId(
  { logId, partition }: Pick<OutboxIdentity, 'logId' | 'partition'>,
  { pipeline, node }: LaneName,
  { version, split, stretches }: LaneBatch,
): string {
  const [first, last] = [stretches[0], stretches.at(-1)] as [BatchRun, BatchRun]
  const ends = [first.offset, first.row, last.offset, last.row + last.count - 1]
  return uuidOf([logId, partition, pipeline, node, version, split, ...ends])
}

/**
 * Id of a part of a batch.
 *
 * @param rows  indexes of its events in the batch, rising
 * @param total number of events in the batch
 */
export function partId(batch: string, rows: readonly number[], total: number): string {
  return rows.length === total ? batch : uuidOf([batch, ...rows])
}

/** Name of a lane, which no other lane of any installation has. @param birth offset of the record that began it */
export function laneId(
  { logId, partition }: Pick<OutboxIdentity, 'logId' | 'partition'>,
  { account, pipeline, node }: LaneName,
  birth: number,
): string {
  return uuidOf([logId, partition, account, pipeline, node, birth])
}

/**
 * Place of a part of a batch in its lane; undefined: its events are not consecutive, so another part can begin with the same event and
 * have as many.
 *
 * @param rows  indexes of its events in the batch, rising
 * @param total number of events in the batch
 */
export function partPlace(batch: BatchPlace, rows: readonly number[], total: number): BatchPlace | undefined {
  const [first = 0] = rows
  if (rows.at(-1) !== first + rows.length - 1) return undefined
  return rows.length === total ? batch : { ...batch, part: { first, events: rows.length, of: total } }
}

/** A UUID of version 8 (RFC 9562) with the beginning of a hash. */
function uuidOf(parts: readonly (string | number)[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
