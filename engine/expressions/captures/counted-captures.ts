import type { CountedWork } from '../counted-work.ts'
import { ASCII_SIZE, type BuildCount, NEWLINE } from '../set-rows.ts'
import { CaptureHistory, type Captures } from './capture-history.ts'
import type { CapturingAutomaton } from './capturing-automaton.ts'
import { type CharacterClass, Side } from './character-classes.ts'
import { type Change, type KeptChanges, type State, UNKNOWN } from './kept-changes.ts'
import { NOTHING } from './next-threads.ts'

const RETURN = 0x0d
/** Units for beginning with a text, and for a character beyond ASCII. */
const START_UNITS = 32
const OTHER_UNITS = 8
/** Binary logarithm of the characters that are compared per unit in the search for a text. */
const COMPARED_BITS = 4
/** Most units of changes that are listed before they are written as notes: this takes less than a millisecond. */
const MAX_LISTED_UNITS = 100_000

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
  readonly #kept: KeptChanges
  readonly #text: string
  readonly #crlf: boolean
  #at: number
  /** Present state; undefined: the state is not kept, and its parts are in the next members. */
  #state: State | undefined
  #space: [Int32Array, Int32Array] | undefined
  #count = 0
  #begins = false
  #before: number = Side.NONE
  readonly #history: CaptureHistory
  /** Units at which the first listed change began. */
  #listedFrom = START_UNITS
  /** Characters beyond ASCII of this text that were looked up. */
  #met: Set<number> | undefined
  #result: Captures | null | undefined

  constructor(automaton: CapturingAutomaton, text: string, { from = 0, crlf = false }: SearchOptions = {}) {
    this.#automaton = automaton
    this.#kept = automaton.kept
    this.#text = text
    this.#crlf = crlf
    this.#at = from
    this.#history = new CaptureHistory(from, automaton.takeList())
    this.#state = automaton.startingState(this.#sideBefore(from), from === 0)
    if (!this.#holdsRequired(from)) this.end()
  }

  /** Looks for the text that each match contains. */
  #holdsRequired(from: number): boolean {
    const { required } = this.#automaton.program
    if (required === '') return true
    const text = this.#text
    const place = text.indexOf(required, from)
    const searched = (place < 0 ? text.length : place) - from
    this.units += 1 + ((searched * required.length) >> COMPARED_BITS)
    return place >= 0
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
      this.#readOne()
      if (this.#at > length || this.#isOver()) break
    }
    this.end()
    return this.#result
  }

  end(): void {
    if (this.#result !== undefined) return
    this.#result = this.#history.captures(this.#automaton.program.slots)
    this.#automaton.endSearch(this.#history.list, this.#at)
    if (this.#space !== undefined) this.#automaton.giveBack(this.#space)
    this.#space = undefined
  }

  #isOver(): boolean {
    return this.#state === undefined ? this.#count === 0 && !this.#begins : this.#state.isOver
  }

  /** Reads ASCII characters as long as the changes at them are kept. */
  #pass(untilUnits: number, untilWork: number): void {
    if (this.#state === undefined) return
    const text = this.#text
    const history = this.#history
    const { places, changes } = history.list
    const { classes, listedPlaces } = this.#automaton
    const { asciiNumbers } = classes
    const kept = this.#kept
    const { table, classBits, units: unitsOf, targets, marks } = kept
    const classCount = 1 << classBits
    const crlf = this.#crlf
    const until = Math.min(untilUnits, untilWork - this.built, this.#listedFrom + MAX_LISTED_UNITS)
    const end = text.length
    let state = this.#state.number
    let { units } = this
    let at = this.#at
    while (at < end && units < until) {
      const code = text.charCodeAt(at)
      if (code >= ASCII_SIZE || (crlf && code === RETURN)) break
      const number = asciiNumbers[code] as number
      if (number < 0 || number >= classCount) break
      const change = table[(state << classBits) | number] as number
      if (change === UNKNOWN) break
      units += unitsOf[change] as number
      state = targets[change] as number
      at++
      if (marks[change] === 0) continue
      const unusual = kept.change(change)
      places[history.count] = at - 1
      changes[history.count++] = unusual
      if (unusual.match !== NOTHING) history.matchEnd = at - 1
      if (unusual.to.isOver) break
      if (unusual.to.steps.length === 0) {
        history.count = 0
        history.from = at
        this.#listedFrom = units
      } else if (history.count >= listedPlaces) break
    }
    this.units = units
    this.#state = kept.state(state)
    this.#at = at
    if (history.count >= listedPlaces || units - this.#listedFrom >= MAX_LISTED_UNITS) this.#writeListed()
  }

  #writeListed(): void {
    this.#history.writeUntil(this.#at)
    this.#listedFrom = this.units
  }

  /** Reads a character, or the end of the text. */
  #readOne(): void {
    const text = this.#text
    const at = this.#at
    const isEnd = at >= text.length
    const isPair = !isEnd && (text.codePointAt(at) as number) > 0xffff
    const state = this.#state
    const next = isEnd ? this.#automaton.classes.end : this.#classAt(at)
    const change = state && this.#automaton.changeAt(this.#kept, state, next, this)
    const behind = at + (isPair ? 2 : 1)
    if (change === undefined) {
      this.#compute(next, behind)
    } else {
      this.units += change.units
      this.#state = change.to
      if (!change.isPlain) this.#list(change, at)
    }
    this.#at = behind
  }

  #list(change: Change, at: number): void {
    const history = this.#history
    const { places, changes } = history.list
    places[history.count] = at
    changes[history.count++] = change
    if (change.match !== NOTHING) history.matchEnd = at
  }

  #classAt(at: number): CharacterClass {
    const text = this.#text
    const { classes } = this.#automaton
    const code = text.charCodeAt(at)
    if (code >= ASCII_SIZE) return this.#classOfOther(text.codePointAt(at) as number)
    if (this.#crlf && code === RETURN && text.charCodeAt(at + 1) === NEWLINE) return classes.ofReturn(this)
    return classes.ofAscii(code, this)
  }

  /** Does the work at one place without keeping it. @param behind the next place */
  #compute(next: CharacterClass, behind: number): void {
    const automaton = this.#automaton
    const { threads } = automaton
    const state = this.#state
    if (state !== undefined) {
      this.#writeListed()
      this.#space ??= automaton.takeSpace()
      this.#space[0].set(state.steps)
      this.#count = state.steps.length
      this.#begins = state.begins
      this.#before = state.before
      this.#state = undefined
    }
    const space = this.#space as [Int32Array, Int32Array]
    threads.compute(space[0], this.#count, this.#begins, this.#before, next)
    const { count, steps } = threads
    this.units += threads.units
    this.#history.writeComputed(threads, behind)
    for (let thread = 0; thread < count; thread++) space[1][thread] = steps[thread] as number
    this.#begins = threads.beginsAfter(this.#begins)
    this.#before = automaton.program.hasEdges ? next.side : Side.NONE
    this.#count = count
    this.#space = [space[1], space[0]]
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
