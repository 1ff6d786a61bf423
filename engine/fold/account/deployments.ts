import type { CompiledGraph } from '../../graph/compile-graph.ts'
import { HOUR_MS } from '../../times/duration.ts'
import type { PipelineInEffect } from '../run-watch.ts'
import type { DeployedRevision, KeptRevision, RetiringRevision } from './deployed-revision.ts'

/** Time that a revision stays beyond the last event that is announced for it, for events on a second way. */
const RETIRING_MS = HOUR_MS

/** A revision that is no longer referred to, and the remaining graphs of its pipeline. */
export interface ForgottenRevision {
  readonly pipeline: string
  readonly revision: DeployedRevision
  readonly others: readonly CompiledGraph[]
}

/** The revisions of an account's pipelines: the deployed one of each, and those that retire. */
export class Deployments {
  /** Deployed revisions in the order of the pipelines' ids: outputs must not depend on the order of publications. */
  readonly #deployed = new Map<string, DeployedRevision>()
  /** Retiring revisions by pipeline, oldest first. */
  readonly #retiring = new Map<string, RetiringRevision[]>()

  get(pipeline: string): DeployedRevision | undefined {
    return this.#deployed.get(pipeline)
  }

  /** The deployed revisions. */
  [Symbol.iterator](): Iterator<[pipeline: string, revision: DeployedRevision]> {
    return this.#deployed[Symbol.iterator]()
  }

  put(pipeline: string, revision: DeployedRevision): void {
    const isKnown = this.#deployed.has(pipeline)
    this.#deployed.set(pipeline, revision)
    if (!isKnown) this.#sort()
  }

  remove(pipeline: string): void {
    this.#deployed.delete(pipeline)
  }

  /** Makes the deployed revision of a pipeline retire, for its events that are under way. */
  retire(pipeline: string, replacedMs: number): void {
    const revision = this.#deployed.get(pipeline)
    if (revision === undefined) return
    const retiring = this.#retiring.get(pipeline) ?? []
    this.#retiring.set(pipeline, [...retiring, { revision, replacedMs }])
  }

  /** Adds a revision that newer ones have replaced here. */
  addRetiring(pipeline: string, retiring: RetiringRevision): void {
    const all = [...(this.#retiring.get(pipeline) ?? []), retiring]
    this.#retiring.set(
      pipeline,
      all.sort((a, b) => a.revision.version - b.revision.version),
    )
  }

  /** All revisions, newest first per pipeline. */
  *revisions(): Generator<readonly [pipeline: string, revision: DeployedRevision]> {
    yield* this.#deployed
    for (const [pipeline, retiring] of this.#retiring)
      for (const { revision } of retiring.toReversed()) yield [pipeline, revision]
  }

  /** All revisions of one pipeline, newest first. */
  revisionsOf(pipeline: string): DeployedRevision[] {
    const deployed = this.#deployed.get(pipeline)
    const retiring = this.#retiring.get(pipeline)?.map(({ revision }) => revision) ?? []
    return [...(deployed === undefined ? [] : [deployed]), ...retiring.reverse()]
  }

  /** Whether a revision of a pipeline is known here, deployed or retiring. */
  knows(pipeline: string, version: number): boolean {
    return this.revisionsOf(pipeline).some(revision => revision.version === version)
  }

  /** Whether any revision retires. */
  get retires(): boolean {
    return this.#retiring.size > 0
  }

  /**
   * Forgets the retiring revisions whose events have left all partitions. Revisions are yielded one after the other: the
   * caller handles one before the next pipeline is examined.
   *
   * @param leastOf version of a pipeline below which partitions do not send events any more
   */
  *forget(timeMs: number, leastOf: (pipeline: string) => number): Generator<ForgottenRevision> {
    for (const [pipeline, retiring] of this.#retiring) {
      const least = leastOf(pipeline)
      const kept = retiring.filter(
        ({ revision, replacedMs }) => revision.version >= least || timeMs - replacedMs < RETIRING_MS,
      )
      if (kept.length === retiring.length) continue
      if (kept.length === 0) this.#retiring.delete(pipeline)
      else this.#retiring.set(pipeline, kept)
      const others = this.revisionsOf(pipeline).map(({ graph }) => graph)
      for (const each of retiring)
        if (!kept.includes(each)) yield { pipeline, revision: each.revision, others }
    }
  }

  /** The deployed revisions, for observers. */
  *inEffect(): Iterable<Omit<PipelineInEffect, 'atMs'> & { readonly pipeline: string }> {
    for (const [pipeline, { graph, version, isPaused }] of this.#deployed)
      yield { pipeline, version, document: graph.document, isPaused }
  }

  /** Retiring revisions, oldest first per pipeline. */
  *kept(): Iterable<KeptRevision> {
    for (const retiring of this.#retiring.values())
      for (const { revision, replacedMs } of retiring)
        yield { version: revision.version, replacedMs, document: revision.graph.document }
  }

  #sort(): void {
    const entries = [...this.#deployed].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#deployed.clear()
    for (const [id, revision] of entries) this.#deployed.set(id, revision)
  }
}
