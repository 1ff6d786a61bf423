import { answerOf, type CountedWork } from '../expressions/counted-work.ts'
import type { ScriptArray, ScriptValue } from './script-value.ts'

/** Limits of one call: components, section 5.11. All are counted, so the same call always ends at the same step. */
export const MAX_STEPS = 100_000
/** Bytes of the values that are made; a UTF-16 unit of a text counts as one. */
const MAX_MADE_BYTES = 8 * 1024 * 1024
/** UTF-16 units of a text that is made. */
export const MAX_TEXT_LENGTH = 1024 * 1024
/** Arrays and objects within each other, in a value that is made. */
export const MAX_VALUE_LEVELS = 200

/** Units of searches, which `CostMeter` counts: about two milliseconds. */
export const MAX_SEARCH_UNITS = 400_000

/** Bytes of a value in an array or object, in addition to its text. */
export const VALUE_BYTES = 16
/** Binary logarithm of the UTF-16 units that are read or made per step: 32. */
const UNITS_PER_STEP_BITS = 5

/** End of a call that exceeds a limit. It is thrown without a stack, because it is not a fault. */
export class ScriptStop extends Error {
  override readonly name = 'ScriptStop'
}

export const TOO_MANY_STEPS = new ScriptStop(
  `the script took more than ${MAX_STEPS.toLocaleString('en-US')} steps`,
)
export const TOO_MANY_BYTES = new ScriptStop(
  `the script made values of more than ${MAX_MADE_BYTES / 1024 ** 2} MiB`,
)
export const TOO_LONG_TEXT = new ScriptStop(
  `the script made a text of more than ${MAX_TEXT_LENGTH / 1024 ** 2} MiB`,
)
export const TOO_MANY_LEVELS = new ScriptStop(
  `the script made a value that is nested more than ${MAX_VALUE_LEVELS} levels deep`,
)
export const TOO_MUCH_SEARCHED = new ScriptStop(
  `the grok patterns of the script took more than ${MAX_SEARCH_UNITS.toLocaleString('en-US')} units`,
)
export const HOLDS_ITSELF = new ScriptStop('the script made a value that contains itself')

/** Surroundings of one call. */
export interface ScriptSurroundings {
  /** Log time, UNIX ms: the only time that a script may know. */
  readonly nowMs: number
  /** Value of a state variable of the pipeline; null: it has none of that name. */
  readonly stateVariable: (name: string) => string | null
  /** Whether comparing equal texts takes the steps of reading them; absent: it does. Before the thirteenth behaviour it is free. */
  readonly paysForEqualTexts?: boolean
  /** Whether `parseInt` also reads `0X`, `0O` and `0B`; absent: it does not. Before the fourteenth behaviour it does. */
  readonly readsUpperPrefixes?: boolean
  /** Does a search at once, and counts its units. @throws ExpressionSignal when the event exceeds its budget */
  readonly search: <Answer>(begin: () => CountedWork<Answer>) => Answer
}

/** State of one call: its variables, and the work that is left to it. */
export class ScriptRun implements ScriptSurroundings {
  readonly slots: ScriptValue[]
  /** Remaining steps. */
  left = 0
  /** Bytes of the values made so far. */
  made = 0
  nowMs = 0
  stateVariable: (name: string) => string | null = () => null
  search: ScriptSurroundings['search'] = begin => answerOf(begin())
  paysForEqualTexts = true
  readsUpperPrefixes = false
  /** Units of searches so far. */
  searchUnits = 0
  /** Result of the statement `return`. */
  result: ScriptValue = null
  /** Position of the statement `return` that ended the call; negative: none did. */
  returnedAt = -1
  /** Arrays to which the present statement has added elements, with their lengths before. */
  readonly pushed: { readonly array: ScriptArray; readonly length: number }[] = []
  /** Number of the present conversion to JSON. */
  conversion = 0

  /** @param slots number of variables */
  constructor(slots: number) {
    this.slots = new Array(slots).fill(null)
  }

  /** @param steps most steps of the call */
  begin(surroundings: ScriptSurroundings, steps: number): void {
    const {
      nowMs,
      stateVariable,
      search,
      paysForEqualTexts = true,
      readsUpperPrefixes = false,
    } = surroundings
    this.nowMs = nowMs
    this.stateVariable = stateVariable
    this.search = search
    this.paysForEqualTexts = paysForEqualTexts
    this.readsUpperPrefixes = readsUpperPrefixes
    this.searchUnits = 0
    this.left = steps
    this.made = 0
    this.result = null
    this.returnedAt = -1
  }

  /** Forgets the values of the call. */
  end(): void {
    this.slots.fill(null)
    this.result = null
    this.pushed.length = 0
  }

  /** Takes steps before their work is done. @throws TOO_MANY_STEPS, and then takes none */
  spend(steps: number): void {
    if (steps > this.left) throw TOO_MANY_STEPS
    this.left -= steps
  }

  /** Takes the steps of reading a text. @param units its length */
  read(units: number): void {
    this.spend(units >> UNITS_PER_STEP_BITS)
  }

  /** Counts a text before it is made. @param units its length */
  makeText(units: number): void {
    if (units > MAX_TEXT_LENGTH) throw TOO_LONG_TEXT
    this.make(units)
    this.spend(units >> UNITS_PER_STEP_BITS)
  }

  make(bytes: number): void {
    if (this.made + bytes > MAX_MADE_BYTES) throw TOO_MANY_BYTES
    this.made += bytes
  }
}
