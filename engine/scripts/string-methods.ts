import { characterAt, codePointOf, codePointsOf, isPlain, unitOf } from './code-points.ts'
import { doubleOf } from './operators.ts'
import type { ScriptRun } from './script-run.ts'
import { type ScriptValue, VOID, type Void } from './script-value.ts'
import { placeIn } from './text-search.ts'

/** Work of a method of texts. It is VOID when a value has a type that the method does not work on. */
type Method = (text: string, values: readonly ScriptValue[], run: ScriptRun) => ScriptValue | Void

/** A method, and the number of values that it needs at least and takes at most. */
export interface StringMethod {
  readonly fewest: number
  readonly most: number
  readonly apply: Method
}

/** Methods of texts: components, section 5.11. They mean the same as in JavaScript, but count in code points. */
export const STRING_METHODS: ReadonlyMap<string, StringMethod> = new Map([
  ['endsWith', method(1, 2, endsWith)],
  ['startsWith', method(1, 2, startsWith)],
  ['at', method(0, 1, at)],
  ['charAt', method(0, 1, charAt)],
  ['indexOf', method(1, 2, indexOf)],
  ['lastIndexOf', method(1, 2, lastIndexOf)],
  ['padEnd', method(1, 2, (text, values, run) => padded(text, values, run, (own, pad) => own + pad))],
  ['padStart', method(1, 2, (text, values, run) => padded(text, values, run, (own, pad) => pad + own))],
  ['repeat', method(1, 1, repeat)],
  ['slice', method(0, 2, slice)],
  ['substring', method(1, 2, substring)],
  ['toLowerCase', method(0, 0, (text, _values, run) => cased(text, run, text => text.toLowerCase()))],
  ['toUpperCase', method(0, 0, (text, _values, run) => cased(text, run, text => text.toUpperCase()))],
  ['trim', method(0, 0, (text, _values, run) => trimmed(text, run, text => text.trim()))],
  ['trimStart', method(0, 0, (text, _values, run) => trimmed(text, run, text => text.trimStart()))],
  ['trimEnd', method(0, 0, (text, _values, run) => trimmed(text, run, text => text.trimEnd()))],
])

/** One code point becomes at most three when its case changes. */
const MOST_CASED = 3
/** Binary logarithm of the units of a beginning or end that are compared per step: 8. */
const COMPARED_PER_STEP_BITS = 3
/** Binary logarithm of the units of a text with surrogates whose code points are counted per step, as often as a method does: 4. */
const SCANNED_PER_STEP_BITS = 2
/** Binary logarithm of the units whose case is changed per step: 4. */
const CASED_PER_STEP_BITS = 2

/** Takes the steps of counting the code points of a text. */
export function scan(text: string, run: ScriptRun): void {
  run.read(text.length)
  if (!isPlain(text)) run.spend(text.length >> SCANNED_PER_STEP_BITS)
}

function method(fewest: number, most: number, apply: Method): StringMethod {
  return { fewest, most, apply }
}

/** An integer among the values. @returns undefined for a value that is not a number */
function integerAt(values: readonly ScriptValue[], index: number, ifMissing: number): number | undefined {
  const value = values[index] ?? null
  if (value === null) return ifMissing
  const number = doubleOf(value)
  return number === undefined ? undefined : Math.trunc(number)
}

function startsWith(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const [sought = null] = values
  const from = integerAt(values, 1, 0)
  if (typeof sought !== 'string' || from === undefined) return VOID
  run.spend(sought.length >> COMPARED_PER_STEP_BITS)
  if (from > 0) scan(text, run)
  return text.startsWith(sought, unitOf(text, from))
}

function endsWith(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const [sought = null] = values
  const end = integerAt(values, 1, Number.POSITIVE_INFINITY)
  if (typeof sought !== 'string' || end === undefined) return VOID
  run.spend(sought.length >> COMPARED_PER_STEP_BITS)
  if (end >= text.length) return text.endsWith(sought)
  scan(text, run)
  return text.endsWith(sought, unitOf(text, end))
}

