import { Event } from '../event/event.ts'
import {
  Dropped,
  type Failed,
  fail,
  Gathered,
  type Outcome,
  PassedWithError,
  Routed,
  Split,
} from '../event/outcome.ts'
import { BEYOND_BUDGET, SUSPENDED, type WorkKind } from '../expressions/cost-meter.ts'
import { DROPPED, PASSED, UNDECIDED } from '../nodes/contract/column-form.ts'
import type { Process } from '../nodes/contract/define-processor.ts'
import { EVENT_UNITS, type Steps, Stretch } from '../steps.ts'
import {
  type CompiledNode,
  type CompiledOutput,
  DEFAULT_OUTPUT,
  type Explain,
  type HeldState,
  type Inbox,
  NO_ROW,
  type RunContext,
  takeRun,
} from './compiled-node.ts'
import type { ErrorDesk } from './error-desk.ts'
import type { GraphObserver } from './graph-observer.ts'
import type { LineJudge } from './line-judge.ts'
import { noCounts } from './node-counters.ts'
import type { RecordYield } from './record-yield.ts'
import { type Run, RunBuilder } from './run.ts'

export interface ProcessingParts {
  readonly id: string
  readonly inboxes: readonly Inbox[]
  readonly process: Process
  readonly state: HeldState | undefined
  readonly desk: ErrorDesk
  readonly explain?: Explain | undefined
  /** Present if the processor can judge lines without their events. */
  readonly lines?: LineJudge | undefined
  /** Whether each event counts as work, because it may be one of very many copies. */
  readonly countsEvents?: boolean
}

/** Runs a processor over the events of a record, and counts its outcomes. */
export class ProcessingNode implements CompiledNode {
  readonly id: string
  readonly counters = noCounts()
  readonly inboxes: readonly Inbox[]
  /** Outputs by name; the name of the default output is empty. */
  readonly outputs = new Map<string, CompiledOutput>()
  readonly #process: Process
  readonly #state: HeldState | undefined
  readonly #desk: ErrorDesk
  readonly #explain: Explain | undefined
  readonly #lines: LineJudge | undefined
  readonly #countsEvents: boolean
  #observer: GraphObserver | undefined
  #nowMs = 0
  #made: RecordYield | undefined
  readonly #built = new Map<string, RunBuilder>()

  constructor({
    id,
    inboxes,
    process: processEvent,
    state,
    desk,
    explain,
    lines,
    countsEvents,
  }: ProcessingParts) {
    this.id = id
    this.inboxes = inboxes
    this.#process = processEvent
    this.#state = state
    this.#desk = desk
    this.#explain = explain
    this.#lines = lines
    this.#countsEvents = countsEvents ?? false
  }

  *step(context: RunContext): Steps {
    const taken = yield* takeRun(this.inboxes, this.counters, context.stretch)
    const run = taken && (yield* this.#stayingRun(taken, context))
    if (run === undefined) return
    const state = this.#state
    if (state !== undefined) while (!state.kind.advance(state.value, context.nowMs, state.config)) yield
    const desk = state?.desk ?? this.#desk
    this.#observer = context.observer
    this.#nowMs = context.nowMs
    this.#made = context.made
    desk.open(context)
    yield* this.#processRun(run, desk, context)
    desk.close()
    this.#lines?.close()
  }

  *release(untilMs: number, { observer, stretch }: RunContext): Steps {
    const state = this.#state
    if (state?.windows === undefined) return
    // A node that joins branches behind this one reads a single run: pauses do not change the order.
    const run = new RunBuilder()
    for (const { event, ...window } of state.windows.release(state.value, untilMs)) {
      const { bytes } = event
      observer?.gave?.(this.id, event, window, NO_ROW)
      run.add(event, NO_ROW, bytes)
      this.counters.held--
      if (spend(stretch, ENDED_WINDOW_UNITS + bytes)) continue
      yield
      stretch?.begin()
    }
    this.#observer = observer
    this.#emit(DEFAULT_OUTPUT, run)
  }

  /** Returns the events of a run whose memory is here. The others are counted in their partition. */
  *#stayingRun(run: Run, context: RunContext): Steps<Run | undefined> {
    const { elsewhere, observer, stretch } = context
    const state = this.#state
    if (state?.hash === undefined || elsewhere === undefined) return run
    const staying = new RunBuilder()
    state.desk.open(context)
    for (const [index, event] of run.events.entries()) {
      const row = run.rows[index] as number
      state.desk.take(event, row)
      const hash = affordableHash(event, state.hash, state.value)
      const sent = hash === undefined ? undefined : elsewhere.send(this.id, hash, event)
      if (sent === undefined) staying.add(event, row, event.bytes)
      else observer?.moved(this.id, event, row, sent)
      if (spend(stretch, EVENT_UNITS)) continue
      yield
      stretch?.begin()
    }
    state.desk.close()
    this.counters.eventsIn -= run.events.length - staying.events.length
    this.counters.bytesIn -= run.bytes - staying.bytes
    return staying.events.length === 0 ? undefined : staying
  }

