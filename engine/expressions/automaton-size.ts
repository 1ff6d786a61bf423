import { closureOf, EDGE_BITS, type ExpressionProgram, Step } from './expression-program.ts'
import { ASCII_SIZE, isWord, NEWLINE } from './set-rows.ts'

/** Maximum work on the changes of an automaton: a part for each expression and for each step, and never more than a whole. */
const LEAST_WORK = 512
const WORK_PER_STEP = 64
const MAX_WORK = 4_096
/** Maximum number of questions whether a set contains a character. */
const MAX_LOOKUPS = 10_000
/** Maximum number of sets of which only a table could tell which characters beyond ASCII they contain. */
const MAX_OPEN_SETS = 3
/** Cost in units of a question, and of a step that is reached. */
const UNITS_PER_LOOKUP = 4
const UNITS_PER_WORK = 16

const LINE_EDGES = EDGE_BITS['line start'] | EDGE_BITS['line end']
const WORD_EDGES = EDGE_BITS.word | EDGE_BITS['no word']

/** Character before or after a place, as far as edges distinguish it. */
const Side = { NONE: 0, OTHER: 1, NEWLINE: 2, WORD: 3 } as const

/** Characters that no set and no edge of the program distinguishes. */
interface CharacterClass {
  /** One byte per set number: 1 if the set contains the characters. */
  readonly held: Uint8Array
  readonly side: number
}

interface State {
  /** Steps at which the program is after the last character. */
  readonly steps: readonly number[]
  readonly before: number
}

/** Work that a deterministic automaton of a program takes for all texts together. */
export interface AutomatonSize {
  /** Steps in all states, times the classes of characters; undefined: more than an expression may have. */
  readonly work: number | undefined
  /** Cost of computing this, in units. */
  readonly units: number
}

/**
 * Computes how many states and changes a deterministic automaton of the program has, by building it up to a small size.
 * A library soon knows all states of such an automaton, and then reads each character in constant time. It may have
 * four times as many states if the expression has edges. The library then also distinguishes the characters before
 * places where no edge asks for them. With more states, texts exist that lead to a new state with each character, at
 * many times the cost of a step.
 */
export function automatonSize(program: ExpressionProgram): AutomatonSize {
  return new AutomatonCount(program).count()
}

class AutomatonCount {
  readonly #program: ExpressionProgram
  readonly #edges: number
  #lookups = 0
  #work = 0

  constructor(program: ExpressionProgram) {
    this.#program = program
    const { kinds, other, size } = program
    let edges = 0
    for (let step = 0; step < size; step++) if (kinds[step] === Step.EDGE) edges |= other[step] as number
    this.#edges = edges
  }

  count(): AutomatonSize {
    const classes = this.#classes()
    const isSmall = classes !== undefined && this.#isSmall(classes)
    const units = UNITS_PER_LOOKUP * this.#lookups + UNITS_PER_WORK * this.#work
    return { work: isSmall ? this.#work : undefined, units }
  }

  #isSmall(classes: readonly CharacterClass[]): boolean {
    const { next, other, size } = this.#program
    const most = Math.min(MAX_WORK, LEAST_WORK + WORK_PER_STEP * size)
    const states = new Map<string, State>([['', { steps: [], before: Side.NONE }]])
    // The map grows while it is iterated, in insertion order.
    for (const { steps, before } of states.values()) {
      const readsByEdges = new Map<number, readonly number[]>()
      for (const { held, side } of classes) {
        const edges = this.#edgesBetween(before, side)
        let reads = readsByEdges.get(edges)
        if (reads === undefined) {
          reads = this.#readsAfter(steps, edges)
          readsByEdges.set(edges, reads)
        }
        this.#work += reads.length + 1
        if (this.#work > most) return false
        const reached = new Set<number>()
        for (const step of reads) if (held[other[step] as number] === 1) reached.add(next[step] as number)
        const following = [...reached].sort((left, right) => left - right)
        const key = `${side} ${following.join()}`
        if (!states.has(key)) states.set(key, { steps: following, before: side })
      }
    }
    return true
  }

  /** @returns steps that read the next character; none if the expression matches before it */
  #readsAfter(steps: readonly number[], edges: number): readonly number[] {
    const { reads, isMatch, size } = closureOf(this.#program, [...steps, this.#program.start], edges)
    this.#work += size
    return isMatch ? [] : reads
  }

  #edgesBetween(before: number, after: number): number {
    const isInWord = (before === Side.WORD) === (after === Side.WORD)
    let bits = isInWord ? EDGE_BITS['no word'] : EDGE_BITS.word
    if (before === Side.NONE) bits |= EDGE_BITS['text start'] | EDGE_BITS['line start']
    if (before === Side.NEWLINE) bits |= EDGE_BITS['line start']
    if (after === Side.NEWLINE) bits |= EDGE_BITS['line end']
    return bits & this.#edges
  }

  /** @returns undefined when there are too many to compute */
  #classes(): CharacterClass[] | undefined {
    const { sets } = this.#program
    const characters = new Set(Array.from({ length: ASCII_SIZE + 1 }, (_, code) => code))
    const openSets: number[] = []
    for (const [number, set] of sets.entries()) {
      const borders = set.borders()
      if (borders === undefined) openSets.push(number)
      else for (const border of borders) characters.add(border)
      if (openSets.length > MAX_OPEN_SETS || sets.length * characters.size > MAX_LOOKUPS) return undefined
    }
    this.#lookups = sets.length * characters.size
    const classes = new Map<string, CharacterClass>()
    for (const character of characters) {
      const held = Uint8Array.from(sets, set => (set.has(character) ? 1 : 0))
      const side = this.#sideOf(character)
      // Open sets may contain characters beyond ASCII in any combination.
      const combinations = character < ASCII_SIZE ? 1 : 2 ** openSets.length
      for (let combination = 0; combination < combinations; combination++) {
        const row = Uint8Array.from(held)
        if (combinations > 1)
          for (const [bit, number] of openSets.entries()) row[number] = (combination >> bit) & 1
        classes.set(`${side} ${row.join('')}`, { held: row, side })
      }
    }
    return [...classes.values()]
  }

  #sideOf(character: number): number {
    if (character === NEWLINE && (this.#edges & LINE_EDGES) !== 0) return Side.NEWLINE
    return isWord(character) && (this.#edges & WORD_EDGES) !== 0 ? Side.WORD : Side.OTHER
  }
}
