import type { JsonObject } from '../../schemas/json.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import type { Position } from '../../schemas/log/position.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { Event } from '../event/event.ts'
import type { NodeName } from '../fold/node-activity.ts'
import type { PartitionFold } from '../fold/partition-fold.ts'
import type { Exclusion } from '../fold/rules/account-rules.ts'
import type { PipelineInEffect, RunWatch } from '../fold/run-watch.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import type { LogRecord } from '../log/log.ts'
import type { Steps } from '../steps.ts'
import { EventPaths, type ExplainedStep } from './event-paths.ts'

/** Explanation of one line at the time when it was handled. */
export interface ExplainedLine {
  /** Number among the lines of its record. */
  readonly index: number
  readonly event: Event
  /**
   * true: the line was skipped, because its request is a repeat by idempotency key, or the whole record was written
   * twice.
   */
  readonly isRepeat: boolean
  /** Rule that dropped the line on arrival, if any. */
  readonly droppedFor: JsonObject | undefined
  readonly stored: readonly StoredAs[]
  /** Results of windows in which the line was the last one. */
  readonly gathered: readonly StoredAs[]
  /** Its events that were handed over to the outbox. Results of windows are left out. */
  readonly handed: readonly HandedAs[]
  /** Places where rules on lines or an exhausted quota excluded it. */
  readonly excluded: readonly ExcludedAt[]
  /** Deployed pipelines of the account, ordered by id. If none of them handled the line, the default graph did. */
  readonly pipelines: readonly ExplainedPipeline[]
}

/** A line of the own store. */
export interface StoredAs {
  /** Number among the stored lines of its record. */
  readonly row: number
  /** '' for the default graph. */
  readonly pipeline: string
  readonly node: string
}

/** An event that a node handed over. */
export interface HandedAs extends Omit<StoredAs, 'row'> {
  /** Position in the log of the partition. */
  readonly position: Position
  readonly event: Event
}

/** A place where the line would have been stored. */
export interface ExcludedAt extends Omit<StoredAs, 'row'> {
  readonly reason: JsonObject
}

export interface ExplainedPipeline {
  readonly id: string
  /** Version of the deployment in effect. */
  readonly version: number
  readonly document: PipelineDocument
  readonly isPaused: boolean
  /** Whether the pipeline was paused and dropped the line. */
  readonly isDropped: boolean
  /** Effects of its nodes on the line, in order; empty when the pipeline did not handle it. */
  readonly steps: readonly ExplainedStep[]
}

/** A record of lines, with the explanations of the requested ones. */
export interface ExplainedRecord {
  readonly offset: bigint
  /** The log's clock when it was appended, UNIX ms. */
  readonly appendTimeMs: number
  /** Log time, UNIX ms. */
  readonly timeMs: number
  readonly lines: readonly ExplainedLine[]
}

/**
 * Folds the next record and explains its lines.
 *
 * @param isAsked whether a line must be explained
 * @returns undefined when the record contains no lines of the account
 */
export function* explainRecord(
  fold: PartitionFold,
  record: LogRecord,
  account: string,
  isAsked: (line: Event, index: number) => boolean,
): Steps<ExplainedRecord | undefined> {
  const batch = schemaIdOf(record.value) === lineBatchType.id ? LineBatchView.decode(record.value) : undefined
  if (batch?.account !== account) {
    yield* fold.applying(record)
    return undefined
  }
  const events = Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
  const asked = new Set(
    events.keys().filter(index => batch.refusalText(index) === '' && isAsked(events[index] as Event, index)),
  )
  const { offset, appendTimeMs } = record
  if (asked.size === 0) {
    yield* fold.applying(record)
    return { offset, appendTimeMs, timeMs: fold.timeMs, lines: [] }
  }
  const watch = new LineWatch(asked)
  fold.showPipelines(watch)
  yield* fold.applying(record, watch)
  const lines = [...asked].map(index => watch.explained(index, events[index] as Event))
  return { offset, appendTimeMs, timeMs: fold.timeMs, lines }
}

