import type { JsonObject } from '../../schemas/json.ts'
import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'
import { Event } from '../event/event.ts'
import { Dropped, fail, Gathered, type Outcome, PassedWithError, Routed, Split } from '../event/outcome.ts'
import { BEYOND_BUDGET, NO_NUMBER, SUSPENDED } from '../expressions/cost-meter.ts'
import type { ExpressionAllowance } from '../expressions/expression-budget.ts'
import { DROPPED, PASSED, UNDECIDED } from '../nodes/contract/column-form.ts'
import type { SinkNode } from '../nodes/contract/define-destination.ts'
import type { EndedWindow, Process, ProcessorState } from '../nodes/contract/define-processor.ts'
import { EVENT_UNITS, type Steps, Stretch } from '../steps.ts'
import type { ErrorDesk } from './error-desk.ts'
import type { GraphObserver, SentTo } from './graph-observer.ts'
import type { LineJudge } from './line-judge.ts'
import { type NodeCounters, noCounts } from './node-counters.ts'
import type { NodeError } from './node-error.ts'
import { ascending, mergeRuns, type Run, RunBuilder } from './run.ts'

/** Row of an event that does not stem from an event of the present record. */
export const NO_ROW = NO_NUMBER

/** Surroundings of the graph while one record runs through it. */
export interface RunContext {
  /** Log time of the record. */
  readonly nowMs: number
  /**
   * Receives the events of one sink, in order, and reports those that it did not keep. The array is shared: it must not
   * be changed.
   */
  deliver(sink: SinkNode, events: readonly Event[], left: NotDelivered): Steps | undefined
  report(error: NodeError): void
  /** Receives a failed event; present if its pipeline keeps dead letters. */
  readonly takeDeadLetter?: ((error: NodeError) => void) | undefined
  /** Bound on the cost of the expressions of each event, by its row; absent: no bound. */
  readonly allowance?: ExpressionAllowance | undefined
  /** Present if the work is done in stretches. */
  readonly stretch?: Stretch | undefined
  /** Present if other partitions may have memory of keys. */
  readonly elsewhere?: Elsewhere | undefined
  readonly observer?: GraphObserver | undefined
}

/** Receives reports of events that their sink does not keep. */
export interface NotDelivered {
  failed(error: NodeError): void
  /** Reports an event that was left out on purpose. */
  dropped(event: Event, reason: JsonObject): void
}

/** Sends events to memory in other partitions. */
export interface Elsewhere {
  /** @param hash hash of the key @returns undefined when its memory is here; otherwise the event has been sent there */
  send(node: string, hash: number, event: Event): SentTo | undefined
}

/** Events of one input, waiting for the turn of their node. */
export interface Inbox {
  run: Run | undefined
}

/** Node of a compiled graph. A node takes its turn after those that it reads. */
export interface CompiledNode {
  readonly id: string
  readonly counters: NodeCounters
  /** One inbox per input. */
  readonly inboxes: readonly Inbox[]
  step(context: RunContext): Steps
  /** Ends windows that are due at a time. Absent: the node has no windows. */
  release?(untilMs: number, context: RunContext): Steps
}

/** Output of a node, with all its readers. */
export class CompiledOutput {
  readonly readers: Inbox[] = []
  readonly #counters: NodeCounters

  constructor(counters: NodeCounters) {
    this.#counters = counters
  }

  /** Passes a run to every reader; without a reader the events count as dropped. */
  emit(run: Run): void {
    const count = run.events.length
    if (count === 0) return
    const counters = this.#counters
    const edges = this.readers.length
    if (edges === 0) {
      counters.dropped += count
      counters.droppedBytes += run.bytes
      return
    }
    counters.eventsOut += count * edges
    counters.bytesOut += run.bytes * edges
    counters.copied += count * (edges - 1)
    for (const reader of this.readers) reader.run = run
  }
}

/** Entrance of the events of a record. */
export class SourceNode implements CompiledNode {
  readonly id: string
  readonly counters = noCounts()
  readonly inboxes: readonly Inbox[] = []
  readonly output = new CompiledOutput(this.counters)

  readonly #keepsMetadata: boolean

  /** @param keepsMetadata false: metadata of requests, which another source of the route may keep, is removed */
  constructor(id: string, { keepsMetadata }: { readonly keepsMetadata: boolean }) {
    this.id = id
    this.#keepsMetadata = keepsMetadata
  }

