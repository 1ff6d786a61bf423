import type { JsonObject } from '../../schemas/json.ts'
import { LineBatchView, lineBatchType } from '../../schemas/line-batch.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { schemaIdOf } from '../../schemas/wire-format.ts'
import { Event } from '../event.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import type { NodeError } from '../graph/node-error.ts'
import type { LogRecord } from '../log/log.ts'
import type { Exclusion } from './account-rules.ts'
import type { NodeName } from './node-activity.ts'
import type { PartitionFold } from './partition-fold.ts'
import type { PipelineInEffect, RunWatch } from './run-watch.ts'

/** What became of one line, when it was handled. */
export interface ExplainedLine {
  /** Among the lines of its record. */
  readonly index: number
  readonly event: Event
  /** Of a request that came before with the same idempotency key, or the whole record was written twice: it was passed over. */
  readonly isRepeat: boolean
  readonly stored: readonly StoredAs[]
  readonly notStored: readonly { readonly pipeline: string; readonly error: NodeError }[]
  /** By rules on lines, or because a quota was used up. */
  readonly excluded: readonly ExcludedAt[]
  /** What was deployed of the account's pipelines, in the order of their ids. Where none has taken the line, the default graph has. */
  readonly pipelines: readonly ExplainedPipeline[]
}

/** A line of the own store. */
export interface StoredAs {
  /** Among the stored lines of its record. */
  readonly row: number
  /** '' for the default graph. */
  readonly pipeline: string
  readonly node: string
}

/** A place where the line would have been stored. */
export interface ExcludedAt extends Omit<StoredAs, 'row'> {
  readonly reason: JsonObject
}

export interface ExplainedPipeline {
  readonly id: string
  /** Of the deployment in effect. */
  readonly version: number
  readonly document: PipelineDocument
  readonly isPaused: boolean
  /** What its nodes did with the line, in the order in which it met them; none when the pipeline did not take it. */
  readonly steps: readonly ExplainedStep[]
}

export interface ExplainedStep {
  readonly node: string
  /**
   * `held`: it opened a window of the node; `merged`: into the events that a window holds. What the window gives when it
   * ends is not told. `moved`: to the partition where the memory of its key is; what became of it there is not told.
   */
  readonly outcome: 'passed' | 'dropped' | 'failed' | 'held' | 'merged' | 'moved'
  /** Names of the outputs that it left by; '' is the default one. */
  readonly outputs: readonly string[]
  readonly event: Event
  /** Of an event that was dropped: which rule it was, as the processor says. */
  readonly reason: JsonObject | undefined
  readonly errors: readonly NodeError[]
}

/** A record of lines, and what became of those that were asked for. */
export interface ExplainedRecord {
  readonly offset: bigint
  /** Log time, UNIX ms. */
  readonly timeMs: number
  readonly lines: readonly ExplainedLine[]
}

/**
 * Folds the next record and tells what becomes of its lines.
 *
 * @param isAsked about which lines somebody wants to know
 * @returns undefined when the record holds no lines of the account
 */
export function explainRecord(
  fold: PartitionFold,
  record: LogRecord,
  account: string,
  isAsked: (line: Event, index: number) => boolean,
): ExplainedRecord | undefined {
  const batch = schemaIdOf(record.value) === lineBatchType.id ? LineBatchView.decode(record.value) : undefined
  if (batch?.account !== account) {
    fold.apply(record)
    return undefined
  }
  const events = Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
  const asked = new Set(events.keys().filter(index => isAsked(events[index] as Event, index)))
  if (asked.size === 0) {
    fold.apply(record)
    return { offset: record.offset, timeMs: fold.timeMs, lines: [] }
  }
  const watch = new LineWatch(asked)
  fold.showPipelines(watch)
  fold.apply(record, watch)
  const lines = [...asked].map(index => watch.explained(index, events[index] as Event))
  return { offset: record.offset, timeMs: fold.timeMs, lines }
}

