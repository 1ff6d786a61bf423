import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createFolders, syncFolder, writeAtomically } from './durable-file.ts'
import { createPrivately, makeFolderPrivate, makePrivate } from './private-files.ts'
import { SettingsError } from './settings/settings.ts'

/**
 * Layout of the data folder; a folder of a newer program is refused. A start raises that of a folder of an older program.
 * Format 2 has lines in a second table, which programs of format 1 would neither search nor count.
 */
export const FORMAT_VERSION = 2
/** Present while a restore fills the folder. */
const RESTORING = 'restoring.json'
/** Entries that an empty folder may have: the root of a file system has its own. */
const NOT_OURS = new Set(['lost+found'])
/** Entries of a data folder, all of which only its owner can read. */
const OURS = new Set([
  ...['log', 'store', 'held', 'lock', 'lock-journal', 'operator.sock', RESTORING],
  ...['credentials.json', 'format.json', 'owner.json', 'secret.key'].flatMap(name => [name, `${name}.new`]),
  ...['configuration-end', 'configuration-end-unknown', 'log-ends.json', 'ship-positions.json'].flatMap(
    name => [name, `${name}.new`],
  ),
])

export class DataDirectoryError extends Error {
  override readonly name = 'DataDirectoryError'
}

/** Addresses and credentials of this installation for local tools, kept in `credentials.json`. */
export interface Credentials {
  readonly apiUrl: string
  readonly ingestUrl: string
  readonly accountId: string
  readonly accessToken: string
  readonly enterpriseAccessToken: string
  readonly ingestionKey: string
  readonly serviceKey: string
  /** Present until the operator was informed about the credentials. */
  readonly isNew?: true
}

/** Members of which the log knows only hashes; the addresses are written again at each start. */
const SECRETS = [
  'accountId',
  'accessToken',
  'enterpriseAccessToken',
  'ingestionKey',
  'serviceKey',
] as const satisfies readonly (keyof Credentials)[]

/** The folder in which an installation keeps all its data; owned by one process at a time. */
export class DataDirectory {
  readonly path: string
  readonly #lock: DatabaseSync

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path
    this.#lock = lock
  }

  /**
   * Takes the folder, and creates it if it does not exist. The lock ends with the process, however it ends.
   *
   * @throws DataDirectoryError when another process uses it, a newer program wrote it, or it cannot be written;
   *   SettingsError when a folder is not possible at this path
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
   * Takes a new or empty folder for a restore. Until the restore is complete, nothing else can open the folder.
   *
   * @throws DataDirectoryError when it is not empty, or another process uses it; SettingsError like `open`
   */
  static openEmpty(path: string): DataDirectory {
    prepareFolder(path)
    const found = readdirSync(path).filter(name => !NOT_OURS.has(name))
    if (found.includes('lock')) takeLock(path).close() // names its owner
    if (found.includes(RESTORING)) throw halfRestored(path)
    // A lock file without an owner is left by an attempt on a full disk.
    if (found.some(name => name !== 'lock'))
      throw new DataDirectoryError(
        `the data folder ${path} is not empty (it has ${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}): ` +
          'restore into a new or empty folder, set by WEIR_DATA_DIR',
      )
    let taken: DataDirectory | undefined
    try {
      return DataDirectory.#take(path, directory => {
        taken = directory
        writeAtomically(join(path, RESTORING), '{}')
      })
    } catch (error) {
      // A full disk may refuse these few bytes; their remains would block the next restore.
      taken?.abandonRestore()
      throw error
    }
  }

  /** Ends the restore: everything is durably restored. */
  finishRestore(): void {
    rmSync(join(this.path, RESTORING))
    syncFolder(this.path)
  }

  /** Empties the folder again after a failed restore. */
  abandonRestore(): void {
    const ours = (name: string) => !NOT_OURS.has(name) && name !== RESTORING
    for (const name of readdirSync(this.path).filter(ours))
      rmSync(join(this.path, name), { recursive: true, force: true })
    // The mark is removed last, also with a power failure: without it, a start would take the remains for a data folder.
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

  /** Links by which a backup in progress holds files of the log. */
  get heldPath(): string {
    return join(this.path, 'held')
  }

  /** Known end of the configuration. */
  get endMarkPath(): string {
    return join(this.path, 'configuration-end')
  }

  /** Empty file of an operator who accepts a store without its mark of the configuration's end. */
  get endUnknownPath(): string {
    return join(this.path, 'configuration-end-unknown')
  }

  get secretKeyPath(): string {
    return join(this.path, 'secret.key')
  }

  /**
   * The key that encrypts stored secrets.
   *
   * @param log 'new': nothing is encrypted yet, so a missing key is created
   * @throws DataDirectoryError when the key is missing
   */
  secretKey(log: 'new' | 'used'): Buffer {
    const path = this.secretKeyPath
    if (!existsSync(path)) {
      if (log === 'used')
        throw new DataDirectoryError(
          `${path} is missing, and secrets on the log cannot be read without it: restore the file from a backup, or ` +
            'set WEIR_SECRET_KEY if the log was written with it',
        )
      writeAtomically(path, randomBytes(32).toString('hex'))
    }
    const key = Buffer.from(readFileSync(path, 'utf8').trim(), 'hex')
    if (key.length !== 32) throw new DataDirectoryError(`${path} does not contain 64 hexadecimal digits`)
    return key
  }

  /**
   * @returns undefined when the file does not exist yet
   * @throws DataDirectoryError when it lacks a token or key: the file has the only readable copy
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

  /** Folders of older programs, and copied files, may be readable by other users. */
  #makePrivate(): void {
    const found = readdirSync(this.path).filter(name => !NOT_OURS.has(name))
    for (const name of found.filter(each => OURS.has(each))) makePrivate(join(this.path, name))
    // A folder that contains other files as well, such as /tmp, must not be closed to others.
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
    if (format < FORMAT_VERSION) writeAtomically(path, JSON.stringify({ format: FORMAT_VERSION }))
    if (format <= FORMAT_VERSION) return
    throw new DataDirectoryError(
      `the data folder ${this.path} has format ${format}, but this program supports ${FORMAT_VERSION}: start the newer program`,
    )
  }
}

function halfRestored(path: string): DataDirectoryError {
  return new DataDirectoryError(
    `the data folder ${path} is partly restored: empty it and run "weir restore" again`,
  )
}

function prepareFolder(path: string): void {
  try {
    createFolders(resolve(path))
  } catch (cause) {
    throw new SettingsError([`WEIR_DATA_DIR: cannot create ${path}: ${(cause as Error).message}`])
  }
}

/** An exclusive lock that the operating system releases when the process ends, also after kill -9. */
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
  // SQLite, which holds the lock, reports a full disk in its own words.
  if (code === 'ENOSPC' || code === 'EDQUOT' || /disk is full/.test(message))
    return new DataDirectoryError(
      `the disk of the data folder ${path} is full: free space on it, or set another WEIR_DATA_DIR`,
      { cause },
    )
  return new DataDirectoryError(
    `the data folder ${path} cannot be written (${message}): ` +
      'give it and its files to the user that runs the server, or set another WEIR_DATA_DIR',
    { cause },
  )
}

/** The object in a JSON file; undefined when the file does not exist. */
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
    // Text that is not JSON gets the same error as JSON that is not an object.
  }
  throw new DataDirectoryError(
    `${path} is damaged (it does not contain a JSON object): restore the file from a backup`,
  )
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
