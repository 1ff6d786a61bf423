import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { countMembers, entriesOf } from '../json/ordered-object.ts'
import {
  MAX_TEXT_LENGTH,
  MAX_VALUE_LEVELS,
  type ScriptRun,
  TOO_LONG_TEXT,
  TOO_MANY_LEVELS,
  VALUE_BYTES,
} from './script-run.ts'
import { ScriptArray, ScriptObject, type ScriptValue } from './script-value.ts'

/** Steps of a part of a value that is printed. */
const STEPS_PER_NUMBER = 6
const STEPS_PER_CONTAINER = 4
const STEPS_PER_LISTED_MEMBER = 6
/** Binary logarithm of the characters that are printed per step: 8. */
const PRINTED_PER_STEP_BITS = 3
/** Binary logarithm of the characters of escapes that are printed per step: 4. */
const ESCAPED_PER_STEP_BITS = 2

/** Text of a value: components, section 5.11, `toString`. @throws ScriptStop */
export function textOf(value: ScriptValue, run: ScriptRun): string {
  if (typeof value === 'string') return value
  return value === null ? '' : jsonTextOf(value, run)
}

/** Compact JSON text of a value, as `jsonText` gives it. @throws ScriptStop */
export function jsonTextOf(value: ScriptValue | JsonValue, run: ScriptRun): string {
  const text = printed(value, 0, run)
  if (text.length > MAX_TEXT_LENGTH) throw TOO_LONG_TEXT
  return text
}

/** @param level arrays and objects around the value */
function printed(value: ScriptValue | JsonValue, level: number, run: ScriptRun): string {
  switch (typeof value) {
    case 'string':
      return printedString(value, run)
    case 'number':
      run.spend(STEPS_PER_NUMBER)
      run.make(VALUE_BYTES)
      return String(value)
    case 'bigint': {
      const text = String(value)
      run.spend(STEPS_PER_NUMBER + text.length)
      run.make(text.length)
      return text
    }
    case 'boolean':
      run.spend(1)
      return value ? 'true' : 'false'
  }
  if (value === null) {
    run.spend(1)
    return 'null'
  }
  if (value instanceof NumberText) {
    run.makeText(value.text.length)
    return value.text
  }
  // A value that contains itself has endless levels.
  if (level >= MAX_VALUE_LEVELS) throw TOO_MANY_LEVELS
  run.spend(STEPS_PER_CONTAINER)
  if (value instanceof ScriptArray) return printedArray(value.elements ?? value.source ?? [], level, run)
  if (Array.isArray(value)) return printedArray(value, level, run)
  return value instanceof ScriptObject ? printedObject(value, level, run) : printedMembers(value, level, run)
}

function printedString(value: string, run: ScriptRun): string {
  run.spend(2 + (value.length >> PRINTED_PER_STEP_BITS))
  run.make(value.length + 2)
  const text = JSON.stringify(value)
  // Escapes may make it six times as long.
  run.spend((text.length - value.length) >> ESCAPED_PER_STEP_BITS)
  run.makeText(text.length - value.length)
  return text
}

function printedArray(elements: readonly (ScriptValue | JsonValue)[], level: number, run: ScriptRun): string {
  let text = '['
  for (let index = 0; index < elements.length; index++) {
    if (index > 0) text += ','
    text += printed(elements[index] as ScriptValue | JsonValue, level + 1, run)
  }
  return `${text}]`
}

function printedObject(object: ScriptObject, level: number, run: ScriptRun): string {
  const { source, members } = object
  if (members === undefined) return printedMembers(source ?? {}, level, run)
  run.spend(object.memberBound() * STEPS_PER_LISTED_MEMBER)
  let text = ''
  for (const key of object.keys()) {
    const own = members.get(key)
    const value = own === undefined ? (source?.[key] as JsonValue) : (own as ScriptValue)
    text += `${text === '' ? '' : ','}${printedString(key, run)}:${printed(value, level + 1, run)}`
  }
  return `{${text}}`
}

function printedMembers(object: JsonObject, level: number, run: ScriptRun): string {
  run.spend(countMembers(object) * STEPS_PER_LISTED_MEMBER)
  let text = ''
  for (const [key, value] of entriesOf(object))
    text += `${text === '' ? '' : ','}${printedString(key, run)}:${printed(value, level + 1, run)}`
  return `{${text}}`
}
