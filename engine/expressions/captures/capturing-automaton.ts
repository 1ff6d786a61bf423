import { EDGE_BITS, Step } from '../expression-program.ts'
import type { BuildCount } from '../set-rows.ts'
import { type CapturingProgram, SAVE } from './capturing-program.ts'
import { type CharacterClass, CharacterClasses, Side, UNNUMBERED } from './character-classes.ts'

/** Bound on the memory of kept states and changes: a part for each program and for each step, and never more than a whole. */
const LEAST_CELLS = 1_024
const CELLS_PER_STEP = 64
const MAX_CELLS = 16_384
/** Units of work for a cell that is kept. */
const CELL_UNITS = 8

const LAST_EPOCH = 2 ** 30
const NO_STEPS = new Int32Array()

/** A new match begins here, in place of a thread that goes on. */
export const BEGINNING = -1
/** No thread. */
export const NOTHING = -2

/** Threads of a matching before a character, without their histories: they read on from `steps`, the first one before the others. */
export interface State {
  readonly steps: Int32Array
  /** Whether another match may begin, after all threads. */
  readonly begins: boolean
  readonly before: number
  /** Whether neither a thread nor another match can follow. */
  readonly isOver: boolean
  /** Changes by the number of the next class of characters, as far as they are known. */
  readonly changes: (Change | undefined)[]
}

/** Work at one place: threads go on to the next state, and note places. */
export interface Change {
  readonly units: number
  readonly to: State
  /** Whether all threads go on in their order and note nothing, and the search goes on. */
  readonly isPlain: boolean
  /** For each new thread the one that it comes from, or `BEGINNING`. */
  readonly sources: Int32Array
  /** Slots that each new thread notes; those of thread n end at `saveEnds[n]`. */
  readonly saves: Int32Array
  readonly saveEnds: Int32Array
  /** Thread that matches before the character, or `BEGINNING`, or `NOTHING`; its slots are the last ones of `saves`. */
  readonly match: number
}

/**
 * Threads of a capturing program. Computes the threads after a character, and keeps changes that were computed, within bounds. The
 * number of units never depends on what is kept.
 */
export class CapturingAutomaton {
  readonly program: CapturingProgram
  readonly classes: CharacterClasses
  readonly #states = new Map<string, State>()
  readonly #seenSteps: Int32Array
  readonly #seenThreads: Int32Array
  readonly #waiting: Int32Array
  readonly #waitingNotes: Int32Array
  readonly #noteBefore: Int32Array
  readonly #noteSlot: Int32Array
  readonly #noteDepth: Int32Array
  #notes = 0
  #epoch = 0
  #cells: number
  #spare: [Int32Array, Int32Array] | undefined
  /** Result of the last `compute`: number of threads, with their steps, sources and last notes. */
  count = 0
  readonly steps: Int32Array
  readonly sources: Int32Array
  readonly #threadNotes: Int32Array
  match = NOTHING
  #matchNote = NOTHING
  units = 0

  /** @param cells bound on the memory of kept changes */
  constructor(program: CapturingProgram, cells = MAX_CELLS) {
    this.program = program
    this.classes = new CharacterClasses(program.sets, program.hasEdges)
    const { size } = program
    const space = () => new Int32Array(size)
    this.#seenSteps = space()
    this.#seenThreads = space()
    this.#waiting = space()
    this.#waitingNotes = space()
    this.#noteBefore = space()
    this.#noteSlot = space()
    this.#noteDepth = space()
    this.steps = space()
    this.sources = space()
    this.#threadNotes = space()
    this.#cells = Math.min(cells, LEAST_CELLS + CELLS_PER_STEP * size)
  }

  /** State before a text. @param before side of the character before it @param isStart whether the text begins here */
  startingState(before: number, isStart: boolean): State {
    const side = this.program.hasEdges ? before : Side.NONE
    return this.#stateOf(NO_STEPS, 0, isStart || this.program.beginsAnywhere, side)
  }

