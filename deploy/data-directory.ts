import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFolders, syncFolder, writeAtomically } from './durable-file.ts'
import { createPrivately, makeFolderPrivate, makePrivate } from './private-files.ts'
import { SettingsError } from './settings.ts'

/** Layout of the data folder; a folder of a newer program is refused. */
export const FORMAT_VERSION = 1
/** There while a restore fills the folder. */
const RESTORING = 'restoring.json'
/** What an empty folder may have: the root of a file system has its own. */
const NOT_OURS = new Set(['lost+found'])
/** What the folder holds, all of it for its owner alone. */
const OURS = new Set([
  ...['log', 'store', 'held', 'lock', 'lock-journal', 'operator.sock', RESTORING],
  ...['credentials.json', 'format.json', 'owner.json', 'secret.key'].flatMap(name => [name, `${name}.new`]),
  ...['configuration-end', 'log-ends.json', 'ship-positions.json'].flatMap(name => [name, `${name}.new`]),
])

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
  /** There until a start has come so far that the operator was told about them. */
  readonly isNew?: true
}

/** Of these the log knows hashes only; the addresses are written anew at each start. */
const SECRETS = [
  'accountId',
  'accessToken',
  'enterpriseAccessToken',
  'ingestionKey',
  'serviceKey',
] as const satisfies readonly (keyof Credentials)[]

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
   * @throws DataDirectoryError when another process has it, a newer program wrote it, or it cannot be written;
   *   SettingsError when no folder can be there
   */
  static open(path: string): DataDirectory {
    prepareFolder(path)
    return DataDirectory.#take(path, directory => {
      directory.#checkWhole()
      directory.#checkFormat()
      directory.#makePrivate()
    })
  }

  /**
   * Takes a folder that is new or empty, to be filled by a restore. Until that is finished nothing else can open it.
   *
   * @throws DataDirectoryError when it is not empty, or another process has it; SettingsError as `open`
   */
  static openEmpty(path: string): DataDirectory {
    prepareFolder(path)
    const found = readdirSync(path).filter(name => !NOT_OURS.has(name))
    if (found.includes('lock')) takeLock(path).close() // Says who is at work there.
    if (found.includes(RESTORING)) throw halfRestored(path)
    // A lock alone, which nobody holds, is what a try on a full disk has left.
    if (found.some(name => name !== 'lock'))
      throw new DataDirectoryError(
        `the data folder ${path} is not empty (it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}): ` +
          'restore into a new or empty folder, named by WEIR_DATA_DIR',
      )
    let taken: DataDirectory | undefined
    try {
      return DataDirectory.#take(path, directory => {
        taken = directory
        writeAtomically(join(path, RESTORING), '{}')
      })
    } catch (error) {
      // A full disk may refuse these few bytes; what they leave would keep the next restore from beginning.
      taken?.abandonRestore()
      throw error
    }
  }

  /** Everything that was to be restored is there, durably. */
  finishRestore(): void {
    rmSync(join(this.path, RESTORING))
    syncFolder(this.path)
  }

  /** Leaves the folder as empty as it was, when a restore has come to nothing. */
  abandonRestore(): void {
    const ours = (name: string) => !NOT_OURS.has(name) && name !== RESTORING
    for (const name of readdirSync(this.path).filter(ours))
      rmSync(join(this.path, name), { recursive: true, force: true })
    // The mark goes last, also after a power cut: without it a start would take what is left for a data folder.
    syncFolder(this.path)
    rmSync(join(this.path, RESTORING), { force: true })
  }

  static #take(path: string, prepare: (directory: DataDirectory) => void): DataDirectory {
    createPrivately()
    const directory = new DataDirectory(path, takeLock(path))
    try {
      prepare(directory)
      writeAtomically(
        join(path, 'owner.json'),
        JSON.stringify({ pid: process.pid, since: new Date().toISOString() }),
      )
    } catch (error) {
      directory.close()
      throw error instanceof DataDirectoryError ? error : notWritable(path, error)
    }
    return directory
  }

  get logPath(): string {
    return join(this.path, 'log')
  }

  get storePath(): string {
    return join(this.path, 'store')
  }

  /** Links by which a backup in the making holds files of the log. */
  get heldPath(): string {
    return join(this.path, 'held')
  }

  /** How far the configuration is known to have come. */
  get endMarkPath(): string {
    return join(this.path, 'configuration-end')
  }

  get secretKeyPath(): string {
    return join(this.path, 'secret.key')
  }

  /**
   * The key that encrypts secrets at rest.
   *
   * @param log 'new': nothing is encrypted yet, so it is minted when it is not there
   * @throws DataDirectoryError when it is gone
   */
  secretKey(log: 'new' | 'used'): Buffer {
    const path = this.secretKeyPath
    if (!existsSync(path)) {
      if (log === 'used')
        throw new DataDirectoryError(
          `${path} is gone, and secrets on the log cannot be read without it: restore the file from a backup, or ` +
            'set WEIR_SECRET_KEY when the log was written with one',
        )
      writeAtomically(path, randomBytes(32).toString('hex'))
    }
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length !== 32) throw new DataDirectoryError(`${path} does not hold 64 hexadecimal digits`)
    return key
  }

  /**
   * @returns undefined when there is no file yet
   * @throws DataDirectoryError when a token or key is missing in it: they are nowhere else in readable form
   */
  readCredentials(): Credentials | undefined {
    const path = join(this.path, 'credentials.json')
    const kept = readRecord(path)
    if (kept === undefined) return undefined
    const missing = SECRETS.filter(name => typeof kept[name] !== 'string' || kept[name] === '')
    if (missing.length === 0) return kept as unknown as Credentials
    throw new DataDirectoryError(
      `${path} is damaged (${missing.join(', ')} missing): restore the file from a backup`,
    )
  }

  writeCredentials(credentials: Credentials): void {
    writeAtomically(join(this.path, 'credentials.json'), `${JSON.stringify(credentials, null, 2)}\n`)
  }

  close(): void {
    this.#lock.close()
  }

  #checkWhole(): void {
    if (existsSync(join(this.path, RESTORING))) throw halfRestored(this.path)
  }

  /** Folders of older programs, and files that were copied into ours, may be open to others. */
  #makePrivate(): void {
    const found = readdirSync(this.path).filter(name => !NOT_OURS.has(name))
    for (const name of found.filter(each => OURS.has(each))) makePrivate(join(this.path, name))
    // A folder that holds other things, too, such as /tmp, is not ours to close.
    if (found.every(name => OURS.has(name))) makeFolderPrivate(this.path)
  }

  #checkFormat(): void {
    const path = join(this.path, 'format.json')
    const kept = readRecord(path)
    if (kept === undefined) {
      writeAtomically(path, JSON.stringify({ format: FORMAT_VERSION }))
      return
    }
    const { format } = kept
    if (typeof format !== 'number' || !Number.isInteger(format) || format < 1)
      throw new DataDirectoryError(
        `${path} is damaged (no format number in it): restore the file from a backup`,
      )
    if (format <= FORMAT_VERSION) return
    throw new DataDirectoryError(
      `the data folder ${this.path} has format ${format}, this program knows ${FORMAT_VERSION}: start the newer program`,
    )
  }
}

