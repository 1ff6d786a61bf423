import type { Report } from './figure.ts'

export interface BenchmarkOptions {
  /** Lines that the search is about, and those of each round of the scaling. */
  readonly lines: number
  /** Folder for them, to be used again; one that is removed afterwards when left out. */
  readonly directory?: string
}

/** What each benchmark of this folder exports. */
export interface Benchmark {
  /** One sentence: what is measured, beside what. */
  readonly summary: string
  run(report: Report, options: BenchmarkOptions): Promise<void>
}
