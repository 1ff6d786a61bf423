import { NumberText } from '../../schemas/json.ts'
import type { ScriptRun } from './script-run.ts'
import { type ScriptValue, VOID, type Void } from './script-value.ts'
import type { BinaryOperator } from './syntax-tree.ts'

type Operation = (left: ScriptValue, right: ScriptValue, run: ScriptRun) => ScriptValue | Void

/** Operators on two values: components, section 5.11. Only `+` and the comparisons work on texts. */
export const OPERATIONS: Readonly<Record<BinaryOperator, Operation>> = {
  '+': add,
  '-': (left, right) => calculated(left, right, subtract),
  '*': (left, right) => calculated(left, right, multiply),
  '/': (left, right) => calculated(left, right, divide),
  '<': (left, right, run) => compared(left, right, run, isLess),
  '<=': (left, right, run) => compared(left, right, run, isLessOrEqual),
  '>': (left, right, run) => compared(right, left, run, isLess),
  '>=': (left, right, run) => compared(right, left, run, isLessOrEqual),
  '===': areEqual,
  '!==': (left, right, run) => !areEqual(left, right, run),
}

/** Comparisons: in a condition they are false where they do not work on the types. */
export const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(['<', '<=', '>', '>=', '===', '!=='])

/** The number with the other sign. A large integer keeps its digits. */
export function negated(value: ScriptValue): ScriptValue | Void {
  if (typeof value === 'number' || typeof value === 'bigint') return -value
  return value instanceof NumberText ? value.opposite : VOID
}

function add(left: ScriptValue, right: ScriptValue, run: ScriptRun): ScriptValue | Void {
  if (typeof left === 'number' && typeof right === 'number') return finite(left + right)
  const leftText = left === null ? '' : left
  const rightText = right === null ? '' : right
  if (typeof leftText === 'string' && typeof rightText === 'string') {
    if (left === null && right === null) return VOID
    run.makeText(leftText.length + rightText.length)
    return leftText + rightText
  }
  return calculated(left, right, (one, other) => one + other)
}

function subtract(left: number, right: number): number {
  return left - right
}

function multiply(left: number, right: number): number {
  return left * right
}

function divide(left: number, right: number): number {
  return left / right
}

/** Calculates with doubles. Without a finite result there is none. */
function calculated(
  left: ScriptValue,
  right: ScriptValue,
  calculate: (left: number, right: number) => number,
): number | Void {
  const one = doubleOf(left)
  const other = doubleOf(right)
  return one === undefined || other === undefined ? VOID : finite(calculate(one, other))
}

function finite(value: number): number | Void {
  return Number.isFinite(value) ? value : VOID
}

/** @returns undefined for other types, and for a number beyond the range of a double */
export function doubleOf(value: ScriptValue): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'bigint' ? Number(value) : undefined
}

type Order = (left: number | string, right: number | string) => boolean
const isLess: Order = (left, right) => left < right
const isLessOrEqual: Order = (left, right) => left <= right

function compared(left: ScriptValue, right: ScriptValue, run: ScriptRun, isInOrder: Order): boolean | Void {
  if (typeof left === 'string' && typeof right === 'string') {
    run.read(Math.min(left.length, right.length))
    return isInOrder(left, right)
  }
  const one = orderOf(left)
  const other = orderOf(right)
  return one === undefined || other === undefined ? VOID : isInOrder(one, other)
}

/** Place of a number among all numbers; one beyond the range of a double is infinite. */
function orderOf(value: ScriptValue): number | undefined {
  return value instanceof NumberText ? value.double : doubleOf(value)
}

/** Values of different types differ. Arrays and objects equal only themselves. Integers are compared with all digits. */
function areEqual(left: ScriptValue, right: ScriptValue, run: ScriptRun): boolean {
  if (typeof left === 'string') return typeof right === 'string' && areEqualTexts(left, right, run)
  if (left === right) return true
  if (left instanceof NumberText) return right instanceof NumberText && areEqualNumberTexts(left, right, run)
  if (typeof left === 'bigint') return typeof right === 'number' && isSameNumber(left, right)
  return typeof left === 'number' && typeof right === 'bigint' && isSameNumber(right, left)
}

function areEqualTexts(left: string, right: string, run: ScriptRun): boolean {
  if (left.length !== right.length) return false
  // Equal texts are read to their end: without steps, a loop could compare long ones all the time.
  if (run.paysForEqualTexts || left !== right) run.read(left.length)
  return left === right
}

function areEqualNumberTexts(left: NumberText, right: NumberText, run: ScriptRun): boolean {
  if (left.text.length !== right.text.length) return false
  if (run.paysForEqualTexts) run.read(left.text.length)
  return left.text === right.text
}

function isSameNumber(integer: bigint, double: number): boolean {
  // Exact, in contrast to a comparison of doubles.
  return !(integer < double) && !(integer > double)
}
