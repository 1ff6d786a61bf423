import type { ExemptionCut } from '../../schemas/log/cuts.ts'
import { ExemptKeys } from '../nodes/contract/exempt-keys.ts'

/**
 * The exemptions of one account on one partition, from throttles of its pipelines. They stand beside the pipelines, so
 * that publishing leaves them as they are; log time alone says when one ends.
 */
export class Exemptions {
  readonly #cuts = new Map<string, ExemptionCut>()
  /** By pipeline and node; the memory of the node looks into it. */
  readonly #keys = new Map<string, ExemptKeys>()

  /** First log time at which one of them means nothing any more. */
  get forgetMs(): number {
    let first = Number.POSITIVE_INFINITY
    for (const { forgetMs } of this.#cuts.values()) first = Math.min(first, forgetMs)
    return first
  }

  has(entity: string): boolean {
    return this.#cuts.has(entity)
  }

  /** What is exempt at a node: one object for all of its revisions. */
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

  /** Lets go of what means nothing any more. @returns the entities */
  forget(timeMs: number): string[] {
    const over = [...this.#cuts].filter(([, { forgetMs }]) => timeMs >= forgetMs)
    for (const [entity, { pipeline, node, key }] of over) {
      this.#cuts.delete(entity)
      this.keysOf(pipeline, node).remove(key ?? undefined)
    }
    return over.map(([entity]) => entity)
  }
}
