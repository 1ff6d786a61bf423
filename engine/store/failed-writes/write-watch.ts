import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import { textLiteral } from '../sql-text.ts'
import { ConfiguredEngine } from './configured-engine.ts'
import { isWhole } from './part-files.ts'
import { canWrite } from './write-probe.ts'

export interface WriteWatchOptions {
  /** The engine's data folder. */
  readonly folder: string
  readonly clock: Clock
  /**
   * Called with a sentence if a merged part is not whole. Its sources are still on the disk, and the engine uses them again
   * only at a start. A regular end of the engine would remove them, so the caller must end the process by force.
   */
  readonly onUnwrittenMerge: (sentence: string) => void
}

/** Time between two looks at the engine; far below the lifetime of the sources of a merge (`engine-settings.xml`). */
const LOOK_EVERY_MS = 1_000
/** A part that is older was whole at an earlier look, so its files were damaged later, and by something else. */
const NEW_WITHIN_MS = 60_000
/** A merge notices at its next block that it is stopped. */
const MERGES_END_WITHIN_MS = 5_000
const PAUSES = { firstMs: 10, longestMs: 500 }

const FAILED_WRITES = `SELECT value FROM system.events WHERE event = 'WriteBufferFromFileDescriptorWriteFailed'`
const RUNNING_MERGES = 'SELECT count() AS merges FROM system.merges'
/** Parts with rows, and whether parts that they replaced are still on the disk. */
const PARTS = `SELECT used.database AS database, used.table AS table, used.name AS name, any(used.path) AS path,
  any(used.bytes_on_disk) AS bytes, any(toUnixTimestamp(used.modification_time)) AS seconds,
  any(used.min_block_number = used.max_block_number) AS isOneBlock, countIf(old.name != ''
    AND old.min_block_number >= used.min_block_number AND old.max_block_number <= used.max_block_number) AS sources
FROM (SELECT * FROM system.parts WHERE active AND rows > 0) AS used
LEFT JOIN (SELECT * FROM system.parts WHERE NOT active AND rows > 0) AS old
  ON old.database = used.database AND old.table = used.table AND old.partition_id = used.partition_id
GROUP BY used.database, used.table, used.name`

/** Name of a part that an insert wrote: without the number of a mutation, which is the fifth. */
const UNMUTATED = /^[^_]+(?:_\d+){3}$/

/** Watches of the engine of this process: each closes its own connection. */
let openWatches = 0

interface PartRow {
  readonly database: string
  readonly table: string
  readonly name: string
  readonly path: string
  readonly bytes: number
  readonly seconds: number
  readonly isOneBlock: 0 | 1
  readonly sources: number
}

/**
 * Detects writes of the embedded engine that have failed. The engine counts them, and then continues as if they had
 * succeeded: an insert on a full disk reports success, and a merge replaces its sources by files without content.
 *
 * Therefore each statement that writes is followed by a look at that count, and so is every second of merges. If it has risen,
 * merges stop, and all new parts are compared with the sizes that they should have:
 *
 * - An insert's part that is not whole is removed, and the insert fails. It was not confirmed yet.
 * - For a merged part that is not whole, `onUnwrittenMerge` is called.
 */
export class WriteWatch {
  readonly #engine: ConfiguredEngine
  readonly #options: WriteWatchOptions
  readonly #stop = new AbortController()
  #looking: Promise<void> = Promise.resolve()
  #examining: Promise<void> = Promise.resolve()
  /** Failed writes that a look has found. */
  #seen = 0
  /** Failed writes after which all new parts were examined. */
  #examined = 0
  #removedParts = 0
  #lastCleanMs: number
  #unwritten: string | undefined

  private constructor(engine: ConfiguredEngine, options: WriteWatchOptions, startedMs: number) {
    this.#engine = engine
    this.#options = options
    this.#lastCleanMs = startedMs
  }

  /**
   * Starts the engine of this process, begins to look at it every second, and opens what uses it. If that fails, the watch is closed:
   * its looks would keep the process alive.
   */
  static async startFor<T>(options: WriteWatchOptions, open: (watch: WriteWatch) => Promise<T>): Promise<T> {
    const watch = await WriteWatch.#start(options)
    try {
      return await open(watch)
    } catch (error) {
      await watch.close()
      throw error
    }
  }

