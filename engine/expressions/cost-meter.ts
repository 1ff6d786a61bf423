import type { Steps, Stretch } from '../steps.ts'
import { answerOf, type CountedWork } from './counted-work.ts'
import { ExpressionAllowance, ExpressionBudget } from './expression-budget.ts'
import type { RegularExpression } from './regular-expression.ts'

/** Upper bound for a run in the library, which is charged its maximum cost. Only expressions that stay within it are run there. */
const CHEAP_UNITS = 65_536
/**
 * Units per event and node that are not counted, because they are as little work as the rest of the node. Only comparisons
 * and searches for plain words are: the same units in the library or step by step take up to twenty times as long.
 */
const UNCOUNTED_UNITS = 1_024
/** Units of a stretch per step of a script, which takes longer than a unit. */
const UNITS_PER_STEP = 4

/** Units of a step that prepares something: as many as a stretch has. */
const UNITS_PER_PREPARATION = 50_000

/** Means that all work of the present event at this node is counted. */
const ALL_COUNTED = -1

/** Counts the cost of expressions while they are evaluated. */
export interface CostMeter {
  /** Counts work. @throws BEYOND_BUDGET when the event exceeds its budget */
  spend(units: number): void
  /**
   * Counts work that grows with the options of a node, or that makes copies. Before the ninth behaviour only the stretch pays for
   * it, and events cannot fail because of it.
   *
   * @param kind 'size' at a node whose work grows with the event alone
   * @throws BEYOND_BUDGET when the event exceeds its budget
   */
  work(units: number, kind?: 'options' | 'size'): void
  /** Whether the text contains a match. @throws BEYOND_BUDGET; SUSPENDED */
  matches(expression: RegularExpression, text: string): boolean
  /** Does other work and counts its units. @throws BEYOND_BUDGET; SUSPENDED */
  count<Answer>(begin: () => CountedWork<Answer>): Answer
  /**
   * Units that counted work on the present event may cost without failing it, and without saved units of the account. Work that is
   * not needed stays within a part of them.
   *
   * @param characters number of characters that the work reads
   */
  spareUnits(characters: number): number
  /** Like `count`, but without a suspension, for a caller that cannot repeat its work. @throws BEYOND_BUDGET */
  countAtOnce<Answer>(begin: () => CountedWork<Answer>): Answer
  /**
   * Does a part of some work that all later events share, as far as the stretch reaches. No event pays for it.
   *
   * @param work is continued by the next call @throws SUSPENDED when the rest is for another stretch
   */
  prepared<Result>(work: Steps<Result>): Result
  /** Whether scripts take steps to compare equal texts: since the thirteenth behaviour. */
  readonly paysForEqualTexts: boolean
  /** Whether `0X`, `0O` and `0B` are prefixes of integers, too: before the fourteenth behaviour. */
  readonly readsUpperPrefixes: boolean
  /** Whether a union of sets keeps the repeats within the first of them: before the fourteenth behaviour. */
  readonly keepsRepeats: boolean
  /** Remaining steps of scripts on the present event. */
  stepsLeft(): number
  /** Counts steps that a script took on the present event. @param steps at most the remaining ones */
  takeSteps(steps: number): void
}

/** Thrown without a stack, because it is not a fault. */
export class ExpressionSignal extends Error {
  override readonly name = 'ExpressionSignal'
}

/** The expressions of an event exceed its budget. */
export const BEYOND_BUDGET = new ExpressionSignal('an expression costs more than it may')
/** The stretch is over. The event is evaluated again later, and continues at this point. */
export const SUSPENDED = new ExpressionSignal('an expression goes on in the next stretch')

/** Meter without a limit, for work that is bounded otherwise and for logs from before budgets existed. */
export const UNMETERED: CostMeter = {
  spend: () => {},
  work: () => {},
  matches: (expression, text) => expression.test(text),
  count: begin => answerOf(begin()),
  spareUnits: () => Number.POSITIVE_INFINITY,
  countAtOnce: begin => answerOf(begin()),
  prepared: work => preparedBy(work, undefined),
  paysForEqualTexts: true,
  readsUpperPrefixes: false,
  keepsRepeats: false,
  stepsLeft: () => Number.POSITIVE_INFINITY,
  takeSteps: () => {},
}

