import { describe, expect, test } from 'vitest'
import { scriptProblem } from './script-check.ts'

const INVALID = 'script is not valid JavaScript'
const NOT_ONE = 'script must contain exactly one function and nothing else'

describe('a script', () => {
  test.each([
    ['function processEvent(e) { return e }'],
    ['function f(){}'],
    ['// says why\n/* a * / b */ function f(message, metadata) {\n  return null\n}\n'],
    ['function f() {};\n'],
    ['function f() {} // the end'],
    ['function get(a, a) { return a }'],
  ])('is one function: %s', source => {
    expect(scriptProblem(source)).toBeUndefined()
  })

  test.each([
    ['THIS IS NOT VALID', `${INVALID}: Unexpected identifier 'IS' (line 1, column 6)`],
    ['function f(a) {\n\treturn a +;\n}', `${INVALID}: Unexpected token ';' (line 2, column 12)`],
    ['function f() {', `${INVALID}: Unexpected end of input (line 1, column 15)`],
    ['return 1', `${INVALID}: Illegal return statement (line 1, column 1)`],
    ['(e) => e)', `${INVALID}: Unexpected token ')' (line 1, column 9)`],
    [
      'function f() {} else {} if (1) function g() {}',
      `${INVALID}: Unexpected token 'else' (line 1, column 17)`,
    ],
    ['('.repeat(60_000), `${INVALID}: it is nested too deeply`],
  ])('that does not compile is refused with the place: %.30s', (source, problem) => {
    expect(scriptProblem(source)).toBe(problem)
  })

  test.each([
    ['1'],
    ['e => e'],
    ['const f = function () {}'],
    ['function f() {} function g() {}'],
    ['function f() {}\n(1)'],
    ['function f() {}\nf()'],
    ['"use strict"; function f() {}'],
    ['async function f() {}'],
    ['function* f() {}'],
    ['{ function f() {} }'],
    [' '],
  ])('that is not exactly one function is refused: %s', source => {
    expect(scriptProblem(source)).toBe(NOT_ONE)
  })

  test('is never run', () => {
    expect(scriptProblem('globalThis.ran = true; function f() {}')).toBe(NOT_ONE)
    expect(globalThis).not.toHaveProperty('ran')
  })

  test('has at most 64 KiB, whatever its characters are', () => {
    const around = 'function f() { return "" }'
    const room = 65_536 - around.length
    const holding = (text: string) => around.replace('""', `"${text}"`)
    expect(scriptProblem(holding('x'.repeat(room)))).toBeUndefined()
    expect(scriptProblem(holding('x'.repeat(room + 1)))).toBe('must NOT have more than 65536 bytes')
    expect(scriptProblem(holding('ü'.repeat(room / 2)))).toBeUndefined()
    expect(scriptProblem(holding('ü'.repeat(room / 2 + 1)))).toBe('must NOT have more than 65536 bytes')
  })

  test.each([['//'], ['/**/'], ['/*'], [' ']])('that consists only of %s is judged in one pass', piece => {
    expect(scriptProblem(piece.repeat(16_000))).toBeDefined()
  })
})
