import { Event } from '../event/event.ts'
import { Settled, Split } from '../event/outcome.ts'
import { BEYOND_BUDGET, SUSPENDED } from '../expressions/cost-meter.ts'
import { DROPPED, PASSED, UNDECIDED } from '../nodes/contract/column-form.ts'
import type { Process } from '../nodes/contract/define-processor.ts'
import { EVENT_UNITS, MEMBER_BYTE_UNITS, type Steps, Stretch } from '../steps.ts'
import { TOO_DEAR, TOO_MANY_MOVES, within } from './budget-failures.ts'
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
import type { LineJudge } from './line-judge.ts'
import { noCounts } from './node-counters.ts'
import { NodeOutcomes } from './node-outcomes.ts'
import { QUARANTINED } from './quarantined.ts'
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
  readonly #lines: LineJudge | undefined
  readonly #countsEvents: boolean
  readonly #outcomes: NodeOutcomes
  #nowMs = 0
  #made: RecordYield | undefined

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
    this.#lines = lines
    this.#countsEvents = countsEvents ?? false
    this.#outcomes = new NodeOutcomes(id, this.counters, this.outputs, event => {
      const reason = state === undefined ? explain : state.explain
      return reason?.(event, state?.value, this.#nowMs)
    })
  }

  *step(context: RunContext): Steps {
    const taken = yield* takeRun(this.inboxes, this.counters, context.stretch)
    if (taken === undefined) return
    if (context.quarantinedNodes?.has(this.id)) return yield* this.#failRun(taken, context)
    const run = yield* this.#stayingRun(taken, context)
    if (run === undefined) return
    const state = this.#state
    if (state !== undefined) while (!state.kind.advance(state.value, context.nowMs, state.config)) yield
    const desk = state?.desk ?? this.#desk
    this.#outcomes.begin(context.observer)
    this.#nowMs = context.nowMs
    this.#made = context.made
    desk.open(context)
    yield* this.#processRun(run, desk, context)
    desk.close()
    this.#lines?.close()
  }

  *release(untilMs: number, context: RunContext): Steps {
    const { observer, stretch } = context
    const state = this.#state
    if (state?.windows === undefined) return
    // A node that joins branches behind this one reads a single run: pauses do not change the order.
    const run = new RunBuilder()
    this.#outcomes.begin(observer)
    state.desk.open(context)
    for (const ended of state.windows.release(state.value, untilMs, context.nowMs)) {
      const { bytes } = ended.event
      this.counters.held--
      if ('reason' in ended) {
        this.#outcomes.leaveOut(ended)
        if (ended.error !== undefined) {
          state.desk.take(ended.event, NO_ROW)
          state.desk.report(ended.error.code, ended.error.detail)
        }
      } else {
        const { event, ...window } = ended
        observer?.gave?.(this.id, event, window, NO_ROW)
        run.add(event, NO_ROW, bytes)
      }
      if (spend(stretch, ENDED_WINDOW_UNITS + bytes)) continue
      yield
      stretch?.begin()
    }
    state.desk.close()
    this.#outcomes.emit(DEFAULT_OUTPUT, run)
  }

  /** Fails the events of a record in quarantine, before anything of the processor sees them. */
  *#failRun(run: Run, context: RunContext): Steps {
    const { observer, stretch } = context
    const desk = this.#state?.desk ?? this.#desk
    const passed = new RunBuilder()
    this.#outcomes.begin(observer)
    desk.open(context)
    for (const [index, event] of run.events.entries()) {
      const row = run.rows[index] as number
      desk.take(event, row)
      this.#outcomes.settle(QUARANTINED, event, row, passed, desk)
      if (spend(stretch, EVENT_UNITS)) continue
      yield
      stretch?.begin()
    }
    desk.close()
  }

  /** Returns the events of a run whose memory is here. The others are counted in their partition. */
  *#stayingRun(run: Run, context: RunContext): Steps<Run | undefined> {
    const { elsewhere, moves, observer, stretch } = context
    const state = this.#state
    if (state?.hash === undefined || elsewhere === undefined) return run
    const staying = new RunBuilder()
    let moved = 0
    let movedBytes = 0
    this.#outcomes.begin(observer)
    state.desk.open(context)
    for (const [index, event] of run.events.entries()) {
      const row = run.rows[index] as number
      state.desk.take(event, row)
      const hash = affordableHash(event, state.hash, state.value)
      if (hash === undefined || elsewhere.isHere(hash)) {
        staying.add(event, row, event.bytes)
      } else if (state.desk.affordsCopy(event, moves)) {
        const sent = elsewhere.send(this.id, hash, event)
        observer?.moved(this.id, event, row, sent)
        moved++
        movedBytes += event.bytes
      } else {
        this.#outcomes.settle(TOO_MANY_MOVES, event, row, staying, state.desk)
      }
      if (spend(stretch, EVENT_UNITS)) continue
      yield
      stretch?.begin()
    }
    state.desk.close()
    this.counters.eventsIn -= moved
    this.counters.bytesIn -= movedBytes
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
      judgedUntil: 0,
    }
    for (;;) {
      this.#processStretch(run, progress, desk, nowMs, stretch)
      if (progress.index === run.events.length) break
      yield
      stretch?.begin()
      progress.isAgain = progress.isSuspended
      progress.isSuspended = false
    }
    if (progress.passed === undefined) this.#outcomes.emit(DEFAULT_OUTPUT, run)
    else this.#outcomes.emitBuilt()
  }

  /** Processes events until the stretch is over. */
  #processStretch(
    run: Run,
    progress: Progress,
    desk: ErrorDesk,
    nowMs: number,
    stretch = new Stretch(),
  ): void {
    if (progress.index === progress.judgedUntil) {
      const from = progress.index
      const until = Math.min(run.events.length, from + EVENTS_JUDGED_TOGETHER)
      progress.judged = this.#lines?.outcomesOf(run.events, from, until)
      progress.judgedFrom = from
      progress.judgedUntil = until
    }
    const until = progress.judgedUntil
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
    const outcomes = this.#outcomes
    const { events, rows } = run
    const { judged, judgedFrom } = progress
    // A processor may read all members of an event.
    const eventUnits = EVENT_UNITS + (run.bytes / events.length) * MEMBER_BYTE_UNITS
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
          passed ??= outcomes.startedWith(run, index)
          outcomes.countDropped(event, rows[index] as number)
          continue
        }
        if (isAgain) desk.takeAgain()
        else desk.take(event, rows[index] as number)
        isAgain = false
        if (this.#countsEvents) desk.meter.visit(EVENT_UNITS)
        const result = processEvent(event, state, nowMs)
        stretch.left -= eventUnits + event.rareBytes * MEMBER_BYTE_UNITS
        if (result === event) {
          passed?.add(event, rows[index] as number, event.bytes)
          continue
        }
        const outcome = within(this.#made, result, event, desk.meter)
        passed ??= outcomes.startedWith(run, index)
        outcomes.settle(outcome, event, rows[index] as number, passed, desk)
        if (outcome instanceof Event) stretch.left -= outcome.bytes
        if (outcome instanceof Settled) stretch.left -= heldUnits(outcome)
        if (!(outcome instanceof Split)) continue
        progress.parts = outcome.events[Symbol.iterator]()
        addParts(progress, rows[index] as number, passed, stretch, this.#made)
        if (progress.parts !== undefined) break
      }
    } catch (error) {
      if (error === SUSPENDED) progress.isSuspended = true
      else passed = this.#failTooDear(error, { run, index: index++, passed }, desk, stretch)
    }
    stretch.left -= known * EVENT_UNITS
    progress.index = index
    progress.passed = passed
    progress.isAgain = isAgain
  }

  /** Fails an event that exceeds its budget. @throws other errors again */
  #failTooDear(
    error: unknown,
    { run, index, passed }: { run: Run; index: number; passed: RunBuilder | undefined },
    desk: ErrorDesk,
    stretch: Stretch,
  ): RunBuilder {
    if (error !== BEYOND_BUDGET) throw error
    const built = passed ?? this.#outcomes.startedWith(run, index)
    const [event, row] = [run.events[index] as Event, run.rows[index] as number]
    this.#outcomes.settle(TOO_DEAR[desk.meter.kind], event, row, built, desk)
    stretch.left -= EVENT_UNITS
    return built
  }
}

/** Cost of reading a held event and of writing the result. */
const ENDED_WINDOW_UNITS = 4 * EVENT_UNITS

function heldUnits({ released, leftOut }: Settled): number {
  return (released.length + leftOut.length) * ENDED_WINDOW_UNITS
}

/** Events that are judged by their columns at once. */
const EVENTS_JUDGED_TOGETHER = 1_000

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
  /** Index of the first event behind them. */
  judgedUntil: number
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
