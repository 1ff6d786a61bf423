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
const NAME_FOLLOWS = /[\p{ID_Start}$_\d\\]/uy
const STRING = /"(?:[^"\\\n\r]|\\(?:\r\n|[\s\S]))*"|'(?:[^'\\\n\r]|\\(?:\r\n|[\s\S]))*'/y
const PUNCTUATION =
  /\.{3}|=>|[=!]==?|>>>=?|<<=?|>>=?|&&=?|\|\|=?|\?\?=?|\?\.(?!\d)|\*\*=?|\+\+|--|[-+*/%&|^<>]=?|[(){}[\];,:?.=!~@#`\\]/y
const ESCAPE = /\\(?:\r\n|u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([\s\S]))/g
const DECIMAL_INTEGER = /^\d+$/
/** Punctuation that is not part of a longer one. */
const SINGLE = '(){}[];,:'
const SPACE = 0x20
const DOUBLE_QUOTE = 0x22
const DOLLAR = 0x24
const SINGLE_QUOTE = 0x27
const POINT = 0x2e
const SLASH = 0x2f
const BACKSLASH = 0x5c
const UNDERSCORE = 0x5f
const ASCII_END = 0x80
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
  const start = mayBeBlank(text.charCodeAt(from)) ? (endOf(BLANKS, text, from) ?? from) : from
  const isOnNewLine = start > from && HAS_LINE_BREAK.test(text.slice(from, start))
  if (start === text.length) return newToken('end', text, start, start, isOnNewLine)
  const code = text.charCodeAt(start)
  if (isLetter(code) || code >= ASCII_END) {
    const end = endOfName(text, start)
    if (end !== undefined) {
      if (text.charCodeAt(end) === BACKSLASH)
        throw new ScriptProblem('an escape in a name is not available', end)
      return newToken('name', text, start, end, isOnNewLine)
    }
  }
  if (isDigit(code) || (code === POINT && isDigit(text.charCodeAt(start + 1)))) {
    const end = endOf(NUMBER, text, start) ?? start
    return newToken('number', text, start, end, isOnNewLine, numberValue(text, start, end))
  }
  if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
    const end = endOf(STRING, text, start)
    if (end !== undefined)
      return newToken('string', text, start, end, isOnNewLine, stringValue(text, start, end))
  }
  const end = SINGLE.includes(text[start] as string) ? start + 1 : endOf(PUNCTUATION, text, start)
  if (end === undefined) throw new ScriptProblem('it cannot be read from here on', start)
  return newToken('punctuation', text, start, end, isOnNewLine)
}

function newToken(
  kind: Token['kind'],
  text: string,
  start: number,
  end: number,
  isOnNewLine: boolean,
  value?: Token['value'],
): Token {
  return { kind, text: text.slice(start, end), value, start, end, isOnNewLine }
}

/** Whether a blank or a comment may begin with this unit. */
function mayBeBlank(code: number): boolean {
  return code <= SPACE || code === SLASH || code >= ASCII_END
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** A letter that can begin a name, among ASCII. */
function isLetter(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === UNDERSCORE || code === DOLLAR
}

/** @returns undefined when no name begins there */
function endOfName(text: string, start: number): number | undefined {
  let end = start
  for (;;) {
    const code = text.charCodeAt(end)
    // Other letters have rules of their own.
    if (code >= ASCII_END) return endOf(NAME, text, start)
    if (!isLetter(code) && !isDigit(code)) return end
    end++
  }
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
