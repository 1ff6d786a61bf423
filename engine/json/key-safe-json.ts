import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { MarkedKeys, skipBlanks, stringEnd } from './marked-keys.ts'

/** Replaces a value; called once for each value. @param source text of a number or another value without parts */
type Revive = (value: unknown, source: string | undefined) => unknown

/**
 * `JSON.parse` that returns the keys of the text, whatever was parsed before.
 *
 * Since V8 12.8, `JSON.parse` may return another name for a key that is written with an escape. It compares the keys of
 * earlier objects at this place with as many source characters as the key has. After `{"path":1,"C:\\":2}` was parsed,
 * the second key of `{"path":1,"C:\t":2}` is `C:\` (https://github.com/nodejs/node/issues/63785). Keys without an escape
 * and values are not affected. A text with an escaped key is therefore parsed again with other keys; all other texts cost
 * the plain, fast parse.
 *
 * The nesting of the text must be bounded.
 *
 * @throws SyntaxError
 */
export function parseKeySafe(text: string, revive?: Revive): JsonValue {
  const value = parsed(text, revive)
  // The plain parse comes first: keys can only be found in valid texts, and errors refer to places in the original text.
  if (!holdsEscapedKey(text)) return value
  const keys = new MarkedKeys()
  return withoutMarks(parsed(keys.markedText(text), revive), keys)
}

function parsed(text: string, revive: Revive | undefined): JsonValue {
  if (revive === undefined) return JSON.parse(text) as JsonValue
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    revive(value, context?.source),
  ) as JsonValue
}

/**
 * Whether a key of the text is written with an escape. This takes linear time, and a single search if the text has no backslash.
 *
 * @param text valid JSON
 */
export function holdsEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'), end = at; at !== -1; at = text.indexOf('\\', end)) {
    end = stringEnd(text, at)
    if (text[skipBlanks(text, end)] === ':') return true
  }
  return false
}

function withoutMarks(value: JsonValue, keys: MarkedKeys): JsonValue {
  if (Array.isArray(value)) return value.map(element => withoutMarks(element, keys))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(
    ([key, member]) => [keys.unmarked(key), withoutMarks(member, keys)] as const,
  )
  return Object.fromEntries(members) as JsonObject
}
