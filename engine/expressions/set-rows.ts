import type { ExpressionProgram } from './expression-program.ts'

/** Result of a lookup: whether a set contains a character. */
export const UNKNOWN = 0
export const HELD = 1
export const NOT_HELD = 2
export const ASCII_SIZE = 128
export const NEWLINE = 0x0a

const IS_WORD = Uint8Array.from({ length: ASCII_SIZE }, (_, code) =>
  /\w/.test(String.fromCharCode(code)) ? 1 : 0,
)

/** @param code NaN: no character */
export function isWord(code: number): boolean {
  return code < ASCII_SIZE && IS_WORD[code] === 1
}

/** Cost in units of looking up a character in a set. */
export const LOOKUP_UNITS = 64

/**
 * Counts the work on tables that all texts share. It is not charged to an event, because an earlier one may have done the work.
 */
export interface BuildCount {
  /** Units so far. */
  built: number
}

/** Sets of a program that contain an ASCII character, as far as they were looked up. */
export class AsciiRows {
  readonly #program: ExpressionProgram
  readonly #rows: (Uint8Array | undefined)[] = new Array(ASCII_SIZE).fill(undefined)

  constructor(program: ExpressionProgram) {
    this.#program = program
  }

  /** One byte per set number: `UNKNOWN`, `HELD` or `NOT_HELD`. */
  row(character: number): Uint8Array {
    let row = this.#rows[character]
    if (row === undefined) {
      row = new Uint8Array(this.#program.sets.length)
      this.#rows[character] = row
    }
    return row
  }

  /** Looks up an unknown entry of a row. */
  lookUp(row: Uint8Array, set: number, character: number, count: BuildCount): number {
    count.built += LOOKUP_UNITS
    const held = this.#program.sets[set]?.has(character) ? HELD : NOT_HELD
    row[set] = held
    return held
  }
}

/** Rows of each program, shared by all texts. */
const asciiRows = new WeakMap<ExpressionProgram, AsciiRows>()

export function asciiRowsOf(program: ExpressionProgram): AsciiRows {
  let rows = asciiRows.get(program)
  if (rows === undefined) {
    rows = new AsciiRows(program)
    asciiRows.set(program, rows)
  }
  return rows
}
