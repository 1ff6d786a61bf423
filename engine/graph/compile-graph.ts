import type { JsonObject } from '../../schemas/json.ts'
import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import type { NodeDocument, PipelineDocument } from '../../schemas/pipeline.ts'
import type { Event } from '../event/event.ts'
import { foldProgress, ProgressPlace } from '../fold-progress.ts'
import { isCarried } from '../nodes/contract/carried-destination.ts'
import { type Catalogue, isOpened } from '../nodes/contract/catalogue.ts'
import { NO_TRANSPORT, type SinkNode } from '../nodes/contract/define-destination.ts'
import type { Processor } from '../nodes/contract/define-processor.ts'
import { PipelineVariables, type StateVariable } from '../nodes/contract/pipeline-variables.ts'
import { finish, type Steps } from '../steps.ts'
import { outputOwners, topologicalOrder } from './check-graph.ts'
import {
  type CompiledNode,
  CompiledOutput,
  DEFAULT_OUTPUT,
  type HeldState,
  type HeldWindows,
  type Inbox,
  type RunContext,
} from './compiled-node.ts'
import { DeliveringNode } from './delivering-node.ts'
import { ErrorDesk } from './error-desk.ts'
import { maximumOfReach, NO_REACH, type Reach, reachOfNodes, sumOfReach } from './event-copies.ts'
import { lineJudge } from './line-judge.ts'
import { absorbMemory, memoryHash } from './memory-placement.ts'
import type { NodeCounters } from './node-counters.ts'
import { ProcessingNode } from './processing-node.ts'
import { ascending } from './run.ts'
import { SourceNode } from './source-node.ts'

/** A graph in which an event can reach more nodes pays for each: no pipeline without copies of copies comes near. */
const UNCOUNTED_VISITS = 1_000

export type { SinkNode } from '../nodes/contract/define-destination.ts'
export type { RunContext } from './compiled-node.ts'
export type { NodeCounters } from './node-counters.ts'
export type { NodeError } from './node-error.ts'

/** A pipeline of one account on one partition, ready to run. */
export interface CompiledGraph {
  readonly document: PipelineDocument
  /** Whether it has a source of an entrance. @param entrance 'ingest', or the id of a gateway route */
  reads(entrance: string): boolean
  /** Ids of its sources of an entrance. @param entrance 'ingest', or the id of a gateway route */
  sourcesOf(entrance: string): readonly string[]
  readonly sinks: readonly SinkNode[]
  /** Upper bounds for an event that enters by all sources of an entrance. */
  reachOf(entrance: string): Reach
  /** Maximum of each part of `reachOf` over all entrances and nodes. */
  readonly mostReach: Reach
  /**
   * Runs the events of one record, in order, from every source of an entrance to the sinks. All of them see the same
   * time, and time never steps back: an earlier `nowMs` counts as the latest one.
   *
   * @param entrance 'ingest', or the id of a gateway route
   */
  run(entrance: string, events: readonly Event[], context: RunContext): void
  /** Does the work of `run` in stretches. */
  running(entrance: string, events: readonly Event[], context: RunContext): Steps
  /** Runs events from one source. @throws RangeError when the graph has no such source */
  entering(source: string, events: readonly Event[], context: RunContext): Steps
  /** Whether events can continue at a node. */
  hasInput(node: string): boolean
  /** Continues events that wait at a node. @returns false when the graph does not have the node */
  resuming(node: string, events: readonly Event[], context: RunContext): Steps<boolean>
  /** Adds memory of keys that was in another partition. @throws RangeError when the bytes are not valid */
  absorb(node: string, data: Uint8Array): void
  /** Advances the time of keyed state when nothing arrives. */
  tick(nowMs: number): Steps
  /** Log time at which the next window ends, UNIX ms; Infinity: none is open. It may be too early, never too late. */
  readonly deadlineMs: number
  /** Ends due windows and continues with their events. */
  expiring(context: RunContext): Steps
  /** Ends all windows of some nodes, regardless of their time. */
  endingWindows(nodes: ReadonlySet<string>, context: RunContext): Steps
  /** Copies the memory of each node that has one, by node id. */
  snapshot(): Map<string, Uint8Array>
  /** Measures each node with a memory, by node id; the names of the figures are the processor's. */
  measure(): Map<string, Readonly<Record<string, number>>>
  /** Counters by node id, from the compilation of the graph on. */
  readonly counters: ReadonlyMap<string, NodeCounters>
  /** Parts of them, for each output with a name. */
  readonly outputCounters: readonly OutputCounters[]
  /** State variables of the pipeline; those of a new pipeline unless others are set. */
  variables: PipelineVariables
  /** Memory by node id, for the graph that replaces this one. */
  readonly states: ReadonlyMap<string, HeldState>
}

