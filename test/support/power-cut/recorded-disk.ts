import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { FileCall } from './recorded-calls.ts'

/**
 * Rules for the state after a power cut. A file keeps the bytes that it had when its last flush began, and no others.
 * Names follow one of these rules; real file systems are between them.
 *
 * - `names-kept`: every creation, rename and removal is on the disk. A file that was never flushed is empty. A file
 *   system is in this state when it has just written its journal, and not yet the data.
 * - `names-lost`: only names that a flush asked for are on the disk. A flush of a folder keeps all names in it. A flush
 *   of a file or folder also keeps its own path, as ext4, XFS and Btrfs do. A rename is kept whole or not at all.
 * - `removals-kept`: as `names-lost`, but each removal is on the disk at once.
 */
export const POWER_CUTS = ['names-kept', 'names-lost', 'removals-kept'] as const
export type PowerCut = (typeof POWER_CUTS)[number]

/** A folder that follows the recorded calls of a program and knows its state after a power failure. */
export class RecordedDisk {
  readonly #root: string
  readonly #cut: PowerCut
  readonly #tree = new FolderNode()
  /** Flushes under way, by thread. */
  readonly #flushes = new Map<string, () => void>()

  /** @param root a folder that is there, empty, before the program starts; calls outside of it are passed over */
  constructor(root: string, cut: PowerCut) {
    this.#root = root
    this.#cut = cut
  }

  /** @throws Error when a call cannot have succeeded after those before it: the recording is not whole */
  apply(call: FileCall): void {
    if (call.type === 'printed') return
    if (call.type === 'sync-ended') {
      this.#flushes.get(call.thread)?.()
      this.#flushes.delete(call.thread)
      return
    }
    if (!call.path.startsWith(`${this.#root}/`)) return
    switch (call.type) {
      case 'folder-created':
        this.#give(call.path, new FolderNode())
        return
      case 'socket-created':
        this.#give(call.path, new SocketNode())
        return
      case 'symlink-created':
        this.#give(call.path, new LinkNode(call.target))
        return
      case 'file-opened':
        this.#openFile(call.path, call.isEmptied)
        return
      case 'linked':
        this.#give(call.path, this.#nodeAt(call.from))
        return
      case 'renamed':
        this.#rename(call.from, call.path)
        return
      case 'exchanged':
        this.#exchange(call.from, call.path)
        return
      case 'removed':
        this.#remove(call.path)
        return
      case 'written':
        this.#fileAt(call.path).write(call.bytes, call.position)
        return
      case 'resized':
        this.#fileAt(call.path).resize(call.bytes)
        return
      case 'sync-began':
        this.#flushes.set(call.thread, this.#flushOf(this.#nodeAt(call.path)))
    }
  }

  /** Writes the state after a power failure at this instant into a folder, which must not exist yet. */
  writeAfterCut(folder: string): void {
    writeTree(this.#tree, folder, this.#cut === 'names-kept' ? 'present' : 'durable')
  }

  /** Paths whose names or bytes differ from those of a folder: none when the recording was whole. */
  differencesFrom(folder: string): string[] {
    return differences(this.#tree, folder)
  }

  #openFile(path: string, isEmptied: boolean): void {
    const found = this.#parentOf(path).present.get(basename(path))
    if (found === undefined) this.#give(path, new FileNode())
    else if (isEmptied) this.#fileAt(path).resize(0)
  }

  #give(path: string, node: Node): void {
    giveName(this.#parentOf(path), basename(path), node)
  }

  #rename(from: string, to: string): void {
    const node = this.#nodeAt(from)
    takeName(this.#parentOf(from), basename(from))
    this.#give(to, node)
  }

  #exchange(one: string, other: string): void {
    const [first, second] = [this.#nodeAt(one), this.#nodeAt(other)]
    this.#give(one, second)
    takeName(this.#parentOf(other), basename(other))
    this.#give(other, first)
  }

  #remove(path: string): void {
    const folder = this.#parentOf(path)
    const node = takeName(folder, basename(path))
    if (this.#cut === 'removals-kept') node.forgetOldNames()
  }

  /** @returns a function to call at the end of the flush: later changes are not part of it */
  #flushOf(node: Node): () => void {
    const keepPath = () => node.keepPath()
    if (node instanceof FileNode) {
      const bytes = node.snapshot()
      return () => {
        node.durable = bytes
        keepPath()
      }
    }
    if (!(node instanceof FolderNode)) return keepPath
    const names = new Map(node.present)
    return () => {
      node.keepNames(names)
      keepPath()
    }
  }

  #parentOf(path: string): FolderNode {
    const node = this.#nodeAt(dirname(path))
    if (node instanceof FolderNode) return node
    throw new Error(`the recording does not say that ${dirname(path)} is a folder`)
  }

  #fileAt(path: string): FileNode {
    const node = this.#nodeAt(path)
    if (node instanceof FileNode) return node
    throw new Error(`the recording does not say that ${path} is a file`)
  }

  #nodeAt(path: string): Node {
    if (path === this.#root) return this.#tree
    const folder = this.#nodeAt(dirname(path))
    if (folder instanceof LinkNode)
      return this.#nodeAt(join(dirname(dirname(path)), folder.target, basename(path)))
    const node = folder instanceof FolderNode ? folder.present.get(basename(path)) : undefined
    if (node === undefined) throw new Error(`the recording does not say where ${path} comes from`)
    return node
  }
}

