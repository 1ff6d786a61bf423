import type { CountedWork } from '../counted-work.ts'
import { ASCII_SIZE, type BuildCount, NEWLINE } from '../set-rows.ts'
import {
  BEGINNING,
  type CapturingAutomaton,
  type Change,
  NOTHING,
  type State,
} from './capturing-automaton.ts'
import { type CharacterClass, Side } from './character-classes.ts'

const RETURN = 0x0d
/** Units for beginning with a text, and for a character beyond ASCII. */
const START_UNITS = 32
const OTHER_UNITS = 8
/** Numbers of a note in the list of notes: the note before it, the slot and the place. */
const NOTE_SIZE = 3

/** Places of a match in its text, in UTF-16 units: start and end of group n at 2n and 2n + 1, -1 where it took no part. Group 0 is the match. */
export type Captures = Int32Array

export interface SearchOptions {
  /** Place at which the search begins; edges see the characters before it. */
  readonly from?: number
  /** Whether a carriage return and a line feed end a line together, where the ends of lines are edges. */
  readonly crlf?: boolean
}

/**
 * Searches one text for the first match of a capturing program, and counts units of work. The count depends only on the program and
 * the text. Of several matches at the leftmost place the one that the order of the program prefers is found.
 */
export class CountedCaptures implements CountedWork<Captures | null>, BuildCount {
  units = START_UNITS
  built = 0
  readonly #automaton: CapturingAutomaton
  readonly #text: string
  readonly #crlf: boolean
  #at: number
  /** Present state; undefined: the state is not kept, and its parts are in the next members. */
  #state: State | undefined
  #space: [Int32Array, Int32Array] | undefined
  #count = 0
  #begins = false
  #before: number = Side.NONE
  /** Last note of each thread. */
  #histories: number[] = []
  #nextHistories: number[] = []
  readonly #notes: number[] = []
  #matchNote = NOTHING
  #matchEnd = -1
  /** Characters beyond ASCII of this text that were looked up. */
  #met: Set<number> | undefined
  #result: Captures | null | undefined

  constructor(automaton: CapturingAutomaton, text: string, { from = 0, crlf = false }: SearchOptions = {}) {
    this.#automaton = automaton
    this.#text = text
    this.#crlf = crlf
    this.#at = from
    this.#state = automaton.startingState(this.#sideBefore(from), from === 0)
  }

  get characters(): number {
    return this.#text.length
  }

  get work(): number {
    return this.units + this.built
  }

