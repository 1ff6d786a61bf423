import type { JsonObject } from '../../schemas/json.ts'
import { type ErrorCode, errorMessage } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { type Failed, fail } from '../event/outcome.ts'
import { EventMeter } from '../expressions/cost-meter.ts'
import type { SinkNode } from '../nodes/contract/define-destination.ts'
import { EVENT_UNITS, type Steps } from '../steps.ts'
import {
  type CompiledNode,
  DEFAULT_OUTPUT,
  type Inbox,
  type NotDelivered,
  type RunContext,
  takeRun,
} from './compiled-node.ts'
import { keptCopyUnits } from './event-copies.ts'
import { noCounts } from './node-counters.ts'
import type { NodeError } from './node-error.ts'
import { QUARANTINED } from './quarantined.ts'
import type { Run } from './run.ts'

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

  readonly #meter = new EventMeter()
  readonly #keepsEvents: boolean

  /** @param keepsEvents whether its events are stored, so that very many copies of an event cost units */
  constructor(sink: SinkNode, inboxes: readonly Inbox[], keepsEvents: boolean) {
    this.id = sink.nodeId
    this.sink = sink
    this.inboxes = inboxes
    this.#keepsEvents = keepsEvents
  }

  *step(context: RunContext): Steps {
    const run = yield* takeRun(this.inboxes, this.counters, context.stretch)
    if (run === undefined) return
    this.counters.eventsOut += run.events.length
    this.counters.bytesOut += run.bytes
    this.#isObserved = context.observer !== undefined
    const events = yield* this.#deliverable(run, context)
    if (events.length > 0) yield* context.deliver(this.sink, events, this) ?? []
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

  /** Returns the events that are delivered; the others have failed. */
  *#deliverable(run: Run, context: RunContext): Steps<readonly Event[]> {
    if (context.quarantinedNodes?.has(this.id)) return yield* this.#failRun(run, context)
    return this.#areCopiesFree(context) ? run.events : yield* this.#affordable(run, context)
  }

  /** Fails the events of a record in quarantine. */
  *#failRun({ events }: Run, context: RunContext): Steps<readonly Event[]> {
    for (const event of events) {
      context.takeDeadLetter?.(this.#fail(QUARANTINED, event, context))
      if (context.stretch === undefined) continue
      context.stretch.left -= EVENT_UNITS
      if (context.stretch.left > 0) continue
      yield
      context.stretch.begin()
    }
    return []
  }

  #areCopiesFree({ allowance, copies }: RunContext): boolean {
    return !this.#keepsEvents || !allowance?.countsCopies || keptCopyUnits(0, copies) === 0
  }

  /** Charges each event for this copy of it. @returns the events that are charged; the others have failed */
  *#affordable({ events, rows }: Run, context: RunContext): Steps<readonly Event[]> {
    const { allowance, copies, stretch } = context
    const meter = this.#meter
    const affordable: Event[] = []
    meter.open(allowance, stretch)
    for (const [index, event] of events.entries()) {
      const row = rows[index] as number
      meter.begin(row)
      if (meter.affords(keptCopyUnits(event.bytes, copies))) affordable.push(event)
      else this.#failTooManyCopies(event, row, context)
      if (stretch === undefined) continue
      stretch.left -= EVENT_UNITS
      if (stretch.left > 0) continue
      yield
      stretch.begin()
    }
    meter.close()
    return affordable
  }

  #failTooManyCopies(event: Event, row: number, context: RunContext): void {
    const error = this.#fail(TOO_MANY_COPIES, event, context)
    if (context.allowance?.isFirstLetterOf(row)) context.takeDeadLetter?.(error)
  }

  #fail({ code, detail }: Failed<ErrorCode>, event: Event, { report }: RunContext): NodeError {
    const message = errorMessage(code, detail)
    const error: NodeError = { nodeId: this.id, kind: 'destination', code, field: null, message, event }
    report(error)
    this.failed(error)
    return error
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

const TOO_MANY_COPIES = fail('E_EXPRESSION_COST', {
  cause:
    'the pipelines of the account keep more copies of one event than are free, and the account has no more saved up: use fewer destinations, or send smaller events',
})
