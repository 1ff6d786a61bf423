import { pipeline, Readable } from 'node:stream'
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  drainStream,
  EXCEPTION_TAG_HEADER_NAME,
  type ResponseHeaders,
  ResultSet,
} from '@clickhouse/client'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/system-clock.ts'
import { MINUTE_MS } from '../times/duration.ts'
import { keyOfAsker } from '../turns/asker.ts'
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
import { askerOfStatement, priorityOf, STREAM_PRIORITY, type Statement } from './statement.ts'
import { StoreError } from './store.ts'

export interface ServerConnectionOptions {
  /** http or https. One writer endpoint: replicated tables are not supported yet. */
  readonly url: string
  readonly username?: string
  readonly password?: string
  /** Created if missing. */
  readonly database?: string
  /** Time without an answer after which the outcome of an insert is unknown. */
  readonly insertTimeoutMs?: number
  readonly controlTimeoutMs?: number
  readonly searchTimeoutMs?: number
  readonly clock?: Clock
}

const PAUSES = { firstMs: 10, longestMs: 500 }
const KILL_PATIENCE_MS = MINUTE_MS
const ACCESS_DENIED = 497

/** Connection to a ClickHouse server over HTTP. Nothing is sent yet, so the server may be unavailable. */
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
  // Errors reach the caller; the client's own messages would bypass the log.
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
        // The server stops computing an answer when its client disconnects.
        clickhouse_settings: { ...answers, readonly: '2', cancel_http_readonly_queries_on_client_close: 1 },
      }),
    },
    new ExternalData({ url, username, password, database }),
    clock,
  )
}

/** The clients differ in their time-outs and in their rights at the server. */
interface Clients {
  /** Client that works outside of the database. */
  readonly founding: ClickHouseClient
  readonly control: ClickHouseClient
  readonly inserting: ClickHouseClient
  readonly searching: ClickHouseClient
}

class ServerConnection implements StoreConnection {
  readonly isShared = true
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
      // A user who cannot create databases uses the one that an operator created.
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
      const answer = await answerOf(this.#clients.searching, statement, {
        signal,
        settings: turnOf(statement),
      })
      return await answer.json<Row>()
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  }

  async *queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    signal?.throwIfAborted()
    try {
      const answer = await answerOf(this.#clients.searching, statement, {
        signal,
        settings: { ...turnOf(statement), ...(statement.scanOf === undefined && STREAMED) },
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
    const answer = await this.#clients.inserting.exec({
      query: `${sql(source)} FORMAT Native`,
      values: Readable.from(block, { objectMode: false }),
      // Without it, the server answers 200 first and fails afterwards.
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
    const backOff = new BackOff(this.#clock, PAUSES)
    while (await isRunning()) {
      if (this.#clock.monotonicMs() > patientUntilMs)
        throw new StoreError('UNAVAILABLE', `an insert of ${comment} does not end`, { retriable: true })
      await backOff.pause()
    }
  }

  async close(): Promise<void> {
    this.#external.close()
    await Promise.all(Object.values<ClickHouseClient>({ ...this.#clients }).map(client => client.close()))
  }
}

/** A scan keeps its priority, by which `weir store` knows it. */
const STREAMED: ClickHouseSettings = { priority: String(STREAM_PRIORITY) }

/**
 * A server lets scans pause while other searches run. `weir store` also takes turns among enterprises and accounts: it
 * reads them from the parameter in which ClickHouse expects the owner of a quota.
 */
function turnOf(statement: Statement): ClickHouseSettings {
  const asker = askerOfStatement(statement)
  return {
    priority: String(priorityOf(statement)),
    ...(asker.account !== '' && { quota_key: keyOfAsker(asker) }),
  }
}

async function answerOf(
  client: ClickHouseClient,
  { sql, parameters }: Statement,
  {
    signal,
    settings,
  }: { readonly signal?: AbortSignal | undefined; readonly settings?: ClickHouseSettings } = {},
): Promise<ResultSet<'JSONEachRow'>> {
  const answer = await client.exec({
    query: `${sql}\nFORMAT JSONEachRow`,
    ...(parameters === undefined ? {} : { query_params: { ...parameters } }),
    ...(signal === undefined ? {} : { abort_signal: signal }),
    ...(settings === undefined ? {} : { clickhouse_settings: settings }),
  })
  assertClickHouse(answer)
  const { stream, query_id, response_headers } = answer
  const tag = response_headers[EXCEPTION_TAG_HEADER_NAME]
  // The reader of the rows gets the errors.
  const rows = pipeline(stream, new ExceptionBlock(typeof tag === 'string' ? tag : undefined), () => {})
  const format = 'JSONEachRow'
  return ResultSet.instance({ stream: rows, format, query_id, response_headers, log_error: () => {} })
}

/**
 * Checks that the answer is from ClickHouse. Another listener at the address, such as a proxy with its own page, may
 * answer 200 to any request. Such an answer does not mean that lines are stored.
 */
function assertClickHouse({ response_headers }: { readonly response_headers: ResponseHeaders }): void {
  if (Object.keys(response_headers).some(name => name.startsWith('x-clickhouse-'))) return
  throw new StoreError('UNAVAILABLE', 'the server at this address is not a ClickHouse server', {
    retriable: true,
  })
}