  /** Change of a state at a class of characters; undefined: the state, or the class, is not kept, and `compute` does the work. */
  changeAt(state: State, next: CharacterClass, count: BuildCount): Change | undefined {
    if (next.number === UNNUMBERED) return undefined
    const known = state.changes[next.number]
    if (known !== undefined) return known
    if (this.#cells <= 0) return undefined
    this.compute(state.steps, state.steps.length, state.begins, state.before, next)
    const change = this.#keptChange(state, next)
    const cells = 8 + change.sources.length + change.saves.length
    this.#cells -= cells
    count.built += CELL_UNITS * (cells + change.units)
    state.changes[next.number] = change
    return change
  }

  /** Computes the threads after a character, in order; `steps`, `sources`, `match` and `units` are the result. */
  compute(steps: Int32Array, count: number, begins: boolean, before: number, next: CharacterClass): void {
    if (++this.#epoch > LAST_EPOCH) {
      this.#seenSteps.fill(0)
      this.#seenThreads.fill(0)
      this.#epoch = 1
    }
    this.count = 0
    this.match = NOTHING
    this.#notes = 0
    this.units = 1
    const edges = this.program.hasEdges ? edgesBetween(before, next.side) : 0
    for (let thread = 0; thread < count; thread++)
      if (this.#follow(steps[thread] as number, thread, NOTHING, edges, next.held)) return
    if (begins) this.#follow(this.program.start, BEGINNING, this.#note(NOTHING, 0), edges, next.held)
  }

  /** Whether another match may begin after the last `compute`. */
  beginsAfter(begins: boolean): boolean {
    return begins && this.match === NOTHING && this.program.beginsAnywhere
  }

  /** Slots that a new thread of the last `compute` notes, latest first. */
  *slotsOf(thread: number): Generator<number> {
    for (let note = this.#threadNotes[thread] as number; note >= 0; note = this.#noteBefore[note] as number)
      yield this.#noteSlot[note] as number
  }

  /** Slots that the match of the last `compute` notes. */
  *slotsOfMatch(): Generator<number> {
    for (let note = this.#matchNote; note >= 0; note = this.#noteBefore[note] as number)
      yield this.#noteSlot[note] as number
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

  /** Follows a thread up to the steps that read the character. @returns whether it matches: the threads after it end */
  #follow(first: number, source: number, note: number, edges: number, held: Uint8Array): boolean {
    const { kinds, next, other } = this.program
    const seenSteps = this.#seenSteps
    const epoch = this.#epoch
    let waiting = 0
    let step = first
    let last = note
    let units = 0
    for (;;) {
      units++
      let goesOn = false
      if (seenSteps[step] !== epoch) {
        seenSteps[step] = epoch
        switch (kinds[step]) {
          case Step.READ:
            if (held[other[step] as number] === 1) units += this.#come(next[step] as number, source, last)
            break
          case Step.FORK:
            this.#waiting[waiting] = other[step] as number
            this.#waitingNotes[waiting++] = last
            goesOn = true
            break
          case Step.EDGE:
            goesOn = ((other[step] as number) & edges) !== 0
            break
          case SAVE:
            last = this.#note(last, other[step] as number)
            goesOn = true
            break
          default:
            this.match = source
            this.#matchNote = last
            this.units += units + 1 + this.#depthOf(last)
            return true
        }
      }
      if (goesOn) {
        step = next[step] as number
      } else if (waiting > 0) {
        step = this.#waiting[--waiting] as number
        last = this.#waitingNotes[waiting] as number
      } else {
        this.units += units
        return false
      }
    }
  }

  /** Adds a thread, unless an earlier one is there. @returns units */
  #come(step: number, source: number, note: number): number {
    if (this.#seenThreads[step] === this.#epoch) return 0
    this.#seenThreads[step] = this.#epoch
    const thread = this.count++
    this.steps[thread] = step
    this.sources[thread] = source
    this.#threadNotes[thread] = note
    return 1 + this.#depthOf(note)
  }

  #note(before: number, slot: number): number {
    const note = this.#notes++
    this.#noteBefore[note] = before
    this.#noteSlot[note] = slot
    this.#noteDepth[note] = this.#depthOf(before) + 1
    return note
  }

  #depthOf(note: number): number {
    return note < 0 ? 0 : (this.#noteDepth[note] as number)
  }

  #keptChange(state: State, next: CharacterClass): Change {
    const { count, match, units } = this
    const saves: number[] = []
    const saveEnds = new Int32Array(count)
    let isPlain = match === NOTHING && count === state.steps.length
    for (let thread = 0; thread < count; thread++) {
      for (const slot of this.slotsOf(thread)) saves.push(slot)
      saveEnds[thread] = saves.length
      if (this.sources[thread] !== thread) isPlain = false
    }
    if (match !== NOTHING) for (const slot of this.slotsOfMatch()) saves.push(slot)
    const before = this.program.hasEdges ? next.side : Side.NONE
    const to = this.#stateOf(this.steps, count, this.beginsAfter(state.begins), before)
    return {
      units,
      to,
      isPlain: isPlain && saves.length === 0 && !to.isOver,
      sources: this.sources.slice(0, count),
      saves: Int32Array.from(saves),
      saveEnds,
      match,
    }
  }

  #stateOf(steps: Int32Array, count: number, begins: boolean, before: number): State {
    const own = steps.slice(0, count)
    const key = `${before} ${begins} ${own.join()}`
    let state = this.#states.get(key)
    if (state === undefined) {
      state = { steps: own, begins, before, isOver: count === 0 && !begins, changes: [] }
      this.#states.set(key, state)
      this.#cells -= 16 + count
    }
    return state
  }
}

function edgesBetween(before: number, after: number): number {
  const isInWord = (before === Side.WORD) === (after === Side.WORD)
  let bits = isInWord ? EDGE_BITS['no word'] : EDGE_BITS.word
  if (before === Side.NONE) bits |= EDGE_BITS['text start'] | EDGE_BITS['line start']
  if (before === Side.NEWLINE) bits |= EDGE_BITS['line start']
  if (after === Side.NONE) bits |= EDGE_BITS['text end'] | EDGE_BITS['line end']
  if (after === Side.RETURN || (after === Side.NEWLINE && before !== Side.RETURN))
    bits |= EDGE_BITS['line end']
  return bits
}
