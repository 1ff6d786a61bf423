import type { NumberedWords } from '../native-block/word-columns.ts'
import { SLOT_KIND, shapeText, type ValueKind, WORD_KIND } from '../slots/line-shape.ts'
import { levelKind } from '../slots/split-line.ts'
import { type FieldNames, MAX_NAME_CHARACTERS } from '../stored-line/field-names.ts'
import { DETECTED_LEVELS, normalLevel } from '../stored-line/level.ts'
import { keyRule } from '../stored-line/line-members.ts'
import { CodecMemory } from './codec-memory.ts'

/** Standings and kinds of names, as in assembly/names.ts. */
const STANDING = { new: 0, accepted: 1, leftOut: 2 } as const
const KIND = {
  plain: 0,
  level: 1,
  message: 2,
  msg: 4,
  alwaysOwn: 8,
  app: 16,
  upperLevel: 32,
  lowerLevel: 64,
} as const
/** Names beyond it are answered with 0, which makes the row fall back. */
const NO_NAME = 0
/**
 * Names that a call of the codec may ask for, more than a line of ingestion has. A call thus takes some milliseconds, however many new
 * names its rows have.
 */
export const MOST_ASKED = 4_096
/** A shape takes as long as that many names. */
const NAMES_OF_SHAPE = 4
/** Number of other seeds after which all names are forgotten instead. */
const MAX_SEEDS = 4

/** Names of one account on one day, for the program. */
export interface NameRoot {
  /** Number of the name above all others of the account. */
  readonly root: number
  /** Number of the name of the text for display. */
  readonly message: number
}

interface KnownRoot extends NameRoot {
  readonly generation: number
  readonly words: NumberedWords
}

/**
 * The names that the program knows, with their numbers. `FieldNames` alone decides which of them are accepted. All are
 * forgotten when the memory for them is full: the program asks again for those that it meets.
 */
export class KnownNames {
  readonly memory: CodecMemory
  readonly #roots = new WeakMap<FieldNames, KnownRoot>()
  /** Numbers of levels as they were sent. */
  readonly #sentLevels = new Map<string, number>()
  #texts: string[] = []
  #words: NumberedWords = { texts: this.#texts }
  #names: FieldNames | undefined
  #root = 0
  #levelsRoot = 0
  #shapesRoot = 0
  #isFull = false
  #needsSeed = false
  #seed = 0
  #seeds = 0
  #asked = 0
  /** Whether the present block can have a row of a shape. */
  admits: (shape: string) => boolean = () => true

