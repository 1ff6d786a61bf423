/** Marks of one line, at most: a line of many equal words stays quick. */
const MOST_OF_LINE = 20

/** Part of a text, in UTF-16 code units; the end is not included. */
export interface TermPlace {
  readonly start: number
  readonly end: number
}

/**
 * Places of words in a text, whatever their case. Single characters have none.
 *
 * The text itself is searched. Its lower-case form can be longer, which would move the places behind its end.
 */
export function termPlaces(text: string, words: readonly string[]): readonly TermPlace[] {
  return words
    .filter(word => word.length > 1)
    .flatMap(word => placesOf(text, word))
    .slice(0, MOST_OF_LINE)
}

function placesOf(text: string, word: string): TermPlace[] {
  const found = text.matchAll(new RegExp(RegExp.escape(word), 'giu'))
  return [...found.take(MOST_OF_LINE)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }))
}
