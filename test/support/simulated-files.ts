import { dirname } from 'node:path'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { FileOperations, OpenFile, OpenMode } from '../../engine/log/file-operations.ts'

export type FileCall =
  | 'open'
  | 'create'
  | 'read'
  | 'write'
  | 'datasync'
  | 'truncate'
  | 'syncDirectory'
  | 'rename'
  | 'link'
  | 'remove'

const SECTOR_BYTES = 512

/**
 * A file system in memory that counts calls, fails on command and can lose power.
 *
 * - A write that fails has written any beginning of its bytes.
 * - A flush that fails has made any part durable and *forgets* the rest: a later flush that succeeds does not
 *   write it (as Linux does).
 * - At a loss of power each sector, length and directory entry that was not flushed is the old or the new one,
 *   each for itself. Folders are durable at once.
 */
export class SimulatedFiles implements FileOperations {
  readonly counts = new Map<FileCall, number>()
  /** Asked before each call: the `code` of the error to throw, or undefined. */
  fail: (call: FileCall, path: string) => string | undefined = () => undefined
  /** Bytes that all files may have together. */
  capacityBytes = Number.POSITIVE_INFINITY
  readonly #entropy: Entropy
  readonly #directories = new Map<string, Directory>()
  /** Handles from before a loss of power are dead. */
  #life = 0

  constructor(entropy: Entropy) {
    this.#entropy = entropy
  }

  count(call: FileCall): number {
    return this.counts.get(call) ?? 0
  }