  *#processRun(run: Run, desk: ErrorDesk, { nowMs, stretch }: RunContext): Steps {
    const progress: Progress = {
      index: 0,
      isSuspended: false,
      isAgain: false,
      passed: undefined,
      parts: undefined,
      judged: undefined,
      judgedFrom: 0,
    }
    for (;;) {
      this.#processStretch(run, progress, desk, nowMs, stretch)
      if (progress.index === run.events.length) break
      yield
      stretch?.begin()
      progress.isAgain = progress.isSuspended
      progress.isSuspended = false
    }
    if (progress.passed === undefined) this.#emit(DEFAULT_OUTPUT, run)
    else this.#emitBuilt()
  }

  /** Processes events until the stretch is over. */
  #processStretch(
    run: Run,
    progress: Progress,
    desk: ErrorDesk,
    nowMs: number,
    stretch = new Stretch(),
  ): void {
    const from = progress.index
    const until = Math.min(run.events.length, from + EVENTS_PER_STRETCH)
    progress.judged = this.#lines?.outcomesOf(run.events, from, until)
    progress.judgedFrom = from
    while (progress.index < until && stretch.left > 0 && !progress.isSuspended)
      this.#processEvents(run, progress, until, desk, nowMs, stretch)
  }

  /** Processes events until the stretch is over, or expressions cost too much on an event. */
  #processEvents(
    run: Run,
    progress: Progress,
    until: number,
    desk: ErrorDesk,
    nowMs: number,
    stretch: Stretch,
  ): void {
    const processEvent = this.#state?.process ?? this.#process
    const state = this.#state?.value
    const { events, rows } = run
    const { judged, judgedFrom } = progress
    // Most runs pass unchanged as a whole: nothing is built before the first event that does not pass.
    let { index, passed, isAgain } = progress
    if (progress.parts !== undefined) {
      addParts(progress, rows[index] as number, passed as RunBuilder, stretch, this.#made)
      if (progress.parts !== undefined) return
      index++
    }
    let known = 0
    try {
      for (; index < until && stretch.left > 0; index++) {
        const event = events[index] as Event
        const verdict = judged === undefined ? UNDECIDED : judged[index - judgedFrom]
        if (verdict === PASSED) {
          known++
          passed?.add(event, rows[index] as number, event.bytes)
          continue
        }
        if (verdict === DROPPED) {
          known++
          passed ??= this.#builderOfFirst(run, index)
          this.#countDropped(event, rows[index] as number)
          continue
        }
        if (isAgain) desk.takeAgain()
        else desk.take(event, rows[index] as number)
        isAgain = false
        if (this.#countsEvents) desk.meter.visit(EVENT_UNITS)
        const result = processEvent(event, state, nowMs)
        stretch.left -= EVENT_UNITS
        if (result === event) {
          passed?.add(event, rows[index] as number, event.bytes)
          continue
        }
        const outcome = this.#made === undefined ? result : within(this.#made, result, event)
        passed ??= this.#builderOfFirst(run, index)
        this.#settle(outcome, event, rows[index] as number, passed, desk)
        if (outcome instanceof Event) stretch.left -= outcome.bytes
        if (!(outcome instanceof Split)) continue
        progress.parts = outcome.events[Symbol.iterator]()
        addParts(progress, rows[index] as number, passed, stretch, this.#made)
        if (progress.parts !== undefined) break
      }
    } catch (error) {
      if (error === SUSPENDED) {
        progress.isSuspended = true
      } else if (error === BEYOND_BUDGET) {
        passed ??= this.#builderOfFirst(run, index)
        this.#settle(TOO_DEAR[desk.meter.kind], events[index] as Event, rows[index] as number, passed, desk)
        stretch.left -= EVENT_UNITS
        index++
      } else {
        throw error
      }
    }
    stretch.left -= known * EVENT_UNITS
    progress.index = index
    progress.passed = passed
    progress.isAgain = isAgain
  }

  #builderOfFirst({ events, rows }: Run, count: number): RunBuilder {
    const builder = this.#builder(DEFAULT_OUTPUT)
    for (let index = 0; index < count; index++) {
      const event = events[index] as Event
      builder.add(event, rows[index] as number, event.bytes)
    }
    return builder
  }

  /** Counts and places an outcome that is not a plain pass. */
  #settle(outcome: Outcome, event: Event, row: number, passed: RunBuilder, desk: ErrorDesk): void {
    const { counters } = this
    if (outcome instanceof Event) {
      passed.add(outcome, row, outcome.bytes)
    } else if (outcome instanceof Dropped) {
      this.#countDropped(event, row)
    } else if (outcome instanceof Routed) {
      counters.copied += outcome.outputs.length - 1
      for (const name of outcome.outputs) this.#builder(name).add(outcome.event, row, outcome.event.bytes)
    } else if (outcome instanceof Split) {
      if (outcome.count === 0) this.#countDropped(event, row)
      else counters.created += outcome.count - 1
    } else if (outcome instanceof Gathered) {
      this.#countGathered(outcome, event, row)
      for (const released of outcome.released) passed.add(released, row, released.bytes)
    } else if (outcome instanceof PassedWithError) {
      passed.add(outcome.event, row, outcome.event.bytes)
      desk.report(outcome.code, outcome.detail)
    } else {
      counters.failed++
      desk.fail(outcome.code, outcome.detail)
      this.#observer?.failed(this.id, event, row)
    }
  }

  #countDropped(event: Event, row: number): void {
    this.counters.dropped++
    this.counters.droppedBytes += event.bytes
    if (this.#observer === undefined) return
    const explain = this.#state === undefined ? this.#explain : this.#state.explain
    this.#observer.dropped(this.id, event, row, () => explain?.(event, this.#state?.value, this.#nowMs))
  }

  #countGathered({ merged, released, own }: Gathered, event: Event, row: number): void {
    const { counters } = this
    if (merged) counters.merged++
    else counters.held++
    counters.held -= released.length
    if (this.#observer === undefined) return
    this.#observer.gathered(this.id, event, row, merged)
    for (const given of released)
      this.#observer.gave?.(this.id, given, undefined, given === own ? row : NO_ROW)
  }

  #emitBuilt(): void {
    for (const [name, built] of this.#built) {
      if (built.events.length > 0) this.#emit(name, built)
    }
    this.#built.clear()
  }

  #emit(name: string, run: Run): void {
    const observer = this.#observer
    if (observer !== undefined)
      for (const [index, event] of run.events.entries())
        observer.left(this.id, name, event, run.rows[index] as number)
    this.#output(name).emit(run)
  }

  #builder(name: string): RunBuilder {
    let builder = this.#built.get(name)
    if (builder === undefined) {
      builder = new RunBuilder()
      this.#built.set(name, builder)
    }
    return builder
  }

  #output(name: string): CompiledOutput {
    const output = this.outputs.get(name)
    if (output === undefined) throw new RangeError(`node ${this.id} has no output "${name}"`)
    return output
  }
}

