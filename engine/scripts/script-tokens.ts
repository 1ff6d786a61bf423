import { ScriptProblem } from './script-problem.ts'

/** Smallest part of a script that has a meaning. */
export interface Token {
  readonly kind: 'name' | 'number' | 'string' | 'punctuation' | 'end'
  /** Text as it is written; of a string, with its quotes. */
  readonly text: string
  /** Value of a number or string. */
  readonly value: string | number | bigint | undefined
  readonly start: number
  readonly end: number
  /** Whether a line break stands between the previous token and this one. */
  readonly isOnNewLine: boolean
}

const BLANKS = /(?:\s+|\/\/[^\n\r\u2028\u2029]*|\/\*(?:[^*]|\*(?!\/))*\*\/)*/y
const HAS_LINE_BREAK = /[\n\r\u2028\u2029]/
const NAME = /[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*/uy
const NUMBER =
  /0[xX][\da-fA-F]+(?:_[\da-fA-F]+)*|0[oO][0-7]+(?:_[0-7]+)*|0[bB][01]+(?:_[01]+)*|(?:(?:0|[1-9]\d*(?:_\d+)*)(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:[eE][+-]?\d+(?:_\d+)*)?/y
const BEGINS_NUMBER = /\.?\d/y
const NAME_FOLLOWS = /[\p{ID_Start}$_\d\\]/uy
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*'/y
const PUNCTUATION =
  /\.{3}|=>|[=!]==?|>>>=?|<<=?|>>=?|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|\*\*=?|\+\+|--|[-+*/%&|^<>]=?|[(){}[\];,:?.=!~@#`\\]/y
const ESCAPE = /\\(?:\r\n|u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g
const DECIMAL_INTEGER = /^\d+$/
/** A double has at most so many digits before its point. */
const MAX_INTEGER_DIGITS = 309
const MAX_CODE_POINT = 0x10ffff

const ESCAPED: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  0: '\0',
  '\n': '',
  '\r': '',
  '\u2028': '',
  '\u2029': '',
}

/** Reads the token that follows a position. @throws ScriptProblem */
export function tokenAfter(text: string, from: number): Token {
  const start = endOf(BLANKS, text, from) ?? from
  const isOnNewLine = start > from && HAS_LINE_BREAK.test(text.slice(from, start))
  const token = (kind: Token['kind'], end: number, value?: Token['value']): Token => ({
    kind,
    text: text.slice(start, end),
    value,
    start,
    end,
    isOnNewLine,
  })
  if (start === text.length) return token('end', start)
  const nameEnd = endOf(NAME, text, start)
  if (nameEnd !== undefined) {
    if (text[nameEnd] === '\\') throw new ScriptProblem('an escape in a name is not available', nameEnd)
    return token('name', nameEnd)
  }
  if (endOf(BEGINS_NUMBER, text, start) !== undefined) {
    const end = endOf(NUMBER, text, start) ?? start
    return token('number', end, numberValue(text, start, end))
  }
  const stringEnd = endOf(STRING, text, start)
  if (stringEnd !== undefined) return token('string', stringEnd, stringValue(text, start, stringEnd))
  const end = endOf(PUNCTUATION, text, start)
  if (end === undefined) throw new ScriptProblem('it cannot be read from here on', start)
  return token('punctuation', end)
}

/** @param form sticky @returns undefined when it does not match there */
function endOf(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at
  return form.test(text) ? form.lastIndex : undefined
}

function numberValue(text: string, start: number, end: number): number | bigint {
  if (endOf(NAME_FOLLOWS, text, end) !== undefined)
    throw new ScriptProblem(
      text[end] === 'n'
        ? 'a number with the suffix "n" is not available'
        : 'a number of this form is not available',
      start,
    )
  const source = text.slice(start, end).replaceAll('_', '')
  const isInteger = DECIMAL_INTEGER.test(source) || /^0[xob]/i.test(source)
  const value = Number(source)
  if (!Number.isFinite(value) || source.length > MAX_INTEGER_DIGITS)
    throw new ScriptProblem('a number this large is not available', start)
  return isInteger && !Number.isSafeInteger(value) ? BigInt(source) : value
}

function stringValue(text: string, start: number, end: number): string {
  const content = text.slice(start + 1, end - 1)
  if (!content.includes('\\')) return content
  return content.replace(
    ESCAPE,
    (
      whole: string,
      braced: string | undefined,
      four: string | undefined,
      two: string | undefined,
      one: string | undefined,
      offset: number,
    ) => {
      if (braced !== undefined) {
        const codePoint = Number.parseInt(braced, 16)
        if (codePoint > MAX_CODE_POINT)
          throw new ScriptProblem('an escape beyond the last character', start + 1 + offset)
        return String.fromCodePoint(codePoint)
      }
      const digits = four ?? two
      if (digits !== undefined) return String.fromCharCode(Number.parseInt(digits, 16))
      if (one === undefined) return '' // A line break after a backslash continues the string.
      const isOctal = /[1-9]/.test(one) || (one === '0' && /\d/.test(content[offset + 2] ?? ''))
      if (isOctal || one === 'u' || one === 'x')
        throw new ScriptProblem(`${whole} is not available in a text`, start + 1 + offset)
      return ESCAPED[one] ?? one
    },
  )
}
