import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseError, createClient, drainStream } from '@clickhouse/client'
import type { BlockInsert, StoreConnection } from './connection.ts'
import type { Statement } from './store.ts'

export interface ServerConnectionOptions {
  /** http or https. One writer endpoint: replicated tables are not supported yet. */
  readonly url: string
  readonly username?: string
  readonly password?: string
  /** Created when it is not there. */
  readonly database?: string
  /** After this long without an answer the outcome of an insert is unknown. */
  readonly insertTimeoutMs?: number
  readonly searchTimeoutMs?: number
}

const ACCESS_DENIED = 497
const DATABASE_NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/

/** Reaches a ClickHouse server over HTTP. */
export async function openServerConnection({
  url,
  username = 'default',
  password = '',
  database = 'weir',
  insertTimeoutMs = 120_000,
  searchTimeoutMs = 300_000,
}: ServerConnectionOptions): Promise<StoreConnection> {
  if (!DATABASE_NAME.test(database)) throw new TypeError(`not a name for a database: ${database}`)
  await createDatabase(createClient({ url, username, password }), database)
  const login = { url, username, password, database }
  const answers = { output_format_json_quote_64bit_integers: 1 } as const
  return new ServerConnection(
    createClient({ ...login, request_timeout: insertTimeoutMs, clickhouse_settings: answers }),
    createClient({ ...login, request_timeout: insertTimeoutMs }),
    createClient({
      ...login,
      request_timeout: searchTimeoutMs,
      // An answer that nobody waits for any more is not computed to its end.
      clickhouse_settings: { ...answers, readonly: '2', cancel_http_readonly_queries_on_client_close: 1 },
    }),
  )
}

async function createDatabase(client: ClickHouseClient, database: string): Promise<void> {
  try {
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database}` })
  } catch (error) {
    // A user that may not create databases works with the one that an operator made.
    if (!(error instanceof ClickHouseError) || Number(error.code) !== ACCESS_DENIED) throw error
  } finally {
    await client.close()
  }
}

class ServerConnection implements StoreConnection {
  readonly #control: ClickHouseClient
  readonly #inserting: ClickHouseClient
  readonly #searching: ClickHouseClient

  constructor(control: ClickHouseClient, inserting: ClickHouseClient, searching: ClickHouseClient) {
    this.#control = control
    this.#inserting = inserting
    this.#searching = searching
  }

  async command(sql: string): Promise<void> {
    await this.#control.command({ query: sql })
  }

  async read<Row>(sql: string): Promise<Row[]> {
    const answer = await this.#control.query({ query: sql, format: 'JSONEachRow' })
    return answer.json<Row>()
  }

  async query<Row>({ sql, parameters }: Statement, signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted()
    try {
      const answer = await this.#searching.query({
        query: sql,
        format: 'JSONEachRow',
        ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
        ...(signal === undefined ? {} : { abort_signal: signal }),
      })
      return await answer.json<Row>()
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  async *queryStream<Row>({ sql, parameters }: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    signal?.throwIfAborted()
    try {
      const answer = await this.#searching.query({
        query: sql,
        format: 'JSONEachRow',
        ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
        ...(signal === undefined ? {} : { abort_signal: signal }),
      })
      for await (const rows of answer.stream<Row>()) {
        signal?.throwIfAborted()
        if (rows.length > 0) yield rows.map(row => row.json<Row>())
      }
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  async insertBlock({ sql, structure, block }: BlockInsert): Promise<void> {
    const source = `input('${structure.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}')`
    const answer = await this.#inserting.exec({
      query: `${sql(source)} FORMAT Native`,
      values: Readable.from(block, { objectMode: false }),
      // Otherwise the server answers 200 first and fails afterwards.
      clickhouse_settings: { wait_end_of_query: 1 },
    })
    await drainStream(answer.stream)
  }

  /** What this process has sent may outlive it on the server: only the server can say, and settling asks it. */
  async insertsEnded(): Promise<void> {}

  async close(): Promise<void> {
    await Promise.all([this.#control.close(), this.#inserting.close(), this.#searching.close()])
  }
}
