import type { MatchOperator } from '../../query-language/syntax-tree.ts'

/** A word of the index wherever a text matches, as defined in engine/store/migrations/0003-word-marks.sql. */
export interface IndexedWord {
  /** ASCII letters and digits, lower case. */
  readonly word: string
  /** Whether it can be the beginning, the end or the middle of a larger word with several tokens. */
  readonly mayBePart: boolean
}

/** The index contains every sequence of that many letters of words with several tokens, and no shorter runs of digits. */
const SEQUENCE_LETTERS = 4
/** Maximum number of words; more would exclude few further rows. */
const MAX_WORDS = 8
const MAX_MARKS = 8

const RUN = /[0-9A-Za-z]+/g
/** Letters of the index for letters outside ASCII that equal them. */
const FOLDED: Readonly<Record<string, string>> = { '\u017f': 's', '\u212a': 'K' }

/**
 * Words that every matching text contains; empty when the index cannot be used.
 *
 * A run of letters and digits with symbols on both sides in the sought text has them in the found text, too. A run at the
 * start of the sought text begins at a token. A run at its end ends at a token if whole words are sought. Each such run
 * is a word of the found text, or a part of a word with several tokens.
 */
export function indexedWords(operator: MatchOperator, text: string): readonly IndexedWord[] {
  const folded = text.replaceAll(/[\u017f\u212a]/g, letter => FOLDED[letter] as string)
  const isWhole = operator === '==' || operator === '==='
  const words = [...folded.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const atStart = index === 0
    const atEnd = index + run.length === folded.length
    if (atEnd && !isWhole) return []
    const mayBePart = atStart || atEnd
    return mayBePart && run.length < SEQUENCE_LETTERS ? [] : [{ word: run.toLowerCase(), mayBePart }]
  })
  return words.sort((a, b) => b.word.length - a.word.length).slice(0, MAX_WORDS)
}

/** Lengths for which the index marks longer words with several tokens. */
const LENGTHS = [64, 48, 40, 32, 28, 24, 20, 16, 12, 10, 8, 6, 4]

/**
 * Marks in the index of every larger word that contains a word. They are its length, its runs of digits, which are never
 * divided, and the sequences of its letters. The longest are the most selective.
 */
export function marksOfPart(word: string): readonly string[] {
  const beyond = LENGTHS.find(length => length <= word.length)
  const runs = [...word.matchAll(/[a-z]{4,}|[0-9]{4,}/g)].flatMap(({ 0: run }) =>
    /^[0-9]/.test(run) ? [run] : sequencesOf(run),
  )
  const longest = runs.sort((a, b) => b.length - a.length).slice(0, MAX_MARKS)
  return [`beyond${beyond}`, ...longest].map(mark => `·${mark}`)
}

function sequencesOf(letters: string): string[] {
  return Array.from({ length: letters.length - SEQUENCE_LETTERS + 1 }, (_, start) =>
    letters.slice(start, start + SEQUENCE_LETTERS),
  )
}
