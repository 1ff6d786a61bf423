import type { TimePart, TimeParts } from './time-parts.ts'

/** Reads from a place in a text. @returns the place after the part that was read, or NOT_READ */
export type Read = (text: string, at: number, parts: TimeParts) => number

export const NOT_READ = -1

interface NumberForm {
  /** Minimum and maximum number. */
  readonly digits: readonly [number, number]
  readonly range: readonly [number, number]
  readonly isSigned?: boolean
}

export function readNumber(
  part: TimePart,
  { digits: [fewest, most], range: [low, high], isSigned = false }: NumberForm,
): Read {
  return (text, at, parts) => {
    const sign = isSigned ? text[at] : undefined
    const start = sign === '+' || sign === '-' ? at + 1 : at
    const end = endOfDigits(text, start, most)
    if (end - start < fewest) return NOT_READ
    let value = 0
    for (let digit = start; digit < end; digit++) value = value * 10 + text.charCodeAt(digit) - ZERO
    if (value < low || value > high) return NOT_READ
    return say(parts, part, sign === '-' && value > 0 ? -value : value) ? end : NOT_READ
  }
}

/** Reads a number that may be padded with a blank. */
export function readAfterBlank(read: Read): Read {
  return (text, at, parts) => read(text, text.startsWith(' ', at) ? at + 1 : at, parts)
}

/** Reads digits after the point. */
export function readFraction(fewest: number, most: number): Read {
  return (text, at, parts) => {
    const end = endOfDigits(text, at, most)
    if (end - at < fewest) return NOT_READ
    return say(parts, 'nanosecond', Number(text.slice(at, end).padEnd(9, '0'))) ? end : NOT_READ
  }
}

export function readPoint(read: Read, { isOptional }: { readonly isOptional: boolean }): Read {
  return (text, at, parts) => {
    if (text.startsWith('.', at)) return read(text, at + 1, parts)
    return isOptional ? at : NOT_READ
  }
}

/**
 * Reads a name, case-insensitive.
 *
 * @param first number of the first name
 * @param form short: three letters; long: all letters, or three
 */
export function readName(
  part: TimePart,
  names: readonly string[],
  { first, form }: { readonly first: number; readonly form: 'short' | 'long' },
): Read {
  const known = new Map(names.map((name, index) => [name.slice(0, 3).toLowerCase(), first + index]))
  const rests = names.map(name => name.slice(3).toLowerCase())
  return (text, at, parts) => {
    const end = at + 3
    const value = known.get(text.slice(at, end).toLowerCase())
    if (value === undefined || !say(parts, part, value)) return NOT_READ
    if (form === 'short') return end
    const rest = rests[value - first] as string
    return text.slice(end, end + rest.length).toLowerCase() === rest ? end + rest.length : end
  }
}

export function readHalf(text: string, at: number, parts: TimeParts): number {
  const half = ['am', 'pm'].indexOf(text.slice(at, at + 2).toLowerCase())
  return half !== -1 && say(parts, 'half', half) ? at + 2 : NOT_READ
}

/** @param form sticky; its groups are sign, hours and minutes */
export function readOffset(form: RegExp): Read {
  return (text, at, parts) => {
    form.lastIndex = at
    const match = form.exec(text)
    if (match === null) return NOT_READ
    const [whole, sign, hours = '0', minutes = '0'] = match
    if (Number(hours) > 23 || Number(minutes) > 59) return NOT_READ
    const size = Number(hours) * 60 + Number(minutes)
    return say(parts, 'offsetMinutes', sign === '-' && size > 0 ? -size : size) ? at + whole.length : NOT_READ
  }
}

const ZONE_NAME = /[A-Za-z][A-Za-z0-9_/+-]*/y
const NAMES_OF_UTC = ['UTC', 'GMT', 'Z']

/** Skips names of other zones: their meaning depends on place and year. */
export function readZoneName(text: string, at: number, parts: TimeParts): number {
  ZONE_NAME.lastIndex = at
  const zone = ZONE_NAME.exec(text)?.[0]
  if (zone === undefined) return NOT_READ
  return !NAMES_OF_UTC.includes(zone) || say(parts, 'offsetMinutes', 0) ? at + zone.length : NOT_READ
}

/** Reads a run of blanks of any length, including none. */
export function readBlanks(text: string, at: number): number {
  let end = at
  while (isBlank(text, end)) end++
  return end
}

export function readLiteral(literal: string): Read {
  return (text, at) => (text.startsWith(literal, at) ? at + literal.length : NOT_READ)
}

export function readOneOf(characters: string): Read {
  return (text, at) => (at < text.length && characters.includes(text[at] as string) ? at + 1 : NOT_READ)
}

export function readInTurn(reads: readonly Read[]): Read {
  return (text, from, parts) => {
    let at = from
    for (const read of reads) {
      at = read(text, at, parts)
      if (at === NOT_READ) break
    }
    return at
  }
}

/** @returns false when the part already has another value */
function say(parts: TimeParts, part: TimePart, value: number): boolean {
  const before = parts[part]
  parts[part] = value
  return before === undefined || before === value
}

const ZERO = 48
const NINE = 57

function endOfDigits(text: string, start: number, most: number): number {
  let end = start
  while (end - start < most && isDigit(text, end)) end++
  return end
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at) // NaN after the end
  return code >= ZERO && code <= NINE
}

function isBlank(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code === 32 || (code >= 9 && code <= 13) || (code >= 128 && /\s/.test(text[at] as string))
}
