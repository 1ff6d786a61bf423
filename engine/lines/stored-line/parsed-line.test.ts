import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../json/json-text.ts'
import { isTooDeep, MAX_NESTING, parseBoundedJson, parseLineObject, parseTextObject } from './parsed-line.ts'

function parsed(text: string) {
  const bytes = Buffer.from(`{"x":1}${text}{"x":2}`)
  const object = parseLineObject(bytes, 7, bytes.length - 7)
  expect(parseTextObject(text)).toEqual(object) // The two readers hold the same rules.
  return object
}

describe('the object of a line', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['{"a":1} \t\r\n', { a: 1 }],
    ['  {"a":1}', { a: 1 }],
    ['took {"ms":3}', { ms: 3 }],
    ['{broken {"ms":3}', { ms: 3 }],
    ['{ "a": {"b":[1,2]} }', { a: { b: [1, 2] } }],
    ['{}', {}],
    ['nothing { }', {}],
    ['"{" {"a":"}"}', { a: '}' }],
    ['{"a":{"b":1}} {"c":2}', { c: 2 }],
    ['{"a":1}.', undefined],
    ['{"a":1}x', undefined],
    ['plain text', undefined],
    ['closing only }', undefined],
    ['{a: 1}', undefined],
    ['["a"]', undefined],
    ['{"a":1]}', undefined],
    ['', undefined],
    ['}', undefined],
    ['   ', undefined],
  ])('of %j is %j', (text, object) => {
    expect(parsed(text)).toEqual(object)
  })

  test('integers beyond doubles keep their digits', () => {
    expect(parsed('{"id":12345678901234567890}')).toEqual({ id: 12345678901234567890n })
  })

  test('the first object whose text reaches the end is used, not the innermost', () => {
    expect(parsed('x {"a":{"b":1}}')).toEqual({ a: { b: 1 } })
  })

  test('the object is found behind 31 false starts, not behind 32', () => {
    expect(parsed(`${'{"'.repeat(31)}{"a":1}`)).toEqual({ a: 1 })
    expect(parsed(`${'{"'.repeat(32)}{"a":1}`)).toBeUndefined()
  })

  test('braces that cannot begin an object are not starts', () => {
    expect(parsed(`${'{a} {} { '.repeat(200)}{"a":1}`)).toEqual({ a: 1 })
  })

  test('a text nested to the limit is parsed, one level more is kept as text', () => {
    const nested = (levels: number) => `{"a":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`
    expect(parsed(nested(MAX_NESTING))).toBeDefined()
    expect(parsed(nested(MAX_NESTING + 1))).toBeUndefined()
    expect(parsed(nested(8000))).toBeUndefined()
  })

  test('brackets inside strings do not nest', () => {
    expect(parsed(`{"a":"${'[{\\"'.repeat(600)}"}`)).toBeDefined()
  })

  test('a worst-case line of 16 KB stays cheap', () => {
    const text = `${'{"'.repeat(8000)}}`
    const startMs = performance.now()
    for (let turn = 0; turn < 20; turn++) expect(parseTextObject(text)).toBeUndefined()
    expect((performance.now() - startMs) / 20).toBeLessThan(50)
  })

  test('after any text, the object is the printed one', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue())
    const before = fc.string().filter(text => !text.includes('{'))
    fc.assert(
      fc.property(before, object, (prefix, value) => {
        const text = JSON.stringify(value)
        expect(parsed(`${Buffer.from(prefix).toString()}${text}`)).toEqual(parseJson(text))
      }),
    )
  })

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]":,\\ a1\n') }), text => void parsed(text)),
    )
  })
})

test('JSON that is invalid or nested too deep gives nothing', () => {
  expect(parseBoundedJson('{"a":')).toBeUndefined()
  expect(parseBoundedJson('['.repeat(300) + ']'.repeat(300))).toBeUndefined()
  expect(parseBoundedJson('[1]')).toEqual([1])
})

test('a value is too deep from one level beyond the limit on', () => {
  const nested = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`)
  expect(isTooDeep(nested(MAX_NESTING))).toBe(false)
  expect(isTooDeep(nested(MAX_NESTING + 1))).toBe(true)
})
