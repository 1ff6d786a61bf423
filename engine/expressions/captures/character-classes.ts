import type { CharacterSet } from '../character-set.ts'
import { ASCII_SIZE, type BuildCount, isWord, LOOKUP_UNITS, NEWLINE } from '../set-rows.ts'

/** Character before or after a place, as far as edges distinguish it. `RETURN` stands directly before a line feed that it belongs to. */
export const Side = { NONE: 0, OTHER: 1, NEWLINE: 2, WORD: 3, RETURN: 4 } as const

/** Largest number of classes of a program that have a number. */
const MAX_CLASSES = 512
/** Largest number of characters beyond ASCII whose class is kept, where only a lookup tells it. */
const MAX_KEPT = 2_048
/** Number of a class that is not kept. */
export const UNNUMBERED = -1

/** Characters that no set and no edge of a program distinguishes. */
export interface CharacterClass {
  /** Number within the program, or `UNNUMBERED`. */
  readonly number: number
  /** One byte per set number: 1 if the set contains the characters. */
  readonly held: Uint8Array
  readonly side: number
}

/** Classes of the characters that were met by the matchings of one program. */
export class CharacterClasses {
  /** Place after the last character. */
  readonly end: CharacterClass
  /** Numbers of the classes of ASCII characters; `UNNUMBERED` where the class was not looked up. */
  readonly asciiNumbers = new Int16Array(ASCII_SIZE).fill(UNNUMBERED)
  readonly #ascii: (CharacterClass | undefined)[] = new Array(ASCII_SIZE).fill(undefined)
  /** Cost in units of the first lookup of a character beyond ASCII in a text; 0: only its place among the borders matters. */
  readonly lookupUnits: number
  readonly #sets: readonly CharacterSet[]
  readonly #hasEdges: boolean
  readonly #byKey = new Map<string, CharacterClass>()
  /** Numbers of the sets of which only a lookup tells which characters beyond ASCII they contain. */
  readonly #openSets: readonly number[]
  /** First characters beyond ASCII at which a set may begin or end, in ascending order. */
  readonly #borders: Int32Array
  readonly #betweenBorders: (CharacterClass | undefined)[]
  readonly #kept = new Map<number, CharacterClass>()
  #return: CharacterClass | undefined

  constructor(sets: readonly CharacterSet[], hasEdges: boolean) {
    this.#sets = sets
    this.#hasEdges = hasEdges
    const borders = new Set([ASCII_SIZE])
    const openSets: number[] = []
    for (const [number, set] of sets.entries()) {
      const ofSet = set.borders()
      if (ofSet === undefined) openSets.push(number)
      else for (const border of ofSet) borders.add(border)
    }
    this.#openSets = openSets
    this.#borders = Int32Array.from(borders).sort()
    this.#betweenBorders = new Array(this.#borders.length).fill(undefined)
    this.lookupUnits = openSets.length * LOOKUP_UNITS
    this.end = { number: 0, held: new Uint8Array(sets.length), side: Side.NONE }
    this.#byKey.set('', this.end)
  }

  ofAscii(code: number, count: BuildCount): CharacterClass {
    let found = this.#ascii[code]
    if (found === undefined) {
      count.built += this.#sets.length * LOOKUP_UNITS
      found = this.#classOf(
        Uint8Array.from(this.#sets, set => (set.has(code) ? 1 : 0)),
        this.sideOf(code),
      )
      this.#ascii[code] = found
      this.asciiNumbers[code] = found.number
    }
    return found
  }

  /** Class of a carriage return that belongs to the line feed after it. */
  ofReturn(count: BuildCount): CharacterClass {
    this.#return ??= this.#classOf(this.ofAscii(0x0d, count).held, this.#hasEdges ? Side.RETURN : Side.OTHER)
    return this.#return
  }

  /** @param codePoint beyond ASCII */
  ofOther(codePoint: number, count: BuildCount): CharacterClass {
    const place = this.#placeOf(codePoint)
    if (this.#openSets.length > 0) return this.#ofOpen(codePoint, place)
    let found = this.#betweenBorders[place]
    if (found === undefined) {
      count.built += this.#sets.length * LOOKUP_UNITS
      found = this.#classOf(
        Uint8Array.from(this.#sets, set => (set.has(codePoint) ? 1 : 0)),
        Side.OTHER,
      )
      this.#betweenBorders[place] = found
    }
    return found
  }

  sideOf(code: number): number {
    if (!this.#hasEdges) return Side.OTHER
    if (code === NEWLINE) return Side.NEWLINE
    return isWord(code) ? Side.WORD : Side.OTHER
  }

  #ofOpen(codePoint: number, place: number): CharacterClass {
    let found = this.#kept.get(codePoint)
    if (found === undefined) {
      const first = this.#borders[place] as number
      const isOpen = new Set(this.#openSets)
      const held = Uint8Array.from(this.#sets, (set, number) =>
        set.has(isOpen.has(number) ? codePoint : first) ? 1 : 0,
      )
      found = this.#classOf(held, Side.OTHER)
      if (this.#kept.size < MAX_KEPT) this.#kept.set(codePoint, found)
    }
    return found
  }

  /** Index of the last border at or before the character. */
  #placeOf(codePoint: number): number {
    const borders = this.#borders
    let low = 0
    let high = borders.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((borders[middle] as number) <= codePoint) low = middle
      else high = middle - 1
    }
    return low
  }

  #classOf(held: Uint8Array, side: number): CharacterClass {
    const key = `${side} ${held.join('')}`
    let found = this.#byKey.get(key)
    if (found === undefined) {
      const isFull = this.#byKey.size >= MAX_CLASSES
      found = { number: isFull ? UNNUMBERED : this.#byKey.size, held, side }
      if (!isFull) this.#byKey.set(key, found)
    }
    return found
  }
}
