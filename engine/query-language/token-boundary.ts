/**
 * Classes of characters that split text into tokens: query language, section 4.2. Letters are as defined by Unicode, and
 * digits are the decimal digits of any script. Everything else, including combining marks, is a symbol.
 */
export type CharacterClass = 'upper' | 'lower' | 'caseless' | 'digit' | 'symbol'

const LETTER = /^\p{L}$/u
const UPPER = /^\p{Lu}$/u
const LOWER = /^\p{Ll}$/u
const DIGIT = /^\p{Nd}$/u

export function characterClass(codePoint: number): CharacterClass {
  const character = String.fromCodePoint(codePoint)
  if (LETTER.test(character)) {
    if (UPPER.test(character)) return 'upper'
    return LOWER.test(character) ? 'lower' : 'caseless'
  }
  return DIGIT.test(character) ? 'digit' : 'symbol'
}

/**
 * True when a token may end after `before` and another may begin with `after`. This is so around symbols, between letters and
 * digits, and between a lower-case and an upper-case letter. Starts and ends of tokens are symmetric, so one predicate
 * serves both.
 */
export function isBoundary(before: CharacterClass, after: CharacterClass): boolean {
  if (before === 'symbol' || after === 'symbol') return true
  if ((before === 'digit') !== (after === 'digit')) return true
  return before === 'lower' && after === 'upper'
}
