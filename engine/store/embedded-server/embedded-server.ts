import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Asker } from '../../turns/asker.ts'
import { BlockFile } from '../block-file.ts'
import { type CoveredPart, ignoreSpareParts, setAsideBefore } from '../damaged-parts.ts'
import { syncDefinitions } from '../definition-folders.ts'
import { assertRoomFor } from '../failed-writes/definition-room.ts'
import { WriteWatch } from '../failed-writes/write-watch.ts'
import { PROMPT_PRIORITY } from '../statement.ts'
import { sparePartSentence } from '../store-damage.ts'
import { notImplemented } from './engine-error.ts'
import { EngineSession } from './engine-session.ts'
import { bindHttpParameters, readingInput, readingTable } from './statement-text.ts'
import { WorkerPool } from './worker-pool.ts'

/** A statement of another process, with the members of its request. */
export interface ServedStatement {
  readonly sql: string
  /** Values of its placeholders, escaped as in tab-separated files. */
  readonly parameters: Readonly<Record<string, string>>
  readonly database: string
  readonly settings: Readonly<Record<string, string>>
  /** Format of the answer, unless the statement names one. */
  readonly format: string
  /** Account and enterprise for which it runs, and in whose turn; without an account: unknown, or the program itself. */
  readonly asker: Asker
  /** true: the statement changes nothing, so it ends when its client disconnects. */
  readonly isReadOnly: boolean
  /** Whether the answer is given only when all of it is known, so that no error can occur in its middle. */
  readonly isGivenWhole: boolean
  /** Data for the function `input`, fetched when the statement starts, so that it takes no memory before. */
  readonly input?: () => Promise<readonly Uint8Array[]>
  readonly table?: ExternalTable
}

/** A table that exists only for its statement. */
export interface ExternalTable {
  readonly name: string
  readonly structure: string
  readonly format: string
  readonly rows: readonly Uint8Array[]
}

/** The statements of several processes on the embedded engine of this one. */
export interface EmbeddedServer {
  /**
   * The answer, piece by piece. A statement whose client has disconnected is not started. After its start, a read-only
   * statement is ended, and any other runs to its end.
   *
   * @param left aborted when the client has disconnected
   * @throws errors in the engine's words: "Code: N. DB::Exception: …"
   */
  answer(statement: ServedStatement, left: AbortSignal): AsyncIterable<Uint8Array>
  /** Refuses waiting statements and waits for the running ones. */
  close(): Promise<void>
}

export interface EmbeddedServerOptions {
  /**
   * Folder of the engine's files, created if missing. It can be used by one process at a time, and a process by one
   * folder.
   */
  readonly path: string
  readonly clock: Clock
  /** Called with a sentence for each damaged part that this start has set aside and that is not needed. */
  readonly warn?: ((sentence: string) => void) | undefined
  /** Called with a sentence; see `WriteWatchOptions`. */
  readonly onUnwrittenMerge?: ((sentence: string) => void) | undefined
}

/**
 * Number of parallel statements by kind, so that no kind waits for another. Each uses a thread of the process's pool: the
 * sum must stay below its sixteen, because ending a statement needs a thread as well.
 */
const WORKERS = { prompt: 2, reading: 3, scanning: 3, inserting: 4, changing: 3 } as const
type Kind = keyof typeof WORKERS
const READS: ReadonlySet<Kind> = new Set(['reading', 'scanning'])

const PROMPT = /^\s*KILL\s+QUERY\b|\bsystem\.processes\b/i
/** Statements whose answer the engine can stream. */
const STREAMED = /^\s*(?:SELECT|WITH)\b[\s\S]*\bFORMAT\s+JSONEachRow\s*;?\s*$/i
/** Statements that would change the results of later statements of others. */
const CHANGES_SESSION = /^\s*(?:SET|USE|CREATE\s+TEMPORARY)\b/i
/** Statements that change definitions. Their change must be durable before the answer. */
const CHANGES_DEFINITIONS = /^\s*(?:CREATE|ALTER)\b/im
/** The program itself. */
const NOBODY: Asker = { account: '', enterprise: '' }
const PAUSES = { firstMs: 10, longestMs: 500 }

