import type { RegularExpression } from './regular-expression.ts'

/**
 * Maximum cost of an event's expressions without saved units: twice that of the most expensive documented example on the longest
 * line.
 */
export const FREE_UNITS = 230_000
/**
 * Units of this free cost that each byte of the present lines pays for: enough for nine of the documented examples on each line.
 * Ordinary pipelines therefore need no other units, however many lines arrive.
 */
export const FREE_UNITS_PER_BYTE = 64
const SHARED_UNITS_PER_MS = 20_000
/** Units for the rest of the free cost, shared by all events of an account. */
export const MAX_SHARED_UNITS = 40_000_000
const UNITS_PER_MS = 4_000
export const MAX_SAVED_UNITS = 8_000_000
/** Maximum that an account can owe for work on events that failed: the units of two seconds. */
export const MAX_OWED_UNITS = 8_000_000
/**
 * Maximum that an account can owe for the copies that parts of events contain: the units of 256 MiB, which is the most that a record
 * may yield.
 */
export const MAX_OWED_COPIES = 2 ** 27
/** Units per character of a match that is only tried: ordinary expressions take fewer, also those with many alternatives. */
const TRIED_UNITS_PER_CHARACTER = 16

/** Steps of scripts on an event that are free, over all nodes. Saved units pay for the others, one for each. */
export const FREE_STEPS = 200

const FORMAT = 1
const SNAPSHOT_BYTES = 17
/** Format with the units that the account owes for copies. It is written only while there are any. */
const OWING_FORMAT = 2
const OWING_SNAPSHOT_BYTES = SNAPSHOT_BYTES + Uint32Array.BYTES_PER_ELEMENT

/**
 * Budget of an account's expressions on one partition, in addition to the units that the bytes of its lines pay for. Shared units
 * pay for free cost, saved units for the rest and for work in vain. Both refill by log time, up to an amount for two seconds. Copies
 * that parts of events contain are owed, and log time pays for them. Components, section 3.5.
 */
export class ExpressionBudget {
  #shared = MAX_SHARED_UNITS
  #saved = MAX_SAVED_UNITS
  #owedCopies = 0
  #atMs = 0

  /** Remaining units for free cost. */
  get shared(): number {
    return this.#shared
  }

  /** Remaining units for cost that is not free; below 0: the account owes them. */
  get saved(): number {
    return this.#saved
  }

  /** Units that the account owes for copies. */
  get owedCopies(): number {
    return this.#owedCopies
  }

  /** Whether both amounts are full and nothing is owed, so that a new budget would be equal. */
  isFullAt(timeMs: number): boolean {
    this.refill(timeMs)
    const isFull = this.#saved === MAX_SAVED_UNITS && this.#shared === MAX_SHARED_UNITS
    return isFull && this.#owedCopies === 0
  }

