import type { MovedState } from '../../../schemas/log/rekeyed.ts'
import type { HeldState } from '../../graph/compiled-node.ts'
import { splitMemory } from '../../graph/memory-placement.ts'
import type { Steps } from '../../steps.ts'
import type { Deployments } from './deployments.ts'

/** Memory of a node, and the versions of the revisions that share it, newest first. */
interface SharedMemory {
  readonly pipeline: string
  readonly versions: number[]
  readonly node: string
  readonly state: HeldState
}

/** Memory of a node in a checkpoint. */
export interface KeptMemory {
  readonly pipeline: string
  /** Version of the newest revision that shares it. */
  readonly version: number
  readonly node: string
  readonly data: Uint8Array
}

/** The part of a node's memory that belongs to one share of the keys. */
export interface MemoryPiece {
  readonly share: number
  readonly pipeline: string
  readonly versions: readonly number[]
  readonly node: string
  readonly data: Uint8Array
}

/** The memory of the nodes of one account, such as throttle buckets and open windows. */
export class NodeMemories {
  readonly #deployments: Deployments

  constructor(deployments: Deployments) {
    this.#deployments = deployments
  }

  /** Memory of a node of the deployed revision. */
  of(pipeline: string, node: string): HeldState | undefined {
    return this.#deployments.get(pipeline)?.graph.states.get(node)
  }

  /** Empties the profile of a node in all revisions, if it builds one. */
  resetProfile(pipeline: string, node: string): void {
    for (const { graph } of this.#deployments.revisionsOf(pipeline)) {
      const state = graph.states.get(node)
      state?.kind.profile?.reset(state.value)
    }
  }

  /** A copy of each memory, for a checkpoint. */
  *snapshot(): Steps<KeptMemory[]> {
    const memories: KeptMemory[] = []
    for (const { pipeline, versions, node, state } of this.#all()) {
      const data = yield* state.kind.snapshot(state.value)
      memories.push({ pipeline, version: versions[0] as number, node, data })
    }
    return memories
  }

  /** Removes the memory of some shares, and gives it; undefined means that the work may pause. */
  *split(shares: readonly number[], shareOf: (hash: number) => number): Iterable<MemoryPiece | undefined> {
    for (const { pipeline, versions, node, state } of this.#all())
      for (const piece of splitMemory(state, shares, shareOf))
        yield piece === undefined ? undefined : { ...piece, pipeline, versions, node }
  }

  /** Adds memory of keys. It is forgotten if none of the revisions that shared it is known any more. */
  absorb({ pipeline, versions, node, data }: MovedState): void {
    const revision = this.#deployments
      .revisionsOf(pipeline)
      .find(({ version, graph }) => versions.includes(version) && graph.states.has(node))
    revision?.graph.absorb(node, data)
  }

  /** Number of events that every node with windows holds now, over all revisions. */
  *holdings(): Iterable<{ readonly pipeline: string; readonly node: string; readonly held: number }> {
    for (const { pipeline, node, state } of this.#all()) {
      const { windows, value } = state
      if (windows !== undefined) yield { pipeline, node, held: windows.open(value) }
    }
  }

  /** Each memory, once. */
  #all(): Iterable<SharedMemory> {
    const memories = new Map<HeldState, SharedMemory>()
    for (const [pipeline, { graph, version }] of this.#deployments.revisions()) {
      for (const [node, state] of graph.states) {
        const known = memories.get(state)
        if (known === undefined) memories.set(state, { pipeline, versions: [version], node, state })
        else known.versions.push(version)
      }
    }
    return memories.values()
  }
}
