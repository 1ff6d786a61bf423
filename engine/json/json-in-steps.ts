import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { Steps } from '../steps.ts'
import { skipBlanks, stringEnd } from './marked-keys.ts'
import { entriesOf } from './ordered-object.ts'

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d
const BACKSLASH = 0x5c
const LETTER_U = 0x75
/** Characters of an escape such as \u0061 behind its backslash. */
const UNIT_ESCAPE = 5

/** Characters that are parsed at once: at most some ten milliseconds, for keys that all differ and have escapes. */
const PIECE_CHARACTERS = 16_384
/** Characters that are looked at in one step. */
const LOOKED_AT = 65_536

/** Place of a piece: within the outermost object, within its exact member, or anywhere else. */
export type PieceOf = 'outermost' | 'exact member' | 'other'

/** Bounds of a text. */
export interface JsonBounds {
  /** Arrays and objects within one another, the outermost one included. */
  readonly maxDepth: number
  /** Maximum number of members of one object: an object is joined in one step. */
  readonly maxMembers: number
}

/** JSON that exceeds a bound. */
export class JsonBoundError extends SyntaxError {}

/** Reads the pieces of a large text, and joins them. */
export interface PieceReader extends JsonBounds {
  /** Member of the outermost object that is read in a way of its own. */
  readonly exactMember?: string | undefined
  /** Bounds within this member; absent: those of the whole text. They do not hold for a name that has escapes. */
  readonly exactBounds?: JsonBounds
  /** Characters of a piece; absent: `PIECE_CHARACTERS`. */
  readonly pieceCharacters?: number
  /** Whether a string of more than a piece is read in steps, too, without `read`. A key never is. */
  readonly cutsTexts?: boolean
  /** @throws SyntaxError when the piece is not JSON */
  read(text: string, place: PieceOf): JsonValue
  /** Members of an object that was read, in the order sent; absent: in the order of the object. */
  entries?(object: JsonObject, place: PieceOf): readonly (readonly [key: string, value: JsonValue])[]
  /** An object with these members; of a repeated key the last value counts. */
  object(entries: readonly (readonly [key: string, value: JsonValue])[], place: PieceOf): JsonObject
}

/**
 * Parses untrusted JSON in steps. A short text is one piece. A long one is cut between elements and members, because a parse
 * of two megabytes in one go takes up to two seconds.
 *
 * @throws SyntaxError when it is not JSON; JsonBoundError when it is nested too deeply, or has an object with too many members
 */
export function* parsingJson(text: string, reader: PieceReader): Steps<JsonValue> {
  const large = yield* largeParts(text, reader)
  const start = skipBlanks(text, 0)
  const end = large.get(start)
  if (end === undefined) return reader.read(text, 'outermost')
  if (skipBlanks(text, end) < text.length) throw damaged(end)
  return yield* new LargeText(text, large, reader).part(start, end, 'outermost')
}

/** End of each array, object or cut string of more than a piece, by its start. */
type LargeParts = ReadonlyMap<number, number>

/** @throws JsonBoundError when the text is nested too deeply or has an object with too many members */
function* largeParts(text: string, reader: PieceReader): Steps<LargeParts> {
  const { exactMember, exactBounds = reader, pieceCharacters = PIECE_CHARACTERS, cutsTexts = false } = reader
  let bounds: JsonBounds = reader
  /** Last string within the outermost object. */
  let name = { from: 0, to: 0 }
  const large = new Map<number, number>()
  const starts: number[] = []
  /** Members of each open object so far. */
  const members: number[] = []
  let restAt = LOOKED_AT
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      const from = at + 1
      at = stringEnd(text, at) - 1
      if (cutsTexts && at - from >= pieceCharacters && text.charCodeAt(skipBlanks(text, at + 1)) !== COLON)
        large.set(from - 1, at + 1)
      if (starts.length === 1) name = { from, to: at }
    } else if (unit === OBJECT || unit === ARRAY) {
      if (starts.push(at) > bounds.maxDepth)
        throw new JsonBoundError(`it is nested more than ${bounds.maxDepth} levels deep`)
      members.push(0)
    } else if (unit === OBJECT_END || unit === ARRAY_END) {
      const start = starts.pop()
      members.pop()
      if (start !== undefined && at - start >= pieceCharacters) large.set(start, at + 1)
    } else if (unit === COLON && members.length > 0) {
      if (members.length === 1) bounds = text.slice(name.from, name.to) === exactMember ? exactBounds : reader
      const count = (members.at(-1) as number) + 1
      members[members.length - 1] = count
      const { maxMembers } = members.length === 1 ? reader : bounds
      if (count > maxMembers)
        throw new JsonBoundError(`it contains an object with more than ${maxMembers} members`)
    }
    if (at < restAt) continue
    yield
    restAt = at + LOOKED_AT
  }
  return large
}

class LargeText {
  readonly #text: string
  readonly #large: LargeParts
  readonly #reader: PieceReader

