import { textLiteral } from './sql-text.ts'
import type { Statement } from './store.ts'

/**
 * A way to a ClickHouse engine: in this process or on a server. They differ in how a client is made and how the
 * bytes of a block get to the engine; everything above is the same SQL. Errors are those of the client: the store
 * translates them.
 */
export interface StoreConnection {
  /** Makes the database that the statements are about, unless it is there. Comes before everything else. */
  createDatabase(): Promise<void>
  /**
   * Makes durable which tables there are and what they are, as changed by commands so far. Nothing to do for a server:
   * this is in the hands of whoever runs it.
   */
  syncDefinitions(): Promise<void>
  /** Runs a statement that gives no rows, beside inserts and searches. */
  command(sql: string): Promise<void>
  /** Rows of one of the store's own statements, beside inserts and searches. 64-bit integers are strings. */
  read<Row>(sql: string): Promise<Row[]>
  /** Rows of a search: read-only, ended when the signal is aborted. 64-bit integers are strings. */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]>
  /** The same, some thousand rows at a time; ends the statement when the iteration is left. */
  queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]>
  insertBlock(insert: BlockInsert): Promise<void>
  /**
   * Rows of a statement that may take long and stands in nobody's way; it may read a block that is not stored. One at
   * a time. 64-bit integers are strings.
   */
  audit<Row>(statement: AuditStatement): Promise<Row[]>
  /**
   * Ends the inserts with this comment that still run, and waits until they are gone. The caller has raised its
   * epoch, so an insert that the engine has not begun yet is fenced.
   */
  endInserts(comment: string): Promise<void>
  /** Waits for the statements in flight; those of an audit are ended. */
  close(): Promise<void>
}

export interface BlockInsert {
  /** The statement, given the table function that yields the block's rows. */
  readonly sql: (source: string) => string
  /** Columns of the block: the structure argument of that table function. */
  readonly structure: string
  /** In Native format. */
  readonly block: readonly Uint8Array[]
  /** The statement's log_comment. */
  readonly comment: string
}

/** Names that need no quoting. */
export const DATABASE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

export interface AuditStatement {
  /** The statement, given what yields the block's rows; empty without a block. */
  readonly sql: (source: string) => string
  readonly block?: Pick<BlockInsert, 'structure' | 'block'>
  /** Ends the statement. */
  readonly signal?: AbortSignal | undefined
}

/** The log_comment of the statements of an audit. */
export const AUDIT_COMMENT = 'weir:audit'

/** Ends the statements with this comment without waiting: waiting hangs between sessions of the embedded engine. */
export function killStatement(comment: string): string {
  return `KILL QUERY WHERE Settings['log_comment'] = ${textLiteral(comment)} ASYNC`
}