/** Failures of events that exceed their budget. */
const TOO_DEAR: Readonly<Record<WorkKind, Failed<'E_EXPRESSION_COST'>>> = {
  expressions: fail('E_EXPRESSION_COST'),
  options: fail('E_EXPRESSION_COST', {
    cause:
      'the options of the node took more work on one event than is free, and the account has no more saved up: use shorter lists, or send smaller events',
  }),
  copies: fail('E_EXPRESSION_COST', {
    cause:
      'the pipeline made more copies of one event than are free, and the account has no more saved up: branches that are joined again and again double them each time',
  }),
}

const MADE_TOO_MUCH = fail('E_EXPRESSION_COST', {
  cause:
    'the pipelines made as many events of one request, or as many bytes, as they may: use smaller requests, or split fewer lists',
})

/** The outcome of an event, unless the nodes of the account make too much of the present record by it. */
function within(made: RecordYield, outcome: Outcome, event: Event): Outcome {
  if (outcome instanceof Split) return made.takeParts(outcome.count) ? outcome : MADE_TOO_MUCH
  let changed: Event
  if (outcome instanceof Event) changed = outcome
  else if (outcome instanceof PassedWithError || outcome instanceof Routed) changed = outcome.event
  else return outcome
  if (changed === event || made.takeGrowth(changed.bytes - event.bytes)) return outcome
  return MADE_TOO_MUCH
}

/** Cost of reading a held event and of writing the result. */
const ENDED_WINDOW_UNITS = 4 * EVENT_UNITS

/** Upper bound of the events per stretch. Expressions reduce it. */
const EVENTS_PER_STRETCH = 1_000

/** Progress of a node in a run. */
interface Progress {
  /** Index of the next event. */
  index: number
  /** Whether the next event was judged in part when the stretch was over. */
  isSuspended: boolean
  /** Whether the next event is judged again. */
  isAgain: boolean
  passed: RunBuilder | undefined
  /** Remaining parts of the next event, if it was split. */
  parts: Iterator<Event> | undefined
  /** Outcomes of events from `judgedFrom` on; undefined: none is known. */
  judged: Uint8Array | undefined
  judgedFrom: number
}

/** Adds parts of an event until the stretch is over. */
function addParts(
  progress: Progress,
  row: number,
  passed: RunBuilder,
  stretch: Stretch,
  made: RecordYield | undefined,
): void {
  const { parts } = progress
  for (;;) {
    const part = parts?.next()
    if (part === undefined || part.done) {
      progress.parts = undefined
      return
    }
    const { bytes } = part.value
    passed.add(part.value, row, bytes)
    made?.notePart(bytes)
    stretch.left -= EVENT_UNITS + bytes
    if (stretch.left <= 0) return
  }
}

/** Hash of the event's key. Undefined: the key costs too much, and the event fails here, where its cost is known. */
function affordableHash(
  event: Event,
  hash: NonNullable<HeldState['hash']>,
  value: unknown,
): number | undefined {
  try {
    return hash(event, value)
  } catch (error) {
    if (error !== BEYOND_BUDGET) throw error
    return undefined
  }
}

/** Takes units from the stretch. @returns whether the stretch continues */
function spend(stretch: Stretch | undefined, units: number): boolean {
  if (stretch === undefined) return true
  stretch.left -= units
  return stretch.left > 0
}
