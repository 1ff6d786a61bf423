import type { ExpressionProgram } from './expression-program.ts'

/** Whether a character is in a set. */
export const UNKNOWN = 0
export const HELD = 1
export const NOT_HELD = 2
export const ASCII_SIZE = 128

/** The same for all texts. */
const asciiRows = new WeakMap<ExpressionProgram, readonly Uint8Array[]>()

/** For each character of ASCII, which sets of the program hold it, by their numbers. */
export function asciiRowsOf(program: ExpressionProgram): readonly Uint8Array[] {
  let rows = asciiRows.get(program)
  if (rows === undefined) {
    rows = Array.from({ length: ASCII_SIZE }, (_, codePoint) =>
      Uint8Array.from(program.sets, set => (set.has(codePoint) ? HELD : NOT_HELD)),
    )
    asciiRows.set(program, rows)
  }
  return rows
}
