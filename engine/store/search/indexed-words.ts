import type { MatchOperator } from '../../query-language/syntax-tree.ts'

/** A word that stands in the index wherever a text matches, as engine/store/migrations/0003-word-marks.sql has them. */
export interface IndexedWord {
  /** ASCII letters and digits, lower case. */
  readonly word: string
  /** It may be the beginning, the end or the middle of a larger word that holds several tokens. */
  readonly mayBePart: boolean
}

/** The index holds every sequence of that many letters of words with several tokens, and no shorter runs of digits. */
const SEQUENCE_LETTERS = 4
/** More would leave out little. */
const MAX_WORDS = 8
const MAX_MARKS = 8

const RUN = /[0-9A-Za-z]+/g
/** What the index has instead: the letters outside ASCII that equal one in it. */
const FOLDED: Readonly<Record<string, string>> = { '\u017f': 's', '\u212a': 'K' }

/**
 * Words that are in each text that matches, all of them; empty when the index cannot tell.
 *
 * A run of letters and digits that has symbols on both sides in the text sought has them in the text found, too. One
 * at the start of the text sought begins at a token there, and one at its end ends at one when whole words are asked
 * for: either it is a word of the text found, or a part of one with several tokens.
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

/** Lengths that the index knows words with several tokens to be beyond. */
const LENGTHS = [64, 48, 40, 32, 28, 24, 20, 16, 12, 10, 8, 6, 4]

/**
 * What stands in the index wherever a word is a part of a larger one: something about the length of that, its runs of
 * digits, which are never divided, and the sequences of its letters. The longest say most.
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