  /** @returns the captures, null without a match, undefined when the units are used up */
  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): Captures | null | undefined {
    if (this.#result !== undefined) return this.#result
    const text = this.#text
    const { length } = text
    for (;;) {
      this.#pass(untilUnits, untilWork)
      if (this.#isOver()) break
      if (this.units >= untilUnits || this.work >= untilWork) return undefined
      const at = this.#at
      const next = at < length ? this.#classAt(at) : this.#automaton.classes.end
      const state = this.#state
      const change = state && this.#automaton.changeAt(state, next, this)
      if (change === undefined) {
        this.#compute(next)
      } else {
        this.units += change.units
        if (!change.isPlain) this.#apply(change)
        this.#state = change.to
      }
      if (at >= length || this.#isOver()) break
      this.#at = at + ((text.codePointAt(at) as number) > 0xffff ? 2 : 1)
    }
    this.end()
    return this.#result
  }

  end(): void {
    if (this.#result !== undefined) return
    this.#result = this.#matchEnd < 0 ? null : this.#captures()
    if (this.#space !== undefined) this.#automaton.giveBack(this.#space)
    this.#space = undefined
  }

  #isOver(): boolean {
    return this.#state === undefined ? this.#count === 0 && !this.#begins : this.#state.isOver
  }

  /** Reads ASCII characters as long as the changes at them are kept. */
  #pass(untilUnits: number, untilWork: number): void {
    let state = this.#state
    if (state === undefined) return
    const text = this.#text
    const { length } = text
    const { asciiNumbers } = this.#automaton.classes
    const crlf = this.#crlf
    const until = Math.min(untilUnits, untilWork - this.built)
    let { units } = this
    let at = this.#at
    while (at < length && units < until) {
      const code = text.charCodeAt(at)
      if (code >= ASCII_SIZE || (crlf && code === RETURN)) break
      const number = asciiNumbers[code] as number
      if (number < 0) break
      const change: Change | undefined = state.changes[number]
      if (change === undefined) break
      units += change.units
      state = change.to
      if (!change.isPlain) {
        this.#at = at
        this.#apply(change)
        if (state.isOver) break
      }
      at++
    }
    this.units = units
    this.#state = state
    this.#at = at
  }

  #classAt(at: number): CharacterClass {
    const text = this.#text
    const { classes } = this.#automaton
    const code = text.charCodeAt(at)
    if (code >= ASCII_SIZE) return this.#classOfOther(text.codePointAt(at) as number)
    if (this.#crlf && code === RETURN && text.charCodeAt(at + 1) === NEWLINE) return classes.ofReturn(this)
    return classes.ofAscii(code, this)
  }

  /** Does the work at one place without keeping it. */
  #compute(next: CharacterClass): void {
    const automaton = this.#automaton
    const state = this.#state
    if (state !== undefined) {
      this.#space ??= automaton.takeSpace()
      this.#space[0].set(state.steps)
      this.#count = state.steps.length
      this.#begins = state.begins
      this.#before = state.before
      this.#state = undefined
    }
    const space = this.#space as [Int32Array, Int32Array]
    automaton.compute(space[0], this.#count, this.#begins, this.#before, next)
    const { count, match, sources, steps } = automaton
    this.units += automaton.units
    const histories = this.#histories
    const following = this.#nextHistories
    if (match !== NOTHING) {
      let note = match === BEGINNING ? NOTHING : (histories[match] as number)
      for (const slot of automaton.slotsOfMatch()) note = this.#note(note, slot)
      this.#matchNote = note
      this.#matchEnd = this.#at
    }
    for (let thread = 0; thread < count; thread++) {
      const source = sources[thread] as number
      let note = source === BEGINNING ? NOTHING : (histories[source] as number)
      for (const slot of automaton.slotsOf(thread)) note = this.#note(note, slot)
      following[thread] = note
      space[1][thread] = steps[thread] as number
    }
    this.#begins = automaton.beginsAfter(this.#begins)
    this.#before = automaton.program.hasEdges ? next.side : Side.NONE
    this.#count = count
    this.#space = [space[1], space[0]]
    this.#histories = following
    this.#nextHistories = histories
  }

  #apply({ sources, saves, saveEnds, match }: Change): void {
    const histories = this.#histories
    const following = this.#nextHistories
    let save = 0
    const { length } = sources
    for (let thread = 0; thread < length; thread++) {
      const source = sources[thread] as number
      let note = source === BEGINNING ? NOTHING : (histories[source] as number)
      const end = saveEnds[thread] as number
      for (; save < end; save++) note = this.#note(note, saves[save] as number)
      following[thread] = note
    }
    if (match !== NOTHING) {
      let note = match === BEGINNING ? NOTHING : (histories[match] as number)
      for (; save < saves.length; save++) note = this.#note(note, saves[save] as number)
      this.#matchNote = note
      this.#matchEnd = this.#at
    }
    this.#histories = following
    this.#nextHistories = histories
  }

  #note(before: number, slot: number): number {
    const notes = this.#notes
    const note = notes.length
    notes.push(before, slot, this.#at)
    return note
  }

  #captures(): Captures {
    const captures = new Int32Array(this.#automaton.program.slots).fill(-1)
    captures[1] = this.#matchEnd
    const notes = this.#notes
    for (let note = this.#matchNote; note >= 0; note = notes[note] as number) {
      const slot = notes[note + 1] as number
      if (captures[slot] === -1) captures[slot] = notes[note + NOTE_SIZE - 1] as number
    }
    return captures
  }

  #classOfOther(codePoint: number): CharacterClass {
    const { classes } = this.#automaton
    this.units += OTHER_UNITS
    if (classes.lookupUnits > 0) {
      this.#met ??= new Set()
      if (!this.#met.has(codePoint)) {
        this.#met.add(codePoint)
        this.units += OTHER_UNITS + classes.lookupUnits
      }
    }
    return classes.ofOther(codePoint, this)
  }

  #sideBefore(at: number): number {
    if (at === 0) return Side.NONE
    const text = this.#text
    const code = text.charCodeAt(at - 1)
    if (this.#crlf && code === RETURN && text.charCodeAt(at) === NEWLINE) return Side.RETURN
    return this.#automaton.classes.sideOf(code)
  }
}
