import type { LineRun } from '../lines/line-codec.ts'

/** Texts of neighbouring lines in one batch that wait for the codec. One instance is filled repeatedly. */
export class TextRun implements LineRun {
  account = ''
  rows = 0
  bytes: Buffer = Buffer.alloc(0)
  readonly starts: number[] = []
  readonly ends: number[] = []
  readonly sentLevels: string[] = []
  readonly apps: string[] = []
  readonly own: number[] = []
  timeMs = 0
  isExact = false
  readonly #rowNumbers: number[] = []

  /** @param rowNumber row of the line in its record, in the store */
  add(rowNumber: number, start: number, end: number, sentLevel: string, app: string, own: number): void {
    const row = this.rows++
    this.#rowNumbers[row] = rowNumber
    this.starts[row] = start
    this.ends[row] = end
    this.sentLevels[row] = sentLevel
    this.apps[row] = app
    this.own[row] = own
  }

  /** Row of a line of the run in its record, in the store. */
  rowOf(row: number): number {
    return this.#rowNumbers[row] as number
  }
}
