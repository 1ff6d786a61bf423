import { fileURLToPath } from 'node:url'
import type { Session } from 'chdb'

const SETTINGS_FILE = fileURLToPath(new URL('./engine-settings.xml', import.meta.url))
/** Number of answers to other statements that the session may give before it counts as broken. */
const MAX_LEFT_BEHIND = 4

/**
 * The embedded engine of this process, with the settings of `engine-settings.xml`. The first connection of a process decides
 * about them, so it is opened before any other, and closed after them.
 *
 * - `old_parts_lifetime`, in seconds: the sources of a merge remain on the disk for this time. The engine's own value of 0
 *   removes them at once, and then a merged part whose writes failed is all that is left of its rows (`write-watch.ts`).
 * - `keep_free_space_bytes`: the engine begins no insert and no merge that would leave less free space. A write that fails
 *   is detected afterwards, and costs more.
 */
export class ConfiguredEngine {
  readonly #session: Session
  #tail: Promise<unknown> = Promise.resolve()

  private constructor(session: Session) {
    this.#session = session
  }

  /** @param folder the engine's data folder */
  static async start(folder: string): Promise<ConfiguredEngine> {
    // Loaded on demand, so that installations with a server need not have the engine.
    const { Session } = await import('chdb')
    return new ConfiguredEngine(new Session(folder, { connectionArgs: [`--config-file=${SETTINGS_FILE}`] }))
  }

  /** Runs a statement when those before it have ended. @returns its rows; 64-bit integers are numbers */
  ask<Row>(sql: string): Promise<Row[]> {
    const rows = this.#tail.then(async () => rowsIn<Row>(await this.#answer(sql)))
    this.#tail = rows.catch(() => this.#recover()).catch(() => {})
    return rows
  }

  async close(): Promise<void> {
    await this.#tail
    this.#session.close()
  }

  async #answer(sql: string): Promise<string> {
    const answer = await this.#session.queryAsync(sql, { format: 'JSONEachRow' })
    return Buffer.from(answer.bytes()).toString()
  }

  /** The engine puts the remaining rows of a failed statement before the next answer. */
  async #recover(): Promise<void> {
    for (let attempt = 0; attempt < MAX_LEFT_BEHIND; attempt++)
      if ((await this.#answer('SELECT 1 AS one').catch(() => '')) === '{"one":1}\n') return
  }
}

function rowsIn<Row>(answer: string): Row[] {
  const lines = answer.split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as Row)
}