/** Kinds of work that units pay for: expressions, long options of a node, large events, copies that a graph makes, parts that repeat an event. */
export type WorkKind = 'expressions' | 'options' | 'size' | 'copies' | 'parts'

/** Number of an event that has none; only the meter then counts its cost. */
export const NO_NUMBER = -1

/** Evaluates events one after the other; without an allowance nothing is counted. */
export class EventMeter implements CostMeter {
  #allowance: ExpressionAllowance | undefined
  #stretch: Stretch | undefined
  /** Number of the present event, and the number of events before it: most events never need the allowance. */
  readonly hand = { event: NO_NUMBER, turn: 0 }
  /** Kind of work that exceeded the budget of the present event. */
  kind: WorkKind = 'expressions'
  /** Turn of the last event for which work was counted. */
  #turn = 0
  /** Cost at all nodes so far; below 0: unknown. */
  #spent = -1
  /** Part of it that saved units paid. */
  #drawn = 0
  /** Work at this node that is not counted so far, or `ALL_COUNTED`. */
  #uncounted = 0
  /** Number of evaluations of the present event that were completed before a suspension, with their results. */
  #known = 0
  readonly #answers: unknown[] = []
  #asked = 0
  #running: CountedWork<unknown> | undefined
  /** Part of its work that is already charged to stretches. */
  #done = 0
  /** Steps of scripts on the event of this turn. */
  #steps = 0
  #stepTurn = 0

