import { type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import { parseExactJson } from '../../json/exact-json.ts'
import { valuesOf } from '../../json/ordered-object.ts'
import { isKnownShallow, SHALLOW_LEVELS } from '../columns/rare-members.ts'

/**
 * Maximum number of `{` at which a parse is tried. A text with more of them before its object is kept as text. Without
 * this bound, a line of 16 KB made of `{"` would be parsed thousands of times. (Our choice.)
 */
const MAX_STARTS = 32
/**
 * JSON nested deeper is not parsed. Printing it needs a stack frame per level. The size of the stack depends on more
 * than the line, which alone must decide. (Our choice.)
 */
export const MAX_NESTING = 256

type Parse = (text: string) => JsonValue

const OPENING_BRACE = 0x7b
const CLOSING_BRACE = 0x7d
const OPENING_BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const QUOTE = 0x22
const BACKSLASH = 0x5c

/**
 * The object at the end of a line, as in `{"a":1}` or `took {"ms":3}`: parsing, section 3.1. A text that does not end
 * with `}` costs only a check of its last bytes; it is not decoded.
 *
 * @param parse before the fifth behaviour `parseJson`
 * @returns undefined without an object
 */
export function parseLineObject(
  bytes: Buffer,
  start: number,
  end: number,
  parse: Parse = parseExactJson,
): JsonObject | undefined {
  let last = end - 1
  while (last >= start && isBlank(bytes[last] as number)) last--
  if (last < start || bytes[last] !== CLOSING_BRACE) return undefined
  return objectEnding(bytes.toString('utf8', start, last + 1), parse)
}

/** Parses a text that is already a string. */
export function parseTextObject(text: string, parse: Parse = parseExactJson): JsonObject | undefined {
  let last = text.length - 1
  while (last >= 0 && isBlank(text.charCodeAt(last))) last--
  if (last < 0 || text.charCodeAt(last) !== CLOSING_BRACE) return undefined
  return objectEnding(last === text.length - 1 ? text : text.slice(0, last + 1), parse)
}

/** The object that a text consists of, apart from blanks behind it; `parseTextObject` gives the same one. */
export function parseWholeText(text: string, parse: Parse = parseExactJson): JsonObject | undefined {
  if (text.charCodeAt(0) !== OPENING_BRACE) return undefined
  let last = text.length - 1
  while (isBlank(text.charCodeAt(last))) last--
  return parseBoundedJson(text.slice(0, last + 1), parse) as JsonObject | undefined
}

/** @returns undefined when the text is not JSON, or nested too deep */
export function parseBoundedJson(text: string, parse: Parse = parseExactJson): JsonValue | undefined {
  return parseOrNothing(text, openingCount(text) > MAX_NESTING, parse)
}

/** True when printing the value could run out of stack. */
export function isTooDeep(value: JsonValue, levelsLeft = MAX_NESTING): boolean {
  if (value === null || typeof value !== 'object') return false
  if (levelsLeft === 0) return true
  if (value instanceof NumberText) return false
  if (levelsLeft >= SHALLOW_LEVELS && isKnownShallow(value)) return false
  const members = Array.isArray(value) ? value : valuesOf(value)
  // A call for each of a million numbers would take ten times as long.
  for (const member of members)
    if (typeof member === 'object' && isTooDeep(member, levelsLeft - 1)) return true
  return false
}

/** @param text a text that ends with `}` */
function objectEnding(text: string, parse: Parse): JsonObject | undefined {
  // Counted once for all starts; most texts have too few brackets to be deep.
  const mayBeTooDeep = openingCount(text) > MAX_NESTING
  let starts = 0
  for (let at = text.indexOf('{'); at !== -1; at = text.indexOf('{', at + 1)) {
    if (!mayBeginObject(text, at)) continue
    if (++starts > MAX_STARTS) return undefined
    const value = parseOrNothing(at === 0 ? text : text.slice(at), mayBeTooDeep, parse)
    if (value !== undefined) return value as JsonObject
  }
  return undefined
}

function parseOrNothing(text: string, mayBeTooDeep: boolean, parse: Parse): JsonValue | undefined {
  if (mayBeTooDeep && nesting(text) > MAX_NESTING) return undefined
  try {
    return parse(text)
  } catch {
    return undefined // Text that is not JSON is not an error here.
  }
}

/** A failed parse takes five microseconds; a check of the next character takes almost nothing. */
function mayBeginObject(text: string, brace: number): boolean {
  let at = brace + 1
  while (isBlank(text.charCodeAt(at))) at++
  const next = text.charCodeAt(at)
  return next === QUOTE || (next === CLOSING_BRACE && at === text.length - 1)
}

/** ASCII white space. */
function isBlank(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d)
}

/** Number of opening brackets, including those in strings; 0 for a short text. */
function openingCount(text: string): number {
  if (text.length <= 2 * MAX_NESTING) return 0 // Too short to nest deep.
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === OPENING_BRACE || code === OPENING_BRACKET) count++
  }
  return count
}

function nesting(text: string): number {
  let depth = 0
  let deepest = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (inString) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) inString = false
    } else if (code === QUOTE) {
      inString = true
    } else if (code === OPENING_BRACE || code === OPENING_BRACKET) {
      if (++depth > deepest) deepest = depth
    } else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) {
      depth--
    }
  }
  return deepest
}
