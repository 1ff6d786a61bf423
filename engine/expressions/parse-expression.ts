import { CharacterSet, type CodePointRange, type SetPart } from './character-set.ts'
import type { Edge, ExpressionTree } from './expression-tree.ts'

const MAX_CODE_POINT = 0x10ffff
const NEWLINE = 0x0a

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
  /** Repeats are lazy, and those with a question mark are not. */
  readonly U: boolean
}

/** Flags that hold from the beginning, as if the expression began with them. */
export interface InitialFlags {
  readonly ignoreCase?: boolean
  /** Edges of the text are those of its lines, too. */
  readonly multiline?: boolean
  /** The point also accepts a line feed. */
  readonly dotAll?: boolean
}

/**
 * Parses an expression that the library accepts (components, section 9.5), without a leading flag `x`, which was removed before.
 * The result for other expressions is undefined.
 */
export function parseExpression(
  source: string,
  { ignoreCase: i = false, multiline: m = false, dotAll: s = false }: InitialFlags,
): ExpressionTree {
  return new ExpressionParser(source, { i, m, s, U: false }).parse()
}

class ExpressionParser {
  readonly #source: string
  #flags: Flags
  #at = 0
  #groups = 0

  constructor(source: string, flags: Flags) {
    this.#source = source
    this.#flags = flags
  }

