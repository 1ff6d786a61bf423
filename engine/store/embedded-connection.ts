import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import { systemClock } from '../clock/system-clock.ts'
import { untilAborted } from '../clock/until-aborted.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import { BlockFile } from './block-file.ts'
import {
  AUDIT_COMMENT,
  type AuditStatement,
  type BlockInsert,
  killStatement,
  type StoreConnection,
} from './connection.ts'
import { type CoveredPart, ignoreSpareParts, setAsideBefore } from './damaged-parts.ts'
import { syncDefinitions } from './definition-folders.ts'
import { EmbeddedSession, type NativeSession } from './embedded-session.ts'
import { assertRoomFor } from './failed-writes/definition-room.ts'
import { WriteWatch } from './failed-writes/write-watch.ts'
import { rowBatches } from './search/row-batches.ts'
import { SessionPool } from './session-pool.ts'
import { bindParameters, textLiteral } from './sql-text.ts'
import { askerOfStatement, priorityOf, STREAM_PRIORITY, type Statement } from './statement.ts'
import { sparePartSentence } from './store-damage.ts'

export interface EmbeddedConnectionOptions {
  /**
   * Folder of the engine's files, created if missing. It can be used by one process at a time, and a process by one
   * folder.
   */
  readonly path: string
  readonly database?: string
  /** Statements of each kind that run side by side; each has a connection of the engine. */
  readonly searches?: number
  readonly clock?: Clock
  /** Called with a sentence for each damaged part that this start has set aside and that is not needed. */
  readonly warn?: ((sentence: string) => void) | undefined
  /** Called with a sentence; see `WriteWatchOptions`. */
  readonly onUnwrittenMerge?: ((sentence: string) => void) | undefined
}

/**
 * The engine declares the same type with its own copy of the client's types, which the compiler treats as another type.
 */
type ClientConnection = NonNullable<NonNullable<Parameters<typeof createClient>[0]>['connection']>

/**
 * Rows of a block. The engine gives a block in one piece, so an answer of at most as many is not streamed: it needs no less memory
 * then, and a stream is planned on the calling thread. Searches for lines are planned in some 10 ms.
 */
const STREAM_ROWS = 4096
/**
 * A longer statement is answered as a whole. The engine plans a streamed statement on the calling thread, which blocks
 * the rest of the process. Planning this number of characters takes about 20 ms.
 */
export const MAX_STREAMED_CHARACTERS = 4096
const PAUSES = { firstMs: 10, longestMs: 500 }

/**
 * Opens the ClickHouse engine inside this process. It must be opened on the main thread: the engine ends the
 * process when a worker thread with a statement in flight ends.
 */
export async function openEmbeddedConnection({
  path,
  database = 'weir',
  searches = 3,
  clock = systemClock(),
  warn = () => {},
  onUnwrittenMerge = () => {},
}: EmbeddedConnectionOptions): Promise<StoreConnection> {
  // Loaded on demand, so that installations with a server need not have the engine.
  const { createChdbConnection } = await import('chdb/connection')
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const before = await setAsideBefore(folder)
  return WriteWatch.startFor({ folder, clock, onUnwrittenMerge }, async writes => {
    const openNative = async (settings: Readonly<Record<string, number>>): Promise<NativeSession> => {
      const native = createChdbConnection({ path: folder })
      // The packages declare the interface separately.
      const client = createClient({ connection: native as unknown as ClientConnection })
      await client.command({ query: `CREATE DATABASE IF NOT EXISTS ${database} ENGINE = Atomic` })
      await client.command({ query: `USE ${database}` })
      for (const [name, value] of Object.entries(settings))
        await client.command({ query: `SET ${name} = ${value}` })
      const { chdb } = native
      const format = { format: 'JSONEachRow' } as const
      return {
        client,
        readWhole: async sql => (await chdb.queryAsync(sql, format)).bytes(),
        openStream: sql => chdb.queryStream(sql, format),
      }
    }
    const openSession = (settings: Readonly<Record<string, number>>) =>
      EmbeddedSession.open(() => openNative(settings))
    const answers = { output_format_json_quote_64bit_integers: 1 }
    const control = await openSession(answers)
    const spare = await ignoreSpareParts(before, sql =>
      control.run(({ client }) => rowsOf<CoveredPart>(client, sql)),
    )
    for (const part of spare) warn(sparePartSentence(part))
    const inserting = await openSession({})
    // Read-only comes last: afterwards only the settings of reads can be changed.
    const reads = { max_block_size: STREAM_ROWS, readonly: 2 }
    const openPool = async (): Promise<SessionPool> => {
      const sessions: EmbeddedSession[] = []
      while (sessions.length < searches) sessions.push(await openSession({ ...answers, ...reads }))
      return new SessionPool(sessions)
    }
    return new EmbeddedConnection({
      writes,
      control,
      inserting,
      prompt: await openPool(),
      scanning: await openPool(),
      openAuditing: () => openSession(answers),
      folder,
      blockFile: await BlockFile.open(folder, database),
      auditFile: await BlockFile.open(folder, `${database} audit`),
      clock,
    })
  })
}

