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

const FORMAT = 1
const SNAPSHOT_BYTES = 17

/**
 * Budget of an account's expressions on one partition, in addition to the units that the bytes of its lines pay for. Shared units
 * pay for free cost, saved units for the rest. Both refill by log time, up to an amount for two seconds. Components, section 3.5.
 */
export class ExpressionBudget {
  #shared = MAX_SHARED_UNITS
  #saved = MAX_SAVED_UNITS
  #atMs = 0

  /** Remaining units for free cost. */
  get shared(): number {
    return this.#shared
  }

  /** Remaining units for cost that is not free. */
  get saved(): number {
    return this.#saved
  }

  /** Whether both amounts are full, so that a new budget would be equal. */
  isFullAt(timeMs: number): boolean {
    this.refill(timeMs)
    return this.#saved === MAX_SAVED_UNITS && this.#shared === MAX_SHARED_UNITS
  }

  /** Lets time pass. @param timeMs log time */
  refill(timeMs: number): void {
    if (timeMs <= this.#atMs) return
    const passedMs = timeMs - this.#atMs
    this.#shared = Math.min(MAX_SHARED_UNITS, this.#shared + passedMs * SHARED_UNITS_PER_MS)
    this.#saved = Math.min(MAX_SAVED_UNITS, this.#saved + passedMs * UNITS_PER_MS)
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

  snapshot(): Uint8Array {
    const data = new DataView(new ArrayBuffer(SNAPSHOT_BYTES))
    data.setUint8(0, FORMAT)
    data.setUint32(1, this.#saved)
    data.setUint32(5, this.#shared)
    data.setFloat64(9, this.#atMs)
    return new Uint8Array(data.buffer)
  }

  /** @throws RangeError when the bytes are not a snapshot */
  restore({ buffer, byteOffset, byteLength }: Uint8Array): void {
    const data = new DataView(buffer, byteOffset, byteLength)
    if (byteLength !== SNAPSHOT_BYTES || data.getUint8(0) !== FORMAT)
      throw new RangeError('an expression budget of an unknown format')
    this.#saved = data.getUint32(1)
    this.#shared = data.getUint32(5)
    this.#atMs = data.getFloat64(9)
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
  readonly #budget: ExpressionBudget
  /** Units that the bytes of the present lines pay for. */
  #paid = 0
  /** Cost of the events that have a number. */
  #spent: number[] = []

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
  }

  /** @param event its number */
  spentOn(event: number): number {
    return this.#spent[event] ?? 0
  }

  /** Remaining units of an event with the given cost so far. */
  leftAfter(spent: number): number {
    return this.freeAfter(spent) + this.#budget.saved
  }

  /** Free part of these units. */
  freeAfter(spent: number): number {
    return Math.min(Math.max(0, FREE_UNITS - spent), this.#paid + this.#budget.shared)
  }

  /** @param event its number; the cost of an event without a number (below 0) is kept elsewhere */
  note(event: number, spent: number): void {
    if (event >= 0) this.#spent[event] = spent
  }

  /** @param spent cost of the event so far @param units at most the remaining units */
  take(spent: number, units: number): void {
    const free = Math.min(units, this.freeAfter(spent))
    const paid = Math.min(free, this.#paid)
    this.#paid -= paid
    this.#budget.takeShared(free - paid)
    this.#budget.takeSaved(units - free)
  }
}
