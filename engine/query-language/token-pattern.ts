import { caseVariants } from './case-folding.ts'
import { isCaseSensitive, type MatchOperator } from './syntax-tree.ts'
import { type CharacterClass, characterClass } from './token-boundary.ts'

/**
 * Regular expressions for the store's engine that express the rules of token-match.ts. The engine is RE2, in which `.` is
 * any character, and `^` and `$` are the ends of the text. RE2 has no look-behind and does not need it: only the
 * existence of a match counts, so the previous character may be part of it. The characters allowed there depend only on
 * the first character of the term; the same holds in mirror image for its end.
 */

/** Expression that matches any of the terms in a text. */
export function textPattern(operator: MatchOperator, terms: readonly string[]): string {
  return terms.length === 1 ? termPattern(operator, terms[0] as string) : listPattern(operator, terms)
}

/** Expression that matches a whole value. */
export function wholePattern(operator: MatchOperator, terms: readonly string[]): string {
  return `^${alternatives(terms.map(term => plainPattern(codePoints(term), isCaseSensitive(operator))))}$`
}

const NOT_LOWER = '[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}]'
/** Lower-case letters followed by a caseless one: an upper-case one would begin a token. */
const LOWER_GOING_ON = `\\p{Ll}+[\\p{Lt}\\p{Lm}\\p{Lo}]${NOT_LOWER}*`

/** One token, for the engine's `extractAll`: digits, or letters without an upper-case one after a lower-case one. */
export const TOKEN_PATTERN = [
  '\\p{Nd}+',
  `${NOT_LOWER}+(?:${LOWER_GOING_ON})*\\p{Ll}*`,
  `(?:${LOWER_GOING_ON})+\\p{Ll}*`,
  '\\p{Ll}+',
].join('|')

/** True when the term can be exactly one token of a larger text. */
export function isTokenLike(term: string, caseSensitive: boolean): boolean {
  const classes = codePoints(term).map(characterClass)
  if (classes.length === 0 || classes.includes('symbol')) return false
  if (classes.includes('digit')) return classes.every(kind => kind === 'digit')
  return !caseSensitive || !classes.some((kind, index) => kind === 'lower' && classes[index + 1] === 'upper')
}

/**
 * True when a match of `==term` may still contain several tokens: if case is ignored, `foobar` also matches the two tokens of
 * `fooBar`.
 */
export function mayHoldSeveralTokens(term: string): boolean {
  const classes = codePoints(term).map(codePoint => new Set(caseVariants(codePoint).map(characterClass)))
  return classes.some((kinds, index) => kinds.has('lower') && classes[index + 1]?.has('upper') === true)
}

/**
 * The longest part of a term that a search with ASCII case ignored finds wherever the term occurs: a cheap test before
 * the regular expression. Letters such as s and k equal others outside ASCII (the long s, the Kelvin sign), so they end a
 * part unless case counts.
 */
export function probe(operator: MatchOperator, term: string): string {
  if (isCaseSensitive(operator)) return term
  let longest = ''
  let part = ''
  for (const codePoint of codePoints(term)) {
    const isPlain = caseVariants(codePoint).every(variant => variant < 0x80)
    part = isPlain ? part + String.fromCodePoint(codePoint) : ''
    if (part.length > longest.length) longest = part
  }
  return longest
}

function termPattern(operator: MatchOperator, term: string): string {
  const characters = codePoints(term)
  const caseSensitive = isCaseSensitive(operator)
  const whole = operator === '==' || operator === '==='
  const [first] = characters
  const last = characters.at(-1)
  if (first === undefined || last === undefined) return whole ? '^$' : ''
  if (characters.length === 1) return edge(first, caseSensitive, true, whole)
  const inner = plainPattern(characters.slice(1, -1), caseSensitive)
  return edge(first, caseSensitive, true, false) + inner + edge(last, caseSensitive, false, whole)
}