  constructor() {
    this.memory = new CodecMemory({
      nameOf: (parent, at, length) => this.#nameOf(parent, at, length),
      standingOf: name => this.#standingOf(this.#texts[name] as string),
      admits: shape => this.admits(this.#texts[shape] as string),
    })
    this.#forget()
  }

  /** Words by which names and levels are numbered; another object after all were forgotten. */
  get words(): NumberedWords {
    return this.#words
  }

  /** Begins a call, which may ask for `MOST_ASKED` names. */
  beginCall(): void {
    this.#asked = 0
  }

  /** Names that the present call has asked for. */
  get asked(): number {
    return this.#asked
  }

  /** Makes the names of an account those that the program reads. @param levels that may be sent until the next call */
  use(names: FieldNames, levels: number): NameRoot {
    if (this.#needsSeed) this.#reseed()
    const { exports, layout } = this.memory
    if (this.#isFull || exports.nameCount() + levels + 2 > layout.MAX_NAMES) this.#forget()
    const known = this.#roots.get(names)
    const isCurrent = known?.words === this.#words && known.generation === names.generation
    const root = isCurrent ? known : this.#newRoot(names)
    this.#names = names
    this.#root = root.root
    return root
  }

  /** Number of a level that was sent with a line; 0 when it says nothing. */
  sentLevel(text: string): number {
    const known = this.#sentLevels.get(text)
    if (known !== undefined) return known
    const level = normalLevel(text)
    const number = level === '' ? 0 : this.#addRoot(level)
    this.#sentLevels.set(text, number)
    return number
  }

  #newRoot(names: FieldNames): KnownRoot {
    this.#names = names
    const root = this.#addRoot('')
    const { bytes, layout } = this.memory
    // The columns are empty between calls, so the key may stand where texts are written.
    const length = bytes.write(MESSAGE, layout.TEXT_VALUES)
    const message = this.#add(root, layout.TEXT_VALUES, length, MESSAGE, KIND.message)
    const known = {
      root,
      message: (message - layout.NAMES) / layout.NAME_SIZE,
      generation: names.generation,
      words: this.#words,
    }
    this.#roots.set(names, known)
    return known
  }

  #nameOf(parent: number, at: number, length: number): number {
    if (this.#asked >= MOST_ASKED) return NO_NAME
    const isShape = parent === this.#shapesRoot
    this.#asked += isShape ? NAMES_OF_SHAPE : 1
    if (isShape) return this.#addShape(at, length)
    if (length > MAX_NAME_CHARACTERS) return NO_NAME
    const key = this.memory.bytes.toString('utf8', at, at + length)
    if (parent === this.#levelsRoot) return this.#addLevel(at, length, key)
    if (parent === this.#root) return this.#addMember(at, length, key)
    const path = `${this.#texts[parent]}.${key}`
    return path.length > MAX_NAME_CHARACTERS ? NO_NAME : this.#add(parent, at, length, path, KIND.plain)
  }

  #addLevel(at: number, length: number, text: string): number {
    const level = normalLevel(text)
    return level === '' ? NO_NAME : this.#add(this.#levelsRoot, at, length, level, kindOfLevel(text, level))
  }

  /** Adds the shape of literals with the kinds of their values behind them. */
  #addShape(at: number, length: number): number {
    const { bytes, shapeNames } = this.memory
    const key = bytes.toString('utf8', at, at + length)
    let end = key.length
    while (KINDS.has(key.charAt(end - 1))) end--
    const names = Array.from(key.slice(end), (kind, value) => ({
      kind: kind as ValueKind,
      path: kind === SLOT_KIND.opaque ? '' : (this.#texts[shapeNames[value] as number] as string),
    }))
    const text = shapeText(names, key.slice(0, end))
    return text === undefined ? NO_NAME : this.#add(this.#shapesRoot, at, length, text, KIND.plain)
  }

  #addMember(at: number, length: number, key: string): number {
    const kind = KIND_OF_KEY.get(key)
    if (kind !== undefined) return this.#add(this.#root, at, length, key, kind)
    const { name, own, isAlwaysOwn, collides, underscored } = keyRule(key)
    const kindOfName = isAlwaysOwn ? KIND.alwaysOwn : KIND.plain
    return this.#add(this.#root, at, length, name, kindOfName, own, collides, underscored)
  }

  #add(
    parent: number,
    at: number,
    length: number,
    text: string,
    kind: number,
    own = 0,
    collides = 0,
    underscored = 0,
  ): number {
    const { exports } = this.memory
    const number = exports.nameCount()
    const standing = this.#standingOf(text)
    const added = exports.addName(parent, at, length, standing, kind, own, collides, underscored)
    if (added === 0 && exports.nameCount() === number) this.#isFull = true
    else this.#texts[number] = text
    // It has a number, but both of its buckets are full.
    if (added === 0 && !this.#isFull) this.#needsSeed = true
    return added
  }

  #standingOf(path: string): number {
    const names = this.#names as FieldNames
    if (names.isAccepted(path)) return STANDING.accepted
    return names.isFull ? STANDING.leftOut : STANDING.new
  }

  #addRoot(text: string): number {
    const { exports } = this.memory
    const number = exports.nameCount()
    exports.addRoot()
    this.#texts[number] = text
    return number
  }

  /** Puts the names into other slots. Keys that share their buckets with one seed hardly do so with the next one. */
  #reseed(): void {
    this.#needsSeed = false
    const isLast = ++this.#seeds > MAX_SEEDS
    if (isLast || this.memory.exports.reseed(++this.#seed) === 0) this.#isFull = true
  }

  #forget(): void {
    this.#isFull = false
    this.#seeds = 0
    this.memory.exports.forgetNames()
    this.#sentLevels.clear()
    this.#texts = ['']
    this.#words = { texts: this.#texts }
    for (const level of DETECTED_LEVELS) this.#addRoot(level)
    this.#levelsRoot = this.#addRoot('')
    this.#shapesRoot = this.#addRoot('')
  }
}

function kindOfLevel(text: string, level: string): number {
  const kind = levelKind(text, level)
  if (kind === undefined) return KIND.plain
  return kind === WORD_KIND.level ? KIND.lowerLevel : KIND.upperLevel
}

const KINDS: ReadonlySet<string> = new Set([...Object.values(SLOT_KIND), ...Object.values(WORD_KIND)])
const MESSAGE = 'message'
const KIND_OF_KEY: ReadonlyMap<string, number> = new Map([
  [MESSAGE, KIND.message],
  ['msg', KIND.msg],
  ['level', KIND.level],
  ['app', KIND.app],
])
