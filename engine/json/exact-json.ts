import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import type { Steps } from '../steps.ts'
import { type PieceReader, parsingJson } from './json-in-steps.ts'
import { scalarEnd } from './json-source.ts'
import { boundedNumber, mayHoldBigInteger, parseJson } from './json-text.ts'
import { holdsEscapedKey } from './key-safe-json.ts'
import { skipBlanks, stringEnd } from './marked-keys.ts'
import { isIndexKey, orderedObject } from './ordered-object.ts'

const QUOTE = 0x22
const MINUS = 0x2d
const ARRAY = 0x5b
const ARRAY_END = 0x5d
const OBJECT = 0x7b
const OBJECT_END = 0x7d

/**
 * Parses JSON from users. Integers keep their digits, keys their order, and numbers beyond the range of a double their text
 * (components, section 1.2). The nesting of the text must be bounded.
 *
 * @throws SyntaxError
 */
export function parseExactJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue
  // A reviver, which sees the source of each number, takes over ten times as long for each value of the text.
  const isKept = !mayHoldBigInteger(text) && !holdsEscapedKey(text) && isExact(value)
  return isKept ? value : reparsed(text)
}

/** Like `parseExactJson`, in steps. */
export function parsingExactJson(text: string, pieceCharacters?: number): Steps<JsonValue> {
  return parsingJson(text, { ...READER, ...(pieceCharacters !== undefined && { pieceCharacters }) })
}

const READER: PieceReader = {
  maxDepth: Number.POSITIVE_INFINITY,
  maxMembers: Number.POSITIVE_INFINITY,
  cutsTexts: true,
  read: parseExactJson,
  object: orderedObject,
}

/** Parser for values of an event, or of a record made from it: exact since the fifth behaviour. */
export function eventParser(isExact: boolean): (text: string) => JsonValue {
  return isExact ? parseExactJson : parseJson
}

/** False when the plain parse may have changed the order of keys or lost a number. */
function isExact(value: JsonValue): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isExact)
  return hasExactMembers(value as JsonObject)
}

function hasExactMembers(object: JsonObject): boolean {
  let isFirst = true
  for (const key in object) {
    // JavaScript puts indexes first, so the first key shows whether the object has one.
    if (isFirst && isDigit(key.charCodeAt(0)) && isIndexKey(key)) return false
    isFirst = false
    const value = object[key] as JsonValue
    if ((typeof value === 'number' || typeof value === 'object') && !isExact(value)) return false
  }
  return true
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function reparsed(text: string): JsonValue {
  return new SentOrder(text).value()
}

/**
 * Parses valid JSON with keys in their order. It does not use a plain parse of marked keys with a reviver, which takes
 * five times as long for 100,000 keys.
 */
class SentOrder {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  value(): JsonValue {
    const text = this.#text
    this.#at = skipBlanks(text, this.#at)
    const start = this.#at
    const unit = text.charCodeAt(start)
    if (unit === OBJECT) return this.#object()
    if (unit === ARRAY) return this.#array()
    if (unit === QUOTE) return JSON.parse(this.#string()) as string
    this.#at = scalarEnd(text, start)
    const source = text.slice(start, this.#at)
    return unit === MINUS || isDigit(unit)
      ? numberOf(Number(source), source)
      : (JSON.parse(source) as JsonValue)
  }

  #object(): JsonObject {
    const text = this.#text
    const entries: [string, JsonValue][] = []
    while (this.#hasNext(OBJECT_END)) {
      const source = this.#string()
      const key = source.includes('\\') ? (JSON.parse(source) as string) : source.slice(1, -1)
      this.#at = skipBlanks(text, this.#at) + 1
      entries.push([key, this.value()])
    }
    return orderedObject(entries)
  }

  #array(): JsonValue[] {
    const elements: JsonValue[] = []
    while (this.#hasNext(ARRAY_END)) elements.push(this.value())
    return elements
  }

  /** Moves past an opening bracket or a comma to the next part, or past the closing bracket. */
  #hasNext(end: number): boolean {
    const text = this.#text
    let at = skipBlanks(text, this.#at)
    const unit = text.charCodeAt(at)
    // The part after an opening bracket may be missing; after a comma there is always one.
    if (unit !== end) at = skipBlanks(text, at + 1)
    const isOver = text.charCodeAt(at) === end
    this.#at = isOver ? at + 1 : at
    return !isOver
  }

  /** A string with its quotes. */
  #string(): string {
    const start = this.#at
    this.#at = stringEnd(this.#text, start)
    return this.#text.slice(start, this.#at)
  }
}

/** @param source text of the number */
function numberOf(value: number, source: string): JsonValue {
  return Number.isFinite(value) ? boundedNumber(value, source) : new NumberText(source)
}
