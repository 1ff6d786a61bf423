import { foldCodePoint } from './case-folding.ts'
import { isCaseSensitive, type MatchOperator } from './syntax-tree.ts'
import { type CharacterClass, characterClass, isBoundary } from './token-boundary.ts'

/** True when the text holds the term: query language, section 4.2. An empty term is at the start of every text. */
export function textMatches(operator: MatchOperator, term: string, text: string): boolean {
  const whole = operator === '==' || operator === '==='
  if (term === '') return !whole || text === ''
  return occurrences(operator, term, text).some(({ start, end, isBoundaryAt }) =>
    whole ? isBoundaryAt(start) && isBoundaryAt(end) : isBoundaryAt(start),
  )
}

/** True when the value of a field matches: section 4.3. `==` asks for the whole value or one whole token of it. */
export function valueMatches(operator: MatchOperator, wanted: string, value: string): boolean {
  if (operator === '' || operator === '=') return textMatches(operator, wanted, value)
  return occurrences(operator, wanted, value).some(
    occurrence => isWhole(occurrence) || isOneToken(occurrence),
  )
}

interface Occurrence {
  readonly start: number
  readonly end: number
  readonly length: number
  readonly classes: readonly CharacterClass[]
  readonly isBoundaryAt: (index: number) => boolean
}

function occurrences(operator: MatchOperator, term: string, text: string): Occurrence[] {
  const fold = isCaseSensitive(operator) ? (codePoint: number) => codePoint : foldCodePoint
  const original = codePoints(text)
  const classes = original.map(characterClass)
  const characters = original.map(fold)
  const wanted = codePoints(term).map(fold)
  const isBoundaryAt = (index: number) =>
    index === 0 ||
    index === classes.length ||
    isBoundary(classes[index - 1] as CharacterClass, classes[index] as CharacterClass)
  const found: Occurrence[] = []
  for (let start = 0; start + wanted.length <= characters.length; start++) {
    if (!wanted.every((character, index) => character === characters[start + index])) continue
    found.push({ start, end: start + wanted.length, length: characters.length, classes, isBoundaryAt })
  }
  return found
}

function isWhole({ start, end, length }: Occurrence): boolean {
  return start === 0 && end === length
}

/** Boundaries at both ends and none inside; a symbol is not a token. */
function isOneToken({ start, end, classes, isBoundaryAt }: Occurrence): boolean {
  if (start === end || classes[start] === 'symbol') return false
  if (!isBoundaryAt(start) || !isBoundaryAt(end)) return false
  for (let index = start + 1; index < end; index++) if (isBoundaryAt(index)) return false
  return true
}

function codePoints(text: string): number[] {
  return Array.from(text, character => character.codePointAt(0) as number)
}