/**
 * Expression for many terms, grouped by the classes of their ends. The classes of Unicode letters take much space in a compiled
 * expression, so each occurs only a few times, not once per term.
 */
function listPattern(operator: MatchOperator, terms: readonly string[]): string {
  const caseSensitive = isCaseSensitive(operator)
  const whole = operator === '==' || operator === '==='
  const groups = new Map<string, string[]>()
  const put = (before: string, term: string, after: string) => {
    const key = JSON.stringify([before, after])
    groups.set(key, [...(groups.get(key) ?? []), term])
  }
  for (const term of terms) {
    const characters = codePoints(term)
    const first = characters.shift()
    const last = whole ? characters.pop() : undefined
    const rest = plainPattern(characters, caseSensitive)
    if (first === undefined) put('', whole ? '^$' : '', '')
    else
      for (const [kind, variants] of byClass(first, caseSensitive)) {
        const start = oneOf(variants) + rest
        if (!whole) put(BEFORE[kind], start, '')
        else if (last === undefined) put(BEFORE[kind], start, AFTER[kind])
        else
          for (const [lastKind, lastVariants] of byClass(last, caseSensitive))
            put(BEFORE[kind], start + oneOf(lastVariants), AFTER[lastKind])
      }
  }
  return alternatives(
    [...groups].map(([key, some]) => {
      const [before, after] = JSON.parse(key) as [string, string]
      return before + alternatives(some) + after
    }),
  )
}

/** One character of a term with the characters allowed around it. */
function edge(codePoint: number, caseSensitive: boolean, isStart: boolean, isEnd: boolean): string {
  return alternatives(
    [...byClass(codePoint, caseSensitive)].map(
      ([kind, variants]) => (isStart ? BEFORE[kind] : '') + oneOf(variants) + (isEnd ? AFTER[kind] : ''),
    ),
  )
}

function byClass(codePoint: number, caseSensitive: boolean): Map<CharacterClass, number[]> {
  const variants = caseSensitive ? [codePoint] : caseVariants(codePoint)
  return Map.groupBy(variants, characterClass)
}

/** Expressions for the text before the first character of a token, by that character's class. */
const BEFORE: Readonly<Record<CharacterClass, string>> = {
  upper: '(?:^|[^\\p{L}]|\\p{Ll})',
  lower: '(?:^|[^\\p{L}])',
  caseless: '(?:^|[^\\p{L}])',
  digit: '(?:^|[^\\p{Nd}])',
  symbol: '',
}

const AFTER: Readonly<Record<CharacterClass, string>> = {
  upper: '(?:[^\\p{L}]|$)',
  lower: '(?:[^\\p{L}]|\\p{Lu}|$)',
  caseless: '(?:[^\\p{L}]|$)',
  digit: '(?:[^\\p{Nd}]|$)',
  symbol: '',
}

/** Pattern of exactly this text. */
export function literalPattern(text: string): string {
  return plainPattern(codePoints(text), true)
}

function plainPattern(characters: readonly number[], caseSensitive: boolean): string {
  return characters.map(character => oneOf(caseSensitive ? [character] : caseVariants(character))).join('')
}

function oneOf(variants: readonly number[]): string {
  const characters = variants.map(escaped).join('')
  return variants.length === 1 ? characters : `[${characters}]`
}

/** Escapes a character so that a term never becomes syntax: ASCII symbols are escaped, control characters written by number. */
function escaped(codePoint: number): string {
  const character = String.fromCodePoint(codePoint)
  if (codePoint >= 0x80 || /[A-Za-z0-9 _]/.test(character)) return character
  return codePoint > 0x20 && codePoint < 0x7f ? `\\${character}` : `\\x{${codePoint.toString(16)}}`
}

function alternatives(patterns: readonly string[]): string {
  return patterns.length === 1 ? (patterns[0] as string) : `(?:${patterns.join('|')})`
}

function codePoints(text: string): number[] {
  return Array.from(text, character => character.codePointAt(0) as number)
}
