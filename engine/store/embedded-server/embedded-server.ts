import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Clock } from '../../clock/clock.ts'
import { BlockFile } from '../block-file.ts'
import { syncDefinitions } from '../definition-folders.ts'
import { notImplemented } from './engine-error.ts'
import { EngineSession } from './engine-session.ts'
import { Lane } from './lane.ts'
import { bindHttpParameters, readingInput, readingTable } from './statement-text.ts'

/** A statement of another process, with what a server is told beside it. */
export interface ServedStatement {
  readonly sql: string
  /** Of the placeholders in it, escaped as in tab-separated files. */
  readonly parameters: Readonly<Record<string, string>>
  readonly database: string
  readonly settings: Readonly<Record<string, string>>
  /** Of the answer, unless the statement names one. */
  readonly format: string
  /** Changes nothing, so it ends when nobody waits for its answer any more. */
  readonly isReadOnly: boolean
  /** An answer that is given when all of it is known, so that no error can come in its middle. */
  readonly isGivenWhole: boolean
  /** What the function `input` reads: fetched when the statement's turn has come, so that it takes no room before. */
  readonly input?: () => Promise<readonly Uint8Array[]>
  readonly table?: ExternalTable
}

/** A table that is there for its statement alone. */
export interface ExternalTable {
  readonly name: string
  readonly structure: string
  readonly format: string
  readonly rows: readonly Uint8Array[]
}

/** The statements of several processes on the embedded engine of this one. */
export interface EmbeddedServer {
  /**
   * The answer, piece by piece. A statement whose answer nobody waits for is not begun; once begun, one that is
   * read-only is ended, and any other comes to its own end.
   *
   * @param left aborted when nobody waits any more
   * @throws errors in the engine's words: "Code: N. DB::Exception: …"
   */
  answer(statement: ServedStatement, left: AbortSignal): AsyncIterable<Uint8Array>
  /** Turns away what has not begun and waits for the rest. */
  close(): Promise<void>
}

export interface EmbeddedServerOptions {
  /** Folder of the engine's files; created when it is not there. One process at a time, one folder a process. */
  readonly path: string
  readonly clock: Clock
}

/**
 * Statements that run side by side, by kind, so that none has to wait for one of another kind. Each holds a thread of
 * the process's pool: the sum must stay below its sixteen, else what ends a statement would wait for it.
 */
const WORKERS = { prompt: 2, reading: 5, inserting: 4, changing: 3 } as const
type Kind = keyof typeof WORKERS

const PROMPT = /^\s*KILL\s+QUERY\b|\bsystem\.processes\b/i
/** What the engine can give piece by piece. */
const STREAMED = /^\s*(?:SELECT|WITH)\b[\s\S]*\bFORMAT\s+JSONEachRow\s*;?\s*$/i
/** They would change what later statements of others find. */
const CHANGES_SESSION = /^\s*(?:SET|USE|CREATE\s+TEMPORARY)\b/i
/** Whoever gets the answer trusts that the change holds, whatever happens to this machine. */
const CHANGES_DEFINITIONS = /^\s*(?:CREATE|ALTER)\b/im
const FIRST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 500

/** Opens the engine on the main thread: it ends the process when a worker thread with a statement in flight ends. */
export async function openEmbeddedServer({ path, clock }: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const openLane = async (kind: Kind) => {
    const workers: Worker[] = []
    for (let number = 0; number < WORKERS[kind]; number++)
      workers.push({
        session: await EngineSession.open(folder, kind === 'reading' ? 'read' : 'write'),
        rowsFile: await BlockFile.open(folder, `server ${kind} ${number}`),
      })
    return new Lane(workers)
  }
  const lanes = {
    prompt: await openLane('prompt'),
    reading: await openLane('reading'),
    inserting: await openLane('inserting'),
    changing: await openLane('changing'),
  }
  return new ServerOnEngine(folder, lanes, clock)
}

interface Worker {
  readonly session: EngineSession
  readonly rowsFile: BlockFile
}

class ServerOnEngine implements EmbeddedServer {
  readonly #folder: string
  readonly #lanes: Readonly<Record<Kind, Lane<Worker>>>
  readonly #clock: Clock
  #statementNumber = 0

  constructor(folder: string, lanes: Readonly<Record<Kind, Lane<Worker>>>, clock: Clock) {
    this.#folder = folder
    this.#lanes = lanes
    this.#clock = clock
  }

  async *answer(statement: ServedStatement, left: AbortSignal): AsyncIterable<Uint8Array> {
    if (CHANGES_SESSION.test(statement.sql))
      throw notImplemented('each statement has a session of its own: give settings and database with it')
    const lane = this.#lanes[kindOf(statement)]
    const worker = await lane.take(left)
    try {
      yield* this.#run(statement, worker, left)
    } finally {
      lane.give(worker)
    }
  }

  async close(): Promise<void> {
    const { prompt, ...others } = this.#lanes
    // What ends a statement is needed until the last one has ended.
    for (const lane of [...Object.values(others), prompt])
      for (const { session, rowsFile } of await lane.close()) {
        await session.close()
        await rowsFile.close()
      }
  }

  async *#run(statement: ServedStatement, worker: Worker, left: AbortSignal): AsyncIterable<Uint8Array> {
    const { session } = worker
    const mark = `/* weir store ${this.#statementNumber++} */`
    const sql = `${mark} ${await textOf(statement, worker.rowsFile)}`
    await session.prepare(statement.database, statement.settings)
    left.throwIfAborted()
    const over = new AbortController()
    const end = () => void this.#end(mark, over.signal)
    if (statement.isReadOnly) left.addEventListener('abort', end, { once: true })
    let isComplete = false
    try {
      if (isStreamed(statement)) yield* session.stream(sql)
      else {
        const answer = await session.run(sql, statement.format)
        if (CHANGES_DEFINITIONS.test(statement.sql)) await syncDefinitions(this.#folder)
        yield answer
      }
      isComplete = true
    } finally {
      over.abort()
      left.removeEventListener('abort', end)
      if (!isComplete) await session.recover()
    }
  }

  /** Asks until the statement is over: the engine may not have listed it yet, and then nothing is ended. */
  async #end(mark: string, over: AbortSignal): Promise<void> {
    const kill = `KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`
    for (let pauseMs = FIRST_PAUSE_MS; !over.aborted; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        const worker = await this.#lanes.prompt.take(over)
        await worker.session.run(kill).finally(() => this.#lanes.prompt.give(worker))
      } catch {
        // Without it the statement only ends later.
      }
      await this.#clock.sleep(pauseMs, over)
    }
  }
}

function kindOf({ sql, isReadOnly, input }: ServedStatement): Kind {
  if (isReadOnly) return 'reading'
  if (PROMPT.test(sql)) return 'prompt'
  return input === undefined ? 'changing' : 'inserting'
}

function isStreamed({ sql, isReadOnly, isGivenWhole }: ServedStatement): boolean {
  return isReadOnly && !isGivenWhole && STREAMED.test(sql)
}

async function textOf(statement: ServedStatement, rowsFile: BlockFile): Promise<string> {
  const { input, table } = statement
  const sql = bindHttpParameters(statement.sql, statement.parameters)
  if (table !== undefined) {
    const { name, structure, format, rows } = table
    return readingTable(sql, name, structure, { path: await rowsFile.write(rows), format })
  }
  if (input === undefined) return sql
  return readingInput(sql, await rowsFile.write(await input()))
}