/** Records the results of some lines of one record. */
class LineWatch implements RunWatch {
  readonly #asked: ReadonlySet<number>
  readonly #inEffect = new Map<string, PipelineInEffect>()
  readonly #paths = new Map<string, EventPaths>()
  readonly #stored: (StoredAs & { readonly line: number | undefined })[] = []
  readonly #gathered: (StoredAs & { readonly line: number | undefined })[] = []
  readonly #handed: (HandedAs & { readonly line: number | undefined })[] = []
  readonly #excluded: (ExcludedAt & { readonly line: number | undefined })[] = []
  readonly #dropped = new Map<number, JsonObject>()
  readonly #droppedByPause = new Set<string>()
  #batch: LineBatchView | undefined
  /** The handled lines, in order. */
  #handled: readonly number[] = []

  constructor(asked: ReadonlySet<number>) {
    this.#asked = asked
  }

  takesEffect(_account: string, pipeline: string, inEffect: PipelineInEffect): void {
    this.#inEffect.set(pipeline, inEffect)
  }

  dropped(_batch: LineBatchView, index: number, { reason }: Exclusion): void {
    this.#dropped.set(index, reason)
  }

  droppedByPause(_account: string, pipeline: string): void {
    this.#droppedByPause.add(pipeline)
  }

  handles(batch: LineBatchView, indexes: readonly number[]): void {
    this.#batch = batch
    this.#handled = indexes
  }

  /** Called again if windows of the pipeline end with the record. */
  observerOf(_account: string, pipeline: string): GraphObserver {
    const paths =
      this.#paths.get(pipeline) ?? new EventPaths(row => this.#asked.has(this.#handled[row] as number))
    this.#paths.set(pipeline, paths)
    return paths
  }

  stored(event: Event, { pipeline, node }: NodeName, row: number): void {
    const stored = this.#isOfRecord(event) ? this.#stored : this.#gathered
    stored.push({ line: this.#lineOf(event, pipeline), pipeline, node, row })
  }

  handedOver(event: Event, { pipeline, node }: NodeName, position: Position): void {
    if (this.#isOfRecord(event))
      this.#handed.push({ line: event.origin?.index, pipeline, node, position, event })
  }

  excluded(event: Event, { pipeline, node }: NodeName, { reason }: Exclusion): void {
    this.#excluded.push({ line: this.#lineOf(event, pipeline), pipeline, node, reason })
  }

  #isOfRecord({ origin }: Event): boolean {
    return origin?.batch === this.#batch
  }

  /**
   * Number of the line that an event comes from; undefined for most results of windows, which do not belong to a line.
   */
  #lineOf(event: Event, pipeline: string): number | undefined {
    if (this.#isOfRecord(event)) return event.origin?.index
    const row = this.#paths.get(pipeline)?.lastRowIn(event)
    return row === undefined ? undefined : this.#handled[row]
  }

  explained(index: number, event: Event): ExplainedLine {
    const row = this.#handled.indexOf(index)
    return {
      index,
      event,
      isRepeat: row < 0 && !this.#dropped.has(index),
      droppedFor: this.#dropped.get(index),
      stored: ofLine(this.#stored, index),
      gathered: ofLine(this.#gathered, index),
      handed: ofLine(this.#handed, index),
      excluded: ofLine(this.#excluded, index),
      pipelines: [...this.#inEffect]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([id, { version, document, isPaused }]) => {
          const steps = this.#paths.get(id)?.steps(row) ?? []
          const isDropped = row >= 0 && this.#droppedByPause.has(id)
          return document === undefined ? [] : [{ id, version, document, isPaused, isDropped, steps }]
        }),
    }
  }
}

function ofLine<Noted extends { readonly line: number | undefined }>(
  notes: readonly Noted[],
  index: number,
): Omit<Noted, 'line'>[] {
  return notes.filter(({ line }) => line === index).map(({ line: _, ...noted }) => noted)
}
