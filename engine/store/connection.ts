import { textLiteral } from './sql-text.ts'
import type { Statement } from './statement.ts'

/**
 * Connection to a ClickHouse engine: in this process or on a server. They differ in how a client is created and how the
 * bytes of a block reach the engine; everything above is the same SQL. Errors are those of the client: the store
 * translates them.
 */
export interface StoreConnection {
  /** Whether other processes may store rows, too. */
  readonly isShared: boolean
  /** Creates the database of the statements if it does not exist. It is the first call. */
  createDatabase(): Promise<void>
  /**
   * Makes the definitions of tables durable, as changed by commands so far. For a server this does nothing, because its
   * operator is responsible.
   */
  syncDefinitions(): Promise<void>
  /** Runs a statement without rows, in parallel to inserts and searches. */
  command(sql: string): Promise<void>
  /** Rows of one of the store's own statements, in parallel to inserts and searches. 64-bit integers are strings. */
  read<Row>(sql: string): Promise<Row[]>
  /** Rows of a search: read-only, ended when the signal is aborted. 64-bit integers are strings. */
  query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]>
  /** Like `query`, with some thousand rows at a time; leaving the iteration ends the statement. */
  queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]>
  insertBlock(insert: BlockInsert): Promise<void>
  /**
   * Rows of a statement that may take long and must not block others; it may read a block that is not stored. One runs at
   * a time. 64-bit integers are strings.
   */
  audit<Row>(statement: AuditStatement): Promise<Row[]>
  /**
   * Ends running inserts with this comment, and waits until they are gone. The caller has raised its epoch, so an insert
   * that the engine has not begun yet is fenced.
   */
  endInserts(comment: string): Promise<void>
  /** Waits for running statements; those of an audit are ended. */
  close(): Promise<void>
}

export interface BlockInsert {
  /** The statement, for the table function that yields the block's rows. */
  readonly sql: (source: string) => string
  /** Columns of the block: the structure argument of that table function. */
  readonly structure: string
  /** Block in Native format. */
  readonly block: readonly Uint8Array[]
  /** The statement's log_comment. */
  readonly comment: string
}

/** Names that need no quoting. */
export const DATABASE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

export interface AuditStatement {
  /** The statement, for the expression that yields the block's rows; empty without a block. */
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
