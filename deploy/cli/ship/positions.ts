import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../durable-file.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { LineOptions } from './batch.ts'
import type { FileIdentity } from './file-identity.ts'

/** A request whose outcome is unknown until it is acknowledged: a repetition must have identical bytes. */
export interface PendingRequest {
  readonly number: number
  /** Range of the file in the request: [from, to). */
  readonly from: number
  readonly to: number
  readonly lines: LineOptions
  readonly host: string
  readonly tags?: string | undefined
}

/** Progress of shipping one followed file to one service. */
export interface FilePosition {
  /** Absolute path of the followed file, and the address of the service. */
  readonly path: string
  readonly ingestUrl: string
  /** First part of the idempotency keys, and its next number. */
  stream: string
  number: number
  identity: FileIdentity | null
  /** Everything before this offset is stored. */
  offset: number
  pending: PendingRequest | null
  /** Recently finished files, so that a rotated one is not read twice; earlier versions kept only inodes. */
  finished: (FileIdentity | string)[]
}

interface PositionsFile {
  readonly version: 1
  readonly files: FilePosition[]
}

/** The position file of `weir ship --follow`, replaced as a whole after every change. */
export class Positions {
  readonly #file: string
  readonly #positions: FilePosition[]
  #written: Promise<void> = Promise.resolve()
  #waiting: Promise<void> | undefined

  private constructor(file: string, positions: FilePosition[]) {
    this.#file = file
    this.#positions = positions
  }

  /** @throws CommandError when the file exists but cannot be used: a fresh start would ship all lines twice */
  static async open(file: string): Promise<Positions> {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      return new Positions(file, parse(await readFile(file, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Positions(file, [])
      throw new CommandError(
        EXIT.usage,
        `The position file ${file} cannot be used (${(error as Error).message}). Use another one with ` +
          '--positions, or remove it to ship the files again from the start.',
        { cause: error },
      )
    }
  }

  /** The position of that file for that service; a new one begins at the start of the file. */
  of(path: string, ingestUrl: string, newStream: () => string): FilePosition {
    const known = this.#positions.find(one => one.path === path && one.ingestUrl === ingestUrl)
    if (known) return known
    const position: FilePosition = {
      path,
      ingestUrl,
      stream: newStream(),
      number: 0,
      identity: null,
      offset: 0,
      pending: null,
      finished: [],
    }
    this.#positions.push(position)
    return position
  }

  /** Resolves when the present positions are on the disk. Simultaneous calls share one write. */
  save(): Promise<void> {
    if (this.#waiting !== undefined) return this.#waiting
    const turn = this.#written
      .catch(() => {})
      .then(() => {
        this.#waiting = undefined
        return this.#write()
      })
    this.#waiting = turn
    this.#written = turn
    return turn
  }

  async #write(): Promise<void> {
    const content: PositionsFile = { version: 1, files: this.#positions }
    const fresh = `${this.#file}.new`
    const handle = await open(fresh, 'w', 0o600)
    try {
      await handle.writeFile(`${JSON.stringify(content, null, 1)}\n`)
      // The bytes are flushed first: a power failure could otherwise leave an empty file under the right name.
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(fresh, this.#file)
    // The folder is flushed last. Otherwise the old positions could come back, with other bytes under a number that
    // was already sent.
    syncFolder(dirname(this.#file))
  }
}

function parse(text: string): FilePosition[] {
  const content = JSON.parse(text) as Partial<PositionsFile> | null
  if (content?.version !== 1 || !Array.isArray(content.files))
    throw new Error('not a position file of this version')
  for (const one of content.files) {
    const whole =
      typeof one.path === 'string' && typeof one.stream === 'string' && Number.isSafeInteger(one.offset)
    if (!whole || !Number.isSafeInteger(one.number)) throw new Error('damaged')
  }
  return content.files
}
