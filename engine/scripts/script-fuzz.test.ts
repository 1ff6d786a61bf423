import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CALL_TIME_MS } from '../../test/support/called-script.ts'
import { compactText, drawnValue } from '../../test/support/drawn-json.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { jsonText } from '../json/json-text.ts'
import { finish } from '../steps.ts'
import { compileScript } from './compile-script.ts'
import { MAX_STEPS } from './script-run.ts'
import { scriptRunProblem } from './script-run-problem.ts'

/** Pieces of scripts, joined without sense. */
const piece = fc.constantFrom(
  ...[
    'function f(msg, meta) {',
    '}',
    '{',
    '(',
    ')',
    '[',
    ']',
    ';',
    ',',
    '.',
    ':',
    '?',
    '=',
    '==',
    '===',
    '+',
    '-',
    '*',
    '/',
  ],
  ...[
    '!',
    '&&',
    '||',
    '<',
    '=>',
    '...',
    '`',
    '"',
    "'",
    '\\',
    '/*',
    '*/',
    '//',
    '\n',
    '\u2028',
    ' ',
    '0',
    '1n',
    '1e9',
    '0x',
    '.5',
  ],
  ...[
    'msg',
    'meta',
    'x',
    'if',
    'else',
    'for',
    'of',
    'let x',
    'const y = 1',
    'var',
    'return',
    'null',
    'undefined',
    'new Date()',
  ],
  ...[
    'JSON.parse',
    'parseGrok(x, "%{WORD:w}")',
    'parseGrok(',
    'Object.keys',
    'parseInt',
    '.length',
    '.push(',
    '.slice(1)',
    '.toString()',
    '__proto__',
    'this',
    '\ud800',
    '😀',
  ],
)

test('a text of any kind is read, or has a problem at a place within it', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40, size: 'max' }), fc.boolean(), (pieces, isFunction) => {
      const text = isFunction ? `function f(msg, meta) { ${pieces.join(' ')} }` : pieces.join('')
      const problem = finish(scriptRunProblem(text))
      if (problem === undefined) return
      expect(problem.line).toBeLessThanOrEqual(text.split(/\r\n|[\n\r\u2028\u2029]/).length)
      expect(problem.column).toBeLessThanOrEqual(text.length + 1)
    }),
    { numRuns: 3_000 },
  )
})

const expression = fc.letrec<{ expression: string }>(tie => ({
  expression: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    fc.constantFrom(
      'msg',
      'meta',
      'x',
      'l',
      'each',
      '"a😀b"',
      '0',
      '-1',
      '3',
      '9007199254740993',
      'null',
      'true',
      '""',
    ),
    fc.constantFrom('msg.a', 'msg["7"]', 'l[0]', 'msg.a.b.c', 'x.length', '{}', '[]', 'msg.__proto__'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '<', '>=', '==', '!=', '&&', '||'),
        tie('expression'),
      )
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('slice', 'at', 'repeat', 'padEnd', 'indexOf', 'push', 'startsWith'),
        tie('expression'),
      )
      .map(([one, method, other]) => `(${one}).${method}(${other})`),
    fc
      .tuple(
        fc.constantFrom(
          'JSON.parse',
          'JSON.stringify',
          'Object.keys',
          'Object.entries',
          'parseInt',
          'new Date',
          'Date.parse',
        ),
        tie('expression'),
      )
      .map(([called, value]) => `${called}(${value})`),
    tie('expression').map(each => `(${each}).toString()`),
    tie('expression').map(each => `[${each}, ${each}]`),
    tie('expression').map(each => `{ a: ${each}, "7": ${each} }`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, key]) => `(${one})[${key}]`),
    fc
      .tuple(tie('expression'), tie('expression'), tie('expression'))
      .map(parts => `(${parts[0]} ? ${parts[1]} : ${parts[2]})`),
  ),
})).expression

const target = fc.constantFrom(
  'msg',
  'x',
  'l',
  'msg.a',
  'msg.a.b',
  'msg["7"]',
  'l[2]',
  'meta.m',
  'msg[x]',
  'l[x].y',
  'meta',
)

const statement = fc.oneof(
  fc.tuple(target, fc.constantFrom('=', '=', '+=', '-='), expression).map(parts => `${parts.join(' ')};`),
  fc.tuple(expression, target, expression).map(([test, to, value]) => `if (${test}) { ${to} = ${value} }`),
  fc
    .tuple(expression, target, expression)
    .map(([list, to, value]) => `for (each of ${list}) { ${to} = ${value}; l.push(each) }`),
  expression.map(each => `${each};`).filter(each => !each.startsWith('{')),
)

test('scripts that make no sense end with a value or a failure, the same each time, and leave their values alone', () => {
  let values = 0
  fc.assert(
    fc.property(
      fc.array(statement, { maxLength: 10 }),
      expression,
      drawnValue,
      (statements, result, drawn) => {
        const text = `function f(msg, meta) { let x = 1; let l = [1, [2]]; let each; ${statements.join('\n')} return ${result} }`
        const script = compileScript(text, [0, 1])
        const source = `{"a":${compactText(drawn)},"7":[1,{"b":2}],"1":"x"}`
        const call = () => {
          const [message, metadata] = [parseExactJson(source), parseExactJson(source)]
          const called = script.call(
            [message, metadata],
            { nowMs: CALL_TIME_MS, stateVariable: () => null, search: UNMETERED.count },
            MAX_STEPS,
          )
          expect(jsonText(message)).toBe(source)
          expect(jsonText(metadata)).toBe(source)
          if ('failure' in called) return [called.failure.message, called.steps]
          values++
          // The result can be printed, and read again.
          for (const value of [called.value, ...called.kept]) {
            const printed = jsonText(value ?? null)
            expect(jsonText(parseExactJson(printed))).toBe(printed)
          }
          return [jsonText(called.value), called.kept.map(each => jsonText(each ?? null)), called.steps]
        }
        expect(call()).toEqual(call())
      },
    ),
    { numRuns: 2_000 },
  )
  expect(values).toBeGreaterThan(1_000)
})
