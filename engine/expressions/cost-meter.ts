import type { Stretch } from '../steps.ts'
import type { CountedMatching } from './counted-matching.ts'
import { ExpressionAllowance, ExpressionBudget } from './expression-budget.ts'
import type { RegularExpression } from './regular-expression.ts'

/** Up to that the library runs an expression, and what it could cost at most is what it costs. */
const CHEAP_UNITS = 65_536
/** What an event costs at one node is not counted up to that: it is as little work as all else that a node does. */
const UNCOUNTED_UNITS = 1_024

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

/** Of an event that has no number: what it costs is counted here alone. */
export const NO_NUMBER = -1

/** Judges one event after the other; without an allowance nothing is counted. */
export class EventMeter implements CostMeter {
  #allowance: ExpressionAllowance | undefined
  #stretch: Stretch | undefined
  /** The number of the event in hand, and how many were before: most events are never asked about. */
  readonly hand = { event: NO_NUMBER, turn: 0 }
  /** That of the event that was asked about last. */
  #turn = 0
  /** Of all nodes; below 0: it is not known yet. */
  #spent = -1
  /** Of this node, as long as it is not counted. */
  #uncounted = 0
  /** How much of the event in hand has been judged before it was suspended, and what was answered. */
  #known = 0
  readonly #answers: boolean[] = []
  #asked = 0
  #running: CountedMatching | undefined
  /** How much of its work belongs to stretches already. */
  #done = 0

  /** @param stretch present where judging may be suspended */
  open(allowance: ExpressionAllowance | undefined, stretch: Stretch | undefined): void {
    this.#allowance = allowance
    this.#stretch = stretch
    this.begin(NO_NUMBER)
  }

  close(): void {
    this.open(undefined, undefined)
  }

  /** @param event its number, or `NO_NUMBER` */
  begin(event: number): void {
    this.hand.event = event
    this.hand.turn++
  }

  #beginTurn(): void {
    this.#turn = this.hand.turn
    this.#spent = -1
    this.#uncounted = 0
    this.#known = 0
    this.#asked = 0
    this.#running = undefined
  }

  /** The event in hand is judged once more, since that was suspended. */
  again(): void {
    this.#asked = 0
  }

  /** Units that the event in hand has cost. */
  get spent(): number {
    return this.#turn === this.hand.turn ? Math.max(0, this.#spent) : 0
  }

  spend(units: number): void {
    const allowance = this.#allowance
    if (allowance === undefined) return
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    if (this.#asked++ < this.#known) return
    this.#known++
    this.#charge(allowance, units)
  }

  matches(expression: RegularExpression, text: string): boolean {
    const allowance = this.#allowance
    if (allowance === undefined) return expression.test(text)
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    const asked = this.#asked++
    if (asked < this.#known) return this.#answers[asked] as boolean
    const answer = this.#judge(allowance, expression, text)
    this.#answers[asked] = answer
    this.#known++
    return answer
  }

  #judge(allowance: ExpressionAllowance, expression: RegularExpression, text: string): boolean {
    this.#takeTimeToRead(expression)
    const bound = expression.boundFor(text)
    const isCheap = bound <= CHEAP_UNITS && bound <= allowance.freeAfter(this.#spentOf(allowance))
    if (isCheap) {
      this.#takeTimeToBuild(expression, text)
      this.#charge(allowance, bound)
      return expression.test(text)
    }
    if (this.#running === undefined) {
      this.#running = expression.counting(text)
      this.#done = 0
    }
    if (this.#running !== undefined) return this.#count(allowance, this.#running)
    this.#takeTimeToBuild(expression, text)
    this.#charge(allowance, bound)
    return expression.test(text)
  }

  /** As `#takeTimeToBuild`: a pipeline may have many that nobody has looked at. */
  #takeTimeToRead(expression: RegularExpression): void {
    if (expression.isRead()) return
    const stretch = this.#stretch
    if (stretch !== undefined && stretch.left <= 0) throw SUSPENDED
    const units = expression.read()
    if (stretch !== undefined) stretch.left -= units
  }

  /** It belongs to the stretch, and not to what the event costs: others may have built it before. */
  #takeTimeToBuild(expression: RegularExpression, text: string): void {
    const stretch = this.#stretch
    if (stretch === undefined) return
    const units = expression.unitsToBuild(text)
    if (units === 0) return
    if (stretch.left <= 0) throw SUSPENDED
    stretch.left -= units
  }

  #count(allowance: ExpressionAllowance, running: CountedMatching): boolean {
    const left = allowance.leftAfter(this.#spentOf(allowance))
    const stretch = this.#stretch
    const inStretch = stretch === undefined ? Number.POSITIVE_INFINITY : Math.max(0, stretch.left)
    const answer = running.run(left + 1, this.#done + inStretch)
    if (stretch !== undefined) stretch.left -= running.work - this.#done
    this.#done = running.work
    if (running.units > left) throw this.#exhausted(allowance)
    if (answer === undefined) throw SUSPENDED
    this.#take(allowance, this.#spent, running.units)
    this.#running = undefined
    return answer
  }

  #charge(allowance: ExpressionAllowance, units: number): void {
    if (this.#stretch !== undefined) this.#stretch.left -= units
    if (this.#spent < 0) {
      this.#uncounted += units
      if (this.#uncounted <= UNCOUNTED_UNITS) return
      this.#chargeCounted(allowance, this.#uncounted)
    } else {
      this.#chargeCounted(allowance, units)
    }
  }

  #chargeCounted(allowance: ExpressionAllowance, units: number): void {
    const before = this.#spentOf(allowance)
    if (units > allowance.leftAfter(before)) throw this.#exhausted(allowance)
    this.#take(allowance, before, units)
  }

  /** What is too dear uses up what is left: it was begun. */
  #exhausted(allowance: ExpressionAllowance): ExpressionSignal {
    this.#take(allowance, this.#spent, allowance.leftAfter(this.#spent))
    this.#running = undefined
    return BEYOND_BUDGET
  }

  #spentOf(allowance: ExpressionAllowance): number {
    if (this.#spent < 0) this.#spent = this.hand.event < 0 ? 0 : allowance.spentOn(this.hand.event)
    return this.#spent
  }

  #take(allowance: ExpressionAllowance, before: number, units: number): void {
    allowance.take(before, units)
    this.#spent = before + units
    allowance.note(this.hand.event, this.#spent)
  }
}

/** For those who look at events past a budget: each may cost what is free, and no more. */
export function freeMeter(): EventMeter {
  const budget = new ExpressionBudget()
  budget.takeSaved(budget.saved)
  const allowance = new ExpressionAllowance(budget)
  allowance.begin(0, Number.POSITIVE_INFINITY)
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  return meter
}
