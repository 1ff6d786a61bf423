import type { JsonValue } from '../../../../schemas/json.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { nestingOf, partsOf } from '../../../json/json-source.ts'
import { stringEnd } from '../../../json/marked-keys.ts'
import { MAX_MESSAGE_LEVELS } from '../../../json/message-levels.ts'
import { defineParser, MAX_PARTS } from './define-parser.ts'

const BYTE_ORDER_MARK = '\ufeff'
/**
 * A text of a megabyte fits: as one string it takes 2 ms, with as many parts as a result may have some 20 ms, and 60 ms if it is made
 * to take long. It costs a unit per character. (Our choice.)
 */
export const MAX_JSON_LENGTH = 1_048_576
const COMMA = 0x2c
const QUOTE = 0x22

/** Any JSON text. Keys keep their order and integers all digits. */
export const json = defineParser({
  id: 'parse_json',
  maxTextLength: MAX_JSON_LENGTH,
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
  if (isTooDeep(text) || hasTooManyParts(text)) return undefined
  try {
    return parseExactJson(text)
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Each level needs a bracket: short texts have no room for too many, and most others have fewer. */
function isTooDeep(text: string): boolean {
  if (text.length <= MAX_MESSAGE_LEVELS) return false
  const brackets = bracketsIn(text, '{') + bracketsIn(text, '[')
  return brackets > MAX_MESSAGE_LEVELS && nestingOf(text) > MAX_MESSAGE_LEVELS
}

/** Number of these brackets, also in strings; of many, any number above `MAX_MESSAGE_LEVELS`. */
function bracketsIn(text: string, bracket: string): number {
  let count = 0
  for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1))
    if (++count > MAX_MESSAGE_LEVELS) break
  return count
}

/** Elements of arrays count by their commas. */
function hasTooManyParts(text: string): boolean {
  return text.length > MAX_PARTS && (partsOf(text) > MAX_PARTS || commasOf(text) > MAX_PARTS)
}

/** Commas that are not in a string. */
function commasOf(text: string): number {
  let commas = 0
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) at = stringEnd(text, at) - 1
    else if (unit === COMMA) commas++
  }
  return commas
}
