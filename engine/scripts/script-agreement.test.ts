import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { CALL_TIME_MS, calledScript, valueOfExpression } from '../../test/support/called-script.ts'
import { compactText, drawnValue } from '../../test/support/drawn-json.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { parseExactJson } from '../json/exact-json.ts'
import { compileScript } from './compile-script.ts'
import { MAX_STEPS } from './script-run.ts'

/** Texts of expressions of one type, in the part of the language that means the same in JavaScript. */
const { number, text, truth } = fc.letrec<{ number: string; text: string; truth: string }>(tie => {
  const either = (type: 'number' | 'text') =>
    fc
      .tuple(tie('truth'), tie(type), tie(type))
      .map(([test, then, other]) => `(${test} ? ${then} : ${other})`)
  const joined = (type: 'number' | 'text', operators: readonly string[]) =>
    fc
      .tuple(tie(type), fc.constantFrom(...operators), tie(type))
      .map(([left, operator, right]) => `(${left} ${operator} ${right})`)
  return {
    number: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'one' },
      fc.oneof(fc.nat(50), fc.constantFrom(0.1, 0.25, 1e21, 1e-7, 9_007_199_254_740_991)).map(String),
      joined('number', ['+', '-', '*', '/']),
      fc.tuple(tie('number'), tie('number'), tie('number')).map(([a, b, c]) => `${a} - ${b} + ${c}`),
      tie('number').map(operand => `-(${operand})`),
      tie('text').map(operand => `${operand}.length`),
      fc.tuple(tie('text'), tie('text')).map(([one, other]) => `${one}.indexOf(${other})`),
      fc.tuple(tie('text'), tie('text')).map(([one, other]) => `${one}.lastIndexOf(${other})`),
      either('number'),
    ),
    text: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'one' },
      fc
        .string({ maxLength: 6, unit: fc.constantFrom('a', 'b', 'B', ' ', '\\n', 'é', "\\'") })
        .map(each => `'${each}'`),
      joined('text', ['+']),
      fc
        .tuple(tie('text'), fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }))
        .map(([one, from, to]) => `${one}.slice(${from}, ${to})`),
      fc
        .tuple(tie('text'), fc.integer({ min: -5, max: 5 }), fc.integer({ min: -5, max: 5 }))
        .map(([one, from, to]) => `${one}.substring(${from}, ${to})`),
      fc
        .tuple(tie('text'), fc.nat(9), tie('text'))
        .map(([one, length, pad]) => `${one}.padStart(${length}, ${pad})`),
      fc
        .tuple(tie('text'), fc.nat(9), tie('text'))
        .map(([one, length, pad]) => `${one}.padEnd(${length}, ${pad})`),
      fc.tuple(tie('text'), fc.nat(2)).map(([one, times]) => `${one}.repeat(${times})`),
      fc.tuple(tie('text'), fc.integer({ min: -2, max: 6 })).map(([one, index]) => `${one}.charAt(${index})`),
      fc
        .tuple(tie('text'), fc.constantFrom('trim', 'trimStart', 'trimEnd', 'toUpperCase', 'toLowerCase'))
        .map(([one, method]) => `${one}.${method}()`),
      either('text'),
    ),
    truth: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'one' },
      fc.constantFrom('true', 'false'),
      joined('number', ['<', '<=', '>', '>=', '===', '!==', '==', '!=']),
      joined('text', ['<', '<=', '>', '>=', '===', '!==', '==', '!=']),
      fc.tuple(tie('truth'), fc.constantFrom('&&', '||'), tie('truth')).map(parts => `(${parts.join(' ')})`),
      tie('truth').map(operand => `!${operand}`),
      fc.tuple(tie('text'), tie('text')).map(([one, other]) => `${one}.startsWith(${other})`),
      fc.tuple(tie('text'), tie('text')).map(([one, other]) => `${one}.endsWith(${other})`),
    ),
  }
})

test('expressions on numbers, texts and truths have the value that JavaScript gives them', () => {
  fc.assert(
    fc.property(fc.oneof(number, text, truth), expression => {
      // A division by zero, and what is too large, has no value here, and one in a condition is false.
      const mayHaveNoValue = /[/]|1e21/.test(expression)
      const expected = runInNewContext(expression) as number | string | boolean
      const value = valueOfExpression(expression)
      if (!mayHaveNoValue) expect(value).toBe(JSON.stringify(expected))
      else if (value !== 'nothing' && !expression.includes('?') && !/[<>=&|!]/.test(expression))
        expect(value).toBe(JSON.stringify(expected))
    }),
    { numRuns: 3_000 },
  )
})