/** Opens the engine on the main thread: it ends the process when a worker thread with a statement in flight ends. */
export async function openEmbeddedServer({
  path,
  clock,
  warn = () => {},
  onUnwrittenMerge = () => {},
}: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const folder = resolve(path)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const before = await setAsideBefore(folder)
  return WriteWatch.startFor({ folder, clock, onUnwrittenMerge }, async writes => {
    const openPool = async (kind: Kind) => {
      const workers: Worker[] = []
      for (let number = 0; number < WORKERS[kind]; number++)
        workers.push({
          session: await EngineSession.open(folder, READS.has(kind) ? 'read' : 'write'),
          rowsFile: await BlockFile.open(folder, `server ${kind} ${number}`),
        })
      // The searches of one account never keep those of all others waiting.
      return new WorkerPool(workers, READS.has(kind) ? workers.length - 1 : workers.length)
    }
    const pools = {
      prompt: await openPool('prompt'),
      reading: await openPool('reading'),
      scanning: await openPool('scanning'),
      inserting: await openPool('inserting'),
      changing: await openPool('changing'),
    }
    const session = await EngineSession.open(folder, 'read')
    const spare = await ignoreSpareParts(before, async sql => rowsIn(await session.run(sql, 'JSONEachRow')))
    for (const part of spare) warn(sparePartSentence(part))
    await session.close()
    return new ServerOnEngine(folder, pools, { clock, writes })
  })
}

function rowsIn(answer: Uint8Array): CoveredPart[] {
  const lines = Buffer.from(answer).toString().split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as CoveredPart)
}

interface Worker {
  readonly session: EngineSession
  readonly rowsFile: BlockFile
}

class ServerOnEngine implements EmbeddedServer {
  readonly #folder: string
  readonly #pools: Readonly<Record<Kind, WorkerPool<Worker>>>
  readonly #clock: Clock
  readonly #writes: WriteWatch
  #statementNumber = 0

  constructor(
    folder: string,
    pools: Readonly<Record<Kind, WorkerPool<Worker>>>,
    { clock, writes }: { readonly clock: Clock; readonly writes: WriteWatch },
  ) {
    this.#folder = folder
    this.#pools = pools
    this.#clock = clock
    this.#writes = writes
  }

  async *answer(statement: ServedStatement, left: AbortSignal): AsyncIterable<Uint8Array> {
    if (CHANGES_SESSION.test(statement.sql))
      throw notImplemented('each statement has a session of its own: give settings and database with it')
    const pool = this.#pools[kindOf(statement)]
    const worker = await pool.take(statement.asker, left)
    try {
      yield* this.#run(statement, worker, left)
    } finally {
      pool.give(worker)
    }
  }

  async close(): Promise<void> {
    const { prompt, ...others } = this.#pools
    // The pool that ends statements is needed until the last one has ended.
    for (const pool of [...Object.values(others), prompt])
      for (const { session, rowsFile } of await pool.close()) {
        await session.close()
        await rowsFile.close()
      }
    await this.#writes.close()
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
        const run = () => session.run(sql, statement.format)
        const isWriting = !statement.isReadOnly && kindOf(statement) !== 'prompt'
        if (isWriting) await assertRoomFor(statement.sql, this.#folder)
        const answer = await (isWriting ? this.#writes.guard(run) : run())
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

  /** Repeats the request until the statement is over: a request has no effect before the engine lists the statement. */
  async #end(mark: string, over: AbortSignal): Promise<void> {
    const kill = `KILL QUERY WHERE startsWith(query, '${mark}') ASYNC`
    const backOff = new BackOff(this.#clock, PAUSES)
    while (!over.aborted) {
      try {
        const worker = await this.#pools.prompt.take(NOBODY, over)
        await worker.session.run(kill).finally(() => this.#pools.prompt.give(worker))
      } catch {
        // A failure only means that the statement ends later.
      }
      await backOff.pause(over)
    }
  }
}

/** Clients give statements that read many lines a lower priority: no other statement waits for them. */
function kindOf({ sql, isReadOnly, input, settings }: ServedStatement): Kind {
  if (isReadOnly) return Number(settings.priority) > PROMPT_PRIORITY ? 'scanning' : 'reading'
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
