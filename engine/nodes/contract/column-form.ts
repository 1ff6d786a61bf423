import type { WordsByLine } from '../../event/word-member.ts'

/** Outcomes of lines. An undecided line is judged as an event. */
export const UNDECIDED = 0
export const PASSED = 1
export const DROPPED = 2

/** Stands for a row that is not a line of the batch; it stays undecided. */
export const NO_LINE = 0xffff_ffff

/**
 * Second form of a processor without state, for untouched lines of log ingestion. It reads columns of words instead of
 * events, and reports nothing. Its decision equals the outcome of the first form without errors and without cost.
 */
export interface ColumnForm<Config> {
  /** Paths of all values that it reads; undefined: these options need events. */
  paths(config: Config): readonly string[] | undefined
  /**
   * Prepares the options once, and the columns of a batch once per batch.
   *
   * @returns a function of the columns by path
   */
  compile(config: Config): ColumnProcess
}

export type ColumnProcess = (columns: ReadonlyMap<string, WordsByLine>) => JudgeLines

/** Writes the outcomes of the first `count` lines. @param lines their numbers in the batch, or `NO_LINE` */
export type JudgeLines = (lines: Uint32Array, count: number, outcomes: Uint8Array) => void
