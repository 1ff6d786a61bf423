import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { detectLevel, levelOfMember, normalLevel } from './level.ts'

const detected = (text: string) => {
  const bytes = Buffer.from(`ERROR${text}ERROR`) // bytes around the text must not be read
  return detectLevel(bytes, 5, bytes.length - 5)
}

describe('level detection', () => {
  test.each([
    ['an ERROR occurred', 'ERROR'],
    ['[error] no such file', 'ERROR'],
    ['level=warn msg=x', 'WARN'],
    ['WARNING: deprecated', 'WARN'],
    ['warn|warning', 'WARN'],
    ['<Info> started', 'INFO'],
    ['error-handler installed', 'ERROR'],
    ['debug', 'DEBUG'],
    ['CRITICAL', 'CRITICAL'],
    ['emergency!', 'EMERGENCY'],
    ['Fatal', 'FATAL'],
    ['SEVERE x', 'SEVERE'],
    ['trace ', 'TRACE'],
    ['red alert', 'ALERT'],
    ['发生ERROR了', 'ERROR'],
    ['no errors, 2 INFORMATION, ERROR_CODE=5, xerror, warn1, log_error', ''],
    ['errorr erro', ''],
    ['first INFO then ERROR', 'INFO'],
    ['', ''],
    ['10.0.0.1 - - "GET / HTTP/1.1" 200', ''],
  ])('%j gives %j', (text, level) => {
    expect(detected(text)).toBe(level)
  })

  test('a word that ends with character 256 counts, one that ends with 257 does not', () => {
    expect(detected(`${' '.repeat(251)}ERROR then`)).toBe('ERROR')
    expect(detected(`${' '.repeat(252)}ERROR then`)).toBe('')
    expect(detected(`${' '.repeat(252)}WARNING`)).toBe('') // WARN would fit, but it is not a whole word.
  })

  test('characters are counted, not bytes', () => {
    expect(detected(`${'é'.repeat(251)}ERROR`)).toBe('ERROR')
    expect(detected(`${'😀'.repeat(251)}ERROR`)).toBe('ERROR')
    expect(detected(`${'😀'.repeat(252)}ERROR`)).toBe('')
  })

  test('detection agrees with a regular expression on the first 256 characters', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...['error', 'WARN', 'Warning', 'info', 'x', '_', '1', ' ', '=', 'é', '漢', '😀', '  '],
      ),
      fc.string({ unit: 'grapheme', maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 200, size: 'max' }), pieces => {
        const text = Buffer.from(pieces.join('')).toString()
        expect(detected(text)).toBe(levelByPattern(text))
      }),
    )
  })
})

/** The rule as a pattern, without regard to speed. */
function levelByPattern(text: string): string {
  const pattern = /\b(critical|debug|emergency|error|fatal|info|severe|trace|warning|warn|alert)\b/gi
  const limit = [...text].slice(0, 256).join('').length
  for (const match of text.matchAll(pattern)) {
    if (match.index + match[0].length > limit) return ''
    const word = match[0].toUpperCase()
    return word === 'WARNING' ? 'WARN' : word
  }
  return ''
}

describe('a sent level', () => {
  test.each([
    [' warning ', 'WARNING'],
    ['Info', 'INFO'],
    ['', ''],
    ['  ', ''],
    ['x'.repeat(80), 'X'.repeat(80)],
    ['x'.repeat(81), 'X'.repeat(80)],
    ['😀'.repeat(81), '😀'.repeat(80)],
  ])('%j becomes %j', (sent, level) => {
    expect(normalLevel(sent)).toBe(level)
  })

  test('a number is a level, and an object or a null is not', () => {
    expect([30, { a: 1 }, null, [], true].map(levelOfMember)).toEqual(['30', '', '', '', ''])
  })
})
