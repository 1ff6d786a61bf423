import { isJsonObject, type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { boundedNumber, parseBoundedNumbers, parseJson } from './json-text.ts'
import { unmarkedKey, withMarkedKeys } from './marked-keys.ts'
import { isIndexKey, orderedObject } from './ordered-object.ts'

/**
 * Parses JSON that somebody sent: besides integers keeping their digits, keys keep their order, and numbers beyond the
 * range of a double their text (components, section 1.2). The nesting of the text must be bounded.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): JsonValue {
  const value = parseBoundedNumbers(text)
  return isExact(value) ? value : reparsed(text)
}

/** How the values of an event, or of a record made from it, are parsed: exactly from the fifth behaviour on. */
export function eventParser(isExact: boolean): (text: string) => JsonValue {
  return isExact ? parseExactJson : parseJson
}

/** False when the plain parse may have changed an order or lost a number. */
function isExact(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isExact)
  return hasExactMembers(value as JsonObject)
}

function hasExactMembers(object: JsonObject): boolean {
  let isFirst = true
  for (const key in object) {
    // Indexes come first: one look tells whether there is one.
    if (isFirst && isDigit(key.charCodeAt(0)) && isIndexKey(key)) return false
    isFirst = false
    const value = object[key] as JsonValue
    if ((typeof value === 'number' || typeof value === 'object') && !isExact(value)) return false
  }
  return true
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function reparsed(text: string): JsonValue {
  return JSON.parse(withMarkedKeys(text), (_key, value: unknown, context?: { readonly source?: string }) => {
    if (typeof value === 'number') return numberOf(value, context?.source)
    if (!isJsonObject(value)) return value
    return orderedObject(Object.entries(value).map(([key, member]) => [unmarkedKey(key), member] as const))
  }) as JsonValue
}

/** @param source as it is written */
function numberOf(value: number, source: string | undefined): JsonValue {
  if (source === undefined) return value
  return Number.isFinite(value) ? boundedNumber(value, source) : new NumberText(source)
}
