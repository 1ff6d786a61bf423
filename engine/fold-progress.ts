import type { Steps } from './steps.ts'

/** Names of a place that may be shown to people: a partition, or a node of a revision. */
export type PlaceNames = Readonly<Record<string, string | number>>

/** A place where a fold can be. Its number stands for its names in shared memory; 0: it has none yet. */
export class ProgressPlace {
  readonly names: PlaceNames
  number = 0

  constructor(names: PlaceNames) {
    this.names = names
  }
}

/** Watches the work of folds. An observer may look at a clock, since nothing that it finds comes back to a fold. */
export interface ProgressObserver {
  /** Receives the names of a place before its number is used. */
  named(number: number, names: PlaceNames): void
  /**
   * Is called where a node takes its turn or ends it, and at the ends of the stretches into which its turn is cut.
   *
   * @param fold number of the fold that has worked since the last call; 0: none has
   * @param node number of the node that has had its turn since then; 0: none has
   */
  moves(fold: number, node: number, offset: number): void
}

/** Bytes of the shared memory. */
export const PROGRESS_BYTES = 24
/**
 * 32-bit cells of the shared memory: number of the present stretch, place of its fold (0: no fold works), place of the node (0: none),
 * 1 for a record that was processed before.
 */
export const STRETCH_CELL = 0
export const FOLD_CELL = 1
export const NODE_CELL = 2
export const REPEAT_CELL = 3
/** Place of the present record's offset among the 64-bit cells. */
export const OFFSET_CELL = 2

/**
 * Writes where the folds of this process are into memory that a watchdog reads in another thread. Nothing reads it in this
 * thread, so it has no effect on the results. A process has one thread that folds, hence one progress.
 */
export class FoldProgress {
  #cells: Int32Array | undefined
  #offsets: Float64Array = new Float64Array(0)
  #observer: ProgressObserver | undefined
  /** Places by their names: revisions are compiled again and again. */
  readonly #known = new Map<string, { readonly number: number; readonly names: PlaceNames }>()

  /** Writes into that memory, of `PROGRESS_BYTES`, from now on. @returns a function that ends this */
  attach(memory: ArrayBufferLike, observer: ProgressObserver): () => void {
    this.#cells = new Int32Array(memory)
    this.#offsets = new Float64Array(memory)
    this.#observer = observer
    for (const { number, names } of this.#known.values()) observer.named(number, names)
    return () => {
      this.#cells = undefined
      this.#observer = undefined
    }
  }

  /** Notes that a node takes its turn. */
  enter(node: ProgressPlace): void {
    const cells = this.#cells
    if (cells === undefined) return
    this.#move(cells)
    cells[NODE_CELL] = node.number || this.#register(node)
  }

  /** Notes that the last of the nodes has had its turn. */
  leave(): void {
    const cells = this.#cells
    if (cells === undefined) return
    this.#move(cells)
    cells[NODE_CELL] = 0
  }

  /**
   * Does the work of a fold on one record; its stretches are watched.
   *
   * @param isRepeat whether the record was processed before, so that no quarantine of it is possible
   */
  watched<Result>(
    fold: ProgressPlace,
    offset: bigint,
    steps: Steps<Result>,
    isRepeat = false,
  ): Steps<Result> {
    return this.#cells === undefined ? steps : this.#watching(fold, offset, steps, isRepeat)
  }

  *#watching<Result>(
    fold: ProgressPlace,
    offset: bigint,
    steps: Steps<Result>,
    isRepeat: boolean,
  ): Steps<Result> {
    // Other folds may work between two stretches of this one.
    let node = 0
    for (;;) {
      this.#begin(fold, offset, node, isRepeat)
      let step: IteratorResult<undefined, Result>
      try {
        step = steps.next()
      } finally {
        node = this.#end()
      }
      if (step.done) return step.value
      yield
    }
  }

  #begin(fold: ProgressPlace, offset: bigint, node: number, isRepeat: boolean): void {
    const cells = this.#cells
    if (cells === undefined) return
    if (node !== 0) this.#move(cells)
    this.#offsets[OFFSET_CELL] = Number(offset)
    cells[NODE_CELL] = node
    cells[REPEAT_CELL] = isRepeat ? 1 : 0
    cells[STRETCH_CELL] = (cells[STRETCH_CELL] as number) + 1
    cells[FOLD_CELL] = fold.number || this.#register(fold)
  }

  /** @returns place of the node that had its turn last */
  #end(): number {
    const cells = this.#cells
    if (cells === undefined) return 0
    const node = cells[NODE_CELL] as number
    if (node !== 0) this.#move(cells)
    cells[FOLD_CELL] = 0
    return node
  }

  #move(cells: Int32Array): void {
    this.#observer?.moves(
      cells[FOLD_CELL] as number,
      cells[NODE_CELL] as number,
      this.#offsets[OFFSET_CELL] as number,
    )
  }

  #register(place: ProgressPlace): number {
    const key = JSON.stringify(place.names)
    let known = this.#known.get(key)
    if (known === undefined) {
      known = { number: this.#known.size + 1, names: place.names }
      this.#known.set(key, known)
      this.#observer?.named(known.number, known.names)
    }
    place.number = known.number
    return known.number
  }
}

/** Progress of the folds of this process. */
export const foldProgress = new FoldProgress()
