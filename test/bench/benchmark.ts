import type { Report } from './figure.ts'

export interface BenchmarkOptions {
  /** Lines of a round where the benchmark can be larger or smaller; absent: as many as it says itself. */
  readonly lines?: number
  /** Folder for the lines of the search, to be used again; one that is removed afterwards when left out. */
  readonly directory?: string
  /** Rounds of a benchmark of the whole way; one when absent. */
  readonly rounds?: number
  /** The one size of bodies to measure; each of them when absent. */
  readonly linesPerBody?: number
  /** Whether everything is small: such a run shows that all parts work, and its figures mean nothing. */
  readonly quick: boolean
}

/** Exports of each benchmark of this folder. */
export interface Benchmark {
  /** One sentence: the measured work, and its floor. */
  readonly summary: string
  run(report: Report, options: BenchmarkOptions): Promise<void>
}
