import { DAY_MS } from '../../times/duration.ts'
import { hasFixedName } from './line-members.ts'

/** Distinct names of fields per account and UTC day. Further names are not indexed: ingestion, section 1.3. */
export const MAX_FIELD_NAMES = 500
/** A longer name is not indexed, so that 500 of them stay small in every checkpoint. (Our choice.) */
export const MAX_NAME_CHARACTERS = 512
/** Bounds the cache below; a real account has a few hundred nodes. */
const MAX_CACHED_NODES = 4096

/**
 * A step into a record, with its dotted path, which is built once. It is a part of a cache that does not decide anything:
 * only the set of names decides whether a name is accepted. A replay from a snapshot therefore accepts the same names.
 */
export interface NameNode {
  readonly path: string
  children: Map<string, NameNode> | undefined
  /** The generation of names in which the path is known to be accepted. */
  acceptedIn: number
}

/**
 * The names of an account's fields that were met on one UTC day of log time. The first 500 are indexed, in the order of
 * the log; others are not.
 */
export class FieldNames {
  #day = -1
  #names = new Set<string>()
  /** Rises when the set starts again, which invalidates cached answers of the day before. */
  #generation = 1
  #root = newNode('')
  #fixedRoots = new Map<string, NameNode>()
  #cachedNodes = 0
  /** Number of the present line within its run. */
  #line = -1
  /** First line of the run with a name that was left out; -1: none. */
  #leftOutAt = -1
  #isFullReported = false

  static restore(bytes: Uint8Array): FieldNames {
    const { day, names, full } = JSON.parse(Buffer.from(bytes).toString('utf8')) as Snapshot
    const restored = new FieldNames()
    restored.#day = day
    restored.#names = new Set(names)
    restored.#isFullReported = full === true
    return restored
  }

  snapshot(): Uint8Array {
    const names = [...this.#names]
    const snapshot: Snapshot = { day: this.#day, names, ...(this.#isFullReported && { full: true }) }
    return Buffer.from(JSON.stringify(snapshot))
  }

  get size(): number {
    return this.#names.size
  }

  /** Begins a run of lines, for which `takeFull` gives one result. */
  beginRun(): void {
    this.#line = -1
    this.#leftOutAt = -1
  }

  /** Begins a line, on its day. */
  beginLine(timeMs: number): void {
    this.#line++
    this.beginDay(timeMs)
  }

  /**
   * Begins lines that a codec has read, on the present day.
   *
   * @param leftOutAt the first of them with a name that was left out; undefined: none
   */
  beginLines(count: number, leftOutAt: number | undefined): void {
    if (leftOutAt !== undefined && this.#leftOutAt < 0) this.#leftOutAt = this.#line + 1 + leftOutAt
    this.#line += count
  }

  /** Forgets the names of earlier days. @param timeMs log time, which never steps back */
  beginDay(timeMs: number): void {
    const day = Math.floor(timeMs / DAY_MS)
    if (day === this.#day) return
    this.#day = day
    this.#isFullReported = false
    this.#names.clear()
    this.#generation++
  }

  /**
   * Returns the number of the first line of the present run with a name that was left out. It does so once a day:
   * undefined when no name was left out, or when an earlier run was reported.
   */
  takeFull(): number | undefined {
    if (this.#leftOutAt < 0 || this.#isFullReported) return undefined
    this.#isFullReported = true
    return this.#leftOutAt
  }

  /** Rises when the names of a day are forgotten. */
  get generation(): number {
    return this.#generation
  }

  /** Whether a path was accepted today. */
  isAccepted(path: string): boolean {
    return this.#names.has(path)
  }

  /** Whether no further name is accepted today. */
  get isFull(): boolean {
    return this.#names.size >= MAX_FIELD_NAMES
  }

  /** The node of a member whose name in the record is its key; undefined for all others. */
  rootOfKey(key: string): NameNode | undefined {
    const node = this.#fixedRoots.get(key)
    if (node !== undefined) return node
    if (!hasFixedName(key)) return undefined
    const root = this.root(key)
    if (root !== undefined) this.#fixedRoots.set(key, root)
    return root
  }

  /** The node of a member of the record. */
  root(name: string): NameNode | undefined {
    return this.#root.children?.get(name) ?? this.#addChild(this.#root, name, name)
  }

  /** @returns undefined when the path is too long to be a name */
  child(node: NameNode, key: string): NameNode | undefined {
    return node.children?.get(key) ?? this.#addChild(node, key, `${node.path}.${key}`)
  }

  /** True when a field of this name may be indexed today; its name is remembered. */
  accept(node: NameNode): boolean {
    return node.acceptedIn === this.#generation || this.#acceptNew(node)
  }

  #acceptNew(node: NameNode): boolean {
    if (!this.#names.has(node.path)) {
      if (this.isFull) {
        if (this.#leftOutAt < 0) this.#leftOutAt = this.#line
        return false
      }
      this.#names.add(node.path)
    }
    node.acceptedIn = this.#generation
    return true
  }

  #addChild(parent: NameNode, key: string, path: string): NameNode | undefined {
    if (path.length > MAX_NAME_CHARACTERS) return undefined
    const node = newNode(path)
    if (this.#cachedNodes >= MAX_CACHED_NODES) {
      this.#root = newNode('')
      this.#fixedRoots.clear()
      this.#cachedNodes = 0
    }
    this.#cachedNodes++
    parent.children ??= new Map()
    parent.children.set(key, node)
    return node
  }
}

interface Snapshot {
  readonly day: number
  readonly names: readonly string[]
  /** Whether a report has said that the day is full. */
  readonly full?: true
}

function newNode(path: string): NameNode {
  return { path, children: undefined, acceptedIn: 0 }
}
