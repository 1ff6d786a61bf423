import type { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import type { TimeBounds } from './timestamp.ts'

/** Memory for one body at a time, with a fast way to read usual bodies. */
export interface BodyScanner {
  /** Makes these chunks the loaded body. */
  load(chunks: readonly Buffer[]): void

  /** The loaded body; a view, valid until the next `load`. */
  readonly body: Buffer

  /**
   * Appends the lines of the loaded body, which is valid UTF-8, to columns. Each line has a text.
   *
   * @param spareBytes limit of the body minus its size; see `LEAST_LINE_BYTES`
   * @returns undefined, and leaves the columns as they were, for a body that needs the complete rules
   */
  scan(columns: LineBatchBuilder, bounds: TimeBounds, spareBytes: number): ScannedLines | undefined
}

export interface ScannedLines {
  readonly count: number
  /** Number of lines whose own time was out of bounds. */
  readonly retimed: number
  /** Part of the limit that is left after the lines. */
  readonly spareBytes: number
}
