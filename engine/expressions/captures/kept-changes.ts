/** Threads of a matching before a character, without their histories: they read on from `steps`, the first one before the others. */
export interface State {
  /** Number among the kept states. */
  readonly number: number
  readonly steps: Int32Array
  /** Whether another match may begin, after all threads. */
  readonly begins: boolean
  readonly before: number
  /** Whether neither a thread nor another match can follow. */
  readonly isOver: boolean
}

/** Work at one place: threads go on to the next state, and note places. */
export interface Change {
  readonly units: number
  readonly to: State
  /** Whether all threads go on in their order, note nothing and none matches, and the search goes on. */
  readonly isPlain: boolean
  /** The thread from which each new one comes, or `BEGINNING`. */
  readonly sources: Int32Array
  /** Slots that each new thread notes; those of thread n end at `saveEnds[n]`. */
  readonly saves: Int32Array
  readonly saveEnds: Int32Array
  /** Thread that matches before the character, or `BEGINNING`, or `NOTHING`; its slots are the last ones of `saves`. */
  readonly match: number
}

/** Number that no change has. */
export const UNKNOWN = 0

const FIRST_STATES = 16
const FIRST_CHANGES = 32
/** Binary logarithm of the number of classes for which the table has room at first. */
const FIRST_CLASS_BITS = 4

/** States and changes that were computed. The changes are in tables of numbers, so one costs a few reads of memory, and no object. */
export class KeptChanges {
  /** First states, by the side of the text and by whether a match may begin. */
  readonly starting: (State | undefined)[] = []
  /** Number of the change of a state at a class of characters, at `(state << classBits) | class`. */
  table = new Int32Array(FIRST_STATES << FIRST_CLASS_BITS)
  /** Binary logarithm of the number of classes in the table. */
  classBits = FIRST_CLASS_BITS
  /** Units of each change. */
  units = new Int32Array(FIRST_CHANGES)
  /** Number of the state after each change. */
  targets = new Int32Array(FIRST_CHANGES)
  /** 0 for each plain change, 1 for the others. */
  marks = new Uint8Array(FIRST_CHANGES)
  readonly #changes: (Change | undefined)[] = [undefined]
  readonly #states: State[] = []
  readonly #byKey = new Map<string, State>()

  /** @param number is known */
  change(number: number): Change {
    return this.#changes[number] as Change
  }

  state(number: number): State {
    return this.#states[number] as State
  }

  /** Number of the change of a state at a class; `UNKNOWN` if it is not kept. */
  numberOf(state: State, classNumber: number): number {
    if (classNumber >> this.classBits !== 0) return UNKNOWN
    return this.table[(state.number << this.classBits) | classNumber] as number
  }

  keep(state: State, classNumber: number, change: Change): void {
    const number = this.#changes.push(change) - 1
    if (number >= this.units.length) {
      this.units = enlarged(this.units)
      this.targets = enlarged(this.targets)
      const marks = new Uint8Array(2 * number)
      marks.set(this.marks)
      this.marks = marks
    }
    this.units[number] = change.units
    this.targets[number] = change.to.number
    this.marks[number] = change.isPlain ? 0 : 1
    while (classNumber >> this.classBits !== 0) this.#widen()
    this.table[(state.number << this.classBits) | classNumber] = number
  }

  /** The kept state with these threads. @returns undefined when there is none */
  knownState(key: string): State | undefined {
    return this.#byKey.get(key)
  }

  /** @param key of the other members of the state */
  addState(key: string, { steps, begins, before }: Pick<State, 'steps' | 'begins' | 'before'>): State {
    const number = this.#states.length
    const state = { number, steps, begins, before, isOver: steps.length === 0 && !begins }
    this.#states.push(state)
    this.#byKey.set(key, state)
    if (this.#states.length << this.classBits > this.table.length) this.table = enlarged(this.table)
    return state
  }

  /** Makes room for twice as many classes. */
  #widen(): void {
    const [before, width] = [this.table, 1 << this.classBits]
    this.classBits++
    this.table = new Int32Array(2 * before.length)
    for (let row = 0; row * width < before.length; row++)
      this.table.set(before.subarray(row * width, (row + 1) * width), row << this.classBits)
  }
}

/** A copy with twice the room. */
function enlarged(numbers: Int32Array): Int32Array<ArrayBuffer> {
  const copy = new Int32Array(2 * numbers.length)
  copy.set(numbers)
  return copy
}
