import type { JsonObject } from '../../schemas/json.ts'
import { Event } from '../event/event.ts'
import {
  Dropped,
  Gathered,
  type LeftOut,
  type Outcome,
  PassedWithError,
  Routed,
  Settled,
  Split,
} from '../event/outcome.ts'
import { type CompiledOutput, DEFAULT_OUTPUT, NO_ROW } from './compiled-node.ts'
import type { ErrorDesk } from './error-desk.ts'
import type { GraphObserver } from './graph-observer.ts'
import type { NodeCounters } from './node-counters.ts'
import { type Run, RunBuilder } from './run.ts'

/** Counts the outcomes of a node, shows them to the observer, and places their events in the outputs of the node. */
export class NodeOutcomes {
  readonly #nodeId: string
  readonly #counters: NodeCounters
  readonly #outputs: ReadonlyMap<string, CompiledOutput>
  /** Explains why the present event is dropped. */
  readonly #explain: (event: Event) => JsonObject | undefined
  #observer: GraphObserver | undefined
  readonly #built = new Map<string, RunBuilder>()

  constructor(
    nodeId: string,
    counters: NodeCounters,
    outputs: ReadonlyMap<string, CompiledOutput>,
    explain: (event: Event) => JsonObject | undefined,
  ) {
    this.#nodeId = nodeId
    this.#counters = counters
    this.#outputs = outputs
    this.#explain = explain
  }

  /** @param observer of the following outcomes */
  begin(observer: GraphObserver | undefined): void {
    this.#observer = observer
  }

  /** A run for the default output that begins with the first events of another one. */
  startedWith({ events, rows }: Run, count: number): RunBuilder {
    const builder = this.#builder(DEFAULT_OUTPUT)
    for (let index = 0; index < count; index++) {
      const event = events[index] as Event
      builder.add(event, rows[index] as number, event.bytes)
    }
    return builder
  }

  /** Counts and places an outcome that is not a plain pass. */
  settle(outcome: Outcome, event: Event, row: number, passed: RunBuilder, desk: ErrorDesk): void {
    const counters = this.#counters
    if (outcome instanceof Event) {
      passed.add(outcome, row, outcome.bytes)
    } else if (outcome instanceof Dropped) {
      this.countDropped(event, row)
    } else if (outcome instanceof Routed) {
      counters.copied += outcome.outputs.length - 1
      for (const name of outcome.outputs) this.#builder(name).add(outcome.event, row, outcome.event.bytes)
    } else if (outcome instanceof Split) {
      if (outcome.count === 0) this.countDropped(event, row)
      else counters.created += outcome.count - 1
    } else if (outcome instanceof Gathered) {
      this.#countGathered(outcome, event, row)
      for (const released of outcome.released) passed.add(released, row, released.bytes)
    } else if (outcome instanceof Settled) {
      this.#settleHeld(outcome, event, row, passed)
    } else if (outcome instanceof PassedWithError) {
      passed.add(outcome.event, row, outcome.event.bytes)
      desk.report(outcome.code, outcome.detail)
    } else {
      counters.failed++
      desk.fail(outcome.code, outcome.detail)
      this.#observer?.failed(this.#nodeId, event, row)
    }
  }

  countDropped(event: Event, row: number): void {
    this.#counters.dropped++
    this.#counters.droppedBytes += event.bytes
    this.#observer?.dropped(this.#nodeId, event, row, () => this.#explain(event))
  }

  #settleHeld({ fate, released, leftOut }: Settled, event: Event, row: number, passed: RunBuilder): void {
    const counters = this.#counters
    if (fate === 'passed') {
      passed.add(event, row, event.bytes)
    } else if (fate === 'dropped') {
      this.countDropped(event, row)
    } else {
      counters.held++
      this.#observer?.gathered(this.#nodeId, event, row, false)
    }
    counters.held -= released.length + leftOut.length
    for (const given of released) {
      passed.add(given, row, given.bytes)
      this.#observer?.gave?.(this.#nodeId, given, undefined, NO_ROW)
    }
    for (const each of leftOut) this.leaveOut(each)
  }

  /** Counts a held event that is left out. */
  leaveOut({ event, reason }: LeftOut): void {
    this.#counters.dropped++
    this.#counters.droppedBytes += event.bytes
    this.#observer?.dropped(this.#nodeId, event, NO_ROW, () => reason)
  }

  #countGathered({ merged, released, own, copies }: Gathered, event: Event, row: number): void {
    const counters = this.#counters
    if (merged) counters.merged++
    else counters.held++
    counters.merged += copies
    counters.copied += copies
    counters.held -= released.length
    if (this.#observer === undefined) return
    this.#observer.gathered(this.#nodeId, event, row, merged)
    for (const given of released)
      this.#observer.gave?.(this.#nodeId, given, undefined, given === own ? row : NO_ROW)
  }

  /** Emits everything that was built, in the order of the first events of the outputs. */
  emitBuilt(): void {
    for (const [name, built] of this.#built) {
      if (built.events.length > 0) this.emit(name, built)
    }
    this.#built.clear()
  }

  emit(name: string, run: Run): void {
    const observer = this.#observer
    if (observer !== undefined)
      for (const [index, event] of run.events.entries())
        observer.left(this.#nodeId, name, event, run.rows[index] as number)
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
    const output = this.#outputs.get(name)
    if (output === undefined) throw new RangeError(`node ${this.#nodeId} has no output "${name}"`)
    return output
  }
}
