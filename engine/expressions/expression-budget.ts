/** What the expressions of one event may cost without drawing on a budget: twice what the dearest of the documented examples costs on the longest line. */
export const FREE_UNITS = 230_000
const UNITS_PER_MS = 4_000
export const MAX_SAVED_UNITS = 8_000_000

const FORMAT = 1
const SNAPSHOT_BYTES = 13

/**
 * What an account's expressions may cost beyond what is free, on one partition: it refills by log time, and two seconds of
 * it are saved. Components, section 3.5.
 */
export class ExpressionBudget {
  #saved = MAX_SAVED_UNITS
  #atMs = 0

  /** Units that are left. */
  get saved(): number {
    return this.#saved
  }

  /** Whether nothing would be lost by beginning anew. */
  isFullAt(timeMs: number): boolean {
    this.refill(timeMs)
    return this.#saved === MAX_SAVED_UNITS
  }

  /** Lets time pass. @param timeMs log time */
  refill(timeMs: number): void {
    if (timeMs <= this.#atMs) return
    this.#saved = Math.min(MAX_SAVED_UNITS, this.#saved + (timeMs - this.#atMs) * UNITS_PER_MS)
    this.#atMs = timeMs
  }

  /** @param units no more than are left */
  take(units: number): void {
    this.#saved -= units
  }

  snapshot(): Buffer {
    const data = Buffer.alloc(SNAPSHOT_BYTES)
    data.writeUInt8(FORMAT)
    data.writeUInt32BE(this.#saved, 1)
    data.writeDoubleBE(this.#atMs, 5)
    return data
  }

  /** @throws RangeError when the bytes are no snapshot */
  restore(data: Buffer): void {
    if (data.length !== SNAPSHOT_BYTES || data.readUInt8() !== FORMAT)
      throw new RangeError('an expression budget of an unknown format')
    this.#saved = data.readUInt32BE(1)
    this.#atMs = data.readDoubleBE(5)
  }
}

/** What expressions may cost: for each event something that is free, then what the budget holds. */
export class ExpressionAllowance {
  readonly #budget: ExpressionBudget
  /** What those events have cost that have a number. */
  #spent: number[] = []

  constructor(budget: ExpressionBudget) {
    this.#budget = budget
  }

  /** From now on numbers stand for other events. @param timeMs log time */
  begin(timeMs: number): void {
    this.#budget.refill(timeMs)
    if (this.#spent.length > 0) this.#spent = []
  }

  /** @param event its number */
  spentOn(event: number): number {
    return this.#spent[event] ?? 0
  }

  /** What an event may still cost that has cost so much. */
  leftAfter(spent: number): number {
    return Math.max(0, FREE_UNITS - spent) + this.#budget.saved
  }

  /** @param event its number, below 0 when it has none: what it costs in sum is kept elsewhere */
  note(event: number, spent: number): void {
    if (event >= 0) this.#spent[event] = spent
  }

  /** Takes what is not free. @param units no more than are left */
  take(before: number, units: number): void {
    const spent = before + units
    if (spent > FREE_UNITS) this.#budget.take(spent - Math.max(before, FREE_UNITS))
  }
}
