import type { CostMeter } from '../expressions/cost-meter.ts'
import { isCaseSensitive, type MatchOperator } from './syntax-tree.ts'
import { characterClass, isBoundary } from './token-boundary.ts'

/** True when the text contains the term: query language, section 4.2. An empty term matches at the start of every text. */
export function textMatches(operator: MatchOperator, term: string, text: string, meter: CostMeter): boolean {
  const whole = operator === '==' || operator === '==='
  if (term === '') return !whole || text === ''
  for (const { start, end } of occurrences(operator, term, text, meter))
    if (isBoundaryAt(text, start) && (!whole || isBoundaryAt(text, end))) return true
  return false
}

/** True when the value of a field matches: section 4.3. `==` requires the whole value or one whole token of it. */
export function valueMatches(
  operator: MatchOperator,
  wanted: string,
  value: string,
  meter: CostMeter,
): boolean {
  if (operator === '' || operator === '=') return textMatches(operator, wanted, value, meter)
  if (wanted === '') return value === ''
  for (const occurrence of occurrences(operator, wanted, value, meter))
    if (isWhole(occurrence, value) || isOneToken(occurrence, value)) return true
  return false
}

/** Cost in units of testing one occurrence, in addition to its characters. */
const OCCURRENCE_UNITS = 64
/** Characters per unit in the search for occurrences. */
const COMPARED_AT_ONCE = 8

/** Place of a term in a text: UTF-16 units, the end exclusive. */
interface Occurrence {
  readonly start: number
  readonly end: number
}

/** Finds all occurrences, including overlapping ones. The equality of `iu` is simple case folding: case-folding.ts. */
function* occurrences(
  operator: MatchOperator,
  term: string,
  text: string,
  meter: CostMeter,
): Iterable<Occurrence> {
  meter.spend(Math.ceil((text.length * term.length) / COMPARED_AT_ONCE))
  const pattern = patternOf(operator, term)
  for (let from = 0; from <= text.length; ) {
    pattern.lastIndex = from
    const match = pattern.exec(text)
    if (match === null) return
    const { index: start } = match
    meter.spend(OCCURRENCE_UNITS + term.length)
    yield { start, end: start + match[0].length }
    from = start + widthAt(text, start)
  }
}

/** Patterns of recent terms: a query uses the same terms repeatedly. */
const patterns = new Map<string, RegExp>()
const MAX_PATTERNS = 1_000

function patternOf(operator: MatchOperator, term: string): RegExp {
  const flags = isCaseSensitive(operator) ? 'gu' : 'giu'
  const key = `${flags} ${term}`
  let pattern = patterns.get(key)
  if (pattern === undefined) {
    if (patterns.size >= MAX_PATTERNS) patterns.clear()
    pattern = new RegExp(RegExp.escape(term), flags)
    patterns.set(key, pattern)
  }
  return pattern
}

function isWhole({ start, end }: Occurrence, text: string): boolean {
  return start === 0 && end === text.length
}

/** True with a boundary at both ends and none inside; a symbol is not a token. */
function isOneToken({ start, end }: Occurrence, text: string): boolean {
  if (characterClass(text.codePointAt(start) as number) === 'symbol') return false
  if (!isBoundaryAt(text, start) || !isBoundaryAt(text, end)) return false
  for (let index = start + widthAt(text, start); index < end; index += widthAt(text, index))
    if (isBoundaryAt(text, index)) return false
  return true
}

function isBoundaryAt(text: string, index: number): boolean {
  if (index === 0 || index === text.length) return true
  const before = text.codePointAt(startOfCharacterBefore(text, index)) as number
  return isBoundary(characterClass(before), characterClass(text.codePointAt(index) as number))
}

function startOfCharacterBefore(text: string, index: number): number {
  const isPair = index >= 2 && (text.codePointAt(index - 2) as number) > 0xffff
  return isPair ? index - 2 : index - 1
}

/** Number of UTF-16 units of the character that begins there. */
function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) as number) > 0xffff ? 2 : 1
}