  /** Lets time pass. @param timeMs log time */
  refill(timeMs: number): void {
    if (timeMs <= this.#atMs) return
    const passedMs = timeMs - this.#atMs
    this.#shared = Math.min(MAX_SHARED_UNITS, this.#shared + passedMs * SHARED_UNITS_PER_MS)
    this.#saved = Math.min(MAX_SAVED_UNITS, this.#saved + passedMs * UNITS_PER_MS)
    this.#owedCopies = Math.max(0, this.#owedCopies - passedMs * UNITS_PER_MS)
    this.#atMs = timeMs
  }

  /** @param units at most the remaining units */
  takeShared(units: number): void {
    this.#shared -= units
  }

  /** @param units at most the remaining units */
  takeSaved(units: number): void {
    this.#saved -= units
  }

  /** Takes units for work in vain, also those that the account does not have. */
  owe(units: number): void {
    this.#saved = Math.max(-MAX_OWED_UNITS, this.#saved - units)
  }

  /** @param units of copies that are added to those that the account owes; at most `MAX_OWED_COPIES` together */
  oweCopies(units: number): void {
    this.#owedCopies += units
  }

  snapshot(): Uint8Array {
    const isOwing = this.#owedCopies > 0
    const data = new DataView(new ArrayBuffer(isOwing ? OWING_SNAPSHOT_BYTES : SNAPSHOT_BYTES))
    data.setUint8(0, isOwing ? OWING_FORMAT : FORMAT)
    data.setInt32(1, this.#saved)
    data.setUint32(5, this.#shared)
    data.setFloat64(9, this.#atMs)
    if (isOwing) data.setUint32(SNAPSHOT_BYTES, this.#owedCopies)
    return new Uint8Array(data.buffer)
  }

  /** @throws RangeError when the bytes are not a snapshot */
  restore({ buffer, byteOffset, byteLength }: Uint8Array): void {
    const data = new DataView(buffer, byteOffset, byteLength)
    const isOwing = byteLength === OWING_SNAPSHOT_BYTES
    if (!(isOwing || byteLength === SNAPSHOT_BYTES) || data.getUint8(0) !== (isOwing ? OWING_FORMAT : FORMAT))
      throw new RangeError('an expression budget of an unknown format')
    this.#saved = data.getInt32(1)
    this.#shared = data.getUint32(5)
    this.#atMs = data.getFloat64(9)
    this.#owedCopies = isOwing ? data.getUint32(SNAPSHOT_BYTES) : 0
  }
}

/**
 * Units that expressions can use. A part of each event's cost is free while the bytes of the present lines or the shared
 * units of the account pay for it. Saved units of the account pay for the rest.
 */
export class ExpressionAllowance {
  /** Whether searches for words are counted, however little work they are: so it was before the seventh behaviour. */
  countsEveryMatch = false
  /** Whether work that grows with options is counted, too: since the ninth behaviour. */
  countsOptions = false
  /**
   * Whether saved units also pay for the free part of the work on an event that fails, and only for work that was done.
   * True since the tenth behaviour.
   */
  chargesFailures = false
  /** Whether very many copies of an event are counted, on their way and where they are kept: since the tenth behaviour. */
  countsCopies = false
  /** Whether the account owes for the copies that parts contain: since the fourteenth behaviour. */
  owesCopies = true
  /** Whether scripts take steps to compare equal texts: since the thirteenth behaviour. */
  paysForEqualTexts = true
  /** Whether `0X`, `0O` and `0B` are prefixes of integers, too: before the fourteenth behaviour. */
  readsUpperPrefixes = false
  /** Whether a union of sets keeps the repeats within the first of them: before the fourteenth behaviour. */
  keepsRepeats = false
  readonly #budget: ExpressionBudget
  /** Units that the bytes of the present lines pay for. */
  #paid = 0
  /** Cost of the events that have a number. */
  #spent: number[] = []
  /** Part of this cost that saved units paid; most events have none. */
  #drawn: number[] = []
  /** Steps of scripts on the events that have a number. */
  #steps: number[] = []
  /** Numbers of the events that have a dead letter. */
  readonly #letters = new Set<number>()

  constructor(budget: ExpressionBudget) {
    this.#budget = budget
  }

  /**
   * Starts a new set of events: from now on numbers name other events.
   *
   * @param timeMs log time
   * @param bytes size of the lines of these events
   */
  begin(timeMs: number, bytes: number): void {
    this.#budget.refill(timeMs)
    this.#paid = bytes * FREE_UNITS_PER_BYTE
    if (this.#spent.length > 0) this.#spent = []
    if (this.#drawn.length > 0) this.#drawn = []
    if (this.#steps.length > 0) this.#steps = []
    if (this.#letters.size > 0) this.#letters.clear()
  }

  /**
   * Notes a dead letter of an event. The first one is free, because the event may exceed its budget.
   *
   * @param event its number @returns false for further letters, and for an event without a number (below 0)
   */
  isFirstLetterOf(event: number): boolean {
    if (event < 0 || this.#letters.has(event)) return false
    this.#letters.add(event)
    return true
  }

  /** @param event its number */
  spentOn(event: number): number {
    return this.#spent[event] ?? 0
  }

  /** @param event its number @returns the part of its cost that saved units paid */
  drawnOn(event: number): number {
    return this.#drawn[event] ?? 0
  }

  /** Remaining units of an event with the given cost so far. */
  leftAfter(spent: number): number {
    return this.freeAfter(spent) + Math.max(0, this.#budget.saved)
  }

  /**
   * Remaining units for a match that is counted step by step, which is in vain beyond them. While the account owes units, a match is
   * only tried, with a few units per character and as far as the account can owe them. Expressions with a small automaton are exempt
   * if their bound is within the remaining units.
   *
   * @param spent cost of the event so far
   */
  leftToMatch(spent: number, expression: RegularExpression, text: string): number {
    const left = this.leftAfter(spent)
    if (!this.chargesFailures || this.#budget.saved >= 0) return left
    if (expression.isBounded() && expression.boundFor(text) <= left) return left
    return this.leftToTry(spent, text.length)
  }

  /**
   * Remaining units for other work that is counted step by step; it is only tried, too, while the account owes units.
   *
   * @param characters number of characters that it reads
   */
  leftToTry(spent: number, characters: number): number {
    const left = this.leftAfter(spent)
    const { saved } = this.#budget
    if (!this.chargesFailures || saved >= 0) return left
    return Math.min(left, TRIED_UNITS_PER_CHARACTER * (characters + 1), saved + MAX_OWED_UNITS)
  }

  /** Free part of these units. */
  freeAfter(spent: number): number {
    return Math.min(Math.max(0, FREE_UNITS - spent), this.#paid + this.#budget.shared)
  }

  /** @param event its number; the cost of an event without a number (below 0) is kept elsewhere */
  note(event: number, spent: number, drawn: number): void {
    if (event < 0) return
    this.#spent[event] = spent
    if (drawn > 0) this.#drawn[event] = drawn
  }

  /**
   * @param spent cost of the event so far @param units at most the remaining units
   * @returns the part that saved units pay
   */
  take(spent: number, units: number): number {
    const free = Math.min(units, this.freeAfter(spent))
    const paid = Math.min(free, this.#paid)
    this.#paid -= paid
    this.#budget.takeShared(free - paid)
    this.#budget.takeSaved(units - free)
    return units - free
  }

  /** @param units of work on a failed event that were free so far */
  owe(units: number): void {
    this.#budget.owe(units)
  }

  /** Units that the account may owe for the next copies: none while it owes for earlier ones. */
  get copiesToOwe(): number {
    return this.#budget.owedCopies > 0 ? 0 : MAX_OWED_COPIES
  }

  /** @param units at most those that the account may owe */
  oweCopies(units: number): void {
    this.#budget.oweCopies(units)
  }

  /**
   * Remaining steps of scripts on an event: the free ones, and as many as there are saved units. Bytes do not pay for them, because
   * they take longer than units.
   *
   * @param event its number, or below 0 @param here its steps at the present node, for an event without a number
   */
  stepsLeftOn(event: number, here: number): number {
    return Math.max(0, FREE_STEPS - this.#stepsOn(event, here)) + Math.max(0, this.#budget.saved)
  }

  /** `event` and `here` are as in `stepsLeftOn`. The account owes steps beyond the remaining ones. */
  takeSteps(event: number, here: number, steps: number): void {
    const before = this.#stepsOn(event, here)
    this.#budget.owe(Math.max(0, before + steps - Math.max(FREE_STEPS, before)))
    if (event >= 0) this.#steps[event] = before + steps
  }

  #stepsOn(event: number, here: number): number {
    return event < 0 ? here : (this.#steps[event] ?? 0)
  }
}
