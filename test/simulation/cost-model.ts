import type { ModelLine } from './model-line.ts'

/** Free cost of an event; the part that a record's bytes pay for; the shared part of an account; and the saved units. */
const FREE_UNITS = 230_000
const FREE_UNITS_PER_BYTE = 64
const SHARED_UNITS_PER_MS = 20_000
const MAX_SHARED_UNITS = 40_000_000
const UNITS_PER_MS = 4_000
const MAX_SAVED_UNITS = 8_000_000
/** First behaviour in which events fail because of their cost. */
const COUNTING_BEHAVIOUR = 5
/** First behaviour in which saved units pay for all work of an event that fails, and for no other. */
const FAILURES_BEHAVIOUR = 10
/** Most that an account can owe for such work. */
const MAX_OWED_UNITS = 8_000_000

/** The cost of an account's work on its lines, and its payers: a record's bytes, a shared part, or saved units. */
export class CostModel {
  /** Remaining units, with the time of the last change, by account. */
  readonly #purses = new Map<string, { shared: number; saved: number; atMs: number }>()
  /** Remaining units that the bytes of the present record pay for. */
  #paidUnits = 0
  /** Cost of the lines of the present record. */
  #spent = new Map<ModelLine, number>()
  /** Part of it that saved units paid. */
  #drawn = new Map<ModelLine, number>()

  /** @param bytes of the texts of the record */
  beginRecord(bytes: number): void {
    this.#paidUnits = FREE_UNITS_PER_BYTE * bytes
    this.#spent = new Map()
    this.#drawn = new Map()
  }

  /**
   * Whether a line can pay a cost. If not, saved units pay for its earlier work. Before the behaviour that brings this it is charged with
   * the remaining units.
   */
  affords(
    line: ModelLine,
    units: number,
    { behaviour, timeMs }: { behaviour: number; timeMs: number },
  ): boolean {
    if (behaviour < COUNTING_BEHAVIOUR) return true
    const full = { shared: MAX_SHARED_UNITS, saved: MAX_SAVED_UNITS, atMs: timeMs }
    const purse = this.#purses.get(line.account) ?? full
    this.#purses.set(line.account, purse)
    const passedMs = timeMs - purse.atMs
    purse.shared = Math.min(MAX_SHARED_UNITS, purse.shared + passedMs * SHARED_UNITS_PER_MS)
    purse.saved = Math.min(MAX_SAVED_UNITS, purse.saved + passedMs * UNITS_PER_MS)
    purse.atMs = timeMs
    const before = this.#spent.get(line) ?? 0
    const free = Math.min(Math.max(0, FREE_UNITS - before), this.#paidUnits + purse.shared)
    const left = free + Math.max(0, purse.saved)
    const drawn = this.#drawn.get(line) ?? 0
    if (units > left && behaviour >= FAILURES_BEHAVIOUR) {
      purse.saved = Math.max(-MAX_OWED_UNITS, purse.saved - (before - drawn))
      this.#drawn.set(line, before)
      return false
    }
    const cost = Math.min(units, left)
    const takenFree = Math.min(cost, free)
    purse.shared -= Math.max(0, takenFree - this.#paidUnits)
    this.#paidUnits = Math.max(0, this.#paidUnits - takenFree)
    purse.saved -= cost - takenFree
    this.#spent.set(line, before + cost)
    this.#drawn.set(line, drawn + cost - takenFree)
    return cost === units
  }
}