  static async #start(options: WriteWatchOptions): Promise<WriteWatch> {
    const startedMs = options.clock.wallMs()
    const watch = new WriteWatch(await ConfiguredEngine.start(options.folder), options, startedMs)
    openWatches++
    watch.#looking = watch.#lookAgainAndAgain()
    return watch
  }

  /**
   * Runs a statement that writes.
   *
   * @throws an error in the engine's words if its writes may have failed; then its rows are stored as a whole or not at all
   */
  async guard<T>(statement: () => Promise<T>): Promise<T> {
    const [seen, removedParts] = [this.#seen, this.#removedParts]
    const outcome = statement()
    // The caller of a failed statement looks for its rows as well.
    await outcome.catch(() => {})
    await this.#surely(() => this.#look(seen))
    if (this.#unwritten !== undefined) throw unwritten(this.#unwritten)
    if (this.#removedParts !== removedParts) throw unwritten('a part could not be written as a whole')
    return outcome
  }

  /** Stops merges, looks for the last time, and closes the engine, of which this is the last connection. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#looking
    await this.#stopMerges().catch(() => {})
    await this.#look(this.#examined).catch(() => {})
    openWatches--
    // Closing would remove the sources of that merge: the process ends without it.
    if (this.#unwritten !== undefined) return
    if (openWatches > 0) await this.#engine.ask('SYSTEM START MERGES')
    await this.#engine.close()
  }

  async #lookAgainAndAgain(): Promise<void> {
    const { clock } = this.#options
    while (!this.#stop.signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, this.#stop.signal)
      // A look that fails is repeated by the next one.
      if (!this.#stop.signal.aborted) await this.#look(this.#examined).catch(() => {})
    }
  }

  /** @param known failed writes of which the caller knows that they are not its own, or were examined */
  async #look(known: number): Promise<void> {
    const nowMs = this.#options.clock.wallMs()
    const failed = await this.#failedWrites()
    this.#seen = Math.max(this.#seen, failed)
    if (failed > known) await this.#examine()
    else if (this.#examined === failed) this.#lastCleanMs = nowMs
  }

  async #failedWrites(): Promise<number> {
    const [row] = await this.#engine.ask<{ value: number }>(FAILED_WRITES)
    return row?.value ?? 0
  }

  /** Examines new parts after earlier examinations have ended. */
  #examine(): Promise<void> {
    const examination = this.#examining.then(() => this.#examineNewParts())
    this.#examining = examination.catch(() => {})
    return examination
  }

  async #examineNewParts(): Promise<void> {
    if (this.#unwritten !== undefined) return
    const nowMs = this.#options.clock.wallMs()
    const failed = await this.#failedWrites()
    // A merge that is running may have failed writes, and would replace its sources only after this examination.
    await this.#stopMerges()
    const sinceMs = this.#lastCleanMs - NEW_WITHIN_MS
    for (const part of await this.#engine.ask<PartRow>(PARTS)) {
      if (part.seconds * 1_000 < sinceMs || (await isWhole(part.path, part.bytes))) continue
      if (part.sources === 0 && part.isOneBlock === 1 && UNMUTATED.test(part.name)) await this.#remove(part)
      else this.#unwritten ??= unwrittenSentence(part)
    }
    if (this.#unwritten !== undefined) {
      this.#options.onUnwrittenMerge(this.#unwritten)
      return
    }
    this.#examined = failed
    this.#lastCleanMs = nowMs
    if (!this.#stop.signal.aborted) await this.#engine.ask('SYSTEM START MERGES')
  }

  async #stopMerges(): Promise<void> {
    const { clock } = this.#options
    await this.#engine.ask('SYSTEM STOP MERGES')
    const backOff = new BackOff(clock, PAUSES)
    const lateMs = clock.monotonicMs() + MERGES_END_WITHIN_MS
    for (;;) {
      const [row] = await this.#engine.ask<{ merges: number }>(RUNNING_MERGES)
      if (row === undefined || row.merges === 0) return
      if (clock.monotonicMs() > lateMs) throw new Error('a merge does not stop')
      await backOff.pause()
    }
  }

  async #remove({ database, table, name }: PartRow): Promise<void> {
    // The engine writes an empty part in its place. If that write failed as well, the next start would report a damaged part.
    const backOff = new BackOff(this.#options.clock, PAUSES)
    while (!(await canWrite(this.#options.folder)) && !this.#stop.signal.aborted)
      await backOff.pause(this.#stop.signal)
    await this.#engine.ask(`ALTER TABLE \`${database}\`.\`${table}\` DROP PART ${textLiteral(name)}`)
    this.#removedParts++
  }

  /** Repeats a look until it succeeds: without one the outcome of a statement is unknown. */
  async #surely(look: () => Promise<void>): Promise<void> {
    await new BackOff(this.#options.clock, PAUSES).repeat(look, () => !this.#stop.signal.aborted)
  }
}

/** The engine's own code for a write that failed: the outcome of an insert is unknown, and another statement can be repeated. */
function unwritten(reason: string): Error {
  return new Error(`Code: 75. DB::Exception: ${reason} (CANNOT_WRITE_TO_FILE_DESCRIPTOR)`)
}

function unwrittenSentence({ table, name }: PartRow): string {
  return (
    `the disk refused a write of the store, and part ${name} of the table ${table} is the damaged result of a merge. The rows are still ` +
    'in the parts that were merged. This process ends, because only a start uses those parts again. Free space on the disk, or ' +
    'look for its errors in the log of the system'
  )
}
