import { SECOND_MS } from '../../engine/times/duration.ts'
import { AggregateModel, type ModelResult } from '../support/aggregate-model.ts'
import { TraceModel } from '../support/trace-model.ts'
import type { CountingWindows, RememberingStep, TagLimit } from './remembering-step.ts'

/** Parts of a line that the steps look at. */
interface JudgedLine {
  readonly app: string
  readonly level: string
}

/** A line that leaves a step, at its destination or dropped. */
export interface Judged<Line> {
  readonly line: Line
  readonly passed: boolean
}

/** Memory of a remembering step, by brute force. */
export interface StepModel {
  /** Changes options that keep the memory. */
  change(step: RememberingStep): void
  /** @returns the line and those that leave with it, in order; nothing while it is held */
  take<Line extends JudgedLine>(line: Line, timeMs: number): readonly Judged<Line>[]
  /** Ends the wait of lines until a time. @returns groups that are left out, each with one error */
  endWaiting(timeMs: number): readonly (readonly JudgedLine[])[]
}

export function newStepModel(step: RememberingStep): StepModel {
  switch (step.type) {
    case 'dedupe':
      return new DedupeModel(step.remembered)
    case 'sample':
      return new SampleModel(step.rate)
    case 'trace-sampling':
      return new TracesModel(step.samples, step.rate)
    case 'js-script':
      return new StretchModel(step.stretchMs)
  }
}

/** A step that judges each line as it comes. */
abstract class JudgingModel implements StepModel {
  abstract passes(line: JudgedLine, timeMs: number): boolean

  change(_step: RememberingStep): void {}

  take<Line extends JudgedLine>(line: Line, timeMs: number): readonly Judged<Line>[] {
    return [{ line, passed: this.passes(line, timeMs) }]
  }

  endWaiting(): readonly [] {
    return []
  }
}

class StretchModel extends JudgingModel {
  readonly #stretchMs: number

  constructor(stretchMs: number) {
    super()
    this.#stretchMs = stretchMs
  }

  passes(_line: JudgedLine, timeMs: number): boolean {
    return Math.floor(timeMs / this.#stretchMs) % 2 === 0
  }
}

class DedupeModel extends JudgingModel {
  #remembered: number
  /** Least recently used first. */
  #keys: string[] = []

  constructor(remembered: number) {
    super()
    this.#remembered = remembered
  }

  override change(step: RememberingStep): void {
    if (step.type === 'dedupe') this.#remembered = step.remembered
  }

  passes({ app, level }: JudgedLine): boolean {
    const key = `${level} ${app}`
    const isNew = !this.#keys.slice(-this.#remembered).includes(key)
    this.#keys = [...this.#keys.filter(each => each !== key), key].slice(-this.#remembered)
    return isNew
  }
}

class SampleModel extends JudgingModel {
  readonly #rate: number
  #count = 0

  constructor(rate: number) {
    super()
    this.#rate = rate
  }

  passes(): boolean {
    return this.#count++ % this.#rate === 0
  }
}

class TracesModel implements StepModel {
  readonly #traces: TraceModel
  /** All lines so far; the number of a span is the place of its line. */
  readonly #lines: JudgedLine[] = []

  constructor(type: 'head' | 'tail', rate: number) {
    this.#traces = new TraceModel({
      ...{ type, rates: [rate] },
      ...{ maxTraces: 100_000, maxHeldSpans: 1_000, maxHeldBytes: 64 << 20 },
    })
  }

  change(): void {}

  take<Line extends JudgedLine>(line: Line, timeMs: number): readonly Judged<Line>[] {
    const n = this.#lines.push(line) - 1
    const span = { trace: line.level, n, isRoot: line.app === '', meets: [0], bytes: 0 }
    const { fate, released, leftOut } = this.#traces.take(span, timeMs)
    const judged = (numbers: readonly number[], passed: boolean) =>
      numbers.map(number => ({ line: this.#lines[number] as Line, passed }))
    const own = fate === 'held' ? [] : judged([n], fate === 'passed')
    return [...own, ...judged(released, true), ...judged(leftOut, false)]
  }

  endWaiting(timeMs: number): readonly (readonly JudgedLine[])[] {
    const { endedByTime } = this.#traces.endWaiting(timeMs)
    const lines = endedByTime.map(number => this.#lines[number] as JudgedLine)
    return [...Map.groupBy(lines, ({ level }) => level).values()]
  }
}

/** Levels that may be counted, by brute force. Only one tag is limited. */
export class TagLimitModel {
  readonly #limit: TagLimit
  readonly #accepted: string[] = []

  constructor(limit: TagLimit) {
    this.#limit = limit
  }

  /** @returns the level with which a line is counted; undefined: without any; null: it is dropped */
  take(level: string): string | undefined | null {
    const { values, action } = this.#limit
    if (this.#accepted.includes(level)) return level
    if (this.#accepted.length >= values) return action === 'drop_event' ? null : undefined
    this.#accepted.push(level)
    return level
  }
}

/** Counts of lines in windows of log time. */
export class WindowsModel {
  readonly #model: AggregateModel

  constructor({ type, intervalS, distanceS }: CountingWindows) {
    this.#model = new AggregateModel({
      type,
      intervalMs: intervalS * SECOND_MS,
      distanceMs: distanceS * SECOND_MS,
      operation: 'SUM',
      condition: undefined,
      maxGroups: 20_000,
      maxGroupWindows: 200,
    })
  }

  /** @param level undefined: a line that is counted without its level */
  take(level: string | undefined, timeMs: number): readonly ModelResult[] {
    const event = { group: String(level), message: metricOf(level), metadata: {}, timeMs: undefined }
    return this.#model.take(event, timeMs).emitted
  }

  emitDue(timeMs: number): readonly ModelResult[] {
    return this.#model.emitDue(timeMs, timeMs)
  }

  /** Ends all windows. */
  end(timeMs: number): readonly ModelResult[] {
    return this.#model.emitDue(Number.POSITIVE_INFINITY, timeMs)
  }
}

/** Metric of a line, with its members in the order of the processor. */
export function metricOf(level: string | undefined) {
  return {
    name: 'lines',
    kind: 'incremental',
    value: { type: 'counter', value: 1 },
    tags: level === undefined ? {} : { level },
  }
}
