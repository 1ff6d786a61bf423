import type { DeliveryReport, FailedRows } from '../../../schemas/log/delivery-reports.ts'
import type { LaneBatch, LaneState } from '../../../schemas/log/lanes-checkpoint.ts'
import type { Position } from '../../../schemas/log/position.ts'
import { FoldError } from '../../fold/fold-error.ts'
import type { BatchRulesSource } from './batch-rules.ts'
import { type CursorStart, LaneCursor, type LaneName } from './lane-cursor.ts'

/** A batch and its report. */
export interface AnsweredBatch {
  readonly lane: LaneName
  readonly batch: LaneBatch
  readonly report: DeliveryReport
  /** Place of its first failure: offset of the record with the report, and a row for each failed event. */
  readonly place: Position
  /** Log time of the report. */
  readonly timeMs: number
}

/**
 * Number of no batch. A report with it only says that the remote of a lane takes nothing at present, or that it refused events that
 * had counted as delivered when they were sent. One without failures says that a trouble continues of which an error is there.
 */
export const NO_BATCH = 0

/** Code of a remote that takes nothing at present. */
export const RETRYING = 'E_DELIVERY_RETRYING'

/** An error of a lane that changes none of its counts. */
export interface LaneTrouble {
  readonly lane: LaneName
  readonly failure: FailedRows
  /** Place of the record with the report. */
  readonly place: Position
  /** Log time of the report. */
  readonly timeMs: number
}

/** A report that the cursor of its lane has not reached. */
type Answer = Omit<AnsweredBatch, 'lane' | 'batch'>

/** Events of a lane since it began. */
export interface LaneCounts {
  handedOver: number
  delivered: number
  /** Failed at the remote, with an error and perhaps a dead letter. */
  givenUp: number
  /** Left out because their pipeline was deleted. */
  dropped: number
}

/** All events that one node of a pipeline sends from one partition: their counts, and the cursor that makes their batches. */
export class Lane implements LaneName {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Offset of the record that began it: a later lane of the node has another. */
  readonly birth: number
  readonly counts: LaneCounts
  /**
   * Whether the log says that its remote takes nothing, and nothing was delivered since. It decides nothing in the fold, and no checkpoint
   * contains it.
   */
  isTroubled = false
  #answered = 0
  #usedMs = 0
  #cursor: LaneCursor | undefined
  /** Oldest first. */
  readonly #answers: Answer[] = []

  /** @param cursor undefined: its pipeline is deleted, and all of its events are dropped */
  constructor({ account, pipeline, node }: LaneName, birth: number, cursor: LaneCursor | undefined) {
    this.account = account
    this.pipeline = pipeline
    this.node = node
    this.birth = birth
    this.counts = { handedOver: 0, delivered: 0, givenUp: 0, dropped: 0 }
    this.#cursor = cursor
  }

  static begun(name: LaneName, rules: BatchRulesSource, start: CursorStart): Lane {
    return new Lane(name, Number(start.nextOffset), new LaneCursor(name, rules, start))
  }

  static restored(account: string, rules: BatchRulesSource, state: LaneState): Lane {
    const { pipeline, node, birth, cursor } = state
    const name = { account, pipeline, node }
    const lane = new Lane(name, birth, cursor === null ? undefined : LaneCursor.restored(name, rules, cursor))
    const { handedOver, delivered, givenUp, dropped } = state
    Object.assign(lane.counts, { handedOver, delivered, givenUp, dropped })
    lane.#answered = state.answered
    lane.#usedMs = state.usedMs
    return lane
  }

  /** Undefined after the deletion of its pipeline. */
  get cursor(): LaneCursor | undefined {
    return this.#cursor
  }

  /** Number of events that were handed over, and neither delivered nor given up nor dropped. */
  get waiting(): number {
    const { handedOver, delivered, givenUp, dropped } = this.counts
    return handedOver - delivered - givenUp - dropped
  }

  /** Log time of its oldest waiting event, or a little earlier; meaningless without one. */
  get oldestMs(): number {
    return this.#cursor?.oldestMs ?? this.#usedMs
  }

  /** Log time of its newest event. */
  get usedMs(): number {
    return this.#usedMs
  }

  /** Whether many closed batches have no report, so that its cursor stands still. */
  get isBlocked(): boolean {
    return this.#cursor?.isBlocked === true
  }

  /** Whether its cursor has to make a batch of which the report is already known. Only a repeated reading has such lanes. */
  get isBehindReports(): boolean {
    return this.#answers.length > 0
  }

  /** Batches to send: those without a report, oldest first. */
  get batches(): readonly LaneBatch[] {
    return (this.isBehindReports ? undefined : this.#cursor?.batches) ?? []
  }

  /** The oldest of them. */
  get batch(): LaneBatch | undefined {
    return this.batches[0]
  }

  /** Counts new events. */
  handOver(events: number, timeMs: number): void {
    this.counts.handedOver += events
    this.#usedMs = timeMs
    if (this.#cursor === undefined) this.counts.dropped += events
  }

  /**
   * Takes the report of its oldest batch without one. Every other report is a repeat, or is about a lane that has ended.
   *
   * @returns whether it was taken
   */
  answer(answer: Answer): boolean {
    const { report } = answer
    const isNext = report.birth === this.birth && report.batch === this.#answered + 1
    if (!isNext || this.#cursor === undefined) return false
    const failed = failedEvents(report)
    this.#answered++
    this.counts.delivered += report.events - failed
    this.counts.givenUp += failed
    if (report.events > failed) this.isTroubled = false
    this.#answers.push(answer)
    return true
  }

  /** Takes the batches for which there are reports, as far as the cursor has made them. */
  *settle(): Generator<AnsweredBatch> {
    const cursor = this.#cursor
    while (cursor?.batch !== undefined) {
      const answer = this.#answers.shift()
      if (answer === undefined) return
      const batch = cursor.takeBatch()
      assertSame(batch, answer.report)
      const { account, pipeline, node } = this
      yield { lane: { account, pipeline, node }, batch, ...answer }
    }
  }

  /** Ends it, because its pipeline is deleted. A later report about it is ignored. */
  drop(): void {
    this.counts.dropped += this.waiting
    this.#cursor = undefined
    this.#answers.length = 0
  }

  snapshot(): LaneState {
    return {
      pipeline: this.pipeline,
      node: this.node,
      birth: this.birth,
      usedMs: this.#usedMs,
      ...this.counts,
      answered: this.#answered,
      cursor: this.#cursor?.snapshot() ?? null,
    }
  }
}

/** Number of events that a report gives up. */
export function failedEvents({ failures }: DeliveryReport): number {
  return failures.reduce((sum, { count }) => sum + count, 0)
}

function assertSame(batch: LaneBatch, { batch: number, events }: DeliveryReport): void {
  if (batch.number === number && batch.events === events) return
  const found = `number ${number} with ${events} events`
  throw new FoldError(
    `a report is about batch ${found}, here it has number ${batch.number} with ${batch.events}`,
  )
}