test('statements on variables, loops and arrays have the effect that JavaScript gives them', () => {
  const statement = fc.oneof(
    fc
      .tuple(
        fc.constantFrom('a', 'b', 'm.x', 'm["y"]', 'l[1]'),
        fc.constantFrom('=', '+=', '-=', '*='),
        fc.nat(9),
      )
      .map(([target, operator, value]) => `${target} ${operator} ${value};`),
    fc
      .tuple(fc.constantFrom('a', 'b', 'm.x'), fc.constantFrom('<', '>=', '==='), fc.nat(9), fc.nat(9))
      .map(
        ([left, operator, right, value]) =>
          `if (${left} ${operator} ${right}) { a += ${value} } else b -= ${value}\n`,
      ),
    fc.nat(9).map(value => `l.push(${value});`),
    fc
      .nat(9)
      .map(
        value =>
          `for (const e of l) { if (e > ${value}) { a = a + e } else { m.x += 1; let b = e; m.y = b } }`,
      ),
    fc.nat(9).map(value => `for (const e of l) if (l.length < ${value}) l.push(e + 1);`),
    fc.nat(9).map(value => `if (a > 5${value}) return [a, m];`),
    fc.constantFrom(
      'm = { x: a, y: m.y };',
      'l = [b, m.x];',
      'm.x = a - m.y;',
      'b = a < b ? l.length : l[0];',
    ),
  )
  fc.assert(
    fc.property(fc.array(statement, { maxLength: 12 }), statements => {
      const script = `function f() { let a = 1, b = 2; var m = { x: 3, y: 4 }; let l = [5, 6]; ${statements.join(' ')} return [a, b, m, l] }`
      const expected = JSON.stringify(runInNewContext(`(${script})()`))
      expect(calledScript(script).value).toBe(expected)
    }),
    { numRuns: 1_000 },
  )
})

test('methods count in code points, as an array of them does', () => {
  const drawn = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'é', '😀', '\ud83d', '𝒳', '€') })
  const index = fc.integer({ min: -9, max: 9 })
  fc.assert(
    fc.property(drawn, drawn, index, index, (one, other, from, to) => {
      const points = Array.from(one)
      const after = (expression: string) =>
        parseExactJson(valueOfExpression(`{ value: ${expression} }`, JSON.stringify({ one, other })))
      const expectValue = (expression: string, value: unknown) =>
        expect((after(expression) as JsonObject).value, expression).toEqual(value)
      expectValue('msg.one.length', points.length)
      expectValue(`msg.one.slice(${from}, ${to})`, points.slice(from, to).join(''))
      expectValue(`msg.one.at(${from})`, points.at(from) ?? null)
      expectValue(`msg.one.charAt(${from})`, points[from] ?? '')
      expectValue(`msg.one[${from}]`, points[from] ?? null)
      const [start, end] = [from, to].map(each => Math.max(0, each)).toSorted((a, b) => a - b)
      expectValue(`msg.one.substring(${from}, ${to})`, points.slice(start, end).join(''))
      const missing = Math.max(0, to - points.length)
      const pad = Array.from(other === '' ? '' : other.repeat(20))
        .slice(0, missing)
        .join('')
      // Halves of a pair may meet where texts are joined.
      if (one.isWellFormed() && other.isWellFormed()) {
        expectValue(`msg.one.padEnd(${to}, msg.other)`, one + pad)
        expectValue(`msg.one.padStart(${to}, msg.other)`, pad + one)
        const place = one.indexOf(other)
        expectValue('msg.one.indexOf(msg.other)', place < 0 ? -1 : Array.from(one.slice(0, place)).length)
        const last = one.lastIndexOf(other)
        expectValue('msg.one.lastIndexOf(msg.other)', last < 0 ? -1 : Array.from(one.slice(0, last)).length)
      }
    }),
    { numRuns: 1_000 },
  )
})

test('a value that is read and not changed is the very value that the script received', () => {
  const script = compileScript(
    `function f(msg, meta) {
      for (const key of Object.keys(msg)) { let v = msg[key]; let n = v.length; let w = v[0].a; if (v != null) { msg[key] = v } }
      for (const each of msg.list) { each.a = each.a }
      msg.missing = null
      return msg
    }`,
    [1],
  )
  fc.assert(
    fc.property(drawnValue, value => {
      const message = parseExactJson(`{"list":[{"a":1}],"7":${compactText(value)},"a":[{"a":2}]}`)
      const metadata = parseExactJson(`{"m":${compactText(value)}}`)
      const result = script.call(
        [message, metadata],
        { nowMs: CALL_TIME_MS, stateVariable: () => null, search: UNMETERED.count },
        MAX_STEPS,
      )
      if ('failure' in result) throw result.failure
      expect(result.value).toBe(message)
      expect(result.kept[0]).toBe(metadata)
    }),
    { numRuns: 300 },
  )
})

test('printing gives the text of the value, and parsing gives the value of the text', () => {
  fc.assert(
    fc.property(drawnValue, value => {
      const json = compactText(value)
      expect(valueOfExpression('JSON.stringify(msg)', json)).toBe(JSON.stringify(json))
      expect(valueOfExpression('JSON.parse(msg)', JSON.stringify(json))).toBe(json)
      expect(valueOfExpression('JSON.parse(JSON.stringify({ a: msg }))', json)).toBe(`{"a":${json}}`)
    }),
    { numRuns: 300 },
  )
})
