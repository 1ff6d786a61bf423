import type { LineTimes } from '../../engine/store/search/filtered-segments.ts'
import type { SelectedLine } from '../../engine/store/search/line-selection.ts'
import type { TimeOfLines } from '../../engine/store/search/slices/lines-in-time.ts'
import type { Statement, StatementRunner } from '../../engine/store/statement.ts'
import type { AskedStatement } from './recording-connection.ts'

/** Answers to the statements of one search, by their kinds. */
export interface Answers {
  /** Segments that filters name, each with the starts of words that it may have; empty `held`: lines without a filter. */
  readonly segments?: readonly (LineTimes & { readonly held: readonly (0 | 1)[] })[]
  /** Times of the lines of a period. */
  readonly time?: TimeOfLines
  /** Times of the n-th line of a period, one after the other; then there are fewer lines. UNIX ms. */
  readonly nth?: readonly number[]
  /** Lines of the statements that ask for lines, one after the other; then there are none. */
  readonly lines?: readonly (readonly SelectedLine[])[]
  /** Days of `full_field_days`, and then those on which lines came. */
  readonly days?: readonly (readonly string[])[]
}

/** A store without an engine. It keeps the statements and gives scripted answers. */
export class ScriptedRunner implements StatementRunner {
  readonly asked: AskedStatement[] = []
  readonly #segments: readonly object[]
  readonly #time: readonly object[]
  readonly #nth: number[]
  readonly #lines: (readonly SelectedLine[])[]
  readonly #days: (readonly string[])[]

  constructor({ segments = [], time, nth = [], lines = [], days = [] }: Answers) {
    this.#segments = segments.map((segment, number) => ({
      ...segment,
      segment: segment.held.length === 0 ? '' : `0 0 ${number} 0 0`,
    }))
    this.#time = time === undefined ? [] : [time]
    this.#nth = [...nth]
    this.#lines = [...lines]
    this.#days = [...days]
  }

  async query<Row>({ atMostRows: _, ...asked }: Statement): Promise<Row[]> {
    this.asked.push(asked)
    return this.#answer(asked.sql) as readonly object[] as Row[]
  }

  async *queryStream<Row>(statement: Statement): AsyncGenerator<Row[]> {
    yield await this.query<Row>(statement)
  }

  #answer(sql: string): readonly object[] {
    if (sql.includes('FROM word_filters')) return this.#segments
    if (sql.includes('AS firstMs')) return this.#time
    if (sql.includes('AS ms FROM')) return this.#nth.splice(0, 1).map(ms => ({ ms }))
    if (sql.includes('AS day FROM')) return (this.#days.shift() ?? []).map(day => ({ day }))
    return sql.includes('AS account') ? (this.#lines.shift() ?? []) : []
  }
}
