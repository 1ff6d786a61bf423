import {
  type ConfigurationSnapshotPart,
  configurationSnapshotAfterLossType,
  configurationSnapshotType,
  type SnapshotEntity,
} from '../../schemas/log/configuration.ts'
import { PART_BYTES } from '../../schemas/log/record-size.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import { recordsBetween } from '../log/records-between.ts'

const FIRST_WINDOW_RECORDS = 1024n

export interface Snapshot {
  /** First offset that the snapshot does not include. */
  readonly upTo: bigint
  readonly entities: readonly SnapshotEntity[]
}

/**
 * Appends a snapshot in parts; readers use it once they have all of them.
 *
 * @param afterLoss whether a loss of the log was accepted below it: programs that do not know losses refuse it
 */
export async function writeSnapshot(
  topic: Topic,
  id: string,
  snapshot: Snapshot,
  afterLoss = false,
): Promise<void> {
  const batches = inParts(snapshot.entities)
  const type = afterLoss ? configurationSnapshotAfterLossType : configurationSnapshotType
  for (const [part, entities] of batches.entries()) {
    const value = type.encode(
      { id, upTo: Number(snapshot.upTo), part, parts: batches.length, entities },
      PART_BYTES + 4096,
    )
    await topic.append(0, { value, producer: null, priority: 'change' })
  }
}

/**
 * The newest complete snapshot, or undefined. Reads backwards in windows that double, so that a start reads about as much as was
 * written since that snapshot.
 */
export async function newestSnapshot(topic: Topic): Promise<Snapshot | undefined> {
  const { first, next } = await topic.bounds(0)
  const parts = new Map<string, ConfigurationSnapshotPart[]>()
  let window = FIRST_WINDOW_RECORDS
  for (let end = next; end > first; window *= 2n) {
    const start = atLeast(first, end - window)
    const completed: ConfigurationSnapshotPart[][] = []
    for await (const record of recordsBetween(topic, 0, { first: start, next: end })) {
      if (!isSnapshotPart(record)) continue
      const part = snapshotPartOf(record)
      const found = [...(parts.get(part.id) ?? []), part]
      parts.set(part.id, found)
      if (found.length === part.parts) completed.push(found)
    }
    if (completed.length > 0) return newestOf(completed)
    end = start
  }
  return undefined
}

export function isSnapshotPart({ value }: LogRecord): boolean {
  const id = schemaIdOf(value)
  return configurationSnapshotType.has(id) || configurationSnapshotAfterLossType.has(id)
}

function snapshotPartOf({ value }: LogRecord): ConfigurationSnapshotPart {
  const isAfterLoss = configurationSnapshotAfterLossType.has(schemaIdOf(value))
  return (isAfterLoss ? configurationSnapshotAfterLossType : configurationSnapshotType).decode(value)
}

function atLeast(least: bigint, value: bigint): bigint {
  return value < least ? least : value
}

function newestOf(whole: readonly (readonly ConfigurationSnapshotPart[])[]): Snapshot {
  const newest = whole.reduce((best, parts) => ((parts[0]?.upTo ?? 0) > (best[0]?.upTo ?? 0) ? parts : best))
  const inOrder = newest.toSorted((a, b) => a.part - b.part)
  return { upTo: BigInt(newest[0]?.upTo ?? 0), entities: inOrder.flatMap(({ entities }) => entities) }
}

function inParts(entities: readonly SnapshotEntity[]): SnapshotEntity[][] {
  const parts: SnapshotEntity[][] = [[]]
  let bytes = 0
  for (const entity of entities) {
    const size = Buffer.byteLength(entity.value) + 128
    if (bytes > 0 && bytes + size > PART_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(entity)
    bytes += size
  }
  return parts
}
