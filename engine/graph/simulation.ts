import type { JsonObject } from '../../schemas/json.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event.ts'
import { compileGraph } from './compile-graph.ts'
import type { GraphObserver } from './graph-observer.ts'

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
  /** By name of the output, in the order in which they left; a sink has one. */
  readonly outputs: ReadonlyMap<string, readonly SimulatedEvent[]>
  readonly dropped: readonly (SimulatedEvent & { readonly reason: JsonObject | undefined })[]
  readonly failed: readonly SimulatedEvent[]
  readonly errors: readonly SimulatedError[]
}

export interface SimulatedEvent {
  /** Which of the samples it comes from, counted from 0. */
  readonly sample: number
  readonly event: Event
}

export interface SimulatedError {
  readonly sample: number
  readonly code: string
  readonly field: string | null
  readonly message: string
}

export interface SimulationBounds {
  /** Events that are kept of all nodes together. */
  readonly maxEvents: number
  /** Asked after each sample: true ends the simulation. */
  readonly isOver: () => boolean
}

export interface Simulation {
  /** In the order of the document. */
  readonly nodes: readonly SimulatedNode[]
  /** How many samples were tried before a bound was reached; all of them otherwise. */
  readonly tried: number
  /** More events than are kept. */
  readonly isCut: boolean
}

/**
 * Runs samples, in order, through the graph that would run if the document were published: with its own empty memory,
 * and with the samples' times for log time, so that the same samples always give the same. Nothing is sent anywhere.
 *
 * @param document accepted by `checkGraph` and `checkNode`
 */
export function simulate(
  document: PipelineDocument,
  samples: readonly Sample[],
  { maxEvents, isOver }: SimulationBounds,
): Simulation {
  const graph = compileGraph(document)
  const record = new Recording(document, maxEvents)
  let nowMs = Number.NEGATIVE_INFINITY
  let tried = 0
  for (const { event, timeMs, source } of samples) {
    if (isOver()) break
    record.sample = tried++
    nowMs = Math.max(nowMs, timeMs)
    graph.tick(nowMs)
    graph.enter(source, [event], { nowMs, deliver: () => {}, report: () => {}, observer: record })
  }
  return { nodes: [...record.nodes.values()], tried, isCut: record.isCut }
}

interface OpenNode extends SimulatedNode {
  readonly outputs: Map<string, SimulatedEvent[]>
  readonly dropped: (SimulatedEvent & { readonly reason: JsonObject | undefined })[]
  readonly failed: SimulatedEvent[]
  readonly errors: SimulatedError[]
}

class Recording implements GraphObserver {
  readonly nodes: ReadonlyMap<string, OpenNode>
  sample = 0
  isCut = false
  #left: number

  constructor({ nodes }: PipelineDocument, maxEvents: number) {
    this.nodes = new Map(
      nodes.map(({ id }) => [id, { id, outputs: new Map(), dropped: [], failed: [], errors: [] }]),
    )
    this.#left = maxEvents
  }

  left(node: string, output: string, event: Event): void {
    if (!this.#hasRoom()) return
    const { outputs } = this.#node(node)
    const events = outputs.get(output) ?? []
    outputs.set(output, events)
    events.push({ sample: this.sample, event })
  }

  dropped(node: string, event: Event, _row: number, reason: JsonObject | undefined): void {
    if (this.#hasRoom()) this.#node(node).dropped.push({ sample: this.sample, event, reason })
  }

  failed(node: string, event: Event): void {
    if (this.#hasRoom()) this.#node(node).failed.push({ sample: this.sample, event })
  }

  reported({ nodeId, code, field, message }: Parameters<GraphObserver['reported']>[0]): void {
    if (this.#hasRoom()) this.#node(nodeId).errors.push({ sample: this.sample, code, field, message })
  }

  #node(id: string): OpenNode {
    const node = this.nodes.get(id)
    if (node === undefined) throw new RangeError(`node ${id} is not part of the graph`)
    return node
  }

  #hasRoom(): boolean {
    if (this.#left > 0) this.#left--
    else this.isCut = true
    return !this.isCut
  }
}
