import { type JsonValue, NumberText } from '../../schemas/json.ts'
import { parseCidrBlocks } from '../addresses/cidr.ts'
import { foundType, type Report } from '../event/errors.ts'
import { isMetric } from '../event/metric.ts'
import type { CostMeter } from '../expressions/cost-meter.ts'
import { simpleLowerCase } from '../expressions/lower-case.ts'
import { compileRegularExpression } from '../expressions/regular-expression.ts'
import { SoughtText } from '../expressions/sought-text.ts'
import { numericOperand, type Operator } from './operators.ts'

/** Error codes that a leaf of a conditional can report. */
export const CONDITION_CODES = [
  'E_NOT_FOUND',
  'E_COMPARE_COERCION_FAILED',
  'E_COMPARE_BAD_CIDR',
  'E_COMPARE_BAD_TYPE',
] as const

export type ConditionCode = (typeof CONDITION_CODES)[number]

/** One checked comparison of a conditional, in its wire form: components, section 3.1. */
export interface Leaf {
  readonly field: string
  readonly str_operator: string
  readonly value?: string | number | bigint
  readonly negate?: boolean
  readonly case_sensitive?: boolean
}

/** Result for the value at the field, before inversions. It is false when an error is reported. */
type Test = (value: JsonValue | undefined) => boolean
type Complain = (code: ConditionCode, value: JsonValue | undefined) => false

/** @throws RangeError when the operand was not checked */
export function compileTest(
  operator: Operator,
  leaf: Leaf,
  report: Report<ConditionCode>,
  meter: CostMeter,
): Test {
  const complain: Complain = (code, value) => {
    report(code, { field: leaf.field, found: foundType(value) })
    return false
  }
  const typeTest = TYPE_TESTS[operator.base]
  if (typeTest !== undefined) return typeTest
  switch (operator.operand) {
    case 'number':
      return numericTest(operator, leaf, complain)
    case 'expression':
      return expressionTest(leaf, complain, meter)
    case 'blocks':
      return blocksTest(leaf, complain)
    default:
      return operator.base === 'equal'
        ? equalityTest(leaf, complain)
        : textTest(operator, leaf, complain, meter)
  }
}

/** Operators without operand; they report no errors. */
const TYPE_TESTS: Readonly<Partial<Record<Operator['base'], Test>>> = {
  exists: value => value !== undefined,
  // A missing path counts as well: the idiom for "no state yet" relies on it.
  is_null: value => value === null || value === undefined,
  is_array: value => Array.isArray(value),
  is_boolean: value => typeof value === 'boolean',
  is_number: value => foundType(value) === 'number',
  is_object: value => foundType(value) === 'object',
  is_string: value => typeof value === 'string',
  is_empty: isEmpty,
  is_metric: value => value !== undefined && isMetric(value),
}

function isEmpty(value: JsonValue | undefined): boolean {
  if (value === '') return true
  if (value === null || typeof value !== 'object') return false
  return (Array.isArray(value) ? value : Object.keys(value)).length === 0
}

function equalityTest(
  { value: operand = '', case_sensitive: caseSensitive }: Leaf,
  complain: Complain,
): Test {
  const sameText = textEquality(scalarText(operand), caseSensitive ?? false)
  return value => {
    switch (typeof value) {
      case 'string':
        return sameText(value)
      case 'number':
      case 'bigint':
        return typeof operand === 'string' ? sameText(scalarText(value)) : sameNumber(value, operand)
      case 'boolean':
        return sameText(value ? 'true' : 'false')
      case 'undefined':
        return complain('E_NOT_FOUND', value)
      default:
        if (value instanceof NumberText) return sameText(value.text)
        return value === null ? false : complain('E_COMPARE_COERCION_FAILED', value)
    }
  }
}

function textEquality(operand: string, caseSensitive: boolean): (text: string) => boolean {
  if (caseSensitive) return text => text === operand
  const lowered = simpleLowerCase(operand)
  // Simple lower-casing keeps the length in code units, so most different texts are recognised without it.
  return text => text.length === lowered.length && (text === operand || simpleLowerCase(text) === lowered)
}

function sameNumber(one: number | bigint, other: number | bigint): boolean {
  if (typeof one === typeof other) return one === other
  return !(one < other) && !(one > other) // exact also between a bigint and a number
}

function numericTest({ base }: Operator, { value }: Leaf, complain: Complain): Test {
  const operand = numericOperand(value)
  if (operand === undefined) throw new RangeError(`operand ${JSON.stringify(value)} is not a number`)
  const holds = NUMERIC[base as keyof typeof NUMERIC]
  return found => {
    if (typeof found === 'number' || typeof found === 'bigint') return holds(found, operand)
    if (found === undefined) return complain('E_NOT_FOUND', found)
    const isText = typeof found === 'string' || found instanceof NumberText
    return complain(isText ? 'E_COMPARE_COERCION_FAILED' : 'E_COMPARE_BAD_TYPE', found)
  }
}

const NUMERIC = {
  greater: (found: number | bigint, operand: number | bigint) => found > operand,
  greater_or_equal: (found: number | bigint, operand: number | bigint) => found >= operand,
  less: (found: number | bigint, operand: number | bigint) => found < operand,
  less_or_equal: (found: number | bigint, operand: number | bigint) => found <= operand,
}

function textTest({ base }: Operator, leaf: Leaf, complain: Complain, meter: CostMeter): Test {
  const caseSensitive = leaf.case_sensitive ?? false
  const text = scalarText(leaf.value ?? '')
  const operand = caseSensitive ? text : simpleLowerCase(text)
  const cased = (value: string) => (caseSensitive ? value : simpleLowerCase(value))
  switch (base) {
    case 'starts_with':
      // Simple lower-casing keeps the length in code units, so only as much as the operand is lower-cased.
      return stringsOnly(complain, value => cased(value.slice(0, operand.length)).startsWith(operand))
    case 'ends_with':
      // Half a surrogate pair would stay as it is: the slice begins one code unit earlier.
      return stringsOnly(complain, value =>
        cased(value.slice(Math.max(0, value.length - operand.length - 1))).endsWith(operand),
      )
    default: {
      const sought = new SoughtText(operand)
      return stringsOnly(complain, value => sought.isIn(cased(value), meter))
    }
  }
}

function expressionTest(
  { value, case_sensitive: caseSensitive }: Leaf,
  complain: Complain,
  meter: CostMeter,
): Test {
  const expression = compileRegularExpression(String(value), { ignoreCase: !caseSensitive })
  return stringsOnly(complain, text => meter.matches(expression, text))
}

function blocksTest({ value }: Leaf, complain: Complain): Test {
  const blocks = parseCidrBlocks(String(value))
  if (blocks === undefined) throw new RangeError(`${value} is not an address block`)
  return stringsOnly(complain, text => blocks.contain(text) ?? complain('E_COMPARE_BAD_CIDR', text))
}

function stringsOnly(complain: Complain, holds: (text: string) => boolean): Test {
  return value => {
    if (typeof value === 'string') return holds(value)
    return complain(value === undefined ? 'E_NOT_FOUND' : 'E_COMPARE_BAD_TYPE', value)
  }
}

/** Text of a scalar: a string itself, otherwise its JSON text; -0 is 0. */
function scalarText(value: string | number | bigint): string {
  return String(value)
}
