/**
 * How text is seen as tokens: query language, section 4.2. A letter is what Unicode calls one, a digit a
 * decimal digit of any script; everything else, combining marks included, is a symbol.
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
 * True when a token may end behind `before` and another begin with `after`: around symbols, between letters and
 * digits, between a lower-case letter and an upper-case one. Token starts and ends mirror each other, so one
 * predicate serves both.
 */
export function isBoundary(before: CharacterClass, after: CharacterClass): boolean {
  if (before === 'symbol' || after === 'symbol') return true
  if ((before === 'digit') !== (after === 'digit')) return true
  return before === 'lower' && after === 'upper'
}
