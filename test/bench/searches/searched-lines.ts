import { drawFor } from '../lines/draw.ts'
import { traceIdOf } from '../lines/json.ts'
import type { LineAt } from '../lines/line-shape.ts'
import { LINES_PER_WORD, RARE_WORDS, rareWord } from '../lines/rare-words.ts'

/** Lines of the `json` shape that are all stored. */
export interface SearchedLines {
  readonly count: number
  readonly lineAt: LineAt
}

/** A trace id of these lines, another one for each try. */
export function storedId({ count, lineAt }: SearchedLines, attempt: number): string {
  return traceIdOf(lineAt(drawFor(0x1d, attempt).below(count)).line)
}

/** A rare word of these lines: of two million lines each is in 20. */
export function storedRareWord({ count }: SearchedLines, attempt: number): string {
  return rareWord((attempt * 7) % Math.min(RARE_WORDS, Math.floor(count / LINES_PER_WORD)))
}

/** A word of letters and digits that no line has: ids have no q. */
export function absentWord(attempt: number): string {
  const draw = drawFor(0xab, attempt)
  return `${draw.hex(8)}q${draw.hex(6)}`
}

/** An id that no line has. */
export function absentId(attempt: number): string {
  return drawFor(0xabc, attempt).hex(16)
}

/** A word of three letters that begins no word of a message: too short for an index of words. */
export function shortWord(attempt: number): string {
  const draw = drawFor(0x5407, attempt)
  return `${draw.pick(['q', 'x', 'z'])}${draw.pick(['j', 'q', 'x', 'z'])}${draw.below(10)}`
}
