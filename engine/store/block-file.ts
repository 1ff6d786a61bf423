import { createHash } from 'node:crypto'
import { constants, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { access, type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'

/**
 * File by which blocks reach the embedded engine. It is in RAM where the system allows that, and is reused so that its
 * pages need not be cleared each time. Blocks are never part of a statement: the engine ends such data at a blank line
 * and runs the rest as SQL.
 */
export class BlockFile {
  readonly #spareFolder: string
  #folder: string
  #file: FileHandle | undefined
  #size = 0

  private constructor(folder: string, spareFolder: string) {
    this.#folder = folder
    this.#spareFolder = spareFolder
  }

  /** @param dataPath the engine's data folder, which one process at a time may use: the file's name follows from it */
  static async open(dataPath: string, database: string): Promise<BlockFile> {
    const [inMemory, spare] = blockFolders(dataPath, database)
    // Existing folders were left by a process that was killed: only this process uses the data folder now.
    for (const folder of [inMemory, spare]) rmSync(folder, { recursive: true, force: true })
    const hasMemory = await access(SHARED_MEMORY, constants.W_OK).then(
      () => true,
      () => false,
    )
    return new BlockFile(hasMemory ? inMemory : spare, spare)
  }

  /** Replaces the file's content. @returns the file's path */
  async write(chunks: readonly Uint8Array[]): Promise<string> {
    try {
      return await this.#write(chunks)
    } catch (error) {
      // Containers often give 64 MB of shared memory; the temporary folder is slower and larger.
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC' || this.#folder === this.#spareFolder)
        throw error
      await this.close()
      this.#folder = this.#spareFolder
      return this.#write(chunks)
    }
  }

  async close(): Promise<void> {
    await this.#file?.close()
    this.#file = undefined
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #write(chunks: readonly Uint8Array[]): Promise<string> {
    const path = join(this.#folder, 'block.native')
    this.#file ??= await this.#create(path)
    let at = 0
    for (let first = 0; first < chunks.length; first += MAX_CHUNKS_PER_WRITE) {
      const some = chunks.slice(first, first + MAX_CHUNKS_PER_WRITE)
      const size = some.reduce((sum, chunk) => sum + chunk.length, 0)
      const { bytesWritten } = await this.#file.writev(some, at)
      if (bytesWritten !== size)
        throw Object.assign(new Error(`only ${bytesWritten} of ${size} bytes fitted into ${path}`), {
          code: 'ENOSPC',
        })
      at += size
    }
    if (at < this.#size) await this.#file.truncate(at)
    this.#size = at
    return path
  }

  async #create(path: string): Promise<FileHandle> {
    mkdirSync(this.#folder, { mode: 0o700 })
    const { uid } = lstatSync(this.#folder)
    if (process.getuid !== undefined && uid !== process.getuid())
      throw new Error(`${this.#folder} belongs to another user`)
    this.#size = 0
    return open(path, 'wx+', 0o600)
  }
}

/** Possible folders for the blocks of a data folder: in RAM, or else on the disk. */
export function blockFolders(dataPath: string, database: string): [inMemory: string, spare: string] {
  const owner = `${realpathSync(dataPath)} ${database}`
  const name = `weir-blocks-${createHash('sha256').update(owner).digest('hex').slice(0, 24)}`
  return [join(SHARED_MEMORY, name), join(tmpdir(), name)]
}

/** The system takes this many pieces in one call. */
const MAX_CHUNKS_PER_WRITE = 1024
