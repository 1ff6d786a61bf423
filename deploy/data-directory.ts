import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Layout of the data folder; a folder of a newer program is refused. */
const FORMAT_VERSION = 1

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

/** What the local tools need to reach this installation; kept in `credentials.json`. */
export interface Credentials {
  readonly apiUrl: string
  readonly ingestUrl: string
  readonly accountId: string
  readonly accessToken: string
  readonly enterpriseAccessToken: string
  readonly ingestionKey: string
  readonly serviceKey: string
}

/** The folder in which an installation keeps everything; owned by one process at a time. */
export class DataDirectory {
  readonly path: string
  readonly #lock: DatabaseSync

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path
    this.#lock = lock
  }

  /**
   * Takes the folder, creating it when it is not there. The lock ends with the process, however it ends.
   *
   * @throws DataDirectoryError when another process has it, or a newer program wrote it
   */
  static open(path: string): DataDirectory {
    try {
      mkdirSync(path, { recursive: true, mode: 0o700 })
    } catch (cause) {
      throw new DataDirectoryError(`WEIR_DATA_DIR: cannot create ${path}: ${(cause as Error).message}`, {
        cause,
      })
    }
    const lock = takeLock(path)
    const directory = new DataDirectory(path, lock)
    directory.#checkFormat()
    writeAtomically(
      join(path, 'owner.json'),
      JSON.stringify({ pid: process.pid, since: new Date().toISOString() }),
    )
    return directory
  }

  get logPath(): string {
    return join(this.path, 'log')
  }

  get storePath(): string {
    return join(this.path, 'store')
  }

  /** The key that encrypts secrets at rest, minted at the first call. */
  secretKey(): Buffer {
    const path = join(this.path, 'secret.key')
    if (!existsSync(path)) writeAtomically(path, randomBytes(32).toString('hex'))
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length !== 32) throw new DataDirectoryError(`${path} does not hold 64 hexadecimal digits`)
    return key
  }

  readCredentials(): Credentials | undefined {
    const path = join(this.path, 'credentials.json')
    return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Credentials) : undefined
  }

  writeCredentials(credentials: Credentials): void {
    writeAtomically(join(this.path, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`)
  }

  close(): void {
    this.#lock.close()
  }

  #checkFormat(): void {
    const path = join(this.path, 'format.json')
    if (!existsSync(path)) {
      writeAtomically(path, JSON.stringify({ format: FORMAT_VERSION }))
      return
    }
    const { format } = JSON.parse(readFileSync(path, 'utf8')) as { format: number }
    if (format <= FORMAT_VERSION) return
    this.close()
    throw new DataDirectoryError(
      `the data folder ${this.path} has format ${format}, this program knows ${FORMAT_VERSION}: start the newer program`,
    )
  }
}

/** An exclusive lock that the operating system lets go of when the process ends, also after kill -9. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    if (!/locked/.test((cause as Error).message)) throw cause
    throw new DataDirectoryError(`the data folder ${path} is in use by ${ownerOf(path)}: stop it first`, {
      cause,
    })
  }
}

function ownerOf(path: string): string {
  try {
    const { pid, since } = JSON.parse(readFileSync(join(path, 'owner.json'), 'utf8')) as {
      pid: number
      since: string
    }
    return `process ${pid} since ${since}`
  } catch {
    return 'another process'
  }
}

/** Readable by the owner alone; never half-written. */
function writeAtomically(path: string, text: string): void {
  const temporary = `${path}.new`
  const file = openSync(temporary, 'w', 0o600)
  try {
    writeSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
}
