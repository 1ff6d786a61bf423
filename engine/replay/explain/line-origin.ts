import { lineBatchType } from '../../../schemas/log/line-batch.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import type { PartitionName } from '../../fold/run-watch.ts'
import type { Arrival } from '../arrival-explanation.ts'
import type { ExplainedLine, ExplainedRecord } from '../line-explanation.ts'
import { partitionNamed, type ReplayedTopics } from '../moved-events.ts'
import { PartitionReplay } from '../replay.ts'

export interface RecordPlace extends PartitionName {
  readonly offset: bigint
}

/** A result of a record, by its row: a stored line, or an event for another partition. */
export interface YieldedPlace extends RecordPlace {
  readonly row: number
}

/** A line where it entered, alone of its record, and the events in other partitions that followed from it. */
export interface LineOrigin {
  readonly partition: number
  readonly record: ExplainedRecord
  readonly arrivals: readonly Arrival[]
}

export interface OriginSearch {
  readonly topics: ReplayedTopics
  readonly account: string
  /** Called repeatedly, so that other work of this process gets its turn. */
  rest(): Promise<void>
}

/**
 * Follows a result of a record back to the line from which it came, through all partitions that its events passed.
 *
 * @returns undefined for a line that the account does not have, or that came with a replayed dead letter
 * @throws NoReplayError, or LogError LOG_OFFSET_OUT_OF_RANGE, when the log has removed a part of the way
 */
export async function originOf(search: OriginSearch, yielded: YieldedPlace): Promise<LineOrigin | undefined> {
  const arrivals: Arrival[] = []
  let place = yielded
  for (;;) {
    const record = await explainedAt(search, place)
    if (record === undefined) return undefined
    if ('lines' in record) {
      const lines = record.lines.filter(line => yields(line, place))
      return lines.length === 0
        ? undefined
        : { partition: place.partition, record: { ...record, lines }, arrivals }
    }
    const arrival = record.arrivals.find(each => yields(each, place))
    if (arrival === undefined) return undefined
    arrivals.push(arrival)
    place = { ...arrival.source, ...arrival.position }
  }
}

/**
 * Explains everything in a record: lines, or events from another partition.
 *
 * @returns undefined when the log does not have such a record of the account
 * @throws like `originOf`
 */
export async function explainedAt(
  { topics, account, rest }: OriginSearch,
  { offset, ...name }: RecordPlace,
): Promise<ExplainedRecord | { readonly arrivals: readonly Arrival[] } | undefined> {
  const source = partitionNamed(topics, name)
  const { topic, partition } = source
  if (partition >= topic.partitions) return undefined
  const { first, next } = await topic.bounds(partition)
  if (offset < first || offset >= next) return undefined
  const [found] = await topic.read(partition, offset, 1)
  if (found?.offset !== offset) return undefined
  const replay = await PartitionReplay.reaching(source, offset, { account })
  await replay.foldTo(offset, rest)
  if (schemaIdOf(found.value) === lineBatchType.id) {
    for await (const record of replay.explanations(offset + 1n, rest, account, () => true)) return record
    return undefined
  }
  for await (const arrivals of replay.arrivals(offset + 1n, rest, () => true)) return { arrivals }
  return undefined
}

function yields(explained: ExplainedLine | Arrival, { row }: YieldedPlace): boolean {
  const steps = 'pipelines' in explained ? explained.pipelines.flatMap(each => each.steps) : explained.steps
  return (
    explained.stored.some(stored => stored.row === row) ||
    steps.some(({ sentTo }) => sentTo?.position.row === row)
  )
}
