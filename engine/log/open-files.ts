import type { FileOperations, OpenFile } from './file-operations.ts'

interface Entry {
  readonly file: Promise<OpenFile>
  users: number
  /** Whether the entry left the list: its last user closes the file. */
  dropped: boolean
}

/** Files that are open for reading. If there are too many, the least recently used are closed. */
export class OpenFiles {
  readonly #operations: FileOperations
  readonly #limit: number
  /** Entries by path, the least recently used first. */
  readonly #entries = new Map<string, Entry>()

  constructor(operations: FileOperations, limit = 64) {
    this.#operations = operations
    this.#limit = limit
  }

  /** Runs `work` with the file, which stays open until then even if it is removed. */
  async use<T>(path: string, work: (file: OpenFile) => Promise<T>): Promise<T> {
    const entry = this.#entries.get(path) ?? {
      file: this.#operations.open(path, 'read'),
      users: 0,
      dropped: false,
    }
    this.#entries.delete(path)
    this.#entries.set(path, entry)
    entry.users++
    try {
      return await work(await entry.file)
    } catch (error) {
      this.#drop(path, entry) // the handle may be faulty: the next user opens the file again
      throw error
    } finally {
      entry.users--
      if (entry.dropped) await closeUnused(entry)
      await this.#shrink()
    }
  }

  /** The file was removed or cut. */
  async forget(path: string): Promise<void> {
    const entry = this.#entries.get(path)
    if (entry === undefined) return
    this.#drop(path, entry)
    await closeUnused(entry)
  }

  async close(): Promise<void> {
    for (const path of [...this.#entries.keys()]) await this.forget(path)
  }

  #drop(path: string, entry: Entry): void {
    entry.dropped = true
    if (this.#entries.get(path) === entry) this.#entries.delete(path)
  }

  async #shrink(): Promise<void> {
    for (const [path, entry] of this.#entries) {
      if (this.#entries.size <= this.#limit) return
      if (entry.users === 0) await this.forget(path)
    }
  }
}

async function closeUnused(entry: Entry): Promise<void> {
  if (entry.users > 0) return
  const file = await entry.file.catch(() => undefined)
  await file?.close()
}
