import type { Cut } from '../../schemas/log/control.ts'
import { cutKey, type PipelineCut } from '../../schemas/log/cuts.ts'
import type { Steps } from '../steps.ts'
import type { KeptPipeline } from './accounts.ts'
import type { AffectedFold } from './cuts/cut-kind.ts'
import { tryPipeline } from './cuts/pipeline.ts'
import { FORGOTTEN_KINDS, kindOf } from './cuts/registry.ts'

const DEFAULT_SLICE_MS = 1000

/**
 * The cuts in effect in a partition: the newest of each entity, in the order of their records. Only its kind knows the
 * effect of a cut: see `cuts/registry.ts`.
 */
export class AppliedCuts {
  readonly #fold: AffectedFold
  readonly #cuts = new Map<string, Cut>()
  readonly #spreads = new Map<string, number>()
  #count = 0

  constructor(fold: Omit<AffectedFold, 'settings'>) {
    this.#fold = { ...fold, settings: { sliceMs: DEFAULT_SLICE_MS, tried: undefined } }
  }

  /** Cuts in the order in which they are to be restored. */
  get all(): Iterable<Cut> {
    return this.#cuts.values()
  }

  get sliceMs(): number {
    return this.#fold.settings.sliceMs
  }

  /** Number of cuts that took effect since the fold began. */
  get count(): number {
    return this.#count
  }

  /** Version of the newest change between one partition and many, by account; a change of the fold changes this map. */
  get spreads(): ReadonlyMap<string, number> {
    return this.#spreads
  }

  /** Version of an entity's cut that is in effect; 0: none is known. */
  version(kind: string, entity: string): number {
    return this.#cuts.get(cutKey({ kind, entity }))?.version ?? 0
  }

  /** Cuts of an account that keyed partitions need. */
  *ofAccount(id: string): Iterable<Cut> {
    const account = this.#fold.accounts.of(id)
    for (const cut of this.all) if (kindOf(cut).isPartOf(account, cut)) yield cut
  }

  /** @param keptOf state of the nodes of a pipeline in the checkpoint */
  *restore(cuts: readonly Cut[], sliceMs: number, keptOf: (pipeline: string) => KeptPipeline): Steps {
    const { accounts, isPassedOver, settings } = this.#fold
    settings.sliceMs = sliceMs
    for (const cut of cuts) {
      this.#put(cut)
      yield* kindOf(cut).restore(cut, { accounts, isPassedOver, keptOf })
    }
  }

  /** Forgets cuts that have no effect any more. */
  forgetEnded(timeMs: number): void {
    for (const { kind, forget } of FORGOTTEN_KINDS)
      for (const entity of forget?.(this.#fold.accounts, timeMs) ?? [])
        this.#cuts.delete(cutKey({ kind, entity }))
  }

  *apply(cut: Cut): Steps {
    const kind = kindOf(cut)
    if (kind.isPlace || kind.isOver(cut, this.#fold.timeMs())) return
    if (cut.version <= this.version(cut.kind, cut.entity)) return
    this.#put(cut)
    this.#count++
    yield* kind.apply(cut, this.#fold)
  }

  /**
   * Applies a cut that took effect in another partition. Events of a revision may still be under way here after newer
   * ones have replaced it.
   *
   * @returns whether it had an effect here
   */
  *applyForwarded(cut: Cut): Steps<boolean> {
    const isNew = cut.version > this.version(cut.kind, cut.entity)
    if (isNew) yield* this.apply(cut)
    if (isNew && cut.entity !== this.#fold.settings.tried?.id) return true
    return kindOf(cut).applyLate(cut, this.#fold) || isNew
  }

  #put(cut: Cut): void {
    this.#cuts.set(cutKey(cut), cut)
    const moved = kindOf(cut).movedAccountOf(cut)
    if (moved !== undefined) this.#spreads.set(moved, cut.version)
  }

  /** @see tryPipeline */
  tryPipeline(document: PipelineCut): void {
    tryPipeline(document, this.#fold)
  }
}
