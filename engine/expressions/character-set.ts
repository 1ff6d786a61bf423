import { RE2JS } from 're2js'

const ASCII_SIZE = 0x80
const MAX_CODE_POINT = 0x10ffff
const KELVIN_SIGN = 0x212a
const LONG_S = 0x17f

/** Code points, both ends included. */
export interface CodePointRange {
  readonly low: number
  readonly high: number
}

/** A part of a set of characters: ranges, or a Unicode property. Case is folded before a part is inverted. */
export type SetPart =
  | { readonly ranges: readonly CodePointRange[]; readonly isInverted: boolean }
  | { readonly property: string; readonly isInverted: boolean }

/** The set of characters that one item of an expression accepts: `x`, `.`, `\d`, `[^a-z]`. */
export class CharacterSet {
  /** Sets with the same key contain the same characters. */
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

  /** Whether it contains a Unicode property, which has many ranges. */
  get hasProperty(): boolean {
    return this.#parts.some(part => 'property' in part)
  }

  /** The one character that it contains; undefined: it has several, or its case is ignored. */
  onlyCharacter(): number | undefined {
    const [part, another] = this.#parts
    if (part === undefined || another !== undefined || this.#isInverted) return undefined
    if ('property' in part || part.isInverted || part.ranges.length !== 1) return undefined
    const { low, high } = part.ranges[0] as CodePointRange
    if (low !== high) return undefined
    return this.#ignoresCase && !isWithoutCase(low) ? undefined : low
  }

  /**
   * Characters beyond ASCII at which the set may begin or end. Simple case folding has no such list for a range beyond ASCII, and
   * neither has a property: the result is undefined.
   */
  borders(): number[] | undefined {
    const borders: number[] = []
    for (const part of this.#parts) {
      if ('property' in part) return undefined
      for (const { low, high } of part.ranges) {
        if (high < ASCII_SIZE) continue
        borders.push(low, high + 1)
        if (!this.#ignoresCase) continue
        if (low !== high) return undefined
        const character = String.fromCodePoint(low)
        for (const variant of [character.toLowerCase(), character.toUpperCase()]) {
          const codePoint = variant.codePointAt(0) as number
          borders.push(codePoint, codePoint + 1)
        }
      }
    }
    if (this.#ignoresCase) borders.push(LONG_S, LONG_S + 1, KELVIN_SIGN, KELVIN_SIGN + 1)
    return borders.filter(border => border >= ASCII_SIZE && border <= MAX_CODE_POINT)
  }

  /** The only character of the set; undefined when it has several, and where case or a property decides. */
  get single(): string | undefined {
    const [part, ...others] = this.#parts
    if (part === undefined || others.length > 0 || 'property' in part) return undefined
    const [range, ...further] = part.ranges
    if (range === undefined || further.length > 0 || range.low !== range.high) return undefined
    if (this.#isInverted || part.isInverted || this.#ignoresCase) return undefined
    return String.fromCodePoint(range.low)
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

/** Whether an ASCII character is not a letter; characters beyond ASCII may have a case. */
function isWithoutCase(codePoint: number): boolean {
  const lower = codePoint | 0x20
  return codePoint < ASCII_SIZE && (lower < 0x61 || lower > 0x7a)
}

function holds(ranges: readonly CodePointRange[], codePoint: number): boolean {
  return ranges.some(({ low, high }) => low <= codePoint && codePoint <= high)
}

/** Simple case folding. An ASCII letter has at most two variants, so ASCII needs no table. */
function holdsFolded(ranges: readonly CodePointRange[], codePoint: number): boolean {
  if (holds(ranges, codePoint)) return true
  if (codePoint >= ASCII_SIZE) return foldedPattern(ranges).test(String.fromCodePoint(codePoint))
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

/** Properties by name and case, shared by all expressions. */
const properties = new Map<string, RE2JS>()
const MAX_PROPERTIES = 1_000

/** The library tests properties, so that both ways of matching accept the same letters. */
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
