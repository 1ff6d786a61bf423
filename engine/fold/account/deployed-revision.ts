import type { Pause, PipelineCut } from '../../../schemas/log/cuts.ts'
import type { Event } from '../../event/event.ts'
import type { CompiledGraph } from '../../graph/compile-graph.ts'
import { type NodeCounters, noCounts } from '../../graph/node-counters.ts'
import type { OwnStoreSink } from '../../nodes/contract/own-store.ts'
import type { SendingSink } from '../../nodes/contract/sending-sink.ts'
import { activitySince, countDropped, type NodeActivity } from '../node-activity.ts'

/** Node id under which a pipeline counts the lines that it does not handle because it is paused. */
const PAUSED_NODE = 'paused'

export interface ActivityOfNode {
  readonly node: string
  /** Name of the output whose part of the activity this is; absent: the whole activity of the node. */
  readonly output?: string
  readonly activity: NodeActivity
}

/** A revision of a pipeline, compiled, with the counts of its nodes that were not collected yet. */
export class DeployedRevision {
  readonly graph: CompiledGraph
  /** Version of the cut that deployed it. */
  readonly version: number
  /** Sinks of the graph that store lines in the own store, by node id. */
  readonly ownStores: ReadonlyMap<string, OwnStoreSink>
  /** Its other sinks, by node id. */
  readonly sendingSinks: ReadonlyMap<string, SendingSink>
  /** Whether it drops the events of its sources, and so reads them although it is paused. */
  readonly drops: boolean
  readonly #reported = new Map<NodeCounters, NodeActivity>()
  /** Events that it did not handle; undefined unless it is paused. */
  #notHandled: NodeActivity | undefined

  constructor(
    graph: CompiledGraph,
    {
      version,
      ownStores,
      sendingSinks,
      paused,
      drops,
    }: Pick<DeployedRevision, 'version' | 'ownStores' | 'sendingSinks'> & Pause,
  ) {
    this.graph = graph
    this.version = version
    this.ownStores = ownStores
    this.sendingSinks = sendingSinks
    this.drops = drops
    if (paused) this.#notHandled = noCounts()
  }

  get isPaused(): boolean {
    return this.#notHandled !== undefined
  }

  /** Counts events that a paused pipeline does not handle. */
  passOver(events: readonly Event[]): void {
    if (this.#notHandled !== undefined) countDropped(this.#notHandled, events)
  }

  /** Activity of every node since the last call, and the parts of its outputs with names. */
  *takeActivity(): Iterable<ActivityOfNode> {
    if (this.#notHandled !== undefined) {
      yield { node: PAUSED_NODE, activity: this.#notHandled }
      this.#notHandled = noCounts()
    }
    for (const { counters, ...place } of this.#allCounters()) {
      const activity = activitySince(counters, this.#reported.get(counters))
      this.#reported.set(counters, { ...counters })
      yield { ...place, activity }
    }
  }

  /** Activity of every node since the last call of `takeActivity`, for a revision that will be forgotten. */
  *lastActivity(): Iterable<ActivityOfNode> {
    for (const { counters, ...place } of this.#allCounters())
      yield { ...place, activity: activitySince(counters, this.#reported.get(counters)) }
  }

  *#allCounters(): Iterable<Omit<ActivityOfNode, 'activity'> & { readonly counters: NodeCounters }> {
    for (const [node, counters] of this.graph.counters) yield { node, counters }
    yield* this.graph.outputCounters
  }
}

/** A revision that was replaced while some of its events were still under way. */
export interface RetiringRevision {
  readonly revision: DeployedRevision
  /** Log time, UNIX ms. */
  readonly replacedMs: number
}

/** A retiring revision in a checkpoint. */
export interface KeptRevision {
  readonly version: number
  readonly replacedMs: number
  readonly document: PipelineCut
}
