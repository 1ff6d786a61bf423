import { mkdir, open, readFile, rename } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncFolder } from '../../durable-file.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { LineOptions } from './batch.ts'
import type { FileIdentity } from './file-identity.ts'

/** A request whose outcome is unknown until it is acknowledged: sent again, it must be the same to the byte. */
export interface PendingRequest {
  readonly number: number
  /** The bytes of the file that it holds: [from, to). */
  readonly from: number
  readonly to: number
  readonly lines: LineOptions
  readonly host: string
  readonly tags?: string | undefined
}

/** How far one followed file has been shipped to one service. */
export interface FilePosition {
  /** Absolute path that is followed, and the address lines go to. */
  readonly path: string
  readonly ingestUrl: string
  /** First part of the idempotency keys, and the next number of it. */
  stream: string
  number: number
  identity: FileIdentity | null
  /** Everything before it is stored. */
  offset: number
  pending: PendingRequest | null
  /** The files that were finished lately, so that a rotated one is not read twice; earlier versions kept inodes alone. */
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

  /** @throws CommandError when the file is there and cannot be used: starting over would ship all lines twice */
  static async open(file: string): Promise<Positions> {
    try {
      await mkdir(dirname(file), { recursive: true, mode: 0o700 })
      return new Positions(file, parse(await readFile(file, 'utf8')))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new Positions(file, [])
      throw new CommandError(
        EXIT.usage,
        `The position file ${file} cannot be used (${(error as Error).message}). Name another one with ` +
          '--positions, or remove it to ship the files again from their beginning.',
        { cause: error },
      )
    }
  }

  /** The position of that file at that service; a new one begins at the start of the file. */
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

  /** Resolves when the positions as they are now are on the disk. Calls that wait together share one write. */
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
      // Before the rename: else a power cut can leave an empty file under the right name.
      await handle.datasync()
    } finally {
      await handle.close()
    }
    await rename(fresh, this.#file)
    // And behind it: else the positions of before may come back, with other bytes under a number that was sent.
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
