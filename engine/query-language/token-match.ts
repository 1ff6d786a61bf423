import type { CostMeter } from '../expressions/cost-meter.ts'
import { isCaseSensitive, type MatchOperator } from './syntax-tree.ts'
import { characterClass, isBoundary } from './token-boundary.ts'

/** True when the text holds the term: query language, section 4.2. An empty term is at the start of every text. */
export function textMatches(operator: MatchOperator, term: string, text: string, meter: CostMeter): boolean {
  const whole = operator === '==' || operator === '==='
  if (term === '') return !whole || text === ''
  for (const { start, end } of occurrences(operator, term, text, meter))
    if (isBoundaryAt(text, start) && (!whole || isBoundaryAt(text, end))) return true
  return false
}

/** True when the value of a field matches: section 4.3. `==` asks for the whole value or one whole token of it. */
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

/** What it takes to look at one place where a term stands, beside its characters. */
const OCCURRENCE_UNITS = 64
/** Characters for one unit, while places are looked for at which it may stand. */
const COMPARED_AT_ONCE = 8

/** Where a term stands in a text: UTF-16 units, the end exclusive. */
interface Occurrence {
  readonly start: number
  readonly end: number
}

/** What `iu` takes for equal is simple case folding: case-folding.ts. Overlapping occurrences are all found. */
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

/** Terms that were looked for last: a query asks for the same ones again and again. */
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

/** Boundaries at both ends and none inside; a symbol is not a token. */
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

/** UTF-16 units of the character that begins there. */
function widthAt(text: string, index: number): number {
  return (text.codePointAt(index) as number) > 0xffff ? 2 : 1
}
