import type { StoreConnection } from '../../engine/store/connection.ts'
import { askerOfStatement, type Statement } from '../../engine/store/statement.ts'
import { keyOfAsker } from '../../engine/turns/asker.ts'
import type { LineTable } from '../../schemas/log/tables.ts'

export interface AskedStatement {
  readonly sql: string
  readonly parameters?: Readonly<Record<string, unknown>>
}

/** A connection to no engine. It keeps the searches that it is given and answers each with the same rows. */
export class RecordingConnection implements StoreConnection {
  readonly isShared = false
  /** Keys of those for whom it was asked. */
  readonly askers = new Set<string>()
  readonly #rows: readonly object[]
  readonly #filled: LineTable
  #asked: AskedStatement[] = []

  /** @param filled the table that has lines */
  constructor(rows: readonly object[], filled: LineTable) {
    this.#rows = rows
    this.#filled = filled
  }

  /** Searches since the last call. */
  take(): readonly AskedStatement[] {
    const asked = this.#asked
    this.#asked = []
    return asked
  }

  async query<Row>(statement: Statement): Promise<Row[]> {
    this.askers.add(keyOfAsker(askerOfStatement(statement)))
    const { atMostRows: _, askedBy: _asker, enterprise: _enterprise, ...asked } = statement
    this.#asked.push(asked)
    return this.#rows as Row[]
  }

  async *queryStream<Row>(statement: Statement): AsyncGenerator<Row[]> {
    yield await this.query<Row>(statement)
  }

  /** Any version is new enough. Filters of words are not known, so searches do without them. */
  async read<Row>(sql: string): Promise<Row[]> {
    if (sql.includes('word_filters')) throw new Error('no filters here')
    if (sql.startsWith('SELECT DISTINCT table AS name FROM system.parts'))
      return [{ name: this.#filled } as Row]
    return sql.includes('version()') ? [{ version: '99.9' } as Row] : []
  }

  async createDatabase(): Promise<void> {}
  async syncDefinitions(): Promise<void> {}
  async command(): Promise<void> {}
  async insertBlock(): Promise<void> {}
  async endInserts(): Promise<void> {}
  async close(): Promise<void> {}

  async audit<Row>(): Promise<Row[]> {
    return []
  }
}
