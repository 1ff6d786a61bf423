import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { skipBlanks, stringEnd, unmarkedKey, withMarkedKeys } from './marked-keys.ts'

/** What a value becomes, each time that it is asked. @param source of numbers and other values without parts: how it is written */
type Revive = (value: unknown, source: string | undefined) => unknown

/**
 * `JSON.parse` with the keys that the text says, whatever was parsed before.
 *
 * From version 12.8 of V8 on, `JSON.parse` may give a key that is written with an escape another name: it compares the
 * keys that earlier objects had at this place with as many characters of the source as the key has. Once
 * `{"path":1,"C:\\":2}` was parsed, the second key of `{"path":1,"C:\t":2}` is `C:\`
 * (https://github.com/nodejs/node/issues/63785). A key without an escape is what its source says, and values are not
 * compared. So a text with such a key is parsed again with other keys; all others cost the plain, fast parse.
 *
 * The nesting of the text must be bounded.
 *
 * @throws SyntaxError
 */
export function parseKeySafe(text: string, revive?: Revive): JsonValue {
  const value = parsed(text, revive)
  // Keys are found in valid texts only, and a refusal names the places of the text as it was sent: so this comes second.
  return holdsEscapedKey(text) ? withoutMarks(parsed(withMarkedKeys(text), revive)) : value
}

function parsed(text: string, revive: Revive | undefined): JsonValue {
  if (revive === undefined) return JSON.parse(text) as JsonValue
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    revive(value, context?.source),
  ) as JsonValue
}

/** Takes linear time, and one search where there is no backslash. @param text valid JSON */
function holdsEscapedKey(text: string): boolean {
  for (let at = text.indexOf('\\'), end = at; at !== -1; at = text.indexOf('\\', end)) {
    end = stringEnd(text, at)
    if (text[skipBlanks(text, end)] === ':') return true
  }
  return false
}

function withoutMarks(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(
    ([key, member]) => [unmarkedKey(key), withoutMarks(member)] as const,
  )
  return Object.fromEntries(members) as JsonObject
}
