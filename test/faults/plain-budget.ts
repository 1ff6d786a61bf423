import { compileRegularExpression } from '../../engine/expressions/regular-expression.ts'
import { DEAR_EXPRESSION } from '../simulation/recipe.ts'

/** Free cost of an event; the part that a record's bytes pay for; the shared part of an account; and the saved units. */
const FREE_UNITS = 230_000
const FREE_UNITS_PER_BYTE = 64
const SHARED_UNITS_PER_MS = 20_000
const MAX_SHARED_UNITS = 40_000_000
const UNITS_PER_MS = 4_000
const MAX_SAVED_UNITS = 8_000_000
/** Only its cost is used. */
const LOOKING = compileRegularExpression(DEAR_EXPRESSION, { ignoreCase: true })

/**
 * The budget of an account's expressions (components, section 3.5), written again as plainly as possible: each line has the one
 * expensive expression.
 */
export class PlainBudget {
  #shared = MAX_SHARED_UNITS
  #saved = MAX_SAVED_UNITS
  #paid = 0
  #atMs: number | undefined

  /** A record begins. @param bytes size of all lines in it */
  begin(timeMs: number, bytes: number): void {
    const passedMs = timeMs - (this.#atMs ?? timeMs)
    this.#shared = Math.min(MAX_SHARED_UNITS, this.#shared + passedMs * SHARED_UNITS_PER_MS)
    this.#saved = Math.min(MAX_SAVED_UNITS, this.#saved + passedMs * UNITS_PER_MS)
    this.#atMs = timeMs
    this.#paid = FREE_UNITS_PER_BYTE * bytes
  }

  /** Whether a line can pay the cost of the expression; if not, nothing is done for it, and nothing charged. */
  affords(text: string): boolean {
    const units = LOOKING.boundFor(text)
    const free = Math.min(FREE_UNITS, this.#paid + this.#shared)
    if (units > free + this.#saved) return false
    const takenFree = Math.min(units, free)
    this.#shared -= Math.max(0, takenFree - this.#paid)
    this.#paid = Math.max(0, this.#paid - takenFree)
    this.#saved -= units - takenFree
    return true
  }
}
