import type { BatchRules, BatchRulesSource } from '../../engine/delivery/fold/batch-rules.ts'
import { Event } from '../../engine/event/event.ts'
import { eventColumns } from '../../engine/event/event-columns.ts'
import { positionColumns } from '../../engine/fold/spread/rekeyed-part.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { type OutgoingPart, outgoingType } from '../../schemas/log/outgoing.ts'
import type { Position } from '../../schemas/log/position.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { linesOf } from './loose-fold.ts'

export const ACCOUNT = 'a'

/** Options of the destinations of these tests. */
export interface LaneOptions {
  readonly maxBytes: number
  readonly maxEvents: number
  readonly maxAgeMs: number
  /** Batches are split by the first word of a line. */
  readonly splits: boolean
}

export const LANE_OPTIONS: LaneOptions = { maxBytes: 1_000, maxEvents: 3, maxAgeMs: 1_000, splits: false }

/** Lines that a node of a revision hands over. */
export interface HandedLines {
  readonly pipeline?: string
  readonly version?: number
  readonly node?: string
  readonly options?: Partial<LaneOptions>
  readonly lines: readonly string[]
  /** Position of each line in the source. */
  readonly positions: readonly Position[]
}

export interface HandingSource {
  readonly topic: string
  readonly partition: number
}

const SOURCE: HandingSource = { topic: INGEST_TOPIC, partition: 0 }

export function handedPart({
  pipeline = 'p',
  version = 1,
  node = 'out',
  options = {},
  lines,
  positions,
}: HandedLines): OutgoingPart {
  const batch = linesOf(lines, ACCOUNT)
  const events = lines.map((_, index) => Event.ofLine(batch, index))
  const text = JSON.stringify({ ...LANE_OPTIONS, ...options })
  const columns = { ...eventColumns(events, ACCOUNT, batch.entrance), ...positionColumns(positions) }
  return { 'weir.OutgoingEvents': { pipeline, version, node, type: 'test', options: text, ...columns } }
}

export function deletedPart(pipeline: string, { offset, row }: Position): OutgoingPart {
  return { 'weir.PipelineDeleted': { offset: Number(offset), row, pipeline } }
}

/** The value of a record with these parts. */
export function outgoingValue(parts: readonly OutgoingPart[], source = SOURCE, account = ACCOUNT): Buffer {
  const { topic: sourceTopic, partition: sourcePartition } = source
  return outgoingType.encode({ behaviour: BEHAVIOUR, sourceTopic, sourcePartition, account, parts })
}

export function textOf(event: Event): string {
  return String(event.member('line'))
}

/** Rules of destinations with these options. */
export const LANE_RULES: BatchRulesSource = {
  rulesOf(_type, options): BatchRules {
    const { splits, ...limits } = JSON.parse(options) as LaneOptions
    return {
      limits,
      splitOf: event => (splits ? (textOf(event).split(' ')[0] as string) : ''),
      bytesOf: event => textOf(event).length + 1,
    }
  },
}
