import type { JsonObject } from '../schemas/json.ts'
import { type ConditionCode, compileTest, type Leaf } from './comparison.ts'
import type { Report } from './errors.ts'
import type { Event } from './event.ts'
import { fieldAt } from './field-path.ts'
import { operatorNamed } from './operators.ts'

export type { ConditionCode, Leaf } from './comparison.ts'
export { CONDITION_CODES } from './comparison.ts'
export { checkCondition, checkLeaf } from './condition-check.ts'

/** A conditional that was checked, in its wire form: components, section 3.1. */
export interface Condition {
  readonly logical_operation?: 'AND' | 'OR'
  readonly expressions: readonly (Condition | Leaf)[]
}

/**
 * Judges one event. Evaluation goes from left to right and stops as soon as the result is known, so what is
 * not evaluated reports nothing.
 */
export type Predicate = (event: Event) => boolean

/** @param condition was accepted by `checkCondition` */
export function compileCondition(
  condition: Condition | JsonObject,
  report: Report<ConditionCode>,
): Predicate {
  const { expressions, logical_operation: operation = 'AND' } = condition as Condition
  const predicates = expressions.map(expression =>
    'expressions' in expression ? compileCondition(expression, report) : compileLeaf(expression, report),
  )
  return operation === 'AND' ? allOf(predicates) : anyOf(predicates)
}

/** @param leaf was accepted by `checkLeaf` */
export function compileLeaf(leaf: Leaf, report: Report<ConditionCode>): Predicate {
  const operator = operatorNamed(leaf.str_operator)
  if (operator === undefined) throw new RangeError(`unknown operator ${leaf.str_operator}`)
  const field = fieldAt(leaf.field)
  const test = compileTest(operator, leaf, report)
  // Inversions come after errors: a leaf that reports an error is false before it is inverted.
  const inverted = operator.inverted !== (leaf.negate ?? false)
  return inverted ? event => !test(field.read(event)) : event => test(field.read(event))
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