/**
 * Compiles a pipeline that `checkGraph` and `checkNode` accepted.
 *
 * @param previous the graph that this one replaces. The state of a node is carried over, not copied. Its id and type
 *   must be the same, and the processor must keep it across the change of options. The new options then judge the
 *   remaining events of the earlier graph, too
 * @param restored result of `restoredStates`; it wins over `previous`
 * @throws RangeError for a document that could not have been published
 */
export function compileGraph(
  catalogue: Catalogue,
  document: PipelineDocument,
  previous?: CompiledGraph,
  restored?: ReadonlyMap<string, unknown>,
): CompiledGraph {
  return new Graph(catalogue, document, { previous: previous?.states, restored })
}

/**
 * Compiles a revision that newer ones have replaced while its last events are still on their way.
 *
 * @param newer state of newer revisions, by node id. It is shared if the change between the two keeps it; the newer
 *   options then judge it
 * @param older the revision before, whose state is shared if a newer one has none to share
 */
export function compileBeside(
  catalogue: Catalogue,
  document: PipelineDocument,
  newer: ReadonlyMap<string, HeldState>,
  older: CompiledGraph | undefined,
  restored?: ReadonlyMap<string, unknown>,
): CompiledGraph {
  return new Graph(catalogue, document, { previous: older?.states, newer, restored })
}

/**
 * Reads the memory of a document's nodes from a checkpoint, in stretches.
 *
 * @param snapshots by node id
 * @returns values for the compilation of the document
 * @throws RangeError when they are not snapshots of these nodes
 */
export function* restoredStates(
  catalogue: Catalogue,
  { nodes }: PipelineDocument,
  snapshots: ReadonlyMap<string, Uint8Array>,
): Steps<Map<string, unknown>> {
  const states = new Map<string, unknown>()
  for (const { id, kind, type } of nodes) {
    const snapshot = snapshots.get(id)
    const state = kind === 'transform' ? catalogue.processorOf(type)?.state : undefined
    if (snapshot !== undefined && state !== undefined) states.set(id, yield* state.restore(snapshot))
  }
  return states
}

interface Memory {
  readonly previous: ReadonlyMap<string, HeldState> | undefined
  readonly newer?: ReadonlyMap<string, HeldState>
  readonly restored: ReadonlyMap<string, unknown> | undefined
}

/** Counts of one output of a node: events and bytes out, copied and dropped; the others are zero. */
export interface OutputCounters {
  readonly node: string
  /** Name of the output. */
  readonly output: string
  readonly counters: NodeCounters
}

class Graph implements CompiledGraph {
  readonly document: PipelineDocument
  readonly sinks: readonly SinkNode[]
  readonly counters: ReadonlyMap<string, NodeCounters>
  readonly outputCounters: OutputCounters[] = []
  variables = new PipelineVariables()
  readonly states = new Map<string, HeldState>()
  readonly #catalogue: Catalogue
  readonly #nodes: readonly CompiledNode[]
  /** Places of the nodes, in their order. */
  readonly #places: readonly ProgressPlace[]
  readonly #windowed: readonly (HeldState & { readonly windows: HeldWindows })[]
  readonly #entrances = new Map<string, SourceNode[]>()
  /** Inboxes of events that enter the graph at a node. */
  readonly #arrivals = new Map<string, Inbox>()
  /** Outputs by id. A node is compiled after those that it reads. */
  readonly #outputs = new Map<string, CompiledOutput>()
  /** Whether one event may have so many copies that each counts as work. */
  readonly #countsEvents: boolean
  readonly #reachOfEntrances = new Map<string, Reach>()
  readonly mostReach: Reach

