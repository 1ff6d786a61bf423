/** What the expressions of one event may cost at most without drawing on the saved units: twice what the dearest of the documented examples costs on the longest line. */
export const FREE_UNITS = 230_000
/** Of that, what the bytes of the lines in hand pay for: nine of the documented examples on each line, so ordinary pipelines draw on nothing, however many lines come. */
export const FREE_UNITS_PER_BYTE = 64
const SHARED_UNITS_PER_MS = 20_000
/** The rest of what is free, of all events of an account together. */
export const MAX_SHARED_UNITS = 40_000_000
const UNITS_PER_MS = 4_000
export const MAX_SAVED_UNITS = 8_000_000

const FORMAT = 1
const SNAPSHOT_BYTES = 17

/**
 * What an account's expressions may cost on one partition, beyond what the bytes of its lines pay for: units that events
 * share for what is free, and units that are saved for what is not. Both refill by log time, for two seconds at most.
 * Components, section 3.5.
 */
export class ExpressionBudget {
  #shared = MAX_SHARED_UNITS
  #saved = MAX_SAVED_UNITS
  #atMs = 0

  /** Units that are left for what is free. */
  get shared(): number {
    return this.#shared
  }

  /** Units that are left for what is not free. */
  get saved(): number {
    return this.#saved
  }

  /** Whether nothing would be lost by beginning anew. */
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

  /** @param units no more than are left */
  takeShared(units: number): void {
    this.#shared -= units
  }

  /** @param units no more than are left */
  takeSaved(units: number): void {
    this.#saved -= units
  }

  snapshot(): Buffer {
    const data = Buffer.alloc(SNAPSHOT_BYTES)
    data.writeUInt8(FORMAT)
    data.writeUInt32BE(this.#saved, 1)
    data.writeUInt32BE(this.#shared, 5)
    data.writeDoubleBE(this.#atMs, 9)
    return data
  }

  /** @throws RangeError when the bytes are no snapshot */
  restore(data: Buffer): void {
    if (data.length !== SNAPSHOT_BYTES || data.readUInt8() !== FORMAT)
      throw new RangeError('an expression budget of an unknown format')
    this.#saved = data.readUInt32BE(1)
    this.#shared = data.readUInt32BE(5)
    this.#atMs = data.readDoubleBE(9)
  }
}

/**
 * What expressions may cost: a part of each event is free, as long as the bytes of the lines in hand pay for it or the
 * account shares it; the rest is what the account has saved.
 */
export class ExpressionAllowance {
  readonly #budget: ExpressionBudget
  /** What the bytes of the lines in hand pay for, in units. */
  #paid = 0
  /** What those events have cost that have a number. */
  #spent: number[] = []

  constructor(budget: ExpressionBudget) {
    this.#budget = budget
  }

  /**
   * From now on numbers stand for other events.
   *
   * @param timeMs log time
   * @param bytes of the lines that come with them
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

  /** What an event may still cost that has cost so much. */
  leftAfter(spent: number): number {
    return this.freeAfter(spent) + this.#budget.saved
  }

  /** The part of that which is free. */
  freeAfter(spent: number): number {
    return Math.min(Math.max(0, FREE_UNITS - spent), this.#paid + this.#budget.shared)
  }

  /** @param event its number, below 0 when it has none: what it costs in sum is kept elsewhere */
  note(event: number, spent: number): void {
    if (event >= 0) this.#spent[event] = spent
  }

  /** @param spent what the event has cost @param units no more than are left */
  take(spent: number, units: number): void {
    const free = Math.min(units, this.freeAfter(spent))
    const paid = Math.min(free, this.#paid)
    this.#paid -= paid
    this.#budget.takeShared(free - paid)
    this.#budget.takeSaved(units - free)
  }
}