interface EmbeddedParts {
  readonly writes: WriteWatch
  readonly folder: string
  readonly control: EmbeddedSession
  readonly inserting: EmbeddedSession
  /** Statements that read little never wait for a scan. */
  readonly prompt: SessionPool
  readonly scanning: SessionPool
  /** Opens the session for audits at the first of them, because they are rare. */
  readonly openAuditing: () => Promise<EmbeddedSession>
  readonly blockFile: BlockFile
  readonly auditFile: BlockFile
  readonly clock: Clock
}

class EmbeddedConnection implements StoreConnection {
  readonly isShared = false
  readonly #parts: EmbeddedParts
  readonly #inserts = new Map<string, Promise<unknown>>()
  readonly #plannings: LoopTurns
  #auditing: Promise<EmbeddedSession> | undefined
  #searchNumber = 0

  constructor(parts: EmbeddedParts) {
    this.#parts = parts
    this.#plannings = new LoopTurns(parts.clock)
  }

  /** Every session has already created it. */
  async createDatabase(): Promise<void> {}

  syncDefinitions(): Promise<void> {
    return syncDefinitions(this.#parts.folder)
  }

  async command(sql: string): Promise<void> {
    const { control, writes, folder } = this.#parts
    const run = () => control.run(({ client }) => client.command({ query: sql }))
    if (ENDS_STATEMENTS.test(sql)) await run()
    else {
      await assertRoomFor(sql, folder)
      await writes.guard(run)
    }
  }

  read<Row>(sql: string): Promise<Row[]> {
    return this.#parts.control.run(({ client }) => rowsOf<Row>(client, sql))
  }

  async query<Row>(statement: Statement, signal?: AbortSignal): Promise<Row[]> {
    const sql = bindParameters(statement)
    const comment = this.#nextComment()
    const answer = this.#inPool(statement, signal, ({ client }) =>
      this.#runAbortably(comment, signal, () =>
        rowsOf<Row>(client, sql, { log_comment: comment, priority: String(priorityOf(statement)) }),
      ),
    )
    // The engine continues after the caller has given up: the session is free only once it has really ended.
    return signal === undefined ? answer : untilAborted(answer, signal)
  }

  async *queryStream<Row>(statement: Statement, signal?: AbortSignal): AsyncIterable<Row[]> {
    const sql = bindParameters(statement)
    const isOneBlock = statement.atMostRows !== undefined && statement.atMostRows <= STREAM_ROWS
    if (isOneBlock || sql.length > MAX_STREAMED_CHARACTERS) {
      yield* rowBatches<Row>(await this.#wholeAnswer(statement, sql, signal))
      return
    }
    const comment = this.#nextComment()
    const began = Promise.withResolvers<NativeSession>()
    const ended = Promise.withResolvers<void>()
    // A statement that is aborted while it waits never begins, so nobody else learns of its end.
    ended.promise.catch(() => {})
    const turn = this.#inPool(statement, signal, native => {
      began.resolve(native)
      return ended.promise
    })
    // The session could not be opened.
    turn.catch(began.reject)
    const over = new AbortController()
    let readToItsEnd = false
    try {
      const { client, openStream } = await began.promise
      this.#endOnAbort(comment, signal, over.signal)
      // A statement that is left is ended on this thread, which would also wait for the pause of a scan.
      await client.command({ query: settingsText(comment, STREAM_PRIORITY) })
      // Several statements are not planned in succession while other work waits.
      await this.#plannings.begin().rest()
      for await (const chunk of openStream(sql)) {
        signal?.throwIfAborted()
        yield* rowBatches<Row>(chunk.raw())
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

  /** Runs a statement to its end on a thread of the engine. @returns its rows as JSONEachRow */
  #wholeAnswer(statement: Statement, sql: string, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const comment = this.#nextComment()
    const answer = this.#inPool(statement, signal, ({ readWhole }) =>
      this.#runAbortably(comment, signal, () =>
        readWhole(`${settingsText(comment, priorityOf(statement))}; ${sql}`),
      ),
    )
    return signal === undefined ? answer : untilAborted(answer, signal)
  }

  insertBlock({ sql, structure, block, comment }: BlockInsert): Promise<void> {
    const { inserting, blockFile, writes } = this.#parts
    const insert = writes.guard(() =>
      inserting.run(async ({ client }) => {
        const path = await blockFile.write(block)
        await client.command({ query: sql(blockSource(path, structure)) })
      }),
    )
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
   * An insert cannot outlive this process, so all running inserts are those of this process, which waits for them. They
   * are not killed: the engine lists a failed statement until its session runs the next one.
   */
  async endInserts(comment: string): Promise<void> {
    await this.#inserts.get(comment)
  }

  async close(): Promise<void> {
    const { writes, control, inserting, prompt, scanning, blockFile, auditFile } = this.#parts
    const auditing = await this.#auditing
    if (auditing !== undefined) {
      const over = new AbortController()
      if (auditing.waiting > 0) void this.#end(AUDIT_COMMENT, over.signal)
      await auditing.close().finally(() => over.abort())
    }
    for (const each of [prompt, scanning, inserting, control]) await each.close()
    await blockFile.close()
    await auditFile.close()
    await writes.close()
  }

  /** Runs a task on a session of the statement's kind. */
  #inPool<T>(
    statement: Statement,
    signal: AbortSignal | undefined,
    task: (native: NativeSession) => Promise<T>,
  ): Promise<T> {
    const { prompt, scanning } = this.#parts
    const pool = statement.scanOf === undefined ? prompt : scanning
    return pool.run(askerOfStatement(statement), signal, task)
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

  /** Repeats the request until the statements are over: a request has no effect before the engine lists the statement. */
  async #end(comment: string, over: AbortSignal): Promise<void> {
    const backOff = new BackOff(this.#parts.clock, PAUSES)
    while (!over.aborted) {
      // Best effort: if it fails, the statement only ends later.
      await this.command(killStatement(comment)).catch(() => {})
      await backOff.pause(over)
    }
  }
}

/** Statements that write nothing. */
const ENDS_STATEMENTS = /^\s*KILL QUERY\b/i

/** Statement that names the next ones of its session, so that they can be ended, and sets their priority. */
function settingsText(comment: string, priority: number): string {
  return `SET log_comment = ${textLiteral(comment)}, priority = ${priority}`
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
  return rowsIn<Row>(Buffer.from(await answer.text()))
}

async function rowsIn<Row>(answer: Uint8Array): Promise<Row[]> {
  const rows: Row[] = []
  for await (const some of rowBatches<Row>(answer)) for (const row of some) rows.push(row)
  return rows
}
