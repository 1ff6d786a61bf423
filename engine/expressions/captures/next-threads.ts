import { EDGE_BITS, Step } from '../expression-program.ts'
import { type CapturingProgram, SAVE } from './capturing-program.ts'
import { type CharacterClass, Side } from './character-classes.ts'
import { MatchBeginnings } from './match-beginnings.ts'

/** Binary logarithm of the beginnings that are looked at per unit. */
const LOOKED_AT_BITS = 3

const LAST_EPOCH = 2 ** 30
/** A new match begins here, in place of a thread that goes on. */
export const BEGINNING = -1
/** Mark of a place without a thread. */
export const NOTHING = -2

/**
 * Computes the threads of a capturing program after a character. Threads have an order, in which the first one that matches decides. The
 * result of the last computation is in the members.
 */
export class NextThreads {
  readonly #beginnings: MatchBeginnings | undefined
  readonly #seenSteps: Int32Array
  readonly #seenThreads: Int32Array
  readonly #waiting: Int32Array
  readonly #waitingNotes: Int32Array
  readonly #noteDepth: Int32Array
  #notes = 0
  #epoch = 0
  readonly #program: CapturingProgram
  /** Result of the last `compute`: number of threads, with their steps, sources and last notes. A note has the one before it, and a slot. */
  count = 0
  readonly noteBefore: Int32Array
  readonly noteSlot: Int32Array
  readonly steps: Int32Array
  readonly sources: Int32Array
  readonly threadNotes: Int32Array
  match = NOTHING
  matchNote = NOTHING
  units = 0

  constructor(program: CapturingProgram) {
    this.#program = program
    this.#beginnings = MatchBeginnings.of(program)
    const { size } = program
    const space = () => new Int32Array(size)
    const noteSpace = () => new Int32Array(size + (this.#beginnings?.mostNotes ?? 0))
    this.#seenSteps = space()
    this.#seenThreads = space()
    this.#waiting = space()
    this.#waitingNotes = space()
    this.noteBefore = noteSpace()
    this.noteSlot = noteSpace()
    this.#noteDepth = noteSpace()
    this.steps = space()
    this.sources = space()
    this.threadNotes = space()
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
    const edges = this.#program.hasEdges ? edgesBetween(before, next.side) : 0
    for (let thread = 0; thread < count; thread++)
      if (this.#follow(steps[thread] as number, thread, NOTHING, edges, next.held)) return
    if (begins) this.#begin(edges, next.held)
  }

  /** Whether another match may begin after the last `compute`. */
  beginsAfter(begins: boolean): boolean {
    return begins && this.match === NOTHING && this.#program.beginsAnywhere
  }

  /** @param last note @param slots receives its slot, and those of the notes before it */
  addSlots(last: number, slots: number[]): void {
    for (let note = last; note >= 0; note = this.noteBefore[note] as number)
      slots.push(this.noteSlot[note] as number)
  }

  /** Adds threads for a match that begins here. */
  #begin(edges: number, held: Uint8Array): void {
    if (this.#beginnings === undefined) {
      this.#follow(this.#program.start, BEGINNING, this.#note(NOTHING, 0), edges, held)
      return
    }
    const beginnings = this.#beginnings.at(edges)
    this.units += 1 + (beginnings.length >> LOOKED_AT_BITS)
    for (const { set, next, slots } of beginnings) {
      if (held[set] !== 1) continue
      this.units++
      if (this.#seenThreads[next] === this.#epoch) continue
      let note = NOTHING
      for (const slot of slots) note = this.#note(note, slot)
      this.units += this.#come(next, BEGINNING, note)
    }
  }

  /** Follows a thread up to the steps that read the character. @returns whether it matches: the threads after it end */
  #follow(first: number, source: number, note: number, edges: number, held: Uint8Array): boolean {
    const { kinds, next, other } = this.#program
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
            this.matchNote = last
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
    this.threadNotes[thread] = note
    return 1 + this.#depthOf(note)
  }

  #note(before: number, slot: number): number {
    const note = this.#notes++
    this.noteBefore[note] = before
    this.noteSlot[note] = slot
    this.#noteDepth[note] = this.#depthOf(before) + 1
    return note
  }

  #depthOf(note: number): number {
    return note < 0 ? 0 : (this.#noteDepth[note] as number)
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
