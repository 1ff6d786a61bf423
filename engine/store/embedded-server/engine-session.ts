import type { ChdbConnection } from 'chdb/connection'
import { MAX_STREAMED_CHARACTERS } from '../embedded-connection.ts'
import { textLiteral } from '../sql-text.ts'

const SETTING_NAME = /^[A-Za-z_]\w*$/
const DEFAULT_DATABASE = 'default'
/** Number of answers to other statements that a session may give before it counts as broken. */
const MAX_LEFT_BEHIND = 4

/**
 * One connection of the embedded engine, used for one statement after the other. It is kept, because closing one waits
 * until no statement runs in the whole process.
 */
export class EngineSession {
  readonly #open: () => Promise<ChdbConnection>
  #connection: ChdbConnection
  #database = DEFAULT_DATABASE
  #settings: Readonly<Record<string, string>> = {}

  private constructor(open: () => Promise<ChdbConnection>, connection: ChdbConnection) {
    this.#open = open
    this.#connection = connection
  }

  /** @param rights 'read': settings can be changed, data cannot */
  static async open(path: string, rights: 'read' | 'write'): Promise<EngineSession> {
    const { createChdbConnection } = await import('chdb/connection')
    const open = async () => {
      const connection = createChdbConnection({ path })
      // The only setting that a session with fewer rights cannot revert.
      await connection.command({ query: rights === 'read' ? 'SET readonly = 2' : 'SELECT 1' })
      return connection
    }
    return new EngineSession(open, await open())
  }

  /** Resets the session, except for this database and these settings. */
  async prepare(database: string, settings: Readonly<Record<string, string>>): Promise<void> {
    try {
      if (database !== this.#database) await this.run(`USE ${quoted(database)}`)
      this.#database = database
      const changes = changesBetween(this.#settings, settings)
      if (changes.length > 0) await this.run(`SET ${changes.join(', ')}`)
      this.#settings = settings
    } catch (error) {
      // Some of the settings may be set, and an unknown one cannot be reset.
      await this.#replace()
      throw error
    }
  }

  /** Runs a statement to its end. @returns its answer */
  async run(sql: string, format = 'TabSeparated'): Promise<Uint8Array> {
    return (await this.#connection.chdb.queryAsync(sql, { format })).bytes()
  }

  /**
   * The answer piece by piece, in JSONEachRow: other formats have a beginning and an end. The answer to a long statement
   * is one piece.
   */
  async *stream(sql: string): AsyncIterable<Uint8Array> {
    if (sql.length > MAX_STREAMED_CHARACTERS) {
      yield await this.run(sql, 'JSONEachRow')
      return
    }
    for await (const chunk of this.#connection.chdb.queryStream(sql, { format: 'JSONEachRow' }))
      yield chunk.raw()
  }

  /**
   * Recovers after a statement that did not finish. The engine lists it until the next statement of its session, and puts
   * its remaining rows before the next answer.
   */
  async recover(): Promise<void> {
    for (let attempt = 0; attempt < MAX_LEFT_BEHIND; attempt++) {
      const answer = await this.run('SELECT 1').catch(() => undefined)
      if (answer !== undefined && Buffer.from(answer).toString() === '1\n') return
    }
    await this.#replace()
  }

  async close(): Promise<void> {
    await this.#connection.close()
  }

  async #replace(): Promise<void> {
    const next = await this.#open()
    await this.#connection.close()
    this.#connection = next
    this.#database = DEFAULT_DATABASE
    this.#settings = {}
  }
}

function changesBetween(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const taken = Object.keys(before).filter(name => after[name] === undefined)
  const given = Object.entries(after).filter(([name, value]) => before[name] !== value)
  return [
    ...taken.map(name => `${name} = DEFAULT`),
    ...given.map(([name, value]) => `${settingName(name)} = ${textLiteral(value)}`),
  ]
}

/** Names cannot be quoted, so they are checked. */
function settingName(name: string): string {
  if (!SETTING_NAME.test(name)) throw new TypeError(`not a name of a setting: ${name}`)
  return name
}

function quoted(name: string): string {
  return `\`${name.replace(/[\\`]/g, '\\$&')}\``
}
