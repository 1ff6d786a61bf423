import { skipBlanks, stringEnd } from '../json/marked-keys.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const LETTER_E = 0x65
const LOWER_CASE = 0x20

/** Binary logarithm of the characters that are read per step: 8. */
const READ_PER_STEP_BITS = 3
const STEPS_PER_CALL = 30
const STEPS_PER_VALUE = 2
const STEPS_PER_MEMBER = 8
const STEPS_PER_CONTAINER = 6
/** A double has at most so many digits that are always kept. */
const EXACT_DIGITS = 15
const STEPS_PER_LONG_NUMBER = 12
/** With a large integer, each value of the text is looked at once more. */
const STEPS_PER_VALUE_AGAIN = 10
/** With a key that is an array index, or an exponent, the text is read once more by slower rules. */
const STEPS_PER_PART_IN_ORDER = 30
/** With an escape in a key, the text is parsed again with other keys. */
const STEPS_PER_MARKED_PART = 60

/** Work of parsing a text as JSON. */
export interface ParsingWork {
  readonly steps: number
  /** Values and members, at least. */
  readonly parts: number
  /** Deepest nesting of arrays and objects. */
  readonly levels: number
}

/** Finds the work without parsing; also for texts that are not JSON. */
export function parsingWork(text: string): ParsingWork {
  let level = 0
  let levels = 0
  let values = 1
  let members = 0
  let containers = 0
  let longNumbers = 0
  let digits = 0
  let hasIndexes = false
  let hasEscapedKeys = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit >= ZERO && unit <= NINE) {
      if (digits++ === EXACT_DIGITS) longNumbers++
      continue
    }
    if (unit === QUOTE) {
      const end = stringEnd(text, at)
      if (text.charCodeAt(skipBlanks(text, end)) === COLON) {
        const first = text.charCodeAt(at + 1)
        hasIndexes ||= first >= ZERO && first <= NINE
        hasEscapedKeys ||= text.slice(at, end).includes('\\')
      }
      at = end - 1
    } else if (unit === COMMA) values++
    else if (unit === COLON) members++
    else if (unit === ARRAY || unit === OBJECT) {
      containers++
      if (++level > levels) levels = level
    } else if (unit === ARRAY_END || unit === OBJECT_END) level--
    else if (digits > 0 && (unit | LOWER_CASE) === LETTER_E) hasIndexes = true
    digits = 0
  }
  const parts = values + members + containers
  const steps =
    STEPS_PER_CALL +
    (text.length >> READ_PER_STEP_BITS) +
    values * STEPS_PER_VALUE +
    members * STEPS_PER_MEMBER +
    containers * STEPS_PER_CONTAINER +
    longNumbers * STEPS_PER_LONG_NUMBER +
    (longNumbers > 0 ? parts * STEPS_PER_VALUE_AGAIN : 0) +
    (hasIndexes ? parts * STEPS_PER_PART_IN_ORDER : 0) +
    (hasEscapedKeys ? parts * STEPS_PER_MARKED_PART : 0)
  return { steps, parts, levels }
}
