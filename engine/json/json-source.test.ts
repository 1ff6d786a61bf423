import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { elementsAt, membersAt, nestingOf } from './json-source.ts'
import { parseKeySafe } from './key-safe-json.ts'
import { wellFormedSource } from './well-formed-source.ts'

test('members and elements, joined again, are the value', () => {
  const spacing = fc.constantFrom(undefined, 1, '\t')
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: 'grapheme' }), fc.jsonValue()), spacing, (object, space) => {
      const text = JSON.stringify(object, undefined, space)
      const members = [...membersAt(text, 0)].map(([key, source]) => [key, parseKeySafe(source)])
      expect(Object.fromEntries(members)).toEqual(parseKeySafe(text))
    }),
  )
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), spacing, (array, space) => {
      const text = ` ${JSON.stringify(array, undefined, space)}`
      const elements = [...elementsAt(text, 1)].map(({ start, end }) => parseKeySafe(text.slice(start, end)))
      expect(elements).toEqual(parseKeySafe(text))
    }),
  )
})

test('of a repeated name the last value counts, however it is escaped', () => {
  expect([...membersAt('{"a":1,"b":2,"\\u0061":3}', 0)]).toEqual([
    ['a', '3'],
    ['b', '2'],
  ])
})

describe('nesting', () => {
  test.each([
    ['1', 0],
    ['{}', 1],
    ['[[],[[]]]', 3],
    ['{"a":"[[[["}', 1],
    ['"\\"[["', 0],
    ['"[[', 0],
    ['[[[[', 4],
    [']]][', 0],
  ])('%s is %i deep', (text, levels) => {
    expect(nestingOf(text)).toBe(levels)
  })

  test('a million brackets are counted without an error', () => {
    expect(nestingOf('['.repeat(1_000_000))).toBe(1_000_000)
  })
})

test('the source of well-formed text stays as it is, half pairs become U+FFFD', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('\\ud83d', '\\uDE00', '\\\\', '\\"', 'ud83d', 'a', '\\u0041', '\\n')),
      parts => {
        const source = `"${parts.join('')}"`
        const fixed = wellFormedSource(source)
        expect(JSON.parse(fixed)).toBe((JSON.parse(source) as string).toWellFormed())
        if ((JSON.parse(source) as string).isWellFormed()) expect(fixed).toBe(source)
      },
    ),
  )
})
