/** Operators without their inversions: `not_equal` is an inverted `equal`. */
export type BaseOperator =
  | 'exists'
  | 'equal'
  | 'greater'
  | 'greater_or_equal'
  | 'less'
  | 'less_or_equal'
  | 'contains'
  | 'starts_with'
  | 'ends_with'
  | 'regex_match'
  | 'is_ip_in_cidr_range'
  | 'is_array'
  | 'is_boolean'
  | 'is_number'
  | 'is_object'
  | 'is_string'
  | 'is_null'
  | 'is_empty'
  | 'is_metric'
  | ChangeOperator

export type ChangeOperator =
  `${'percent' | 'value'}_change_${'greater' | 'greater_or_equal' | 'less' | 'less_or_equal'}`

export interface Operator {
  readonly base: BaseOperator
  readonly inverted: boolean
  readonly operand: 'none' | 'number' | 'scalar' | 'expression' | 'blocks'
  /** Compares with the previous value of the same field: aggregate and change alerts only. */
  readonly change: boolean
}

const OPERANDS: Readonly<Record<BaseOperator, Operator['operand']>> = {
  exists: 'none',
  equal: 'scalar',
  greater: 'number',
  greater_or_equal: 'number',
  less: 'number',
  less_or_equal: 'number',
  contains: 'scalar',
  starts_with: 'scalar',
  ends_with: 'scalar',
  regex_match: 'expression',
  is_ip_in_cidr_range: 'blocks',
  is_array: 'none',
  is_boolean: 'none',
  is_number: 'none',
  is_object: 'none',
  is_string: 'none',
  is_null: 'none',
  is_empty: 'none',
  is_metric: 'none',
  percent_change_greater: 'number',
  percent_change_greater_or_equal: 'number',
  percent_change_less: 'number',
  percent_change_less_or_equal: 'number',
  value_change_greater: 'number',
  value_change_greater_or_equal: 'number',
  value_change_less: 'number',
  value_change_less_or_equal: 'number',
}

/** Operators that have an inverted form; older clients know `not_regex_match` (pipeline API, appendix B). */
const INVERTIBLE: readonly BaseOperator[] = ['exists', 'equal', 'contains', 'regex_match']

const OPERATORS = new Map<string, Operator>()
for (const [base, operand] of Object.entries(OPERANDS) as [BaseOperator, Operator['operand']][]) {
  OPERATORS.set(base, { base, inverted: false, operand, change: base.includes('_change_') })
}
for (const base of INVERTIBLE) {
  OPERATORS.set(`not_${base}`, { base, inverted: true, operand: OPERANDS[base], change: false })
}

/** Every `str_operator` that a conditional may name. */
export const OPERATOR_NAMES: readonly string[] = [...OPERATORS.keys()]

export function operatorNamed(name: string): Operator | undefined {
  return OPERATORS.get(name)
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** The operand of a numeric operator: a number, or a string that is a decimal number. */
export function numericOperand(value: unknown): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value
  if (typeof value !== 'string' || !DECIMAL.test(value)) return undefined
  const number = Number(value)
  if (!Number.isFinite(number)) return undefined
  return /^[+-]?\d+$/.test(value) && !Number.isSafeInteger(number) ? BigInt(value) : number
}
