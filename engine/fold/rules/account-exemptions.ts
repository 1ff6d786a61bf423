import type { ExemptionCut } from '../../../schemas/log/cuts.ts'
import { ExemptKeys } from '../../nodes/contract/exempt-keys.ts'

/**
 * The exemptions of one account on one partition, from throttles of its pipelines. They are separate from the pipelines,
 * so publishing does not change them. Only log time ends one.
 */
export class AccountExemptions {
  readonly #cuts = new Map<string, ExemptionCut>()
  /** Exempt keys by pipeline and node; the memory of the node reads them. */
  readonly #keys = new Map<string, ExemptKeys>()

  /** First log time at which one of them has no effect any more. */
  get forgetMs(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { forgetMs } of this.#cuts.values()) first = Math.min(first, forgetMs)
    return first
  }

  has(entity: string): boolean {
    return this.#cuts.has(entity)
  }

  /** Exempt keys of a node: one object for all of its revisions. */
  keysOf(pipeline: string, node: string): ExemptKeys {
    const place = `${pipeline}/${node}`
    let keys = this.#keys.get(place)
    if (keys === undefined) {
      keys = new ExemptKeys()
      this.#keys.set(place, keys)
    }
    return keys
  }

  set(entity: string, cut: ExemptionCut): void {
    this.#cuts.set(entity, cut)
    this.keysOf(cut.pipeline, cut.node).set(cut.key ?? undefined, cut.untilMs)
  }

  /** Removes exemptions that have ended. @returns the entities */
  forget(timeMs: number): string[] {
    const over = [...this.#cuts].filter(([, { forgetMs }]) => timeMs >= forgetMs)
    for (const [entity, { pipeline, node, key }] of over) {
      this.#cuts.delete(entity)
      this.keysOf(pipeline, node).remove(key ?? undefined)
    }
    return over.map(([entity]) => entity)
  }
}