  enter(sent: readonly Event[], { observer }: RunContext): void {
    const events = this.#keepsMetadata ? sent : sent.map(event => event.withMetadata({}))
    if (observer !== undefined)
      for (const [row, event] of events.entries()) observer.left(this.id, DEFAULT_OUTPUT, event, row)
    let bytes = 0
    for (const event of events) bytes += event.bytes
    this.counters.eventsIn += events.length
    this.counters.bytesIn += bytes
    this.output.emit({ events, rows: ascending(events.length), bytes })
  }

  *step(): Steps {}
}

/** Exit of events to a sink. */
export class DeliveringNode implements CompiledNode, NotDelivered {
  readonly id: string
  readonly counters = noCounts()
  readonly inboxes: readonly Inbox[]
  readonly sink: SinkNode
  #isObserved = false
  /** Failures, while the node is observed. */
  readonly #failed = new Map<Event, NodeError>()
  /** Reasons of dropped events, while the node is observed. */
  readonly #dropped = new Map<Event, JsonObject>()

  constructor(sink: SinkNode, inboxes: readonly Inbox[]) {
    this.id = sink.nodeId
    this.sink = sink
    this.inboxes = inboxes
  }

  *step(context: RunContext): Steps {
    const run = yield* takeRun(this.inboxes, this.counters, context.stretch)
    if (run === undefined) return
    this.counters.eventsOut += run.events.length
    this.counters.bytesOut += run.bytes
    this.#isObserved = context.observer !== undefined
    yield* context.deliver(this.sink, run.events, this) ?? []
    const { observer } = context
    if (observer === undefined) return
    for (const [index, event] of run.events.entries()) {
      const row = run.rows[index] as number
      const reason = this.#dropped.get(event)
      const error = this.#failed.get(event)
      if (reason !== undefined) observer.dropped(this.id, event, row, () => reason)
      else if (error === undefined) observer.left(this.id, DEFAULT_OUTPUT, event, row)
      else {
        observer.failed(this.id, event, row)
        observer.reported(error, row)
      }
    }
    this.#failed.clear()
    this.#dropped.clear()
  }

  failed(error: NodeError): void {
    this.#takeOut(error.event.bytes)
    this.counters.failed++
    if (this.#isObserved) this.#failed.set(error.event, error)
  }

  dropped(event: Event, reason: JsonObject): void {
    const { bytes } = event
    this.#takeOut(bytes)
    this.counters.dropped++
    this.counters.droppedBytes += bytes
    if (this.#isObserved) this.#dropped.set(event, reason)
  }

  #takeOut(bytes: number): void {
    this.counters.eventsOut--
    this.counters.bytesOut -= bytes
  }
}

/**
 * Memory of a node, with the functions that use it. Revisions that share a memory share this object, so the options of
 * the newest judge all of their events.
 */
export interface HeldState {
  /** Canonical type of the processor. */
  readonly type: string
  readonly kind: ProcessorState<unknown, JsonObject>
  config: JsonObject
  value: unknown
  process: Process
  hash: (event: Event, value: unknown) => number
  desk: ErrorDesk
  explain: Explain | undefined
  windows: HeldWindows | undefined
}

/** @see ProcessorWindows */
export interface HeldWindows {
  deadlineMs(state: unknown): number
  release(state: unknown, untilMs: number): Iterable<EndedWindow>
  open(state: unknown): number
}

/** @see Processor.explain */
export type Explain = (event: Event, state: unknown) => JsonObject

export interface ProcessingParts {
  readonly id: string
  readonly inboxes: readonly Inbox[]
  readonly process: Process
  readonly state: HeldState | undefined
  readonly desk: ErrorDesk
  readonly explain?: Explain | undefined
  /** Present if the processor can judge lines without their events. */
  readonly lines?: LineJudge | undefined
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
  #observer: GraphObserver | undefined
  readonly #built = new Map<string, RunBuilder>()

  constructor({ id, inboxes, process, state, desk, explain, lines }: ProcessingParts) {
    this.id = id
    this.inboxes = inboxes
    this.#process = process
    this.#state = state
    this.#desk = desk
    this.#explain = explain
    this.#lines = lines
  }