  constructor(catalogue: Catalogue, document: PipelineDocument, memory: Memory) {
    this.#catalogue = catalogue
    this.document = document
    const owners = outputOwners(catalogue, document.nodes)
    const order = topologicalOrder(document.nodes, owners)
    if (order.length < document.nodes.length)
      throw new RangeError(`the nodes of pipeline ${document.id} form a cycle`)
    const reach = reachOfNodes(
      order,
      owners,
      ({ type }) => catalogue.destinationOf(type)?.delivery === 'lines',
      ({ type }) => (catalogue.processorOf(type)?.state?.placement.by ?? 'partition') !== 'partition',
    )
    for (const node of document.nodes) {
      if (node.kind !== 'source') continue
      const entrance = this.#entranceOf(node)
      const others = this.#reachOfEntrances.get(entrance) ?? NO_REACH
      this.#reachOfEntrances.set(entrance, sumOfReach(others, reach.get(node.id) ?? NO_REACH))
    }
    // Windows and other partitions give events to single nodes, also to those that no source reaches.
    const all = [...reach.values(), ...this.#reachOfEntrances.values()]
    this.mostReach = all.reduce(maximumOfReach, NO_REACH)
    this.#countsEvents = this.mostReach.visits > UNCOUNTED_VISITS
    this.#nodes = order.map(node => this.#compileNode(node, memory))
    const { id: pipeline, revision } = document
    this.#places = this.#nodes.map(({ id }) => new ProgressPlace({ pipeline, revision, node: id }))
    this.#windowed = [...this.states.values()].filter(hasWindows)
    this.sinks = this.#nodes.flatMap(node => (node instanceof DeliveringNode ? [node.sink] : []))
    this.counters = new Map(this.#nodes.map(({ id, counters }) => [id, counters]))
  }

  reads(entrance: string): boolean {
    return this.#entrances.has(entrance)
  }

  sourcesOf(entrance: string): readonly string[] {
    return this.#entrances.get(entrance)?.map(({ id }) => id) ?? []
  }

  reachOf(entrance: string): Reach {
    return this.#reachOfEntrances.get(entrance) ?? NO_REACH
  }

  run(entrance: string, events: readonly Event[], context: RunContext): void {
    finish(this.running(entrance, events, context))
  }

  *running(entrance: string, events: readonly Event[], context: RunContext): Steps {
    if (events.length > 0) yield* this.#enter(this.#entrances.get(entrance) ?? [], events, context)
  }

  *entering(source: string, events: readonly Event[], context: RunContext): Steps {
    const node = this.#nodes.find(({ id }) => id === source)
    if (!(node instanceof SourceNode)) throw new RangeError(`"${source}" is not a source`)
    yield* this.#enter([node], events, context)
  }

  *#enter(sources: readonly SourceNode[], events: readonly Event[], context: RunContext): Steps {
    for (const source of sources) source.enter(events, context)
    yield* this.#stepAll(context)
  }

  hasInput(node: string): boolean {
    return this.#arrivals.has(node)
  }

  *resuming(node: string, events: readonly Event[], context: RunContext): Steps<boolean> {
    const inbox = this.#arrivals.get(node)
    if (inbox === undefined) return false
    let bytes = 0
    for (const event of events) bytes += event.bytes
    inbox.run = { events, rows: ascending(events.length), bytes }
    yield* this.#stepAll(context)
    return true
  }

  absorb(node: string, data: Uint8Array): void {
    const state = this.states.get(node)
    if (state !== undefined) absorbMemory(state, data)
  }

  *tick(nowMs: number): Steps {
    for (const { kind, value, config } of this.states.values())
      while (!kind.advance(value, nowMs, config)) yield
  }

  get deadlineMs(): number {
    let deadline = Number.POSITIVE_INFINITY
    for (const { windows, value } of this.#windowed) deadline = Math.min(deadline, windows.deadlineMs(value))
    return deadline
  }

  *expiring(context: RunContext): Steps {
    yield* this.#release(context, () => context.nowMs)
  }

  *endingWindows(nodes: ReadonlySet<string>, context: RunContext): Steps {
    yield* this.#release(context, id => (nodes.has(id) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY))
  }

  /** Ends windows before events of the same time reach their node. */
  *#release(context: RunContext, untilMs: (node: string) => number): Steps {
    for (const [turn, node] of this.#nodes.entries()) {
      foldProgress.enter(this.#places[turn] as ProgressPlace)
      if (node.release !== undefined) yield* node.release(untilMs(node.id), context)
      yield* node.step(context)
    }
    foldProgress.leave()
  }

  /** Lets every node take its turn. */
  *#stepAll(context: RunContext): Steps {
    for (let turn = 0; turn < this.#nodes.length; turn++) {
      foldProgress.enter(this.#places[turn] as ProgressPlace)
      yield* (this.#nodes[turn] as CompiledNode).step(context)
    }
    foldProgress.leave()
  }

  snapshot(): Map<string, Uint8Array> {
    return new Map([...this.states].map(([id, { kind, value }]) => [id, finish(kind.snapshot(value))]))
  }

  measure(): Map<string, Readonly<Record<string, number>>> {
    return new Map([...this.states].map(([id, { kind, value }]) => [id, kind.measure(value)]))
  }

  #compileNode(node: NodeDocument, memory: Memory): CompiledNode {
    switch (node.kind) {
      case 'source':
        return this.#compileSource(node)
      case 'transform':
        return this.#compileTransform(node, memory)
      case 'sink':
        return this.#compileSink(node)
    }
  }

  /** @throws RangeError when the source does not exist */
  #entranceOf({ id, type, gateway_route_id: gatewayRoute }: NodeDocument): string {
    const source = this.#catalogue.runningSourceOf(type)
    if (source === undefined) throw new RangeError(`no source of type "${type}"`)
    if (!isOpened(source)) throw new RangeError(`nothing opens a source of type "${type}"`)
    return source.entrance === 'ingest' ? INGEST_ENTRANCE : (gatewayRoute ?? id)
  }

  #compileSource(node: NodeDocument): SourceNode {
    const { id, type, user_config } = node
    const entrance = this.#entranceOf(node)
    const compiled = new SourceNode(id, {
      keepsMetadata: this.#catalogue.keepsMetadata({ type, user_config }),
    })
    this.#outputs.set(id, compiled.output)
    this.#entrances.set(entrance, [...(this.#entrances.get(entrance) ?? []), compiled])
    return compiled
  }

