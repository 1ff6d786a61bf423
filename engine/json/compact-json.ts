import { parseExactJson } from './exact-json.ts'
import { jsonText } from './json-text.ts'

const QUOTE = 0x22
/** `JSON.stringify` has other escapes for these, or none; but also what a text in a text has behind a backslash. */
const MAY_BE_RESPELT = /\\[u/]/

/**
 * Compact JSON text of what somebody sent: without blanks, escapes as `JSON.stringify` writes them, of a key that is there
 * twice the last value, keys in the order sent, numbers as components, section 1.2, keeps them. The nesting of the text
 * must be bounded.
 *
 * @throws SyntaxError
 */
export function compactJson(text: string): string {
  return jsonText(parseExactJson(text))
}

/** Whether the JSON text of a string is compact for sure. */
export function isCompactString(text: string): boolean {
  return text.charCodeAt(0) === QUOTE && !MAY_BE_RESPELT.test(text)
}