  parse(): ExpressionTree {
    const tree = this.#choice()
    if (this.#at < this.#source.length) throw this.#error()
    return tree
  }

  #choice(): ExpressionTree {
    const options = [this.#sequence()]
    while (this.#take('|')) options.push(this.#sequence())
    return options.length === 1 ? (options[0] as ExpressionTree) : { kind: 'choice', options }
  }

  /** A repeat applies to the item before it, even if flags or an empty quotation stand between them. */
  #sequence(): ExpressionTree {
    const parts: ExpressionTree[] = []
    while (this.#at < this.#source.length && !this.#isNext('|') && !this.#isNext(')')) {
      const repeat = this.#takeRepeat()
      if (repeat === undefined) {
        parts.push(...this.#items())
        continue
      }
      const of = parts.pop()
      if (of === undefined) throw this.#error()
      parts.push({ kind: 'repeat', of, ...repeat })
    }
    return parts.length === 1 ? (parts[0] as ExpressionTree) : { kind: 'sequence', parts }
  }

  #takeRepeat(): { readonly least: number; readonly most: number; readonly isLazy: boolean } | undefined {
    const match = this.#match(/(?:[*+?]|\{(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?\})(\??)/y)
    if (match === null) return undefined
    const isLazy = (match[4] === '?') !== this.#flags.U
    switch (match[0].charAt(0)) {
      case '*':
        return { least: 0, most: Number.POSITIVE_INFINITY, isLazy }
      case '+':
        return { least: 1, most: Number.POSITIVE_INFINITY, isLazy }
      case '?':
        return { least: 0, most: 1, isLazy }
    }
    const least = Number(match[1])
    if (match[2] === undefined) return { least, most: least, isLazy }
    return { least, most: match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3]), isLazy }
  }

  /** Items of the next syntax element: none, one, or the characters of a quotation. */
  #items(): ExpressionTree[] {
    switch (this.#source[this.#at]) {
      case '(':
        return this.#group()
      case '[':
        return [{ kind: 'set', set: this.#class() }]
      case '.':
        this.#at++
        return [{ kind: 'set', set: this.#flags.s ? ANYTHING : NO_NEWLINE }]
      case '^':
        this.#at++
        return [edge(this.#flags.m ? 'line start' : 'text start')]
      case '$':
        this.#at++
        return [edge(this.#flags.m ? 'line end' : 'text end')]
      case '\\':
        return this.#escaped()
      default:
        return [this.#literal(this.#takeCodePoint())]
    }
  }

  #group(): ExpressionTree[] {
    const outer = this.#flags
    this.#at++
    const named = this.#match(/\?P?<(\w+)>/y)
    const isCaptured = named !== null || !this.#take('?')
    if (!isCaptured) {
      this.#readFlags()
      // Flags without a group apply until the enclosing group ends.
      if (this.#take(')')) return []
      if (!this.#take(':')) throw this.#error()
    }
    const number = isCaptured ? ++this.#groups : 0
    const tree = this.#choice()
    if (!this.#take(')')) throw this.#error()
    this.#flags = outer
    return [isCaptured ? { kind: 'group', of: tree, number, name: named?.[1] } : tree]
  }

  #readFlags(): void {
    const [, on = '', off = ''] = this.#match(/([imsU]*)(?:-([imsU]*))?/y) ?? []
    const flagOf = (name: keyof Flags) => (on.includes(name) || this.#flags[name]) && !off.includes(name)
    this.#flags = { i: flagOf('i'), m: flagOf('m'), s: flagOf('s'), U: flagOf('U') }
  }

  #escaped(): ExpressionTree[] {
    const place = EDGES[this.#source[this.#at + 1] ?? '']
    if (place !== undefined) {
      this.#at += 2
      return [edge(place)]
    }
    const quoted = this.#match(/\\Q([\s\S]*?)(?:\\E|$)/y)
    if (quoted !== null) return Array.from(quoted[1] as string, each => this.#literal(codePointOf(each)))
    const part = this.#takeEscapedPart()
    return [part === undefined ? this.#literal(this.#takeEscapedCodePoint()) : this.#set([part])]
  }

  #class(): CharacterSet {
    this.#at++
    const isInverted = this.#take('^')
    const parts: SetPart[] = []
    const ranges: CodePointRange[] = []
    for (let isFirst = true; isFirst || !this.#isNext(']'); isFirst = false) {
      const part = this.#takeNamedPart() ?? this.#takeEscapedPart()
      if (part !== undefined) {
        parts.push(part)
        continue
      }
      const low = this.#takeClassCodePoint()
      const isRange = this.#isNext('-') && this.#source[this.#at + 1] !== ']'
      if (isRange) this.#at++
      ranges.push({ low, high: isRange ? this.#takeClassCodePoint() : low })
    }
    this.#at++
    if (ranges.length > 0) parts.push({ ranges, isInverted: false })
    return new CharacterSet(parts, { isInverted, ignoresCase: this.#flags.i })
  }

  /** A named class such as `[:alpha:]` within a class. */
  #takeNamedPart(): SetPart | undefined {
    const match = this.#match(/\[:(\^?)(\w+):\]/y)
    if (match === null) return undefined
    const ranges = NAMED_RANGES[match[2] as string]
    if (ranges === undefined) throw this.#error()
    return { ranges, isInverted: match[1] !== '' }
  }

  /** An escaped class such as `\d` or `\p{…}`. */
  #takeEscapedPart(): SetPart | undefined {
    const property = this.#match(/\\([pP])(?:\{(\^?)([^}]*)\}|([\s\S]))/y)
    if (property !== null) {
      const [, letter, inverted, name, short] = property
      return { property: (name ?? short) as string, isInverted: (letter === 'P') !== (inverted === '^') }
    }
    const group = this.#match(/\\([dDsSwW])/y)
    if (group === null) return undefined
    const letter = group[1] as string
    const lower = letter.toLowerCase()
    return { ranges: PERL_RANGES[lower] as readonly CodePointRange[], isInverted: letter !== lower }
  }

  #takeClassCodePoint(): number {
    return this.#isNext('\\') ? this.#takeEscapedCodePoint() : this.#takeCodePoint()
  }

  #takeEscapedCodePoint(): number {
    const octal = this.#match(/\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/y)
    if (octal !== null) return Number.parseInt(octal[1] as string, 8)
    const hexadecimal = this.#match(/\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/y)
    if (hexadecimal !== null) return Number.parseInt((hexadecimal[1] ?? hexadecimal[2]) as string, 16)
    this.#at++
    const codePoint = this.#takeCodePoint()
    return CONTROLS[String.fromCodePoint(codePoint)] ?? codePoint
  }

  #literal(codePoint: number): ExpressionTree {
    return this.#set([{ ranges: [{ low: codePoint, high: codePoint }], isInverted: false }])
  }

  #set(parts: readonly SetPart[]): ExpressionTree {
    return { kind: 'set', set: new CharacterSet(parts, { ignoresCase: this.#flags.i }) }
  }

  #takeCodePoint(): number {
    const codePoint = this.#source.codePointAt(this.#at)
    if (codePoint === undefined) throw this.#error()
    this.#at += codePoint > 0xffff ? 2 : 1
    return codePoint
  }

  #isNext(text: string): boolean {
    return this.#source.startsWith(text, this.#at)
  }

  #take(text: string): boolean {
    const isNext = this.#isNext(text)
    if (isNext) this.#at += text.length
    return isNext
  }

  /** @param pattern sticky */
  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at
    const match = pattern.exec(this.#source)
    if (match !== null) this.#at += match[0].length
    return match
  }

  #error(): RangeError {
    return new RangeError(`the expression was not checked: at character ${this.#at + 1}`)
  }
}

function edge(place: Edge): ExpressionTree {
  return { kind: 'edge', edge: place }
}

function codePointOf(character: string): number {
  return character.codePointAt(0) as number
}

/** Ranges from pairs of characters: the first and the last of each range. */
function rangesOf(...pairs: readonly string[]): CodePointRange[] {
  return pairs.map(pair => ({ low: pair.charCodeAt(0), high: pair.charCodeAt(pair.length - 1) }))
}

const ANYTHING = new CharacterSet([{ ranges: [{ low: 0, high: MAX_CODE_POINT }], isInverted: false }])
const NO_NEWLINE = new CharacterSet([{ ranges: [{ low: NEWLINE, high: NEWLINE }], isInverted: true }])

const EDGES: Readonly<Partial<Record<string, Edge>>> = {
  A: 'text start',
  z: 'text end',
  b: 'word',
  B: 'no word',
}
const CONTROLS: Readonly<Partial<Record<string, number>>> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }
const WORD = rangesOf('09', 'AZ', '__', 'az')
const PERL_RANGES: Readonly<Record<string, readonly CodePointRange[]>> = {
  d: rangesOf('09'),
  s: rangesOf('\t\n', '\f\r', ' '),
  w: WORD,
}
const NAMED_RANGES: Readonly<Partial<Record<string, readonly CodePointRange[]>>> = {
  alnum: rangesOf('09', 'AZ', 'az'),
  alpha: rangesOf('AZ', 'az'),
  ascii: rangesOf('\0\x7f'),
  blank: rangesOf('\t', ' '),
  cntrl: rangesOf('\0\x1f', '\x7f'),
  digit: rangesOf('09'),
  graph: rangesOf('!~'),
  lower: rangesOf('az'),
  print: rangesOf(' ~'),
  punct: rangesOf('!/', ':@', '[`', '{~'),
  space: rangesOf('\t\r', ' '),
  upper: rangesOf('AZ'),
  word: WORD,
  xdigit: rangesOf('09', 'AF', 'af'),
}