  /** @param stretch present where evaluation may be suspended */
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
    this.kind = 'expressions'
    this.#spent = -1
    this.#uncounted = 0
    this.#known = 0
    this.#asked = 0
    this.#running = undefined
  }

  /** Evaluates the present event once more after a suspension. */
  again(): void {
    this.#asked = 0
  }

  /** Units that the present event has cost, together with those that are not counted. */
  get spent(): number {
    return this.#turn === this.hand.turn ? Math.max(0, this.#spent) + Math.max(0, this.#uncounted) : 0
  }

  spend(units: number): void {
    const allowance = this.#allowance
    if (allowance === undefined) return
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    if (this.#asked++ < this.#known) return
    this.#known++
    this.#charge(allowance, units)
  }

  work(units: number, kind: 'options' | 'size' = 'options'): void {
    if (this.#allowance?.countsOptions) {
      if (this.#turn !== this.hand.turn) this.#beginTurn()
      this.kind = kind
      this.spend(units)
      this.kind = 'expressions'
    } else if (this.#stretch !== undefined) {
      this.#stretch.left -= units
    }
  }

  /**
   * Counts the present event itself, at a node of a graph that may make very many copies of it. Before the tenth behaviour they are
   * not counted.
   *
   * @throws BEYOND_BUDGET when the event exceeds its budget
   */
  visit(units: number): void {
    const allowance = this.#allowance
    if (!allowance?.countsCopies) return
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    if (this.#asked++ < this.#known) return
    this.#known++
    this.kind = 'copies'
    this.#chargeCounted(allowance, units)
    this.kind = 'expressions'
  }

  /** Whether an account owes the copies that parts contain: since the fourteenth behaviour. Before, saved units pay for them. */
  get owesCopies(): boolean {
    return this.#allowance?.owesCopies ?? false
  }

  /**
   * Charges the present event for the copies of it that its parts contain, before they are made. The account then owes the part of the
   * cost that is not free.
   *
   * @throws BEYOND_BUDGET if it is not free, and the account still owes for earlier ones, or cannot owe that much
   */
  copies(units: number): void {
    const allowance = this.#allowance
    if (allowance === undefined) return
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    const counted = this.#countedOf(units)
    if (counted === 0) {
      this.#uncounted += units
      return
    }
    this.#uncounted = ALL_COUNTED
    const before = this.#spentOf(allowance)
    const free = Math.min(counted, allowance.freeAfter(before))
    if (counted - free > allowance.copiesToOwe) {
      this.kind = 'parts'
      throw this.#exhausted(allowance, 0)
    }
    this.#take(allowance, before, free)
    allowance.oweCopies(counted - free)
  }

  /**
   * Charges the present event for a copy of it that is kept, unless its budget is exceeded. Before the tenth behaviour copies are free.
   *
   * @returns whether the copy may be kept
   */
  affords(units: number): boolean {
    const allowance = this.#allowance
    if (!allowance?.countsCopies) return true
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    const before = this.#spentOf(allowance)
    if (units > allowance.leftAfter(before)) return false
    this.#take(allowance, before, units)
    return true
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

  count<Answer>(begin: () => CountedWork<Answer>): Answer {
    return this.#counted(begin, true)
  }

  countAtOnce<Answer>(begin: () => CountedWork<Answer>): Answer {
    return this.#counted(begin, false)
  }

  #counted<Answer>(begin: () => CountedWork<Answer>, pauses: boolean): Answer {
    const allowance = this.#allowance
    if (allowance === undefined) return answerOf(begin())
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    const asked = this.#asked++
    if (asked < this.#known) return this.#answers[asked] as Answer
    let running = this.#running as CountedWork<Answer> | undefined
    if (running === undefined) {
      if (pauses && this.#stretch !== undefined && this.#stretch.left <= 0) throw SUSPENDED
      running = begin()
      this.#running = running
      this.#done = 0
    }
    const left = allowance.leftToTry(this.#spentOf(allowance), running.characters)
    const answer = this.#count(allowance, running, left, pauses)
    this.#answers[asked] = answer
    this.#known++
    return answer
  }

  prepared<Result>(work: Steps<Result>): Result {
    return preparedBy(work, this.#stretch)
  }

  spareUnits(characters: number): number {
    const allowance = this.#allowance
    if (allowance === undefined) return Number.POSITIVE_INFINITY
    if (this.#turn !== this.hand.turn) this.#beginTurn()
    const spent = this.#spentOf(allowance)
    return Math.min(allowance.freeAfter(spent), allowance.leftToTry(spent, characters))
  }

  get paysForEqualTexts(): boolean {
    return this.#allowance?.paysForEqualTexts ?? true
  }

  get readsUpperPrefixes(): boolean {
    return this.#allowance?.readsUpperPrefixes ?? false
  }

  get keepsRepeats(): boolean {
    return this.#allowance?.keepsRepeats ?? false
  }

  stepsLeft(): number {
    const allowance = this.#allowance
    return allowance === undefined
      ? Number.POSITIVE_INFINITY
      : allowance.stepsLeftOn(this.hand.event, this.#stepsHere)
  }

  takeSteps(steps: number): void {
    if (this.#stretch !== undefined) this.#stretch.left -= steps * UNITS_PER_STEP
    this.#allowance?.takeSteps(this.hand.event, this.#stepsHere, steps)
    this.#steps = this.#stepsHere + steps
    this.#stepTurn = this.hand.turn
  }

  /** Steps on the present event at this node. */
  get #stepsHere(): number {
    return this.#stepTurn === this.hand.turn ? this.#steps : 0
  }

  #judge(allowance: ExpressionAllowance, expression: RegularExpression, text: string): boolean {
    this.#takeTimeToRead(expression)
    const bound = expression.boundFor(text)
    if (expression.isBounded() && bound <= CHEAP_UNITS) {
      if (allowance.countsEveryMatch) this.#uncounted = ALL_COUNTED
      // Its work counts together with that which is not counted so far.
      const isJoined = bound > UNCOUNTED_UNITS || expression.isSought(text)
      const counted = isJoined ? this.#countedOf(bound) : bound
      if (counted === 0 || counted <= allowance.freeAfter(this.#spentOf(allowance))) {
        this.#takeTimeToBuild(expression, text)
        if (isJoined) this.#charge(allowance, bound)
        else this.#chargeWhole(allowance, bound)
        return expression.test(text)
      }
    }
    if (this.#running === undefined) {
      this.#running = expression.counting(text)
      this.#done = 0
    }
    if (this.#running !== undefined) {
      const left = allowance.leftToMatch(this.#spentOf(allowance), expression, text)
      return this.#count(allowance, this.#running as CountedWork<boolean>, left)
    }
    // An expression with too many steps to be counted: only the library can run it.
    this.#takeTimeToBuild(expression, text)
    this.#charge(allowance, bound)
    return expression.test(text)
  }

  /** Charges the stretch for reading, as `#takeTimeToBuild` does: a pipeline may have many unread expressions. */
  #takeTimeToRead(expression: RegularExpression): void {
    if (expression.isRead()) return
    const stretch = this.#stretch
    if (stretch !== undefined && stretch.left <= 0) throw SUSPENDED
    const units = expression.read()
    if (stretch !== undefined) stretch.left -= units
  }

  /** Charges building to the stretch and not to the event, because an earlier event may have built the expression. */
  #takeTimeToBuild(expression: RegularExpression, text: string): void {
    const stretch = this.#stretch
    if (stretch === undefined) return
    const units = expression.unitsToBuild(text)
    if (units === 0) return
    if (stretch.left <= 0) throw SUSPENDED
    stretch.left -= units
  }

  /** @param left units that it may take */
  #count<Answer>(
    allowance: ExpressionAllowance,
    running: CountedWork<Answer>,
    left: number,
    pauses = true,
  ): Answer {
    if (allowance.countsEveryMatch) this.#uncounted = ALL_COUNTED
    const stretch = this.#stretch
    const inStretch = stretch === undefined || !pauses ? Number.POSITIVE_INFINITY : Math.max(0, stretch.left)
    const answer = running.run(left + 1, this.#done + inStretch)
    if (stretch !== undefined) stretch.left -= running.work - this.#done
    this.#done = running.work
    if (running.units > left) throw this.#exhausted(allowance, left)
    if (answer === undefined) throw SUSPENDED
    this.#take(allowance, this.#spent, running.units)
    this.#running = undefined
    return answer
  }

  /** Charges work that is not counted while all such work at this node is little. */
  #charge(allowance: ExpressionAllowance, units: number): void {
    if (this.#stretch !== undefined) this.#stretch.left -= units
    const counted = this.#countedOf(units)
    if (counted === 0) {
      this.#uncounted += units
    } else {
      this.#uncounted = ALL_COUNTED
      this.#chargeCounted(allowance, counted)
    }
  }

  #chargeWhole(allowance: ExpressionAllowance, units: number): void {
    if (this.#stretch !== undefined) this.#stretch.left -= units
    this.#chargeCounted(allowance, units)
  }

  /** Units to count for further work. Where it is too much to be left uncounted, the earlier work here counts, too. */
  #countedOf(units: number): number {
    if (this.#uncounted === ALL_COUNTED) return units
    const here = this.#uncounted + units
    return here <= UNCOUNTED_UNITS ? 0 : here
  }

  #chargeCounted(allowance: ExpressionAllowance, units: number): void {
    const before = this.#spentOf(allowance)
    if (units > allowance.leftAfter(before)) throw this.#exhausted(allowance, 0)
    this.#take(allowance, before, units)
  }

  /**
   * Ends the work on an event that exceeds its budget. Saved units then pay for all of it. Before the tenth behaviour the event used up
   * the remaining units.
   *
   * @param done units of the match that was begun
   */
  #exhausted(allowance: ExpressionAllowance, done: number): ExpressionSignal {
    const { chargesFailures } = allowance
    this.#take(allowance, this.#spent, chargesFailures ? done : allowance.leftAfter(this.#spent))
    if (chargesFailures) {
      allowance.owe(this.#spent - this.#drawn)
      this.#drawn = this.#spent
      allowance.note(this.hand.event, this.#spent, this.#drawn)
    }
    this.#running?.end()
    this.#running = undefined
    return BEYOND_BUDGET
  }

  #spentOf(allowance: ExpressionAllowance): number {
    if (this.#spent < 0) {
      const { event } = this.hand
      this.#spent = event < 0 ? 0 : allowance.spentOn(event)
      this.#drawn = event < 0 ? 0 : allowance.drawnOn(event)
    }
    return this.#spent
  }

  #take(allowance: ExpressionAllowance, before: number, units: number): void {
    this.#drawn += allowance.take(before, units)
    this.#spent = before + units
    allowance.note(this.hand.event, this.#spent, this.#drawn)
  }
}

function preparedBy<Result>(work: Steps<Result>, stretch: Stretch | undefined): Result {
  for (;;) {
    if (stretch !== undefined && stretch.left <= 0) throw SUSPENDED
    const { done, value } = work.next()
    if (stretch !== undefined) stretch.left -= UNITS_PER_PREPARATION
    if (done) return value
  }
}

/** A meter for work outside a budget: each event may cost the free units and no more. */
export function freeMeter(): EventMeter {
  const budget = new ExpressionBudget()
  budget.takeSaved(budget.saved)
  const allowance = new ExpressionAllowance(budget)
  allowance.begin(0, Number.POSITIVE_INFINITY)
  const meter = new EventMeter()
  meter.open(allowance, undefined)
  return meter
}