  #compileTransform(node: NodeDocument, memory: Memory): ProcessingNode {
    const { id, type } = node
    const processor = this.#catalogue.processorOf(type)
    if (processor === undefined) throw new RangeError(`no processor of type "${type}"`)
    const config = this.#catalogue.processorOptions(processor, node, this.document)
    const desk = new ErrorDesk(id, processor.hiddenFields?.(config))
    const stateVariable: StateVariable = name => this.variables.get(name)
    const processEvent = processor.compile(config, desk.report, desk.meter, {
      place: desk.place,
      stateVariable,
    })
    const explain = processor.explain?.(config, stateVariable)
    const windows = heldWindows(processor, config)
    const state = heldState(
      node,
      processor,
      { config, process: processEvent, desk, explain, windows },
      memory,
    )
    if (state !== undefined) this.states.set(id, state)
    const compiled = new ProcessingNode({
      id,
      inboxes: this.#inboxes(node),
      process: processEvent,
      state,
      desk,
      explain,
      lines: this.#countsEvents ? undefined : lineJudge(processor, config),
      countsEvents: this.#countsEvents,
    })
    for (const { id: outputId, name = DEFAULT_OUTPUT } of this.#catalogue.outputsOf(node)) {
      const output = new CompiledOutput(compiled.counters, { isNamed: name !== DEFAULT_OUTPUT })
      if (output.own !== undefined) this.outputCounters.push({ node: id, output: name, counters: output.own })
      compiled.outputs.set(name, output)
      this.#outputs.set(outputId, output)
    }
    return compiled
  }

  #compileSink(node: NodeDocument): DeliveringNode {
    const { id: nodeId, type, user_config: config } = node
    const destination = this.#catalogue.destinationOf(type)
    if (destination === undefined) throw new RangeError(`no destination of type "${type}"`)
    if (!isCarried(destination))
      throw new RangeError(`nothing carries the requests of a destination of type "${type}"`)
    return new DeliveringNode(
      { nodeId, type: destination.type, config },
      this.#inboxes(node),
      destination.delivery === 'lines' || destination.transport !== NO_TRANSPORT,
    )
  }

  /** Connects the node to the outputs that it reads, and to events that enter the graph there. */
  #inboxes({ id, inputs }: NodeDocument): Inbox[] {
    const inboxes = inputs.map(input => {
      const output = this.#outputs.get(input)
      if (output === undefined) throw new RangeError(`node ${id} reads "${input}", which is not an output`)
      const inbox: Inbox = { run: undefined }
      output.readers.push(inbox)
      return inbox
    })
    const arrivals: Inbox = { run: undefined }
    this.#arrivals.set(id, arrivals)
    return [...inboxes, arrivals]
  }
}

function heldWindows({ windows }: Processor, config: JsonObject): HeldWindows | undefined {
  if (windows === undefined) return undefined
  return {
    deadlineMs: state => windows.deadlineMs(state),
    release: windows.release(config),
    open: state => windows.open(state),
  }
}

/** Returns the memory of a node: the previous one if it is carried over, judged by the new options. */
function heldState(
  { id }: NodeDocument,
  { type, state: kind }: Processor,
  judge: Pick<HeldState, 'config' | 'process' | 'desk' | 'explain' | 'windows'>,
  { previous, newer, restored }: Memory,
): HeldState | undefined {
  if (kind === undefined) return undefined
  const shared = newer?.get(id)
  if (shared?.type === type && kind.keeps(judge.config, shared.config)) return shared
  const before = previous?.get(id)
  const isCarried = before !== undefined && before.type === type && kind.keeps(before.config, judge.config)
  const seed = seedOf(id)
  const hash = memoryHash(kind, seed, judge)
  const held = isCarried
    ? Object.assign(before, judge, { hash })
    : { type, kind, value: undefined, hash, seed, ...judge }
  if (restored?.has(id)) held.value = restored.get(id)
  else if (!isCarried) held.value = kind.create(seed)
  return held
}

function hasWindows(state: HeldState): state is HeldState & { windows: HeldWindows } {
  return state.windows !== undefined
}

/** Ids of nodes are random and unknown to senders of lines, so a seed derived from one is hard to guess (FNV-1a). */
function seedOf(id: string): number {
  let seed = 0x811c9dc5
  for (let at = 0; at < id.length; at++) seed = Math.imul(seed ^ id.charCodeAt(at), 0x01000193)
  return seed >>> 0
}
