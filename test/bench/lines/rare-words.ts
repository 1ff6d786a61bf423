import { drawFor } from './draw.ts'

/** One line in 5,000 ends with a rare word, one in 100,000 with another one: of two million lines each word is in 20. */
export const RARE_WORDS = 20
export const LINES_PER_WORD = 5_000
const LINES_PER_NEEDLE = 100_000
const NEEDLE = 'needle7f3a9c'
/** Words are the same for all seeds, so that a search need not know the seed. */
const SEED = 0x7f3a9c

/** @param index from 0 up to, not including, RARE_WORDS */
export function rareWord(index: number): string {
  return `n${drawFor(SEED, index).hex(8)}`
}

const WORDS = Array.from({ length: RARE_WORDS }, (_, index) => rareWord(index))

/** The rare word of a line; most lines have none. */
export function rareWordOf(number: number): string | undefined {
  if (number % LINES_PER_NEEDLE === LINES_PER_NEEDLE / 2) return NEEDLE
  if (number % LINES_PER_WORD !== LINES_PER_WORD / 2) return undefined
  return WORDS[Math.floor(number / LINES_PER_WORD) % RARE_WORDS]
}
