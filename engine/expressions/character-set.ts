import { RE2JS } from 're2js'

/** Code points, both ends included. */
export interface CodePointRange {
  readonly low: number
  readonly high: number
}

/** A part of a set of characters: ranges, or a property of Unicode. Case is looked past before a part is inverted. */
export type SetPart =
  | { readonly ranges: readonly CodePointRange[]; readonly isInverted: boolean }
  | { readonly property: string; readonly isInverted: boolean }

/** What one character of a text must be: `x`, `.`, `\d`, `[^a-z]`. */
export class CharacterSet {
  /** Sets with the same key hold the same characters. */
  readonly key: string
  readonly #parts: readonly SetPart[]
  readonly #isInverted: boolean
  readonly #ignoresCase: boolean

  constructor(
    parts: readonly SetPart[],
    { isInverted = false, ignoresCase = false }: { isInverted?: boolean; ignoresCase?: boolean } = {},
  ) {
    this.#parts = parts
    this.#isInverted = isInverted
    this.#ignoresCase = ignoresCase
    this.key = JSON.stringify([parts, isInverted, ignoresCase])
  }

  /** Whether it is made of a property of Unicode, which has many ranges. */
  get hasProperty(): boolean {
    return this.#parts.some(part => 'property' in part)
  }

  has(codePoint: number): boolean {
    return this.#parts.some(part => this.#holds(part, codePoint)) !== this.#isInverted
  }

  #holds(part: SetPart, codePoint: number): boolean {
    if ('property' in part) return hasProperty(part, codePoint, this.#ignoresCase)
    const { ranges, isInverted } = part
    const isHeld = this.#ignoresCase ? holdsFolded(ranges, codePoint) : holds(ranges, codePoint)
    return isHeld !== isInverted
  }
}

function holds(ranges: readonly CodePointRange[], codePoint: number): boolean {
  return ranges.some(({ low, high }) => low <= codePoint && codePoint <= high)
}

const KELVIN_SIGN = 0x212a
const LONG_S = 0x17f

/** Simple case folding. Letters of ASCII equal two others, so they need no table. */
function holdsFolded(ranges: readonly CodePointRange[], codePoint: number): boolean {
  if (holds(ranges, codePoint)) return true
  if (codePoint >= 0x80) return foldedPattern(ranges).test(String.fromCodePoint(codePoint))
  const lower = codePoint | 0x20
  if (lower < 0x61 || lower > 0x7a) return false
  return (
    holds(ranges, codePoint ^ 0x20) ||
    (lower === 0x6b && holds(ranges, KELVIN_SIGN)) ||
    (lower === 0x73 && holds(ranges, LONG_S))
  )
}

const foldedPatterns = new WeakMap<readonly CodePointRange[], RegExp>()

function foldedPattern(ranges: readonly CodePointRange[]): RegExp {
  let pattern = foldedPatterns.get(ranges)
  if (pattern === undefined) {
    const text = ranges.map(({ low, high }) => `\\u{${low.toString(16)}}-\\u{${high.toString(16)}}`)
    pattern = new RegExp(`^[${text.join('')}]$`, 'iu')
    foldedPatterns.set(ranges, pattern)
  }
  return pattern
}

/** By property and case. What is known of one serves all expressions. */
const properties = new Map<string, RE2JS>()
const MAX_PROPERTIES = 1_000

/** Properties are those of the library, so that both ways to match see the same letters. */
function hasProperty(
  { property, isInverted }: { readonly property: string; readonly isInverted: boolean },
  codePoint: number,
  ignoresCase: boolean,
): boolean {
  const source = `${ignoresCase ? '(?i)' : ''}\\A\\${isInverted ? 'P' : 'p'}{${property}}\\z`
  let compiled = properties.get(source)
  if (compiled === undefined) {
    if (properties.size >= MAX_PROPERTIES) properties.clear()
    compiled = RE2JS.compile(source)
    properties.set(source, compiled)
  }
  return compiled.test(String.fromCodePoint(codePoint))
}
