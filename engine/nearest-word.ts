import { closestMatch } from 'leven'

/** Longer words are names of users, and not misspelt ones of this program. */
const MAX_LENGTH = 60

/** Returns the word of a list that a misspelt one probably means; undefined if none is near. */
export function nearestWord(word: string, words: readonly string[]): string | undefined {
  if (word.length > MAX_LENGTH) return undefined
  const sent = word.toLowerCase()
  const candidates = words.map(each => each.toLowerCase()).filter(each => each === sent || isNear(each, sent))
  const found = closestMatch(sent, candidates, { maxDistance: allowedEdits(word) })
  return words.find(each => each.toLowerCase() === found)
}

/** End of a sentence about an unknown word; empty if none is near. */
export function suggestion(word: string, words: readonly string[]): string {
  const near = nearestWord(word, words)
  return near === undefined ? '' : `; did you mean "${near}"?`
}

/** Whether a word can be meant. Another number is another thing: us2 does not mean us1. */
function isNear(candidate: string, sent: string): boolean {
  return allowedEdits(candidate) > 0 && withoutDigits(candidate) !== withoutDigits(sent)
}

function withoutDigits(word: string): string {
  return /\d/.test(word) ? word.replace(/\d+/g, '0') : word
}

/** Added, omitted and replaced letters. Almost every other short word would be near with more. */
function allowedEdits({ length }: string): number {
  if (length < 3) return 0
  return length < 5 ? 1 : length < 9 ? 2 : 3
}
