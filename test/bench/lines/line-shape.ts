/** One element of a request to log ingestion. */
export interface SentLine {
  readonly line: string
  readonly app: string
  readonly level: string
  /** Milliseconds since 1970. */
  readonly timestamp: number
}

export interface Series {
  /** Equal seeds give equal lines. */
  readonly seed: number
  /** Time of the first lines. */
  readonly startMs: number
}

/** Gives the line of a number, from 0 on, whatever was asked before. */
export type LineAt = (number: number) => SentLine

/** A kind of log line. Each has a file of its own in this folder. */
export interface LineShape {
  readonly name: string
  /** One sentence: who writes such lines, and the costs that they show. */
  readonly summary: string
  /** Every line is a JSON object. */
  readonly isJson: boolean
  /** Bounds of the mean size of a line in UTF-8 bytes; its test keeps them. */
  readonly meanBytes: { readonly least: number; readonly most: number }
  lines(series: Series): LineAt
}

/** Ten lines have the same millisecond, as on a service with 10,000 lines a second. */
const LINES_PER_MS = 10

export function timeOf(startMs: number, number: number): number {
  return startMs + Math.floor(number / LINES_PER_MS)
}
