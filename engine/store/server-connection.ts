import { pipeline, Readable } from 'node:stream'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  drainStream,
  EXCEPTION_TAG_HEADER_NAME,
  type ResponseHeaders,
  ResultSet,
} from '@clickhouse/client'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/system-clock.ts'
import {
  type AuditStatement,
  type BlockInsert,
  DATABASE_NAME,
  killStatement,
  type StoreConnection,
} from './connection.ts'
import { ExceptionBlock } from './exception-block.ts'
import { ExternalData } from './external-data.ts'
import { textLiteral } from './sql-text.ts'
import { type Statement, StoreError } from './store.ts'

export interface ServerConnectionOptions {
  /** http or https. One writer endpoint: replicated tables are not supported yet. */
  readonly url: string
  readonly username?: string
  readonly password?: string
  /** Created when it is not there. */
  readonly database?: string
  /** After this long without an answer the outcome of an insert is unknown. */
  readonly insertTimeoutMs?: number
  readonly controlTimeoutMs?: number
  readonly searchTimeoutMs?: number
  readonly clock?: Clock
}

const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500
const KILL_PATIENCE_MS = 60_000
const ACCESS_DENIED = 497

/** A way to a ClickHouse server over HTTP. Nothing is sent yet, so the server may be away. */
export function serverConnection({
  url,
  username = 'default',
  password = '',
  database = 'weir',
  insertTimeoutMs = 120_000,
  controlTimeoutMs = 120_000,
  searchTimeoutMs = 300_000,
  clock = systemClock(),
}: ServerConnectionOptions): StoreConnection {
  if (!DATABASE_NAME.test(database)) throw new TypeError(`not a name for a database: ${database}`)
  // What goes wrong reaches the caller as an error; the client's own words would bypass the log.
  const server = { url, username, password, log: { level: ClickHouseLogLevel.OFF } }
  const login = { ...server, database }
  const answers = { output_format_json_quote_64bit_integers: 1 } as const
  return new ServerConnection(
    database,
    {
      founding: createClient({ ...server, request_timeout: controlTimeoutMs }),
      control: createClient({ ...login, request_timeout: controlTimeoutMs, clickhouse_settings: answers }),
      inserting: createClient({ ...login, request_timeout: insertTimeoutMs }),
      searching: createClient({
        ...login,
        request_timeout: searchTimeoutMs,
        // An answer that nobody waits for any more is not computed to its end.
        clickhouse_settings: { ...answers, readonly: '2', cancel_http_readonly_queries_on_client_close: 1 },
      }),
    },
    new ExternalData({ url, username, password, database }),
    clock,
  )
}

/** They differ in how long they wait and in what the server lets them do. */
interface Clients {
  /** Speaks to the server outside of the database. */
  readonly founding: ClickHouseClient
  readonly control: ClickHouseClient
  readonly inserting: ClickHouseClient
  readonly searching: ClickHouseClient
}

class ServerConnection implements StoreConnection {
  readonly #database: string
  readonly #clients: Clients
  readonly #external: ExternalData
  readonly #clock: Clock

  constructor(database: string, clients: Clients, external: ExternalData, clock: Clock) {
    this.#database = database
    this.#clients = clients
    this.#external = external
    this.#clock = clock
  }

  async createDatabase(): Promise<void> {
    try {
      assertClickHouse(
        await this.#clients.founding.command({ query: `CREATE DATABASE IF NOT EXISTS ${this.#database}` }),
      )
    } catch (error) {
      // A user that may not create databases works with the one that an operator made.
      if (!(error instanceof ClickHouseError) || Number(error.code) !== ACCESS_DENIED) throw error
    }
  }

  async syncDefinitions(): Promise<void> {}

  async command(sql: string): Promise<void> {
    assertClickHouse(await this.#clients.control.command({ query: sql }))
  }

  async read<Row>(sql: string): Promise<Row[]> {
    const answer = await answerOf(this.#clients.control, { sql })
    return answer.json<Row>()
  }

  async query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
    signal?.throwIfAborted()
    try {
      const answer = await answerOf(this.#clients.searching, statement, signal)
      return await answer.json<Row>()
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  async *queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    signal?.throwIfAborted()
    try {
      const answer = await answerOf(this.#clients.searching, statement, signal)
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
    const answer = await this.#clients.inserting.exec({
      query: `${sql(source)} FORMAT Native`,
      values: Readable.from(block, { objectMode: false }),
      // Otherwise the server answers 200 first and fails afterwards.
      clickhouse_settings: { wait_end_of_query: 1 },
    })
    await drainStream(answer.stream)
    assertClickHouse(answer)
  }

  audit<Row>(statement: AuditStatement): Promise<Row[]> {
    return this.#external.read<Row>(statement)
  }

  async endInserts(comment: string): Promise<void> {
    const running = `SELECT count() AS running FROM system.processes WHERE Settings['log_comment'] = ${textLiteral(comment)}`
    const isRunning = async () => (await this.read<{ running: string }>(running))[0]?.running !== '0'
    if (!(await isRunning())) return
    await this.command(killStatement(comment))
    const patientUntilMs = this.#clock.monotonicMs() + KILL_PATIENCE_MS
    for (let pauseMs = FIRST_PAUSE_MS; await isRunning(); pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (this.#clock.monotonicMs() > patientUntilMs)
        throw new StoreError('UNAVAILABLE', `an insert of ${comment} does not end`, { retriable: true })
      await this.#clock.sleep(pauseMs)
    }
  }

  async close(): Promise<void> {
    this.#external.close()
    await Promise.all(Object.values<ClickHouseClient>({ ...this.#clients }).map(client => client.close()))
  }
}

async function answerOf(
  client: ClickHouseClient,
  { sql, parameters }: Statement,
  signal?: AbortSignal,
): Promise<ResultSet<'JSONEachRow'>> {
  const answer = await client.exec({
    query: `${sql}\nFORMAT JSONEachRow`,
    ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
  })
  assertClickHouse(answer)
  const { stream, query_id, response_headers } = answer
  const tag = response_headers[EXCEPTION_TAG_HEADER_NAME]
  // Errors reach whoever reads the rows.
  const rows = pipeline(stream, new ExceptionBlock(typeof tag === 'string' ? tag : undefined), () => {})
  const format = 'JSONEachRow'
  return ResultSet.instance({ stream: rows, format, query_id, response_headers, log_error: () => {} })
}

/**
 * Whether a server answers that knows what it was asked. Whatever else listens at an address, a proxy with a page of
 * its own for instance, may say 200 to anything, also to lines that it does not store.
 */
function assertClickHouse({ response_headers }: { readonly response_headers: ResponseHeaders }): void {
  if (Object.keys(response_headers).some(name => name.startsWith('x-clickhouse-'))) return
  throw new StoreError('UNAVAILABLE', 'what answers there is no ClickHouse server', { retriable: true })
}
