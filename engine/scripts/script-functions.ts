import { NumberText } from '../../schemas/json.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { canonicalTimeOf } from '../times/instant.ts'
import type { Names } from './names.ts'
import { parseGrok, parseKnownGrok } from './parse-grok.ts'
import { parsingWork } from './parsing-work.ts'
import { MAX_VALUE_LEVELS, type ScriptRun, TOO_MANY_LEVELS, VALUE_BYTES } from './script-run.ts'
import { jsonTextOf } from './script-text.ts'
import { numberOfTime, safeInteger, timeIn } from './script-times.ts'
import { ScriptArray, ScriptObject, type ScriptValue, scriptValueOf, type Void } from './script-value.ts'

type Apply = (values: readonly ScriptValue[], run: ScriptRun) => ScriptValue | Void

/** A function that scripts can call, and the number of values that it needs at least and takes at most. */
export interface ScriptFunction {
  readonly fewest: number
  readonly most: number
  readonly apply: Apply
  /** Prepares a call whose values are partly known when the script is compiled; undefined: a value that is not. */
  readonly withConstants?: (texts: readonly (string | undefined)[], names: Names, at: number) => Apply
}

/** Steps of trying all forms of a time. */
const TIME_STEPS = 120
/** Steps of printing a time. */
const PRINTED_TIME_STEPS = 30
/** Steps of making the exception for a text that is not JSON. */
const NOT_JSON_STEPS = 200
/** Steps of listing a member, which makes up to four values. */
const LISTED_STEPS = 8
/** Steps of a large integer. */
const INTEGER_STEPS = 16
/** A double has at most so many digits before its point. */
const MAX_DIGITS = 309
const INTEGER = /^([+-]?)(\d+|0x[\da-fA-F]+|0o[0-7]+|0b[01]+)$/
/** The integers before the fourteenth behaviour. */
const INTEGER_OF_EITHER_CASE = new RegExp(INTEGER, 'i')
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/

/** Functions by name: components, section 5.11. */
export const SCRIPT_FUNCTIONS: ReadonlyMap<string, ScriptFunction> = new Map<string, ScriptFunction>([
  ['Date.now', { fewest: 0, most: 0, apply: (_values, run) => run.nowMs }],
  ['Date.parse', { fewest: 1, most: 2, apply: parseDate }],
  ['JSON.parse', { fewest: 1, most: 1, apply: parseJson }],
  ['JSON.stringify', { fewest: 1, most: 1, apply: ([value = null], run) => jsonTextOf(value, run) }],
  ['Object.keys', { fewest: 1, most: 1, apply: ([value = null], run) => keysOf(value, run) }],
  ['Object.entries', { fewest: 1, most: 1, apply: ([value = null], run) => entriesOf(value, run) }],
  ['parseInt', { fewest: 1, most: 1, apply: ([value = null], run) => integerOf(value, run) }],
  ['parseFloat', { fewest: 1, most: 1, apply: ([value = null], run) => decimalOf(value, run) }],
  [
    'parseGrok',
    {
      fewest: 2,
      most: 2,
      apply: parseGrok(),
      withConstants: ([, pattern], names, at) =>
        pattern === undefined ? parseGrok() : parseKnownGrok(pattern, names, at),
    },
  ],
  ['getPipelineStateVariable', { fewest: 1, most: 1, apply: ([name = null], run) => stateOf(name, run) }],
])

/** `new Date()` and `new Date(text)`. */
export const NEW_DATE: ScriptFunction = {
  fewest: 0,
  most: 1,
  apply: (values, run) => {
    const [text] = values
    if (text === undefined) {
      run.spend(PRINTED_TIME_STEPS)
      return canonicalTimeOf({ epochMs: run.nowMs, nanos: 0 })
    }
    if (typeof text !== 'string') return null
    run.spend(TIME_STEPS)
    const instant = timeIn(text)
    return instant === undefined ? null : canonicalTimeOf(instant)
  },
}

function parseDate([text = null, unit = null]: readonly ScriptValue[], run: ScriptRun): ScriptValue {
  if (typeof text !== 'string') return null
  run.spend(TIME_STEPS)
  const instant = timeIn(text)
  const name = unit === null ? 'milliseconds' : unit
  return instant === undefined || typeof name !== 'string' ? null : numberOfTime(instant, name)
}

function parseJson([text = null]: readonly ScriptValue[], run: ScriptRun): ScriptValue {
  if (typeof text !== 'string') return null
  run.read(text.length)
  const { steps, parts, levels } = parsingWork(text)
  if (levels > MAX_VALUE_LEVELS) throw TOO_MANY_LEVELS
  run.spend(steps)
  run.make(text.length + parts * VALUE_BYTES)
  try {
    return scriptValueOf(parseExactJson(text))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    run.spend(NOT_JSON_STEPS)
    return null
  }
}

function keysOf(value: ScriptValue, run: ScriptRun): ScriptArray {
  const keys = new ScriptArray(undefined, 0)
  if (value instanceof ScriptObject) for (const key of namesOf(value, run)) keys.own().push(key)
  return keys
}

function entriesOf(value: ScriptValue, run: ScriptRun): ScriptArray {
  const entries = new ScriptArray(undefined, 0)
  if (!(value instanceof ScriptObject)) return entries
  for (const key of namesOf(value, run)) {
    const entry = new ScriptArray(undefined, 0)
    entry.own().push(key, value.get(key))
    entries.own().push(entry)
  }
  return entries
}

/** Names of the members of an object, whose number is counted first. */
function namesOf(object: ScriptObject, run: ScriptRun): readonly string[] {
  const most = object.memberBound()
  run.spend(most * LISTED_STEPS)
  run.make(most * 4 * VALUE_BYTES)
  return object.keys()
}

function integerOf(value: ScriptValue, run: ScriptRun): ScriptValue {
  if (typeof value === 'number') return Math.trunc(value)
  if (typeof value === 'bigint' || value instanceof NumberText) return value
  if (typeof value !== 'string') return 0
  run.read(value.length * 2)
  const text = value.trim()
  if (text.length > MAX_DIGITS) return 0
  const form = run.readsUpperPrefixes ? INTEGER_OF_EITHER_CASE : INTEGER
  const [, sign, digits] = form.exec(text) ?? []
  if (digits === undefined) return 0
  run.spend(INTEGER_STEPS)
  const integer = BigInt(digits)
  return safeInteger(sign === '-' ? -integer : integer)
}

function decimalOf(value: ScriptValue, run: ScriptRun): ScriptValue {
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof NumberText) return value
  if (typeof value !== 'string') return 0
  run.read(value.length * 8)
  const text = value.trim()
  if (!DECIMAL.test(text)) return 0
  const number = Number(text)
  return Number.isFinite(number) ? number : 0
}

function stateOf(name: ScriptValue, run: ScriptRun): ScriptValue {
  return typeof name === 'string' ? run.stateVariable(name) : null
}