  *step(context: RunContext): Steps {
    const taken = yield* takeRun(this.inboxes, this.counters, context.stretch)
    const run = taken && (yield* this.#stayingRun(taken, context))
    if (run === undefined) return
    const state = this.#state
    if (state !== undefined) while (!state.kind.advance(state.value, context.nowMs, state.config)) yield
    const desk = state?.desk ?? this.#desk
    this.#observer = context.observer
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
  *#stayingRun(run: Run, { elsewhere, observer, stretch }: RunContext): Steps<Run | undefined> {
    const state = this.#state
    if (state === undefined || elsewhere === undefined) return run
    const staying = new RunBuilder()
    for (const [index, event] of run.events.entries()) {
      const row = run.rows[index] as number
      const sent = elsewhere.send(this.id, state.hash(event, state.value), event)
      if (sent === undefined) staying.add(event, row, event.bytes)
      else observer?.moved(this.id, event, row, sent)
      if (spend(stretch, EVENT_UNITS)) continue
      yield
      stretch?.begin()
    }
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
    stretch.left -= (progress.index - from) * EVENT_UNITS
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
    const process = this.#state?.process ?? this.#process
    const state = this.#state?.value
    const { events, rows } = run
    const { judged, judgedFrom } = progress
    // Most runs pass unchanged as a whole: nothing is built before the first event that does not pass.
    let { index, passed, isAgain } = progress
    try {
      for (; index < until && stretch.left > 0; index++) {
        const event = events[index] as Event
        const known = judged === undefined ? UNDECIDED : judged[index - judgedFrom]
        if (known === PASSED) {
          passed?.add(event, rows[index] as number, event.bytes)
          continue
        }
        if (known === DROPPED) {
          passed ??= this.#builderOfFirst(run, index)
          this.#countDropped(event, rows[index] as number)
          continue
        }
        if (isAgain) desk.takeAgain()
        else desk.take(event, rows[index] as number)
        isAgain = false
        const outcome = process(event, state, nowMs)
        if (outcome === event) {
          passed?.add(event, rows[index] as number, event.bytes)
          continue
        }
        passed ??= this.#builderOfFirst(run, index)
        this.#settle(outcome, event, rows[index] as number, passed, desk)
        if (outcome instanceof Split) stretch.left -= outcome.events.length * EVENT_UNITS
      }
    } catch (error) {
      if (error === SUSPENDED) {
        progress.isSuspended = true
      } else if (error === BEYOND_BUDGET) {
        passed ??= this.#builderOfFirst(run, index)
        this.#settle(TOO_DEAR, events[index] as Event, rows[index] as number, passed, desk)
        index++
      } else {
        throw error
      }
    }
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
      if (outcome.events.length === 0) this.#countDropped(event, row)
      else counters.created += outcome.events.length - 1
      for (const part of outcome.events) passed.add(part, row, part.bytes)
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
    this.#observer.dropped(this.id, event, row, () => explain?.(event, this.#state?.value))
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

const TOO_DEAR = fail('E_EXPRESSION_COST')

/** Cost of reading a held event and of writing the result. */
const ENDED_WINDOW_UNITS = 4 * EVENT_UNITS

/** Upper bound; expressions reduce it. */
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
  /** Outcomes of events from `judgedFrom` on; undefined: none is known. */
  judged: Uint8Array | undefined
  judgedFrom: number
}

/** @returns whether the stretch continues */
function spend(stretch: Stretch | undefined, units: number): boolean {
  if (stretch === undefined) return true
  stretch.left -= units
  return stretch.left > 0
}

/** Name of the output of nodes with a single one. */
export const DEFAULT_OUTPUT = ''

/** Takes the events of all inputs, merged into one run, and counts them. */
function* takeRun(
  inboxes: readonly Inbox[],
  counters: NodeCounters,
  stretch: Stretch | undefined,
): Steps<Run | undefined> {
  let merged: Run | undefined
  for (const inbox of inboxes) {
    const { run } = inbox
    if (run === undefined) continue
    inbox.run = undefined
    counters.eventsIn += run.events.length
    counters.bytesIn += run.bytes
    merged = merged === undefined ? run : cutRun(yield* mergeRuns(merged, run, stretch), counters)
  }
  return merged
}

/** Branches that join again multiply events. Events beyond the numbers of a record fail, before they fill the memory. */
function cutRun(run: Run, counters: NodeCounters): Run {
  if (run.events.length <= MAX_ROWS_PER_RECORD) return run
  counters.failed += run.events.length - MAX_ROWS_PER_RECORD
  const cut = new RunBuilder()
  for (let index = 0; index < MAX_ROWS_PER_RECORD; index++) {
    const event = run.events[index] as Event
    cut.add(event, run.rows[index] as number, event.bytes)
  }
  return cut
}
