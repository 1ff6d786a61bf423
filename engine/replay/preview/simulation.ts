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
import { RecordYield } from '../../graph/record-yield.ts'
import { jsonBytes } from '../../json/json-size.ts'
import { FieldNames } from '../../lines/stored-line/field-names.ts'
import { newStoredLine } from '../../lines/stored-line/stored-line.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type { SinkNode } from '../../nodes/contract/define-destination.ts'
import type { DeliveryFailure, OwnStoreSink } from '../../nodes/contract/own-store.ts'
import { INITIAL_VARIABLES } from '../../nodes/contract/pipeline-variables.ts'
import type { SendingSink } from '../../nodes/contract/sending-sink.ts'
import { finish, type Steps, Stretch } from '../../steps.ts'

/** An event that is simulated on a graph. */
export interface Sample {
  readonly event: Event
  /** Log time of its arrival, UNIX ms. Time never steps back: an earlier one counts as the latest before. */
  readonly timeMs: number
  /** Id of its source. */
  readonly source: string
}

/** Results of the samples at one node. */
export interface SimulatedNode {
  readonly id: string
  readonly counters: NodeCounters
  /** Events by name of the output, in order; a sink has one output. */
  readonly outputs: ReadonlyMap<string, readonly SimulatedEvent[]>
  readonly dropped: readonly (SimulatedEvent & { readonly reason: JsonObject | undefined })[]
  readonly failed: readonly SimulatedEvent[]
  readonly errors: readonly SimulatedError[]
}

export interface SimulatedEvent {
  /** Number of the sample that it comes from, from 0; null when a window with several samples expired. */
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

/** Limits on the events kept for all nodes together; surplus events are left out. */
export interface SimulationBounds {
  readonly maxEvents: number
  readonly maxBytes: number
}

export const DEFAULT_SIMULATION_BOUNDS: SimulationBounds = { maxEvents: 50_000, maxBytes: 16 * 1024 * 1024 }

/** Simulates all samples, unless their expressions cost too much, and then advances the time until no window is open. */
export function simulate(
  catalogue: Catalogue,
  document: PipelineDocument,
  samples: readonly Sample[],
  bounds = DEFAULT_SIMULATION_BOUNDS,
): Simulation {
  const simulation = new Simulation(catalogue, document, bounds)
  for (const sample of samples) {
    simulation.try(sample)
    if (simulation.tooDear !== undefined) return simulation
  }
  simulation.flush()
  return simulation
}

/** The lines are not stored, so any retention is suitable. */
const RETENTION_DAYS = 30

/**
 * Runs samples on the graph that a publication would deploy, with an empty state and with the samples' times as log time.
 * So equal samples always give equal results. Nothing is sent. Lines for the own store are made and dropped,
 * so that refused events count as failed.
 */
export class Simulation {
  readonly #graph: CompiledGraph
  readonly #recording: Recording
  readonly #account: string
  readonly #ownStores: ReadonlyMap<string, OwnStoreSink>
  readonly #sendingSinks: ReadonlyMap<string, SendingSink>
  readonly #line = newStoredLine()
  readonly #fieldNames = new FieldNames()
  /** Budget of an account that exists only here. */
  readonly #allowance = new ExpressionAllowance(new ExpressionBudget())
  readonly #made = new RecordYield()
  readonly #stretch = new Stretch()
  #nowMs = Number.NEGATIVE_INFINITY
  #tried = 0

  /**
   * @param document accepted by `checkGraph` and `checkNode`
   * @param variables state variables of the pipeline
   */
  constructor(
    catalogue: Catalogue,
    document: PipelineDocument,
    bounds: SimulationBounds,
    variables: Readonly<Record<string, string>> = INITIAL_VARIABLES,
  ) {
    this.#account = document.accountId
    this.#graph = compileGraph(catalogue, document)
    this.#graph.variables.set(variables)
    this.#ownStores = catalogue.ownStoresOf(this.#graph.sinks)
    this.#sendingSinks = catalogue.sendingSinksOf(this.#graph.sinks)
    this.#recording = new Recording(document, this.#graph.counters, bounds)
    this.#allowance.countsOptions = true
    this.#allowance.countsCopies = true
  }

  /** @throws RangeError when the source does not exist */
  try(sample: Sample): void {
    finish(this.trying(sample))
  }

  /** The work runs in stretches. */
  *trying({ event, timeMs, source }: Sample): Steps {
    this.#stretch.begin()
    yield* this.#moveTo(Math.max(this.#nowMs, timeMs))
    this.#recording.sample = this.#tried++
    this.#allowance.begin(this.#nowMs, event.bytes)
    this.#made.begin()
    yield* this.#graph.entering(source, [event], this.#context)
    // A window that an event opens after its end is released with the event, as a partition does with its record.
    while (this.#graph.deadlineMs <= this.#nowMs) yield* this.#expire()
  }

  /** Advances the time until no window is open. */
  flush(): void {
    finish(this.flushing())
  }

  /** The work runs in stretches. */
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
    if (this.#graph.deadlineMs <= nowMs) yield* this.#expire()
  }

  *#expire(): Steps {
    this.#recording.sample = null
    this.#allowance.begin(this.#nowMs, 0)
    this.#made.begin()
    yield* this.#graph.expiring(this.#context)
  }

  get #context(): RunContext {
    const record = BigInt(this.#tried)
    return {
      nowMs: this.#nowMs,
      deliver: (...delivery) => this.#judge(...delivery),
      report: () => {},
      allowance: this.#allowance,
      copies: this.#graph.mostReach.copies,
      made: this.#made,
      stretch: this.#stretch,
      observer: this.#recording,
      place: { record, text: () => JSON.stringify(['simulation', Number(record)]) },
    }
  }

  #judge({ nodeId }: SinkNode, events: readonly Event[], left: NotDelivered): undefined {
    const fail = (event: Event, failure: DeliveryFailure) =>
      left.failed({ nodeId, kind: 'destination', event, ...failure })
    this.#sendingSinks.get(nodeId)?.take(events, { handOver: () => {}, fail })
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
      if (failure !== undefined) fail(event, failure)
    }
  }

  /** Number of simulated samples. */
  get tried(): number {
    return this.#tried
  }

  /** Message when the expressions of a sample cost too much, so that later samples are skipped; undefined otherwise. */
  get tooDear(): string | undefined {
    return this.#recording.tooDear
  }

  /** Nodes in the order of the document. */
  get nodes(): readonly SimulatedNode[] {
    return [...this.#recording.nodes.values()]
  }

  /** Whether events beyond the limits were left out; counters contain their numbers. */
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
    if (!this.#hasRoomFor(event)) return
    const given = reason()
    // A reason repeats options of the node, which may be longer than the event.
    if (given !== undefined && !this.#takesRoom(0, jsonBytes(given))) return
    this.#node(node).dropped.push({ ...this.#noted(event), reason: given })
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
    return this.#takesRoom(1, bytes)
  }

  /** @returns false when something does not fit, and then nothing fits any more */
  #takesRoom(events: number, bytes: number): boolean {
    if (this.isCut) return false
    this.#eventsLeft -= events
    this.#bytesLeft -= bytes
    this.isCut = this.#eventsLeft < 0 || this.#bytesLeft < 0
    return !this.isCut
  }
}
