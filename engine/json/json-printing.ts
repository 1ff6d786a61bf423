import { isJsonObject, type JsonObject, type JsonValue, rawJson } from '../../schemas/json.ts'
import type { Steps } from '../steps.ts'
import { jsonText } from './json-text.ts'

/** Size of values that are printed at once, in characters: a small part of a millisecond. */
const AT_ONCE = 16_384
/** Characters that a value counts in addition to its text. */
const VALUE_CHARACTERS = 8

/** List or object. */
export type Collection = readonly JsonValue[] | JsonObject

export interface PrintingOptions {
  /** Indentation of each level; absent: compact, like `jsonText`. */
  readonly step?: string
  /** Size of values that are printed at once; the text does not depend on it. */
  readonly atOnce?: number | undefined
}

/**
 * Prints JSON in steps. A printed megabyte takes about ten milliseconds.
 *
 * @param value may also be an object of a declared type whose members are JSON values or absent
 */
export function* printingJson(
  value: JsonValue | object,
  { step = '', atOnce = AT_ONCE }: PrintingOptions = {},
): Steps<string> {
  const pieces: string[] = []
  for (const piece of jsonPieces(value as JsonValue, '', { step, atOnce })) {
    pieces.push(piece)
    yield
  }
  return pieces.join('')
}

function* jsonPieces(
  value: JsonValue,
  indent: string,
  form: { readonly step: string; readonly atOnce: number },
): Iterable<string> {
  const { step, atOnce } = form
  if (typeof value === 'string' && value.length > atOnce) yield* stringPieces(value, atOnce)
  else if (!isLarge(value, atOnce))
    yield step === '' ? jsonText(value) : indentedText(value, step).replaceAll('\n', `\n${indent}`)
  else if (step === '') yield* compactPieces(value, atOnce)
  else {
    let before = Array.isArray(value) ? '[' : '{'
    for (const [name, member] of membersOf(value)) {
      yield `${before}\n${indent}${step}${name === undefined ? '' : `${JSON.stringify(name)}: `}`
      yield* jsonPieces(member, indent + step, form)
      before = ','
    }
    yield `\n${indent}${Array.isArray(value) ? ']' : '}'}`
  }
}

/** Short members that follow each other are one piece: a list can have a million numbers. */
function* compactPieces(value: Collection, atOnce: number): Iterable<string> {
  const isArray = Array.isArray(value)
  let before = isArray ? '[' : '{'
  let short: JsonValue[] = []
  let size = 0
  let text = ''
  const taken = () => {
    const printed = isArray ? jsonText(short).slice(1, -1) : text
    short = []
    size = 0
    text = ''
    return printed
  }
  for (const [name, member] of membersOf(value)) {
    const memberSize = sizeOf(member, atOnce)
    const key = name === undefined ? '' : `${JSON.stringify(name)}:`
    if (memberSize < atOnce) {
      if (isArray) short.push(member)
      else text += `${text === '' ? '' : ','}${key}${jsonText(member)}`
      size += memberSize + key.length
      if (size < atOnce) continue
      yield before + taken()
    } else {
      if (size > 0) {
        yield before + taken()
        before = ','
      }
      yield before + key
      yield* jsonPieces(member, '', { step: '', atOnce })
    }
    before = ','
  }
  if (size > 0) yield before + taken()
  yield isArray ? ']' : '}'
}

function* stringPieces(text: string, atOnce: number): Iterable<string> {
  yield '"'
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + atOnce, text.length)
    // A pair of surrogates is one character, of which no half is printed alone.
    while (to < text.length && isHighSurrogate(text.charCodeAt(to - 1))) to++
    yield JSON.stringify(text.slice(from, to)).slice(1, -1)
    from = to
  }
  yield '"'
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff
}

function indentedText(value: JsonValue, step: string): string {
  return JSON.stringify(
    value,
    (_key, member: unknown) => (typeof member === 'bigint' ? rawJson(member.toString()) : member),
    step,
  )
}

/** The members that an object has, or the elements of a list, which have no names. */
export function* membersOf(
  value: Collection,
): Iterable<readonly [name: string | undefined, member: JsonValue]> {
  if (Array.isArray(value)) for (const element of value as JsonValue[]) yield [undefined, element]
  else for (const member of Object.entries(value)) if (member[1] !== undefined) yield member
}

/** Whether a value has to be printed in pieces. An empty collection never has. */
export function isLarge(value: JsonValue, atOnce: number): value is JsonValue[] | JsonObject {
  return isCollection(value) && sizeOf(value, atOnce) >= atOnce && !isEmpty(value)
}

function isEmpty(value: Collection): boolean {
  for (const _member of membersOf(value)) return false
  return true
}

/** Characters of a printed value, roughly; counting ends at the limit. */
export function sizeOf(value: JsonValue, limit: number): number {
  if (typeof value === 'string') return VALUE_CHARACTERS + value.length
  if (!isCollection(value)) return VALUE_CHARACTERS
  let size = VALUE_CHARACTERS
  for (const [name = '', member] of membersOf(value)) {
    if (size >= limit) break
    size += name.length + sizeOf(member, limit - size)
  }
  return size
}

function isCollection(value: JsonValue): value is JsonValue[] | JsonObject {
  return Array.isArray(value) || isJsonObject(value)
}
