import type { Leaf } from './comparison.ts'
import { numericOperand, type Operator } from './operators.ts'

const PERCENT = 100
const BY_PERCENT = /^percent_change_/

/** Whether the change between two numbers meets an operator. */
export type Change = (now: number, before: number) => boolean

/** @throws RangeError when the operand was not checked */
export function compileChange({ base }: Operator, { value }: Leaf): Change {
  const operand = numericOperand(value)
  if (operand === undefined) throw new RangeError(`operand ${JSON.stringify(value)} is not a number`)
  const holds = CHANGES[base.replace(/^(?:percent|value)_change_/, '') as keyof typeof CHANGES]
  const changeOf = BY_PERCENT.test(base) ? percentChange : (now: number, before: number) => now - before
  return (now, before) => holds(changeOf(now, before), Number(operand))
}

const CHANGES = {
  greater: (change: number, operand: number) => change > operand,
  greater_or_equal: (change: number, operand: number) => change >= operand,
  less: (change: number, operand: number) => change < operand,
  less_or_equal: (change: number, operand: number) => change <= operand,
}

/** Components, section 5.1: a change from 0 is infinite, by the sign of the number, or 0. */
function percentChange(now: number, before: number): number {
  if (before !== 0) return ((now - before) / Math.abs(before)) * PERCENT
  return now === 0 ? 0 : now * Number.POSITIVE_INFINITY
}
