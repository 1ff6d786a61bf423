import { parseExactJson } from './exact-json.ts'
import { jsonText } from './json-text.ts'

const QUOTE = 0x22
/** Escapes that `JSON.stringify` may write otherwise. The pattern also matches a backslash in a text inside a text. */
const MAY_BE_RESPELT = /\\[u/]/

/**
 * Compact JSON text of user input: without blanks, with the escapes of `JSON.stringify`, and with keys in the order sent.
 * The last value of a repeated key counts. Numbers are written as in components, section 1.2. The nesting of the text
 * must be bounded.
 *
 * @throws SyntaxError
 */
export function compactJson(text: string): string {
  return jsonText(parseExactJson(text))
}

/** Whether the JSON text of a string is certainly compact. */
export function isCompactString(text: string): boolean {
  return text.charCodeAt(0) === QUOTE && !MAY_BE_RESPELT.test(text)
}
