import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { jsonText } from './json-text.ts'

/** Longer texts are quoted by `JSON.stringify`; for short ones a call takes longer than a look at each character. */
const MAX_LOOKED_AT = 32
/** More keys are sorted by `sort`; for a few keys a call takes longer than a comparison of each pair. */
const MAX_COMPARED_KEYS = 8
const FIRST_PRINTABLE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const FIRST_SURROGATE = 0xd800
const LAST_SURROGATE = 0xdfff

/** Compact JSON with the keys of all objects ordered by code points. */
export function canonicalJson(value: JsonValue | object): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object' || value instanceof NumberText) return jsonText(value)
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const keys = sortedKeys(value)
  let text = '{'
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string
    if (at > 0) text += ','
    text += `${quoted(key)}:${canonicalJson((value as JsonObject)[key] as JsonValue)}`
  }
  return `${text}}`
}

function sortedKeys(object: object): string[] {
  const keys = Object.keys(object)
  if (keys.length > MAX_COMPARED_KEYS) return keys.sort(byCodePoint)
  for (let at = 1; at < keys.length; at++) {
    const key = keys[at] as string
    let place = at
    for (; place > 0 && byCodePoint(keys[place - 1] as string, key) > 0; place--)
      keys[place] = keys[place - 1] as string
    keys[place] = key
  }
  return keys
}

/** JSON text of a string. */
function quoted(text: string): string {
  return isShortAndPlain(text) ? `"${text}"` : JSON.stringify(text)
}

/** Whether each character of a short text stands for itself. */
function isShortAndPlain(text: string): boolean {
  if (text.length > MAX_LOOKED_AT) return false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < FIRST_PRINTABLE || code === QUOTE || code === BACKSLASH) return false
    if (code >= FIRST_SURROGATE && code <= LAST_SURROGATE) return false
  }
  return true
}

/** The default order is by code units, which puts U+1F600 before U+FF21. */
function byCodePoint(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue
    const difference = (one.codePointAt(at) as number) - (other.codePointAt(at) as number)
    return difference
  }
  return one.length - other.length
}
