import type { ExpressionProgram } from './expression-program.ts'

/** Whether a character is in a set. */
export const UNKNOWN = 0
export const HELD = 1
export const NOT_HELD = 2
export const ASCII_SIZE = 128

/** Units that it takes to look up a character in a set. */
export const LOOKUP_UNITS = 64

/** Counts the work on tables that serve all texts. It belongs to nobody's cost: others may have done it before. */
export interface BuildCount {
  /** Units so far. */
  built: number
}

/** For each character of ASCII, which sets of a program hold it, as far as somebody has asked. */
export class AsciiRows {
  readonly #program: ExpressionProgram
  readonly #rows: (Uint8Array | undefined)[] = new Array(ASCII_SIZE).fill(undefined)

  constructor(program: ExpressionProgram) {
    this.#program = program
  }

  /** One byte per set, by the numbers of the sets: `UNKNOWN`, `HELD` or `NOT_HELD`. */
  row(character: number): Uint8Array {
    let row = this.#rows[character]
    if (row === undefined) {
      row = new Uint8Array(this.#program.sets.length)
      this.#rows[character] = row
    }
    return row
  }

  /** Looks up what is unknown in a row. */
  lookUp(row: Uint8Array, set: number, character: number, count: BuildCount): number {
    count.built += LOOKUP_UNITS
    const held = this.#program.sets[set]?.has(character) ? HELD : NOT_HELD
    row[set] = held
    return held
  }
}

/** The same for all texts. */
const asciiRows = new WeakMap<ExpressionProgram, AsciiRows>()

export function asciiRowsOf(program: ExpressionProgram): AsciiRows {
  let rows = asciiRows.get(program)
  if (rows === undefined) {
    rows = new AsciiRows(program)
    asciiRows.set(program, rows)
  }
  return rows
}
