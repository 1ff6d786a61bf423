import type { RegularExpression } from '../regular-expression.ts'
import type { Stretch } from '../steps.ts'
import type { CountedMatching } from './counted-matching.ts'
import { ExpressionAllowance, ExpressionBudget, FREE_UNITS } from './expression-budget.ts'

/** Up to that the library runs an expression, and what it could cost at most is what it costs. */
const CHEAP_UNITS = 65_536

/** Where expressions are judged: it counts what they cost. */
export interface CostMeter {
  /** Counts work. @throws BEYOND_BUDGET when the event may not cost that much */
  spend(units: number): void
  /** Whether the expression matches in the text. @throws BEYOND_BUDGET; SUSPENDED */
  matches(expression: RegularExpression, text: string): boolean
}

/** Thrown without a stack of its own: it is no fault. */
export class ExpressionSignal extends Error {
  override readonly name = 'ExpressionSignal'
}

/** The expressions of an event cost more than they may. */
export const BEYOND_BUDGET = new ExpressionSignal('an expression costs more than it may')
/** The stretch is over: the event is to be judged again, which goes on where this ended. */
export const SUSPENDED = new ExpressionSignal('an expression goes on in the next stretch')

/** For what is bounded in another way, and for logs that knew no budget. */
export const UNMETERED: CostMeter = {
  spend: () => {},
  matches: (expression, text) => expression.test(text),
}

/** Judges one event after the other; without an allowance nothing is counted. */
export class EventMeter implements CostMeter {
  #allowance: ExpressionAllowance | undefined
  #stretch: Stretch | undefined
  #event: number | undefined
  #spent = 0
  /** What was counted of the event in hand before it was suspended, in order, with the answers. */
  readonly #answers: (boolean | undefined)[] = []
  #asked = 0
  #running: CountedMatching | undefined

  /** @param stretch present where judging may be suspended */
  open(allowance: ExpressionAllowance | undefined, stretch: Stretch | undefined): void {
    this.#allowance = allowance
    this.#stretch = stretch
  }

  /** Units that the event in hand has cost. */
  get spent(): number {
    return this.#spent
  }

  close(): void {
    this.#allowance = undefined
    this.#stretch = undefined
    this.#running = undefined
  }

  /** @param event its number; undefined: what it costs is counted here alone */
  begin(event: number | undefined): void {
    const allowance = this.#allowance
    if (allowance === undefined) return
    this.#event = event
    this.#spent = event === undefined ? 0 : allowance.spentOn(event)
    this.#asked = 0
    this.#running = undefined
    if (this.#answers.length > 0) this.#answers.length = 0
  }

  /** The event in hand is judged once more, since that was suspended. */
  again(): void {
    this.#asked = 0
  }

  spend(units: number): void {
    const allowance = this.#allowance
    if (allowance === undefined || this.#asked++ < this.#answers.length) return
    this.#charge(allowance, units)
    this.#answers.push(undefined)
  }

  matches(expression: RegularExpression, text: string): boolean {
    const allowance = this.#allowance
    if (allowance === undefined) return expression.test(text)
    const asked = this.#asked++
    if (asked < this.#answers.length) return this.#answers[asked] as boolean
    const answer = this.#judge(allowance, expression, text)
    this.#answers.push(answer)
    return answer
  }

  #judge(allowance: ExpressionAllowance, expression: RegularExpression, text: string): boolean {
    const bound = expression.boundFor(text)
    const isCheap = bound <= Math.min(CHEAP_UNITS, FREE_UNITS - this.#spent)
    this.#running ??= isCheap ? undefined : expression.counting(text)
    if (this.#running !== undefined) return this.#count(allowance, this.#running)
    this.#charge(allowance, bound)
    return expression.test(text)
  }

  #count(allowance: ExpressionAllowance, running: CountedMatching): boolean {
    const left = allowance.leftAfter(this.#spent)
    const before = running.units
    const stretch = this.#stretch?.left ?? Number.POSITIVE_INFINITY
    const answer = running.run(Math.min(left + 1, before + stretch))
    this.#stretch?.spend(running.units - before)
    if (running.units > left) throw this.#exhausted(allowance)
    if (answer === undefined) throw SUSPENDED
    this.#take(allowance, running.units)
    this.#running = undefined
    return answer
  }

  #charge(allowance: ExpressionAllowance, units: number): void {
    this.#stretch?.spend(units)
    if (units > allowance.leftAfter(this.#spent)) throw this.#exhausted(allowance)
    this.#take(allowance, units)
  }

  /** What is too dear uses up what is left: it was begun. */
  #exhausted(allowance: ExpressionAllowance): ExpressionSignal {
    this.#take(allowance, allowance.leftAfter(this.#spent))
    this.#running = undefined
    return BEYOND_BUDGET
  }

  #take(allowance: ExpressionAllowance, units: number): void {
    allowance.take(this.#event, this.#spent, units)
    this.#spent += units
  }
}

/** For those who look at events past a budget: each may cost what is free, and no more. */
export function freeMeter(): EventMeter {
  const budget = new ExpressionBudget()
  budget.take(budget.saved)
  const meter = new EventMeter()
  meter.open(new ExpressionAllowance(budget), undefined)
  return meter
}
