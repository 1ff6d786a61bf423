import type { Position } from '../../../schemas/log/position.ts'
import type { Clock } from '../../clock/clock.ts'
import type { AnsweredBatch, LaneTrouble } from '../../delivery/fold/lane.ts'
import type { LaneName } from '../../delivery/fold/lane-cursor.ts'
import type { SentEvent } from '../../delivery/sending/remote.ts'
import { capturedText } from '../../fold/captured-text.ts'
import type { TableBatch } from '../../fold/flush.ts'
import { type PipelineErrorRow, pipelineErrorsBlock } from '../../fold/tables/pipeline-errors-block.ts'
import { textForm } from '../../json/json-text.ts'
import type { Logger } from '../../logger.ts'
import type { Store } from '../../store/store.ts'
import { SECOND_MS } from '../../times/duration.ts'
import type { LoopTurns } from '../../turns/loop-turns.ts'
import { PartitionOwnership } from '../partition-ownership.ts'
import type { Retries } from '../retries.ts'

/** Time in which errors share an insert. (Our choice: an insert is a part of the table, whatever its size.) */
const SHARED_MS = 10 * SECOND_MS
/** Longest part of an answer in the sentence of an error. (Our choice: dead letters and states have no more either.) */
const SHOWN_ANSWER_CHARACTERS = 200
const TABLE = 'pipeline_errors'
const LEFT = 'the worker has ended'

export interface DeliveryErrorsOptions {
  readonly topic: string
  readonly partition: number
  readonly store: Store
  readonly turns: LoopTurns
  readonly clock: Clock
  readonly logger: Logger
  readonly retries: Retries
}

/** Place from which a worker continues. */
export interface ErrorsBeginning {
  /** Offset of the worker's owner record. */
  readonly epoch: bigint
  /** First record after its checkpoint. */
  readonly nextOffset: bigint
  /** Log time there, UNIX ms. */
  readonly timeMs: number
}

/** One reason, as far as it concerns a row. */
type Reason = Pick<PipelineErrorRow, 'code' | 'field' | 'message' | 'captured' | 'count'>

interface Pending {
  readonly rows: Map<string, PipelineErrorRow & { count: number; lastMs: number }>
  /** Offsets of the first and last record with a report about them. */
  readonly first: bigint
  last: bigint
}

/**
 * Errors of the deliveries of an outbox partition, on their way to table `pipeline_errors`. They follow from reports on the log, and each
 * is stored once: a batch of rows has the offset of the newest report in it, and contains all errors of earlier ones that were not stored
 * before. So the highest offset in the store says which reports are done, wherever the borders of batches were. A worker asks
 * for it only about reports that its predecessors may have read: those before its owner record.
 *
 * The store is a system like others here: while it is away, deliveries continue, and only checkpoints wait.
 */
export class DeliveryErrors {
  readonly #options: DeliveryErrorsOptions
  readonly #ownership: PartitionOwnership
  readonly #onChange: () => void
  readonly #left = new AbortController()
  #beginning: ErrorsBeginning = { epoch: 0n, nextOffset: 0n, timeMs: 0 }
  /** Reports up to this offset are stored; undefined: the store was not asked. */
  #storedTo: bigint | undefined
  #pending: Pending | undefined
  #dueMs = Number.POSITIVE_INFINITY
  /** The batch that is being stored: the offset of the first report in it. */
  #storing: { readonly first: bigint } | undefined
  #working: Promise<void> | undefined
  #error: unknown

  /** @param onChange called when a batch has been stored */
  constructor(options: DeliveryErrorsOptions, onChange: () => void) {
    this.#options = options
    this.#ownership = new PartitionOwnership(options)
    this.#onChange = onChange
  }

  begin(beginning: ErrorsBeginning): void {
    this.#beginning = beginning
  }

  /** Ends waiting for a store that is away. */
  leave(): void {
    this.#left.abort(LEFT)
  }

  /** Offset of the oldest report whose errors are not stored; undefined: there is none. */
  get oldest(): bigint | undefined {
    return this.#storing?.first ?? this.#pending?.first
  }

  /** Time until errors are due; 0 or less: now; Infinity: none are, or some are being stored. */
  untilDueMs(): number {
    return this.#working === undefined
      ? this.#dueMs - this.#options.clock.monotonicMs()
      : Number.POSITIVE_INFINITY
  }

  /** Takes the failures of a report. @param events the events of its batch */
  async take({ lane, report, place, timeMs }: AnsweredBatch, events: readonly SentEvent[]): Promise<void> {
    for (const { row, count, code, field, message, answer } of report.failures) {
      const captured = events[row] === undefined ? '' : textForm(events[row].event.message)
      const reason = { code, field, message: withAnswer(message, answer), captured, count }
      await this.#add(lane, reason, place, timeMs)
    }
  }

