import type { BuildCount } from '../set-rows.ts'
import type { ListedChanges } from './capture-history.ts'
import type { CapturingProgram } from './capturing-program.ts'
import { type CharacterClass, CharacterClasses, Side, UNNUMBERED } from './character-classes.ts'
import { type Change, KeptChanges, type State, UNKNOWN } from './kept-changes.ts'
import { NextThreads, NOTHING } from './next-threads.ts'

/** Bound on the memory of kept states and changes: a part for each program and for each step, and never more than a whole. */
const LEAST_CELLS = 1_024
const CELLS_PER_STEP = 64
const MAX_CELLS = 16_384
/** Characters that are read before the memory can be used again: filling it takes less time than they. */
const CHARACTERS_PER_MEMORY = 1_000_000
/** Writing as many takes less than a millisecond. */
const MAX_LISTED_PLACES = 16_384
/** Units of work for a cell that is kept. */
const CELL_UNITS = 8

const NO_STEPS = new Int32Array()

/** Bounds that change neither results nor units. */
export interface AutomatonBounds {
  /** Memory of kept states and changes, in numbers. */
  readonly cells?: number
  /** Characters that are read before full memory is cleared. */
  readonly charactersPerMemory?: number
  /** Most changes that a search lists, before it writes them as notes. */
  readonly listedPlaces?: number
}

/**
 * Threads of a capturing program. Computes the threads after a character, and keeps changes that were computed, within bounds. The
 * number of units never depends on the kept captures.
 */
export class CapturingAutomaton {
  readonly program: CapturingProgram
  /** Computes the threads after a character. */
  readonly threads: NextThreads
  readonly classes: CharacterClasses
  readonly listedPlaces: number
  /** Changes for new searches. Those that have begun go on with theirs. */
  #kept = new KeptChanges()
  #cells: number
  readonly #allCells: number
  readonly #charactersPerMemory: number
  /** Characters that were read since the memory was empty. */
  #read = 0
  #spare: [Int32Array, Int32Array] | undefined
  #spareList: ListedChanges | undefined

  constructor(
    program: CapturingProgram,
    {
      cells = MAX_CELLS,
      charactersPerMemory = CHARACTERS_PER_MEMORY,
      listedPlaces = MAX_LISTED_PLACES,
    }: AutomatonBounds = {},
  ) {
    this.program = program
    this.listedPlaces = listedPlaces
    this.#charactersPerMemory = charactersPerMemory
    this.classes = new CharacterClasses(program.sets, program.hasEdges)
    this.threads = new NextThreads(program)
    this.#allCells = Math.min(cells, LEAST_CELLS + CELLS_PER_STEP * program.size)
    this.#cells = this.#allCells
  }

  get kept(): KeptChanges {
    return this.#kept
  }

  /** State before a text. @param before side of the character before it @param isStart whether the text begins here */
  startingState(before: number, isStart: boolean): State {
    const kept = this.#kept
    const side = this.program.hasEdges ? before : Side.NONE
    const begins = isStart || this.program.beginsAnywhere
    const number = 2 * side + (begins ? 1 : 0)
    let state = kept.starting[number]
    if (state === undefined) {
      state = this.#stateOf(kept, NO_STEPS, begins, side)
      kept.starting[number] = state
    }
    return state
  }

  /** Change of a state at a class of characters; undefined: the state, or the class, is not kept, and `compute` does the work. */
  changeAt(kept: KeptChanges, state: State, next: CharacterClass, count: BuildCount): Change | undefined {
    if (next.number === UNNUMBERED) return undefined
    const known = kept.numberOf(state, next.number)
    if (known !== UNKNOWN) return kept.change(known)
    if (this.#cells <= 0) return undefined
    this.threads.compute(state.steps, state.steps.length, state.begins, state.before, next)
    const change = this.#changeOf(kept, state, next)
    const cells = 8 + change.sources.length + change.saves.length
    this.#cells -= cells
    count.built += CELL_UNITS * (cells + change.units)
    kept.keep(state, next.number, change)
    return change
  }

  /** A list for the changes of a search. */
  takeList(): ListedChanges {
    const spare = this.#spareList
    this.#spareList = undefined
    return spare ?? { places: [], changes: [] }
  }

  /**
   * Takes the list back. Begins anew once the memory for kept changes is used up, and long texts have been read since then:
   * unusual texts must not make later ones slow for ever.
   *
   * @param characters number of characters that the search has read
   */
  endSearch(list: ListedChanges, characters: number): void {
    this.#spareList = list
    this.#read += characters
    if (this.#cells > 0 || this.#read < this.#charactersPerMemory) return
    this.#kept = new KeptChanges()
    this.#cells = this.#allCells
    this.#read = 0
  }

  /** Two lists of steps for a matching whose states are not kept. */
  takeSpace(): [Int32Array, Int32Array] {
    const spare = this.#spare
    this.#spare = undefined
    return spare ?? [new Int32Array(this.program.size), new Int32Array(this.program.size)]
  }

  giveBack(space: [Int32Array, Int32Array]): void {
    this.#spare = space
  }

  #changeOf(kept: KeptChanges, state: State, next: CharacterClass): Change {
    const { threads } = this
    const { count, match, sources, units } = threads
    const saves: number[] = []
    const saveEnds = new Int32Array(count)
    let isPlain = match === NOTHING && count === state.steps.length
    for (let thread = 0; thread < count; thread++) {
      threads.addSlots(threads.threadNotes[thread] as number, saves)
      saveEnds[thread] = saves.length
      if (sources[thread] !== thread) isPlain = false
    }
    if (match !== NOTHING) threads.addSlots(threads.matchNote, saves)
    const before = this.program.hasEdges ? next.side : Side.NONE
    const steps = threads.steps.subarray(0, count)
    const to = this.#stateOf(kept, steps, threads.beginsAfter(state.begins), before)
    return {
      units,
      to,
      isPlain: isPlain && saves.length === 0 && !to.isOver,
      sources: sources.slice(0, count),
      saves: Int32Array.from(saves),
      saveEnds,
      match,
    }
  }

  #stateOf(kept: KeptChanges, steps: Int32Array, begins: boolean, before: number): State {
    const key = `${before} ${begins} ${steps.join()}`
    const known = kept.knownState(key)
    if (known !== undefined) return known
    this.#cells -= 16 + steps.length
    return kept.addState(key, { steps: steps.slice(), begins, before })
  }
}