interface Name {
  readonly folder: FolderNode
  readonly name: string
}

/** A file, folder or symbolic link, with any names. */
class Node {
  /** Names that it has, and names under which a power cut would leave it. */
  presentNames: Name[] = []
  durableNames: Name[] = []

  /** Makes its present names durable, and with them the path up to the root. */
  keepPath(): void {
    this.forgetOldNames()
    for (const { folder, name } of this.presentNames) {
      if (folder.durable.get(name) === this) continue
      folder.setDurable(name, this)
    }
    for (const { folder } of this.presentNames) folder.keepPath()
  }

  /** Names that it has lost are not found after a power cut either: another has them now, or none. */
  forgetOldNames(): void {
    for (const { folder, name } of [...this.durableNames]) {
      const successor = folder.present.get(name)
      if (successor === this || folder.durable.get(name) !== this) continue
      const hasMovedHere = successor !== undefined && successor.durableNames.length > 0
      folder.setDurable(name, hasMovedHere ? successor : undefined)
      if (hasMovedHere) successor.forgetOldNames()
    }
  }
}

class FolderNode extends Node {
  readonly present = new Map<string, Node>()
  readonly durable = new Map<string, Node>()

  setDurable(name: string, node: Node | undefined): void {
    const before = this.durable.get(name)
    if (before !== undefined) before.durableNames = withoutName(before.durableNames, this, name)
    if (node === undefined) this.durable.delete(name)
    else {
      this.durable.set(name, node)
      node.durableNames.push({ folder: this, name })
    }
  }

  /** Makes the names durable that the folder had when its flush began. */
  keepNames(names: ReadonlyMap<string, Node>): void {
    for (const [name, node] of [...this.durable]) {
      if (names.get(name) === node) continue
      this.setDurable(name, undefined)
      // It has moved to another folder: a rename is never kept by half.
      if (node.presentNames.length > 0) node.keepPath()
    }
    for (const [name, node] of names) {
      if (this.durable.get(name) === node) continue
      node.forgetOldNames()
      this.setDurable(name, node)
    }
  }
}

class LinkNode extends Node {
  readonly target: string

  constructor(target: string) {
    super()
    this.target = target
  }
}

/** A socket has no listener after a power failure: it is left out, as a start removes it. */
class SocketNode extends Node {}

class FileNode extends Node {
  /** Bytes that a power cut would leave. */
  durable: Buffer = Buffer.alloc(0)
  #memory = Buffer.alloc(256)
  #length = 0
  /** Number of bytes at the start that others still read: they must not change. */
  #lent = 0

  get bytes(): Buffer {
    return this.#memory.subarray(0, this.#length)
  }

  snapshot(): Buffer {
    this.#lent = Math.max(this.#lent, this.#length)
    return this.bytes
  }

  write(bytes: Buffer, position = this.#length): void {
    const end = position + bytes.length
    if (end > this.#memory.length || position < this.#lent) {
      const memory = Buffer.alloc(Math.max(end, this.#length) * 2)
      this.bytes.copy(memory)
      this.#memory = memory
      this.#lent = 0
    }
    if (position > this.#length) this.#memory.fill(0, this.#length, position)
    bytes.copy(this.#memory, position)
    this.#length = Math.max(this.#length, end)
  }

  resize(bytes: number): void {
    if (bytes < this.#length) {
      this.#memory = Buffer.from(this.#memory.subarray(0, bytes))
      this.#lent = 0
    } else this.write(Buffer.alloc(bytes - this.#length))
    this.#length = bytes
  }
}

function giveName(folder: FolderNode, name: string, node: Node): void {
  if (folder.present.has(name)) takeName(folder, name)
  folder.present.set(name, node)
  node.presentNames.push({ folder, name })
}

function takeName(folder: FolderNode, name: string): Node {
  const node = folder.present.get(name)
  if (node === undefined) throw new Error(`the recording does not say where ${name} comes from`)
  folder.present.delete(name)
  node.presentNames = withoutName(node.presentNames, folder, name)
  return node
}

function withoutName(names: readonly Name[], folder: FolderNode, name: string): Name[] {
  return names.filter(other => other.folder !== folder || other.name !== name)
}

function writeTree(node: Node, path: string, which: 'present' | 'durable'): void {
  if (node instanceof FileNode) writeFileSync(path, node.durable, { mode: 0o600, flag: 'wx' })
  else if (node instanceof LinkNode) symlinkSync(node.target, path)
  else if (node instanceof FolderNode) {
    mkdirSync(path, { mode: 0o700 })
    for (const [name, child] of node[which]) writeTree(child, join(path, name), which)
  }
}

function differences(node: Node, path: string): string[] {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (node instanceof FileNode) return found?.isFile() && readFileSync(path).equals(node.bytes) ? [] : [path]
  if (node instanceof LinkNode)
    return found?.isSymbolicLink() && readlinkSync(path) === node.target ? [] : [path]
  if (node instanceof SocketNode) return found?.isSocket() ? [] : [path]
  if (!(node instanceof FolderNode) || !found?.isDirectory()) return [path]
  const unknown = readdirSync(path).filter(name => !node.present.has(name))
  const known = [...node.present].flatMap(([name, child]) => differences(child, join(path, name)))
  return [...unknown.map(name => join(path, name)), ...known]
}
