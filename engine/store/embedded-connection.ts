import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/system-clock.ts'
import { BlockFile } from './block-file.ts'
import {
  AUDIT_COMMENT,
  type AuditStatement,
  type BlockInsert,
  killStatement,
  type StoreConnection,
} from './connection.ts'
import { syncDefinitions } from './definition-folders.ts'
import { bindParameters, textLiteral } from './sql-text.ts'
import type { Statement } from './store.ts'

export interface EmbeddedConnectionOptions {
  /** Folder of the engine's files; created when it is not there. One process at a time, one folder a process. */
  readonly path: string
  readonly database?: string
  /** Searches that run side by side; each has a connection of the engine. */
  readonly searches?: number
  readonly clock?: Clock
}

/** The engine declares the same shape with its own copy of the client's types, which the compiler keeps apart. */
type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

const STREAM_ROWS = 4096
/**
 * A longer statement is answered as a whole: the engine plans that of a stream on the thread that asks for it, and nothing
 * else of the process goes on meanwhile. This many characters take some 20 ms.
 */
export const MAX_STREAMED_CHARACTERS = 4096
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500

/**
 * Opens the ClickHouse engine inside this process. It must be opened on the main thread: the engine ends the
 * process when a worker thread with a statement in flight ends.
 */
export async function openEmbeddedConnection({
  path,
  database = 'weir',
  searches = 3,
  clock = systemClock(),
}: EmbeddedConnectionOptions): Promise<StoreConnection> {
  // Loaded here, so that installations with a server need not have the engine.
  const { createChdbConnection } = await import('chdb/connection')
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const openNative = async (settings: Readonly<Record<string, number>>): Promise<NativeSession> => {
    const native = createChdbConnection({ path: folder })
    const client = createClient({ connection: native as unknown as ClientConnection })
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic` })
    await client.command({ query: `USE ${database}` })
    for (const [name, value] of Object.entries(settings))
      await client.command({ query: `SET ${name} = ${value}` })
    return { client, openStream: sql => native.chdb.queryStream(sql, { format: 'JSONEachRow' }) }
  }
  const openSession = (settings: Readonly<Record<string, number>>) => Session.open(() => openNative(settings))
  const answers = { output_format_json_quote_64bit_integers: 1 }
  const control = await openSession(answers)
  const inserting = await openSession({})
  const searching: Session[] = []
  // Read-only comes last: afterwards nothing can be set but what a read may set.
  for (let index = 0; index < searches; index++)
    searching.push(await openSession({ ...answers, max_block_size: STREAM_ROWS, readonly: 2 }))
  return new EmbeddedConnection({
    control,
    inserting,
    searching,
    openAuditing: () => openSession(answers),
    folder,
    blockFile: await BlockFile.open(folder, database),
    auditFile: await BlockFile.open(folder, `${database} audit`),
    clock,
  })
}

interface EmbeddedParts {
  readonly folder: string
  readonly control: Session
  readonly inserting: Session
  readonly searching: readonly Session[]
  /** Audits are rare: their session is opened at the first. */
  readonly openAuditing: () => Promise<Session>
  readonly blockFile: BlockFile
  readonly auditFile: BlockFile
  readonly clock: Clock
}

interface NativeSession {
  readonly client: ClickHouseClient
  openStream(sql: string): AsyncIterable<{ text(): string }>
}

/**
 * One connection of the engine: it runs one statement at a time, so statements queue. After a statement that did
 * not succeed it is replaced, because the engine gives the rows that such a statement has left behind as the first
 * rows of the connection's next answer.
 */
class Session {
  waiting = 0
  readonly #open: () => Promise<NativeSession>
  #native: NativeSession
  #clean = true
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(open: () => Promise<NativeSession>, native: NativeSession) {
    this.#open = open
    this.#native = native
  }

  static async open(open: () => Promise<NativeSession>): Promise<Session> {
    return new Session(open, await open())
  }

  /** Runs a task when those before it have ended. */
  run<T>(task: (native: NativeSession) => Promise<T>): Promise<T> {
    this.waiting++
    const result = this.#tail.then(() => this.#runCleanly(task))
    this.#tail = result
      // At once, so that what was left behind takes no memory; should that fail, the next task tries again.
      .catch(() => this.#replace())
      .catch(() => {})
      .finally(() => {
        this.waiting--
      })
    return result
  }

  async close(): Promise<void> {
    await this.#tail
    await this.#native.client.close()
  }

  async #runCleanly<T>(task: (native: NativeSession) => Promise<T>): Promise<T> {
    if (!this.#clean) await this.#replace()
    this.#clean = false
    const result = await task(this.#native)
    this.#clean = true
    return result
  }

  async #replace(): Promise<void> {
    const next = await this.#open()
    await this.#native.client.close()
    this.#native = next
    this.#clean = true
  }
}

class EmbeddedConnection implements StoreConnection {
  readonly #parts: EmbeddedParts
  readonly #inserts = new Map<string, Promise<unknown>>()
  #auditing: Promise<Session> | undefined
  #searchNumber = 0

  constructor(parts: EmbeddedParts) {
    this.#parts = parts
  }

  /** Every session has made sure of it. */
  async createDatabase(): Promise<void> {}

  syncDefinitions(): Promise<void> {
    return syncDefinitions(this.#parts.folder)
  }

  async command(sql: string): Promise<void> {
    await this.#parts.control.run(({ client }) => client.command({ query: sql }))
  }

  read<Row>(sql: string): Promise<Row[]> {
    return this.#parts.control.run(({ client }) => rowsOf<Row>(client, sql))
  }

  async query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
    const sql = bindParameters(statement)
    const comment = this.#nextComment()
    const answer = this.#freeSession().run(({ client }) =>
      this.#runAbortably(comment, signal, () => rowsOf<Row>(client, sql, { log_comment: comment })),
    )
    // The engine goes on after the caller has turned away: the session stays taken until it has really ended.
    return signal === undefined ? answer : untilAborted(answer, signal)
  }

  async *queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    const sql = bindParameters(statement)
    if (sql.length > MAX_STREAMED_CHARACTERS) {
      const rows = await this.query<Row>(statement, signal)
      if (rows.length > 0) yield rows
      return
    }
    const comment = this.#nextComment()
    const began = Promise.withResolvers<NativeSession>()
    const ended = Promise.withResolvers<void>()
    const turn = this.#freeSession().run(native => {
      began.resolve(native)
      return ended.promise
    })
    // The session could not be had at all.
    turn.catch(began.reject)
    const over = new AbortController()
    let readToItsEnd = false
    try {
      const { client, openStream } = await began.promise
      this.#endOnAbort(comment, signal, over.signal)
      await client.command({ query: `SET log_comment = ${textLiteral(comment)}` })
      for await (const chunk of openStream(sql)) {
        signal?.throwIfAborted()
        const rows = rowsOfText<Row>(chunk.text())
        if (rows.length > 0) yield rows
      }
      signal?.throwIfAborted()
      readToItsEnd = true
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      over.abort()
      if (readToItsEnd) ended.resolve()
      else ended.reject(new Error('the stream was left before its end'))
      await turn.catch(() => {})
    }
  }

  insertBlock({ sql, structure, block, comment }: BlockInsert): Promise<void> {
    const insert = this.#parts.inserting.run(async ({ client }) => {
      const path = await this.#parts.blockFile.write(block)
      await client.command({ query: sql(blockSource(path, structure)) })
    })
    const ended = insert.catch(() => {})
    this.#inserts.set(comment, ended)
    return insert.finally(() => {
      if (this.#inserts.get(comment) === ended) this.#inserts.delete(comment)
    })
  }

  async audit<Row>({ sql, block, signal }: AuditStatement): Promise<Row[]> {
    this.#auditing ??= this.#parts.openAuditing()
    const session = await this.#auditing
    const answer = session.run(({ client }) =>
      this.#runAbortably(AUDIT_COMMENT, signal, async () => {
        const source = block && blockSource(await this.#parts.auditFile.write(block.block), block.structure)
        return rowsOf<Row>(client, sql(source ?? ''), { log_comment: AUDIT_COMMENT })
      }),
    )
    return signal === undefined ? answer : untilAborted(answer, signal)
  }

  /**
   * An insert cannot outlive this process, so those that still run are the ones this process waits for. They are
   * not killed: the engine lists a statement that failed until its session runs the next one.
   */
  async endInserts(comment: string): Promise<void> {
    await this.#inserts.get(comment)
  }

  async close(): Promise<void> {
    const { control, inserting, searching, blockFile, auditFile } = this.#parts
    const auditing = await this.#auditing
    if (auditing !== undefined) {
      const over = new AbortController()
      if (auditing.waiting > 0) void this.#end(AUDIT_COMMENT, over.signal)
      await auditing.close().finally(() => over.abort())
    }
    for (const session of [...searching, inserting, control]) await session.close()
    await blockFile.close()
    await auditFile.close()
  }

  #freeSession(): Session {
    return this.#parts.searching.reduce((least, session) =>
      session.waiting < least.waiting ? session : least,
    )
  }

  #nextComment(): string {
    return `weir:search:${this.#searchNumber++}`
  }

  async #runAbortably<T>(
    comment: string,
    signal: AbortSignal | undefined,
    run: () => Promise<T>,
  ): Promise<T> {
    const over = new AbortController()
    this.#endOnAbort(comment, signal, over.signal)
    return run().finally(() => over.abort())
  }

  /** @param over aborted when the statements with this comment have ended */
  #endOnAbort(comment: string, signal: AbortSignal | undefined, over: AbortSignal): void {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => void this.#end(comment, over), { once: true, signal: over })
  }

  /** Asks until they are over: the engine may not have listed the statement yet, and then nothing is ended. */
  async #end(comment: string, over: AbortSignal): Promise<void> {
    for (let pauseMs = FIRST_PAUSE_MS; !over.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      // Best effort: without it the statement only ends later.
      await this.command(killStatement(comment)).catch(() => {})
      await this.#parts.clock.sleep(pauseMs, over)
    }
  }
}

function blockSource(path: string, structure: string): string {
  return `file(${textLiteral(path)}, 'Native', ${textLiteral(structure)})`
}

async function rowsOf<Row>(
  client: ClickHouseClient,
  query: string,
  settings: Record<string, string> = {},
): Promise<Row[]> {
  const answer = await client.query({ query, format: 'JSONEachRow', clickhouse_settings: settings })
  return rowsOfText<Row>(await answer.text())
}

function rowsOfText<Row>(text: string): Row[] {
  const lines = text.split('\n')
  const rows: Row[] = []
  for (const line of lines) if (line !== '') rows.push(JSON.parse(line) as Row)
  return rows
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason as Error)
    if (signal.aborted) {
      promise.catch(() => {})
      return reject(signal.reason as Error)
    }
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