function at(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const index = integerAt(values, 0, 0)
  if (index === undefined) return VOID
  scan(text, run)
  const place = index < 0 ? index + codePointsOf(text) : index
  return place < 0 ? null : characterAt(text, unitOf(text, place)) || null
}

function charAt(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const index = integerAt(values, 0, 0)
  if (index === undefined) return VOID
  scan(text, run)
  return index < 0 ? '' : characterAt(text, unitOf(text, index))
}

function indexOf(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const [sought = null] = values
  const from = integerAt(values, 1, 0)
  if (typeof sought !== 'string' || from === undefined) return VOID
  scan(text, run)
  const place = placeIn(text, sought, { from: unitOf(text, from), isLast: false }, steps => run.spend(steps))
  return place < 0 ? -1 : codePointOf(text, place)
}

function lastIndexOf(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const [sought = null] = values
  const from = integerAt(values, 1, Number.POSITIVE_INFINITY)
  if (typeof sought !== 'string' || from === undefined) return VOID
  scan(text, run)
  const place = placeIn(text, sought, { from: unitOf(text, from), isLast: true }, steps => run.spend(steps))
  return place < 0 ? -1 : codePointOf(text, place)
}

function padded(
  text: string,
  values: readonly ScriptValue[],
  run: ScriptRun,
  join: (text: string, padding: string) => string,
): ScriptValue | Void {
  const length = integerAt(values, 0, 0)
  const [, pad = null] = values
  const unit = pad === null ? ' ' : pad
  if (length === undefined || typeof unit !== 'string') return VOID
  scan(text, run)
  const missing = length - codePointsOf(text)
  if (missing <= 0 || unit === '') return text
  // A code point has one or two units.
  run.makeText(text.length + 2 * missing)
  scan(unit, run)
  const own = codePointsOf(unit)
  const times = Math.floor(missing / own)
  return join(text, unit.repeat(times) + unit.slice(0, unitOf(unit, missing - times * own)))
}

function repeat(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const times = integerAt(values, 0, 0)
  if (times === undefined || times < 0) return VOID
  run.makeText(text.length * times)
  return text === '' ? '' : text.repeat(times)
}

function slice(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const first = integerAt(values, 0, 0)
  const last = integerAt(values, 1, Number.POSITIVE_INFINITY)
  if (first === undefined || last === undefined) return VOID
  scan(text, run)
  const length = first < 0 || last < 0 ? codePointsOf(text) : 0
  return part(text, first < 0 ? length + first : first, last < 0 ? length + last : last, run)
}

function substring(text: string, values: readonly ScriptValue[], run: ScriptRun): ScriptValue | Void {
  const first = integerAt(values, 0, 0)
  const last = integerAt(values, 1, Number.POSITIVE_INFINITY)
  if (first === undefined || last === undefined) return VOID
  scan(text, run)
  const length = codePointsOf(text)
  const [start, end] = [clamped(first, length), clamped(last, length)]
  return part(text, Math.min(start, end), Math.max(start, end), run)
}

function clamped(index: number, length: number): number {
  return Math.max(0, Math.min(index, length))
}

/** The code points from one index to before another. */
function part(text: string, first: number, last: number, run: ScriptRun): string {
  const start = unitOf(text, first)
  const end = unitOf(text, last)
  if (end <= start) return ''
  run.makeText(end - start)
  return text.slice(start, end)
}

function cased(text: string, run: ScriptRun, change: (text: string) => string): string {
  run.spend(text.length >> CASED_PER_STEP_BITS)
  run.makeText(text.length)
  const result = change(text)
  // Few characters become longer, and all of them are counted, at most so many times as long.
  if (result.length > text.length) run.makeText(Math.min(result.length, MOST_CASED * text.length))
  return result
}

function trimmed(text: string, run: ScriptRun, trim: (text: string) => string): string {
  scan(text, run)
  run.make(text.length)
  return trim(text)
}
