import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
} from 'yaml'
import { MAX_PROBLEMS, type Problem, pointerTo } from '../../../engine/event/problem.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'

/** Maximum depth, as for JSON: deeper than any valid document. It also ends an alias within the value that it stands for. */
export const MAX_DEPTH = 64
export const TOO_DEEP = `must NOT be nested more than ${MAX_DEPTH} levels deep`
const MAX_ALIASES = 10_000
/**
 * Values after each alias became a copy, as many as a text without aliases can contain. Aliases for values that contain
 * aliases grow without bounds.
 */
const MAX_VALUES = 50_000
/** Characters of names and texts after each alias became a copy: twice those of a whole text without aliases. */
const MAX_CHARACTERS = 1024 * 1024
/** Characters of a pointer or name in a finding. Without it, a thousand findings could all repeat one long name. */
const MAX_SHOWN = 2_000

/** Ends the walk: the remaining values are not looked at. */
class TooMuch extends Error {}

/** Turns YAML into JSON: every alias becomes a copy, and everything that JSON cannot express is a finding. */
export class YamlReader {
  readonly #contents: unknown
  readonly #problems: Problem[] = []
  /** The node that each alias stands for: the latest earlier node with that anchor. */
  readonly #meant = new Map<Alias, Node>()
  readonly #anchors = new Map<string, Node>()
  /** Members by name, for maps for which a line was requested. */
  readonly #members = new Map<unknown, ReadonlyMap<string, Pair>>()
  /** Steps from the whole value to the one that is read. */
  readonly #path: (string | number)[] = []
  #aliasesLeft = MAX_ALIASES
  #valuesLeft = MAX_VALUES
  #charactersLeft = MAX_CHARACTERS

  constructor(document: Document) {
    this.#contents = document.contents
  }

  /** @returns a value, or else findings, which are the first thousand */
  read(): { readonly value: JsonValue | undefined; readonly problems: readonly Problem[] } {
    const problems = this.#problems
    try {
      this.#resolve(this.#contents)
      const value = this.#read(this.#contents)
      return { value: problems.length > 0 ? undefined : value, problems }
    } catch (error) {
      if (error instanceof TooMuch) return { value: undefined, problems }
      throw error
    }
  }

  /**
   * @returns the place in the text where a value begins; without the value, that of the value around it. A member begins
   *   at its key
   */
  startOf(instancePath: string): number | undefined {
    let node = this.#contents
    let start = startOf(node)
    for (const written of instancePath.split('/').slice(1)) {
      const step = written.replaceAll('~1', '/').replaceAll('~0', '~')
      if (isAlias(node)) node = this.#meant.get(node)
      const pair = isMap(node) ? this.#membersOf(node.items).get(step) : undefined
      const next = isSeq(node) ? node.items[Number(step)] : pair?.value
      if (next === undefined && pair === undefined) break
      start = startOf(pair?.key ?? next) ?? start
      node = next
    }
    return start
  }

  /** Walks the document once, in the order of the text. */
  #resolve(node: unknown): void {
    if (isAlias(node)) {
      if (this.#aliasesLeft-- === 0) this.#end(`must NOT have more than ${MAX_ALIASES} aliases`)
      const meant = this.#anchors.get(node.source)
      if (meant !== undefined) this.#meant.set(node, meant)
      return
    }
    if (!isNode(node)) return
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    if (isSeq(node)) for (const item of node.items) this.#resolve(item)
    else if (isMap(node))
      for (const { key, value } of node.items) {
        this.#resolve(key)
        this.#resolve(value)
      }
  }

  #read(node: unknown, depth = 0): JsonValue {
    if (this.#valuesLeft-- === 0) this.#end(`must NOT have more than ${MAX_VALUES} values`)
    if (depth > MAX_DEPTH) return this.#refused(TOO_DEEP)
    if (isAlias(node)) {
      const meant = this.#meant.get(node)
      if (meant !== undefined) return this.#read(meant, depth + 1)
      return this.#refused(`must be an anchor from before: *${node.source.slice(0, MAX_SHOWN)}`)
    }
    if (isSeq(node))
      return node.items.map((item, index) => this.#at(index, () => this.#read(item, depth + 1)))
    if (isMap(node)) return this.#object(node.items, depth)
    return this.#scalar(isScalar(node) ? node.value : null)
  }

  #object(items: readonly Pair[], depth: number): JsonObject {
    const object: JsonObject = {}
    for (const { key, value: member } of items) {
      if (!isScalar(key)) {
        this.#refused('must have plain texts for names of members')
        continue
      }
      const name = String(key.value)
      this.#spend(name.length)
      this.#at(name, () => {
        if (Object.hasOwn(object, name)) this.#refused('must NOT be there twice')
        const value = this.#read(member, depth + 1)
        // A definition, not an assignment: a member may be named `__proto__`.
        Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
      })
    }
    return object
  }

  #scalar(value: unknown): JsonValue {
    switch (typeof value) {
      case 'bigint':
      case 'number': {
        const number = Number(value)
        if (!Number.isFinite(number)) return this.#refused('must be a number that JSON can hold')
        return Number.isSafeInteger(number) ? number : (value as number | bigint)
      }
      case 'string':
        this.#spend(value.length)
        return value
      case 'boolean':
        return value
      default:
        return value === null ? null : this.#refused('must be a value that JSON can hold')
    }
  }

  #at<Result>(step: string | number, run: () => Result): Result {
    this.#path.push(step)
    const result = run()
    this.#path.pop()
    return result
  }

  #spend(characters: number): void {
    this.#charactersLeft -= characters
    if (this.#charactersLeft < 0)
      this.#end(
        `must NOT have more than ${MAX_CHARACTERS} characters of names and texts with all its aliases`,
      )
  }

  /** Reports the value that is read, or a value around it when the pointer would be too long. */
  #refused(message: string): null {
    let instancePath = ''
    for (const step of this.#path) {
      if (instancePath.length + String(step).length > MAX_SHOWN) break
      instancePath = pointerTo(instancePath, step)
    }
    this.#problems.push({ instancePath, message })
    if (this.#problems.length >= MAX_PROBLEMS) throw new TooMuch()
    return null
  }

  #end(message: string): never {
    this.#problems.push({ instancePath: '', message })
    throw new TooMuch()
  }

  #membersOf(items: readonly Pair[]): ReadonlyMap<string, Pair> {
    let members = this.#members.get(items)
    if (members === undefined) {
      members = new Map(items.flatMap(pair => (isScalar(pair.key) ? [[String(pair.key.value), pair]] : [])))
      this.#members.set(items, members)
    }
    return members
  }
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined
}
