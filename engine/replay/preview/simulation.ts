import type { JsonObject } from '../../../schemas/json.ts'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import type { Event } from '../../event/event.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../expressions/expression-budget.ts'
import {
  type CompiledGraph,
  compileGraph,
  type NodeCounters,
  type NodeError,
  type RunContext,
} from '../../graph/compile-graph.ts'
import type { NotDelivered } from '../../graph/compiled-node.ts'
import type { GraphObserver } from '../../graph/graph-observer.ts'
import { FieldNames } from '../../lines/field-names.ts'
import type { SinkNode } from '../../nodes/contract/define-destination.ts'
import { newStoredLine, ownStoresOf } from '../../nodes/destinations/log-analysis/own-store.ts'
import { finish, type Steps, Stretch } from '../../steps.ts'

/** An event that is tried on a graph. */
export interface Sample {
  readonly event: Event
  /** Log time at which it comes, UNIX ms; time never steps back, an earlier one counts as the latest before. */
  readonly timeMs: number
  /** Id of the source that it enters. */
  readonly source: string
}

/** What became of the samples at one node. */
export interface SimulatedNode {
  readonly id: string
  readonly counters: NodeCounters
  /** By name of the output, in the order in which they left; a sink has one. */
  readonly outputs: ReadonlyMap<string, readonly SimulatedEvent[]>
  readonly dropped: readonly (SimulatedEvent & { readonly reason: JsonObject | undefined })[]
  readonly failed: readonly SimulatedEvent[]
  readonly errors: readonly SimulatedError[]
}

export interface SimulatedEvent {
  /** Which of the samples it comes from, counted from 0; null when time has ended a window of several. */
  readonly sample: number | null
  /** Rises with each event that leaves a node, fails or is dropped. */
  readonly order: number
  readonly event: Event
}

export interface SimulatedError {
  readonly sample: number | null
  readonly code: string
  readonly field: string | null
  readonly message: string
}

/** What is kept of all nodes together; what goes beyond is left out. */
export interface SimulationBounds {
  readonly maxEvents: number
  readonly maxBytes: number
}

export const DEFAULT_SIMULATION_BOUNDS: SimulationBounds = { maxEvents: 50_000, maxBytes: 16 * 1024 * 1024 }

/** Tries all samples, unless their expressions cost too much, and then lets time pass until no window is open. */
export function simulate(
  document: PipelineDocument,
  samples: readonly Sample[],
  bounds = DEFAULT_SIMULATION_BOUNDS,
): Simulation {
  const simulation = new Simulation(document, bounds)
  for (const sample of samples) {
    simulation.try(sample)
    if (simulation.tooDear !== undefined) return simulation
  }
  simulation.flush()
  return simulation
}

/** Nobody sees the lines. */
const RETENTION_DAYS = 30

/**
 * Samples on the graph that would run if the document were published: with an empty memory of its own, and with the
 * samples' times for log time, so that the same samples always give the same. Nothing is sent anywhere, but lines are
 * made for the own store and forgotten: what it would refuse has failed.
 */
export class Simulation {
  readonly #graph: CompiledGraph
  readonly #recording: Recording
  readonly #account: string
  readonly #ownStores: ReturnType<typeof ownStoresOf>
  readonly #line = newStoredLine()
  readonly #fieldNames = new FieldNames()
  /** Of an account of its own. */
  readonly #allowance = new ExpressionAllowance(new ExpressionBudget())
  readonly #stretch = new Stretch()
  #nowMs = Number.NEGATIVE_INFINITY
  #tried = 0

  /** @param document accepted by `checkGraph` and `checkNode` */
  constructor(document: PipelineDocument, bounds: SimulationBounds) {
    this.#account = document.accountId
    this.#graph = compileGraph(document)
    this.#ownStores = ownStoresOf(this.#graph.sinks)
    this.#recording = new Recording(document, this.#graph.counters, bounds)
  }

  /** @throws RangeError when there is no such source */
  try(sample: Sample): void {
    finish(this.trying(sample))
  }

  /** The same in stretches. */
  *trying({ event, timeMs, source }: Sample): Steps {
    this.#stretch.begin()
    yield* this.#moveTo(Math.max(this.#nowMs, timeMs))
    this.#recording.sample = this.#tried++
    this.#allowance.begin(this.#nowMs, event.bytes)
    yield* this.#graph.entering(source, [event], this.#context)
  }

  /** Lets time pass until no window is open any more. */
  flush(): void {
    finish(this.flushing())
  }