  /** Loses or keeps each piece of written data that is not durable. */
  losePower(): void {
    this.#life++
    for (const directory of this.#directories.values()) {
      directory.settle(() => this.#coin())
      for (const file of directory.entries.values()) file.settle(() => this.#coin(), this.#entropy)
    }
  }

  /** The files below a folder, by path. */
  paths(directory: string): string[] {
    const inside = [...this.#directories].filter(
      ([path]) => path === directory || path.startsWith(`${directory}/`),
    )
    return inside.flatMap(([path, { entries }]) => [...entries.keys()].map(name => `${path}/${name}`)).sort()
  }

  contentOf(path: string): Buffer {
    return Buffer.from(this.#file(path).content)
  }

  /** Replaces the content of a file, durably. */
  replace(path: string, content: Buffer): void {
    const file = this.#file(path)
    file.content = Buffer.from(content)
    file.durable = Buffer.from(content)
    file.dirtySectors.clear()
  }

  async open(path: string, mode: OpenMode): Promise<OpenFile> {
    const isNew = mode === 'create' || mode === 'create-append'
    this.#begin(isNew ? 'create' : 'open', path)
    if (!isNew) return this.#handle(path, this.#file(path))
    const directory = this.#directory(dirname(path))
    const name = nameOf(path)
    if (directory.entries.has(name)) throw fileError('EEXIST', path)
    const file = new SimulatedFile()
    directory.change(entries => entries.set(name, file))
    return this.#handle(path, file)
  }

  async readText(path: string): Promise<string> {
    this.#begin('read', path)
    return this.#file(path).content.toString()
  }

  async list(path: string): Promise<string[]> {
    const directory = this.#directories.get(path)
    if (directory === undefined) {
      const isFile = this.#directories.get(dirname(path))?.entries.has(nameOf(path)) === true
      throw fileError(isFile ? 'ENOTDIR' : 'ENOENT', path)
    }
    const folders = [...this.#directories.keys()].filter(other => other !== path && dirname(other) === path)
    return [...directory.entries.keys(), ...folders.map(nameOf)].sort()
  }

  async size(path: string): Promise<number> {
    return this.#file(path).content.length
  }

  async makeDirectory(path: string): Promise<void> {
    if (this.#directories.has(path)) return
    if (dirname(path) !== path) await this.makeDirectory(dirname(path))
    this.#directories.set(path, new Directory())
  }

  async syncDirectory(path: string): Promise<void> {
    this.#begin('syncDirectory', path)
    this.#directory(path).sync()
  }

  async rename(from: string, to: string): Promise<void> {
    this.#begin('rename', from)
    const file = this.#file(from)
    this.#directory(dirname(from)).change(entries => {
      entries.delete(nameOf(from))
      entries.set(nameOf(to), file)
    })
  }

  async link(from: string, to: string): Promise<void> {
    this.#begin('link', from)
    const file = this.#file(from)
    this.#directory(dirname(to)).change(entries => entries.set(nameOf(to), file))
  }

  async remove(path: string): Promise<void> {
    this.#begin('remove', path)
    this.#file(path)
    this.#directory(dirname(path)).change(entries => entries.delete(nameOf(path)))
  }

  lock(): { release(): void } {
    return { release: () => undefined }
  }

  freeBytes(): number {
    return Math.max(0, this.capacityBytes - this.#usedBytes())
  }

  #handle(path: string, file: SimulatedFile): OpenFile {
    const life = this.#life
    const begin = (call: FileCall) => {
      if (life !== this.#life) throw fileError('EIO', path)
      this.#begin(call, path)
    }
    return {
      read: async (into, position) => {
        begin('read')
        return file.content.copy(into, 0, position)
      },
      write: async (bytes, position) => {
        if (life !== this.#life) throw fileError('EIO', path)
        const code = this.#failure('write', path)
        const room = this.capacityBytes - this.#usedBytes() + file.content.length - position
        const fits = Math.min(bytes.length, Math.max(0, room))
        file.write(
          bytes.subarray(0, code === undefined ? fits : Math.floor(fits * this.#fraction())),
          position,
        )
        if (code !== undefined) throw fileError(code, path)
        if (fits < bytes.length) throw fileError('ENOSPC', path)
      },
      // The parts of a write that are durable after a failure are those of a failed flush.
      async append(bytes, position) {
        await this.write(bytes, position)
        await this.datasync()
      },
      datasync: async () => {
        if (life !== this.#life) throw fileError('EIO', path)
        const code = this.#failure('datasync', path)
        file.flush(code === undefined ? () => true : () => this.#coin())
        if (code !== undefined) throw fileError(code, path)
      },
      truncate: async bytes => {
        begin('truncate')
        file.truncate(bytes)
      },
      size: async () => file.content.length,
      close: async () => undefined,
    }
  }

  #begin(call: FileCall, path: string): void {
    const code = this.#failure(call, path)
    if (code !== undefined) throw fileError(code, path)
  }

  #failure(call: FileCall, path: string): string | undefined {
    this.counts.set(call, this.count(call) + 1)
    return this.fail(call, path)
  }

  #directory(path: string): Directory {
    const directory = this.#directories.get(path)
    if (directory === undefined) throw fileError('ENOENT', path)
    return directory
  }

  #file(path: string): SimulatedFile {
    const file = this.#directories.get(dirname(path))?.entries.get(nameOf(path))
    if (file === undefined) throw fileError('ENOENT', path)
    return file
  }

  #usedBytes(): number {
    let bytes = 0
    for (const { entries } of this.#directories.values()) {
      for (const { content } of entries.values()) bytes += content.length
    }
    return bytes
  }

  #coin(): boolean {
    return this.#fraction() < 0.5
  }

  #fraction(): number {
    return (this.#entropy.bytes(1)[0] ?? 0) / 256
  }
}

type Entries = Map<string, SimulatedFile>

class Directory {
  entries: Entries = new Map()
  #durable: Entries = new Map()
  #changes: ((entries: Entries) => void)[] = []

  change(change: (entries: Entries) => void): void {
    change(this.entries)
    this.#changes.push(change)
  }

  sync(): void {
    this.#durable = new Map(this.entries)
    this.#changes = []
  }

  settle(isKept: () => boolean): void {
    for (const change of this.#changes) if (isKept()) change(this.#durable)
    this.entries = new Map(this.#durable)
    this.#changes = []
  }
}

class SimulatedFile {
  /** Content for readers. */
  content = Buffer.alloc(0)
  durable = Buffer.alloc(0)
  readonly dirtySectors = new Set<number>()

  write(bytes: Buffer, position: number): void {
    const end = position + bytes.length
    if (end > this.content.length) this.content = Buffer.concat([this.content], end)
    bytes.copy(this.content, position)
    this.#touch(position, end)
  }

  truncate(bytes: number): void {
    this.#touch(bytes, this.content.length)
    this.content = Buffer.concat([this.content], bytes)
  }

  /** Makes those sectors durable that are kept; the others are not tried again. */
  flush(isKept: () => boolean): void {
    const kept = [...this.dirtySectors].filter(isKept)
    this.dirtySectors.clear()
    if (isKept()) this.durable = Buffer.concat([this.durable], this.content.length)
    this.#persist(kept)
  }

  settle(isKept: () => boolean, entropy: Entropy): void {
    const grown = this.content.length - this.durable.length
    if (grown > 0) {
      const kept = Math.floor((grown * ((entropy.bytes(1)[0] ?? 0) + 1)) / 256)
      this.durable = Buffer.concat([this.durable], this.durable.length + kept)
    } else if (isKept()) {
      this.durable = Buffer.concat([this.durable], this.content.length)
    }
    this.#persist([...this.dirtySectors].filter(isKept))
    this.content = Buffer.from(this.durable)
    this.dirtySectors.clear()
  }

  #persist(sectors: readonly number[]): void {
    for (const sector of sectors) {
      const start = sector * SECTOR_BYTES
      if (start >= this.content.length) continue // Cut off since.
      this.content.copy(this.durable, start, start, start + SECTOR_BYTES)
    }
  }

  #touch(start: number, end: number): void {
    for (let sector = Math.floor(start / SECTOR_BYTES); sector * SECTOR_BYTES < end; sector++) {
      this.dirtySectors.add(sector)
    }
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function fileError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
