import { expect, test } from 'vitest'
import type { JsonValue } from '../../../../schemas/json.ts'
import { compileCapturing } from '../../../expressions/captures/capturing-expression.ts'
import { answerOf } from '../../../expressions/counted-work.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { knownPattern } from './personal-data.ts'
import { Redaction, type Rule } from './redaction.ts'

function rule(expression: string, replacement?: string): Rule {
  return {
    expression: compileCapturing(expression),
    group: 0,
    digits: 0,
    replacementUnits: 0,
    ...(replacement !== undefined && { replacementOf: () => replacement }),
  }
}

function redacted(rules: readonly Rule[], value: JsonValue) {
  return answerOf(new Redaction(rules, value))
}

test('an empty match is passed over, and the search goes on after it', () => {
  expect(redacted([rule('x*', '#')], 'axxb😀x')).toEqual({ value: 'a#b😀#', found: [true] })
  expect(redacted([rule('x*', '#')], 'ab')).toEqual({ value: 'ab', found: [false] })
})

test('a value without a match is the same value, and parts without one stay the same parts', () => {
  const value = { a: ['x', { b: 'y' }], c: { d: 'z' } }
  expect(redacted([rule('q', '#')], value).value).toBe(value)
  const changed = redacted([rule('y', '#')], value).value as typeof value
  expect(changed).toEqual({ a: ['x', { b: '#' }], c: { d: 'z' } })
  expect(changed.c).toBe(value.c)
})

test('keys keep their order and numbers their digits', () => {
  const text = '{"b":"x","10":"x","2":12345678901234567890,"a":1.50}'
  const { value } = redacted([rule('x', '#')], parseExactJson(text))
  expect(JSON.stringify(Object.keys(value as object))).toBe('["b","10","2","a"]')
  expect(redacted([rule('q', '#')], value).value).toBe(value)
})

test('a pause changes neither the result nor the cost', () => {
  const rules = [
    {
      ...knownPattern('email_address'),
      replacementUnits: 256,
      replacementOf: (text: string) => text.toUpperCase(),
    },
    rule('\\d{3}'),
    { ...knownPattern('phone_number'), replacementUnits: 0, replacementOf: () => 'phone' },
  ]
  const value = { a: ['ida@fjord.example, ole@fjord.example', 'call 555 010 9999'], b: ['', 'no', 5] }
  const whole = new Redaction(rules, value)
  const expected = answerOf(whole)
  expect(expected.value).toEqual({
    a: ['IDA@FJORD.EXAMPLE, OLE@FJORD.EXAMPLE', 'call phone'],
    b: ['', 'no', 5],
  })
  for (const pauseUnits of [1, 7, 40, 500]) {
    const inPieces = new Redaction(rules, value)
    let answer: ReturnType<Redaction['run']>
    for (let until = 1; answer === undefined; until += pauseUnits) answer = inPieces.run(until)
    expect([answer, inPieces.units]).toEqual([expected, whole.units])
  }
})

test('long replacements cost as much as they are long', () => {
  const short = new Redaction([rule('x', '#')], 'x'.repeat(100))
  const long = new Redaction([rule('x', '#'.repeat(10_001))], 'x'.repeat(100))
  answerOf(short)
  answerOf(long)
  expect(long.units - short.units).toBe(500_000)
})
