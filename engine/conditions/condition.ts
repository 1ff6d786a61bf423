import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { Report } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { fieldAt } from '../event/field-path.ts'
import type { CostMeter } from '../expressions/cost-meter.ts'
import { type Change, compileChange } from './change.ts'
import { CONDITION_CODES, type ConditionCode, compileTest, type Leaf } from './comparison.ts'
import { type Operator, operatorNamed } from './operators.ts'

export type { ConditionCode, Leaf } from './comparison.ts'
export { checkCondition, checkLeaf } from './condition-check.ts'

/** Error codes that a processor with a conditional can report. */
export const JUDGING_CODES = [...CONDITION_CODES, 'E_EXPRESSION_COST'] as const

/** Cost of a comparison that reads no text. */
const COMPARISON_UNITS = 16
/** Conditionals with fewer comparisons are not counted: they cost as little as any other work of a node on an event. */
const MAX_UNCOUNTED = 8

/** A checked conditional, in its wire form: components, section 3.1. */
export interface Condition {
  readonly logical_operation?: 'AND' | 'OR'
  readonly expressions: readonly (Condition | Leaf)[]
}

/**
 * Judges one event. Evaluation goes from left to right and stops as soon as the result is known, so later comparisons report
 * nothing and cost nothing.
 *
 * @throws BEYOND_BUDGET, SUSPENDED from its meter
 */
export type Predicate = (event: Event) => boolean

/** Number that a field had before, for change operators; undefined: it had none. */
export type NumberBefore = (field: string) => number | undefined

/**
 * @param condition was accepted by `checkCondition`
 * @param meter counts its cost
 * @param before present where change operators are allowed
 */
export function compileCondition(
  condition: Condition | JsonObject,
  report: Report<ConditionCode>,
  meter: CostMeter,
  before?: NumberBefore,
): Predicate {
  const judges = compileGroup(condition as Condition, report, meter, before)
  if (isUncounted(condition as Condition)) return judges
  const comparisons = comparisonsIn(condition as Condition)
  return event => {
    meter.spend(comparisons * COMPARISON_UNITS)
    return judges(event)
  }
}

/** Whether the number of comparisons does not count as cost. */
export function isUncounted(condition: Condition): boolean {
  return comparisonsIn(condition) <= MAX_UNCOUNTED
}

/** Units of the conditionals of one node that are not counted one by one; 0: they are as few as those of one conditional. */
export function uncountedUnits(conditions: readonly Condition[]): number {
  let count = 0
  for (const condition of conditions) {
    const comparisons = comparisonsIn(condition)
    if (comparisons <= MAX_UNCOUNTED) count += comparisons
  }
  return count <= MAX_UNCOUNTED ? 0 : count * COMPARISON_UNITS
}

function comparisonsIn({ expressions }: Condition): number {
  let count = 0
  for (const expression of expressions) count += 'expressions' in expression ? comparisonsIn(expression) : 1
  return count
}

function compileGroup(
  { expressions, logical_operation: operation = 'AND' }: Condition,
  report: Report<ConditionCode>,
  meter: CostMeter,
  before: NumberBefore | undefined,
): Predicate {
  const predicates = expressions.map(expression =>
    'expressions' in expression
      ? compileGroup(expression, report, meter, before)
      : compileLeaf(expression, report, meter, before),
  )
  return operation === 'AND' ? allOf(predicates) : anyOf(predicates)
}

/** Fields whose numbers the change operators of a condition compare. */
export function changeFields(condition: Condition): string[] {
  const fields = condition.expressions.flatMap(expression => {
    if ('expressions' in expression) return changeFields(expression)
    return operatorNamed(expression.str_operator)?.change ? [expression.field] : []
  })
  return [...new Set(fields)]
}

/**
 * @param leaf was accepted by `checkLeaf`
 * @param meter works as in `compileCondition`, and so does `before`
 */
export function compileLeaf(
  leaf: Leaf,
  report: Report<ConditionCode>,
  meter: CostMeter,
  before?: NumberBefore,
): Predicate {
  const operator = operatorNamed(leaf.str_operator)
  if (operator === undefined) throw new RangeError(`unknown operator ${leaf.str_operator}`)
  const field = fieldAt(leaf.field)
  const test = operator.change
    ? changeTest(operator, leaf, before)
    : compileTest(operator, leaf, report, meter)
  // Inversions come after errors: a leaf that reports an error is false before it is inverted.
  const inverted = operator.inverted !== (leaf.negate ?? false)
  return inverted ? event => !test(field.read(event)) : event => test(field.read(event))
}

/** @throws RangeError when change operators are not allowed */
function changeTest(
  operator: Operator,
  leaf: Leaf,
  before: NumberBefore | undefined,
): (value: JsonValue | undefined) => boolean {
  if (before === undefined) throw new RangeError(`operator ${operator.base} compares with a value before`)
  const holds: Change = compileChange(operator, leaf)
  return value => {
    const last = before(leaf.field)
    return (
      last !== undefined &&
      (typeof value === 'number' || typeof value === 'bigint') &&
      holds(Number(value), last)
    )
  }
}

function allOf(predicates: readonly Predicate[]): Predicate {
  const [first, second] = predicates
  if (first !== undefined && predicates.length === 1) return first
  if (first !== undefined && second !== undefined && predicates.length === 2)
    return event => first(event) && second(event)
  return event => predicates.every(predicate => predicate(event))
}

function anyOf(predicates: readonly Predicate[]): Predicate {
  const [first, second] = predicates
  if (first !== undefined && predicates.length === 1) return first
  if (first !== undefined && second !== undefined && predicates.length === 2)
    return event => first(event) || second(event)
  return event => predicates.some(predicate => predicate(event))
}