  constructor(text: string, large: LargeParts, reader: PieceReader) {
    this.#text = text
    this.#large = large
    this.#reader = reader
  }

  /** The array, object or string from its opening to its closing bracket or quote. */
  *part(start: number, end: number, place: PieceOf): Steps<JsonValue> {
    if (this.#text.charCodeAt(start) === QUOTE) return yield* this.#string(start, end)
    const isArray = this.#text.charCodeAt(start) === ARRAY
    if (this.#text.charCodeAt(end - 1) !== (isArray ? ARRAY_END : OBJECT_END)) throw damaged(end - 1)
    return isArray ? yield* this.#array(start, end, place) : yield* this.#object(start, end, place)
  }

  *#string(start: number, end: number): Steps<string> {
    const text = this.#text
    if (text.charCodeAt(end - 1) !== QUOTE) throw damaged(end - 1)
    const pieces: string[] = []
    const { pieceCharacters = PIECE_CHARACTERS } = this.#reader
    for (let from = start + 1; from < end - 1; ) {
      let to = from
      for (const last = Math.min(from + pieceCharacters, end - 1); to < last; to++)
        if (text.charCodeAt(to) === BACKSLASH) to += text.charCodeAt(to + 1) === LETTER_U ? UNIT_ESCAPE : 1
      to = Math.min(to, end - 1)
      pieces.push(JSON.parse(`"${text.slice(from, to)}"`) as string)
      from = to
      yield
    }
    return pieces.join('')
  }

  *#array(start: number, end: number, place: PieceOf): Steps<JsonValue[]> {
    const within = place === 'exact member' ? place : 'other'
    const elements: JsonValue[] = []
    for (const { from, to, large } of this.#runs(start, end)) {
      if (large === undefined) {
        const read = this.#reader.read(`[${this.#text.slice(from, to)}]`, within) as JsonValue[]
        for (const element of read) elements.push(element)
      } else {
        if (this.#text.slice(from, large).trim() !== '') throw damaged(from)
        elements.push(yield* this.part(large, to, within))
      }
      yield
    }
    return elements
  }

  *#object(start: number, end: number, place: PieceOf): Steps<JsonObject> {
    const reader = this.#reader
    const entries: (readonly [key: string, value: JsonValue])[] = []
    for (const { from, to, large } of this.#runs(start, end)) {
      if (large === undefined) {
        const read = reader.read(`{${this.#text.slice(from, to)}}`, place) as JsonObject
        for (const entry of reader.entries?.(read, place) ?? entriesOf(read)) entries.push(entry)
      } else {
        const key = this.#keyBefore(from, large)
        const isExact = place === 'outermost' && key === reader.exactMember
        const within = isExact || place === 'exact member' ? 'exact member' : 'other'
        entries.push([key, yield* this.part(large, to, within)])
      }
      yield
    }
    return reader.object(entries, place)
  }

  /**
   * Yields, in order, runs of short parts, which are about as long as a piece together, and single large parts. `large` is the
   * start of the array, object or string of the latter; `to` is its end.
   */
  *#runs(
    start: number,
    end: number,
  ): Generator<{ readonly from: number; readonly to: number; readonly large?: number }> {
    const text = this.#text
    const { pieceCharacters = PIECE_CHARACTERS } = this.#reader
    const last = end - 1
    /** Start of the run, and of its present part. */
    let run = start + 1
    let part = run
    let level = 0
    for (let at = run; at < last; at++) {
      const unit = text.charCodeAt(at)
      if (unit === QUOTE || unit === OBJECT || unit === ARRAY) {
        const largeEnd = this.#large.get(at)
        if (largeEnd === undefined) {
          if (unit === QUOTE) at = stringEnd(text, at) - 1
          else level++
          continue
        }
        if (part > run) yield this.#run(run, part - 1)
        yield { from: part, to: largeEnd, large: at }
        at = skipBlanks(text, largeEnd)
        if (at === last) return
        if (text.charCodeAt(at) !== COMMA) throw damaged(at)
        run = at + 1
        part = run
      } else if (unit === OBJECT_END || unit === ARRAY_END) level--
      else if (unit === COMMA && level === 0) {
        part = at + 1
        if (part - run < pieceCharacters) continue
        yield this.#run(run, at)
        run = part
      }
    }
    if (run === start + 1 && skipBlanks(text, run) >= last) return // It is empty.
    yield this.#run(run, last)
  }

  #run(from: number, to: number): { readonly from: number; readonly to: number } {
    if (skipBlanks(this.#text, from) >= to) throw damaged(from)
    return { from, to }
  }

  #keyBefore(from: number, to: number): string {
    const before = this.#text.slice(from, to).trim()
    const colon = before.length - 1
    if (before.charCodeAt(0) !== QUOTE || before.charCodeAt(colon) !== COLON) throw damaged(from)
    return JSON.parse(before.slice(0, colon)) as string
  }
}

function damaged(at: number): SyntaxError {
  return new SyntaxError(`it is damaged at character ${at}`)
}