/** Notes what becomes of some lines of one record. */
class LineWatch implements RunWatch {
  readonly #asked: ReadonlySet<number>
  readonly #inEffect = new Map<string, PipelineInEffect>()
  readonly #paths = new Map<string, PathsOfPipeline>()
  readonly #stored: (StoredAs & { readonly line: number | undefined })[] = []
  readonly #notStored: { readonly pipeline: string; readonly error: NodeError }[] = []
  readonly #excluded: (ExcludedAt & { readonly line: number | undefined })[] = []
  /** Of the lines that were handled, in order. */
  #handled: readonly number[] = []

  constructor(asked: ReadonlySet<number>) {
    this.#asked = asked
  }

  takesEffect(_account: string, pipeline: string, inEffect: PipelineInEffect): void {
    this.#inEffect.set(pipeline, inEffect)
  }

  handles(_batch: LineBatchView, indexes: readonly number[]): void {
    this.#handled = indexes
  }

  observerOf(_account: string, pipeline: string): GraphObserver {
    const paths = new PathsOfPipeline(row => this.#asked.has(this.#handled[row] as number))
    this.#paths.set(pipeline, paths)
    return paths
  }

  stored({ origin }: Event, { pipeline, node }: NodeName, row: number): void {
    this.#stored.push({ line: origin?.index, pipeline, node, row })
  }

  excluded({ origin }: Event, { pipeline, node }: NodeName, { reason }: Exclusion): void {
    this.#excluded.push({ line: origin?.index, pipeline, node, reason })
  }

  notStored(error: NodeError, { pipeline }: NodeName): void {
    this.#notStored.push({ pipeline, error })
  }

  explained(index: number, event: Event): ExplainedLine {
    const row = this.#handled.indexOf(index)
    return {
      index,
      event,
      isRepeat: row < 0,
      stored: this.#stored.filter(({ line }) => line === index).map(({ line: _, ...stored }) => stored),
      notStored: this.#notStored.filter(({ error }) => error.event.origin?.index === index),
      excluded: this.#excluded
        .filter(({ line }) => line === index)
        .map(({ line: _, ...excluded }) => excluded),
      pipelines: [...this.#inEffect]
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([id, { version, document, isPaused }]) => {
          const steps = this.#paths.get(id)?.steps(row) ?? []
          return document === undefined ? [] : [{ id, version, document, isPaused, steps }]
        }),
    }
  }
}

/** What the nodes of a pipeline did with some of the events that entered it. */
class PathsOfPipeline implements GraphObserver {
  readonly #isAsked: (row: number) => boolean
  readonly #steps = new Map<number, (Omit<ExplainedStep, 'errors'> & { readonly outputs: string[] })[]>()
  readonly #errors: { readonly row: number; readonly error: NodeError }[] = []

  constructor(isAsked: (row: number) => boolean) {
    this.#isAsked = isAsked
  }

  left(node: string, output: string, event: Event, row: number): void {
    if (!this.#isAsked(row)) return
    const same = this.#of(row).find(step => step.node === node && step.event === event)
    if (same === undefined)
      this.#add(row, { node, outcome: 'passed', outputs: [output], event, reason: undefined })
    else same.outputs.push(output)
  }

  dropped(node: string, event: Event, row: number, reason: () => JsonObject | undefined): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'dropped', outputs: [], event, reason: reason() })
  }

  failed(node: string, event: Event, row: number): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'failed', outputs: [], event, reason: undefined })
  }

  moved(node: string, event: Event, row: number): void {
    if (this.#isAsked(row)) this.#add(row, { node, outcome: 'moved', outputs: [], event, reason: undefined })
  }

  gathered(node: string, event: Event, row: number, merged: boolean): void {
    const outcome = merged ? 'merged' : 'held'
    if (this.#isAsked(row)) this.#add(row, { node, outcome, outputs: [], event, reason: undefined })
  }

  reported(error: NodeError, row: number): void {
    if (this.#isAsked(row)) this.#errors.push({ row, error })
  }

  steps(row: number): ExplainedStep[] {
    return this.#of(row).map(step => ({
      ...step,
      errors: this.#errors
        .filter(each => each.row === row && each.error.nodeId === step.node)
        .map(({ error }) => error),
    }))
  }

  #of(row: number) {
    return this.#steps.get(row) ?? []
  }

  #add(row: number, step: Omit<ExplainedStep, 'errors'> & { readonly outputs: string[] }): void {
    this.#steps.set(row, [...this.#of(row), step])
  }
}
