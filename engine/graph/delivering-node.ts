import type { JsonObject } from '../../schemas/json.ts'
import type { Event } from '../event/event.ts'
import type { SinkNode } from '../nodes/contract/define-destination.ts'
import type { Steps } from '../steps.ts'
import {
  type CompiledNode,
  DEFAULT_OUTPUT,
  type Inbox,
  type NotDelivered,
  type RunContext,
  takeRun,
} from './compiled-node.ts'
import { noCounts } from './node-counters.ts'
import type { NodeError } from './node-error.ts'

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