function halfRestored(path: string): DataDirectoryError {
  return new DataDirectoryError(
    `the data folder ${path} is half restored: empty it and run "weir restore" again`,
  )
}

function prepareFolder(path: string): void {
  try {
    createFolders(resolve(path))
  } catch (cause) {
    throw new SettingsError([`WEIR_DATA_DIR: cannot create ${path}: ${(cause as Error).message}`])
  }
}

/** An exclusive lock that the operating system lets go of when the process ends, also after kill -9. */
function takeLock(path: string): DatabaseSync {
  let lock: DatabaseSync | undefined
  try {
    lock = new DatabaseSync(join(path, 'lock'), { timeout: 0 })
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock?.close()
    if (!/locked/.test((cause as Error).message)) throw notWritable(path, cause)
    throw new DataDirectoryError(`the data folder ${path} is in use by ${ownerOf(path)}: stop it first`, {
      cause,
    })
  }
}

function notWritable(path: string, cause: unknown): DataDirectoryError {
  const { code, message } = cause as NodeJS.ErrnoException
  // SQLite, which keeps the lock, says it in words of its own.
  if (code === 'ENOSPC' || code === 'EDQUOT' || /disk is full/.test(message))
    return new DataDirectoryError(
      `there is no room left in the data folder ${path}: make room on its disk, or set another WEIR_DATA_DIR`,
      { cause },
    )
  return new DataDirectoryError(
    `the data folder ${path} cannot be written (${message}): ` +
      'give it and its files to the user that runs the server, or set another WEIR_DATA_DIR',
    { cause },
  )
}

/** The object in a JSON file; undefined when there is no such file. */
function readRecord(path: string): Readonly<Record<string, unknown>> | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new DataDirectoryError(
      `${path} cannot be read (${message}): let the user that runs the server read it`,
      { cause },
    )
  }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null) return value as Readonly<Record<string, unknown>>
  } catch {
    // The same sentence as for JSON that is no object.
  }
  throw new DataDirectoryError(`${path} is damaged (it holds no JSON object): restore the file from a backup`)
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