  /** The same in stretches. */
  *flushing(): Steps {
    this.#stretch.begin()
    for (;;) {
      const { deadlineMs } = this.#graph
      if (deadlineMs === Number.POSITIVE_INFINITY) return
      yield* this.#moveTo(Math.max(this.#nowMs, deadlineMs))
    }
  }

  *#moveTo(nowMs: number): Steps {
    this.#nowMs = nowMs
    yield* this.#graph.tick(nowMs)
    this.#recording.sample = null
    if (this.#graph.deadlineMs > nowMs) return
    this.#allowance.begin(nowMs, 0)
    yield* this.#graph.expiring(this.#context)
  }

  get #context(): RunContext {
    return {
      nowMs: this.#nowMs,
      deliver: (...delivery) => this.#judge(...delivery),
      report: () => {},
      allowance: this.#allowance,
      stretch: this.#stretch,
      observer: this.#recording,
    }
  }

  #judge({ nodeId }: SinkNode, events: readonly Event[], left: NotDelivered): undefined {
    const ownStore = this.#ownStores.get(nodeId)
    if (ownStore === undefined) return
    for (const event of events) {
      const failure = ownStore.fill(event, this.#line, {
        account: this.#account,
        timeMs: this.#nowMs,
        retentionDays: RETENTION_DAYS,
        poolDays: 0,
        fieldNames: this.#fieldNames,
        behaviour: BEHAVIOUR,
      })
      if (failure !== undefined) left.failed({ nodeId, kind: 'destination', event, ...failure })
    }
  }

  /** How many samples were tried. */
  get tried(): number {
    return this.#tried
  }

  /** What the expressions of a sample cost too much for: nothing behind it is worth trying. Undefined: they did not. */
  get tooDear(): string | undefined {
    return this.#recording.tooDear
  }

  /** In the order of the document. */
  get nodes(): readonly SimulatedNode[] {
    return [...this.#recording.nodes.values()]
  }

  /** There was more than is kept; counters tell how much. */
  get isCut(): boolean {
    return this.#recording.isCut
  }
}

interface OpenNode extends SimulatedNode {
  readonly outputs: Map<string, SimulatedEvent[]>
  readonly dropped: (SimulatedEvent & { readonly reason: JsonObject | undefined })[]
  readonly failed: SimulatedEvent[]
  readonly errors: SimulatedError[]
}

class Recording implements GraphObserver {
  readonly nodes: ReadonlyMap<string, OpenNode>
  sample: number | null = null
  isCut = false
  tooDear: string | undefined
  #order = 0
  #eventsLeft: number
  #bytesLeft: number

  constructor(
    { nodes }: PipelineDocument,
    counters: CompiledGraph['counters'],
    { maxEvents, maxBytes }: SimulationBounds,
  ) {
    this.nodes = new Map(
      nodes.map(({ id }) => [
        id,
        {
          id,
          counters: counters.get(id) as NodeCounters,
          outputs: new Map(),
          dropped: [],
          failed: [],
          errors: [],
        },
      ]),
    )
    this.#eventsLeft = maxEvents
    this.#bytesLeft = maxBytes
  }

  left(node: string, output: string, event: Event): void {
    if (!this.#hasRoomFor(event)) return
    const { outputs } = this.#node(node)
    const events = outputs.get(output) ?? []
    outputs.set(output, events)
    events.push(this.#noted(event))
  }

  dropped(node: string, event: Event, _row: number, reason: () => JsonObject | undefined): void {
    if (this.#hasRoomFor(event)) this.#node(node).dropped.push({ ...this.#noted(event), reason: reason() })
  }

  failed(node: string, event: Event): void {
    if (this.#hasRoomFor(event)) this.#node(node).failed.push(this.#noted(event))
  }

  gathered(): void {}

  moved(): void {
    throw new Error('a simulation has no other partitions')
  }

  reported({ nodeId, code, field, message, event }: NodeError): void {
    if (code === 'E_EXPRESSION_COST') this.tooDear ??= message
    if (this.#hasRoomFor(event)) this.#node(nodeId).errors.push({ sample: this.sample, code, field, message })
  }

  #noted(event: Event): SimulatedEvent {
    return { sample: this.sample, order: this.#order++, event }
  }

  #node(id: string): OpenNode {
    const node = this.nodes.get(id)
    if (node === undefined) throw new RangeError(`node ${id} is not part of the graph`)
    return node
  }

  #hasRoomFor({ bytes }: Event): boolean {
    if (this.isCut) return false
    this.#eventsLeft--
    this.#bytesLeft -= bytes
    this.isCut = this.#eventsLeft < 0 || this.#bytesLeft < 0
    return !this.isCut
  }
}
