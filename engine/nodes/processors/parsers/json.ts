import type { JsonValue } from '../../../../schemas/json.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { nestingOf, partsOf } from '../../../json/json-source.ts'
import { stringEnd } from '../../../json/marked-keys.ts'
import { defineParser, MAX_PARTS } from './define-parser.ts'

const BYTE_ORDER_MARK = '\ufeff'
/** As deep as pushed events; deeper values could not be printed once they are in an event. (Our choice.) */
const MAX_LEVELS = 128

/** Any JSON text. Keys keep their order and integers all digits. */
export const json = defineParser({
  id: 'parse_json',
  compile: () => text => jsonValueOf(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text),
  examples: [
    { text: '{"b":1,"a":[null,"x"]}', value: { b: 1, a: [null, 'x'] } },
    { text: '\ufeff 12345678901234567890 ', value: 12345678901234567890n },
    { text: '"text"', value: 'text' },
    { text: '{"a":1} and more' },
    { text: '' },
  ],
})

/** @returns undefined when the text is not JSON, nested too deep, or has too many parts */
export function jsonValueOf(text: string): JsonValue | undefined {
  if (nestingOf(text) > MAX_LEVELS || hasTooManyParts(text)) return undefined
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Elements of arrays count by their commas. */
function hasTooManyParts(text: string): boolean {
  return text.length > MAX_PARTS && (partsOf(text) > MAX_PARTS || commasOf(text) > MAX_PARTS)
}

/** Commas that are not in a string. */
function commasOf(text: string): number {
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') at = stringEnd(text, at) - 1
    else if (text[at] === ',') commas++
  }
  return commas
}