  /** Takes the trouble of a lane. */
  async takeTrouble({ lane, failure, place, timeMs }: LaneTrouble): Promise<void> {
    const { code, field, message, answer, count } = failure
    const reason = {
      code,
      field,
      message: withAnswer(message, answer),
      captured: '',
      count: Math.max(1, count),
    }
    await this.#add(lane, reason, place, timeMs)
  }

  /**
   * Begins to store errors that are due.
   *
   * @param isUrgent whether all are
   * @returns whether it did
   * @throws the error that has ended an earlier insert
   */
  storeDue(isUrgent = false): boolean {
    if (this.#error !== undefined) throw this.#error
    if (this.#working !== undefined || this.#pending === undefined) return false
    if (!isUrgent && this.untilDueMs() > 0) return false
    this.#working = this.#storeNext()
    return true
  }

  /** Stores everything, without waiting for a store that is away. @returns whether it is stored */
  async finish(): Promise<boolean> {
    this.leave()
    await this.#working
    if (this.#pending !== undefined && this.#error === undefined) await this.#storeNext()
    return this.#error === undefined
  }

  async #add(lane: LaneName, reason: Reason, { offset }: Position, timeMs: number): Promise<void> {
    if (offset < this.#beginning.epoch) await this.#ask()
    if (offset <= (this.#storedTo ?? -1n)) return
    this.#pending ??= this.#newPending(offset)
    this.#pending.last = offset
    addTo(this.#pending.rows, lane, reason, timeMs)
  }

  #newPending(first: bigint): Pending {
    this.#dueMs = this.#options.clock.monotonicMs() + SHARED_MS
    return { rows: new Map(), first, last: first }
  }

  /** Takes the partition in the store, and asks for the reports that are done. */
  async #ask(): Promise<void> {
    if (this.#storedTo !== undefined) return
    const { topic, partition, store, retries } = this.#options
    const { epoch, nextOffset, timeMs } = this.#beginning
    const { signal } = this.#left
    await retries.run('claim', () => this.#ownership.take(epoch), signal)
    const from = { offset: nextOffset, row: 0, timeMs }
    const settle = () => store.settle({ topic, partition, table: TABLE }, from)
    this.#storedTo = (await retries.run('settle', settle, signal))?.offset ?? -1n
  }

  async #storeNext(): Promise<void> {
    const { first, batch } = this.#takePending()
    this.#storing = { first }
    try {
      await this.#ask()
      const insert = () => this.#ownership.insert(batch)
      await this.#options.retries.run(`insert into ${TABLE}`, insert, this.#left.signal)
      this.#storing = undefined
    } catch (error) {
      this.#error = error
    }
    this.#working = undefined
    this.#onChange()
  }

  #takePending(): { readonly first: bigint; readonly batch: TableBatch } {
    const pending = this.#pending as Pending
    this.#pending = undefined
    this.#dueMs = Number.POSITIVE_INFINITY
    return { first: pending.first, batch: batchOf(pending) }
  }
}

/** Rows of one node, code and field are one: components, section 4.1. */
function addTo(rows: Pending['rows'], lane: LaneName, reason: Reason, timeMs: number): void {
  const { account, pipeline, node } = lane
  const key = JSON.stringify([account, pipeline, node, reason.code, reason.field])
  const known = rows.get(key)
  if (known !== undefined) {
    known.count += reason.count
    known.lastMs = timeMs
    return
  }
  const captured = capturedText(reason.captured)
  const times = { firstMs: timeMs, lastMs: timeMs }
  rows.set(key, { account, pipeline, node, nodeKind: 'destination', ...reason, captured, ...times })
}

function batchOf({ rows: byKey, last: offset }: Pending): TableBatch {
  const rows = [...byKey.values()]
  const sinceMs = Math.min(...rows.map(({ firstMs, lastMs }) => firstMs ?? lastMs))
  return {
    table: TABLE,
    block: pipelineErrorsBlock({ offset, minuteMs: sinceMs }, rows),
    rows: rows.length,
    first: { offset, row: 0 },
    last: { offset, row: rows.length - 1 },
    sinceMs,
  }
}

function withAnswer(message: string, answer: string | null): string {
  if (answer === null || answer === '') return message
  const shown =
    answer.length > SHOWN_ANSWER_CHARACTERS ? `${answer.slice(0, SHOWN_ANSWER_CHARACTERS)}…` : answer
  return `${message.replace(/\.$/, '')}: ${shown}`
}
