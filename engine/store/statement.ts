import type { Asker } from '../turns/asker.ts'

/** A read-only statement of ClickHouse; text of users reaches it only as a parameter. */
export interface Statement {
  readonly sql: string
  /** Values of `{name:Type}` in the SQL. */
  readonly parameters?: Readonly<Record<string, unknown>>
  /**
   * Account whose lines it reads in large numbers: it must not delay statements that read few. Absent: it reads few
   * lines.
   */
  readonly scanOf?: string
  /** Account for which it is run, and with whose other statements it waits for its turn; absent: the program itself. */
  readonly askedBy?: string
  /** Enterprise of that account, whose accounts take turns together; absent: the account stands for itself. */
  readonly enterprise?: string
  /** Maximum number of rows of the answer, if it is known. */
  readonly atMostRows?: number
}

/** Account and enterprise for which a statement is run: see `FairPlaces`. */
export function askerOfStatement({ scanOf, askedBy = '', enterprise }: Statement): Asker {
  const account = scanOf ?? askedBy
  return { account, enterprise: enterprise ?? account }
}

/** While a statement with a lower number runs, those with a higher one pause between their blocks. */
export const PROMPT_PRIORITY = 1
export const SCAN_PRIORITY = 2
/**
 * A statement whose answer is streamed neither pauses nor lets others pause: it runs for as long as its reader takes, and scans
 * would pause for up to a second after each block until then.
 */
export const STREAM_PRIORITY = 0

/** Priority of a statement whose answer is read at once. */
export function priorityOf({ scanOf }: Statement): number {
  return scanOf === undefined ? PROMPT_PRIORITY : SCAN_PRIORITY
}

/** Runs the statements of an account, which take turns with those of other accounts. */
export function askedBy({ account, enterprise }: Asker, runner: StatementRunner): StatementRunner {
  const asked = (statement: Statement) => ({ ...statement, askedBy: account, enterprise })
  return {
    query: (statement, signal) => runner.query(asked(statement), signal),
    queryStream: (statement, signal) => runner.queryStream(asked(statement), signal),
  }
}

/** Runs read-only statements. */
export interface StatementRunner {
  /**
   * Rows of one statement; 64-bit integers are strings.
   *
   * @throws StoreError UNAVAILABLE, also while the store is not open yet; STORE_DAMAGED; STATEMENT_FAILED
   */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]>

  /** Streams the rows, some thousand at a time, for answers that must not be held in memory. */
  queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]>
}
