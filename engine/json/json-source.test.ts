import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { finish, type Steps } from '../steps.ts'
import {
  countingParts,
  elementsAt,
  findingEnd,
  findingNesting,
  membersAt,
  nestingOf,
  partsOf,
  readingMembers,
  removingBlanks,
  valueEnd,
} from './json-source.ts'
import { parseKeySafe } from './key-safe-json.ts'
import { makingWellFormed, wellFormedSource } from './well-formed-source.ts'

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

describe('walks in steps', () => {
  const LONG = 1_900_000
  /** Longer than a step, so that what follows is in another one. */
  const before = fc.constantFrom(
    ...['', ' '.repeat(70_000), `"${'x'.repeat(70_000)}",`, `"${'\\"'.repeat(35_000)}",`],
    ...[`"${'\\'.repeat(70_000)}",`, `${'7'.repeat(70_000)},`, `[[{"a":"]"}${',1'.repeat(35_000)}]],`],
  )
  const spacing = fc.constantFrom(undefined, 1, '\t')

  test('give the same as those in one go', () => {
    const property = fc.property(before, fc.jsonValue(), spacing, (first, value, space) => {
      const compact = `[${first.trim()}${JSON.stringify(value)}]`
      const text = `[${first}${JSON.stringify(value, undefined, space)}]`
      expect(finish(findingEnd(`${text},1`, 0))).toBe(text.length)
      expect(finish(removingBlanks(text))).toBe(compact)
      expect(finish(countingParts(text))).toBe(partsOf(compact))
      const object = `{"a\\u0062": ${text} ,"c":{"d":${text}},"e":1, "ab":[2]}`
      expect([...finish(readingMembers(object, 0))]).toEqual([...membersAt(object, 0)])
      expect([...finish(readingMembers(object, 0, new Set(['e'])))]).toEqual([['e', '1']])
    })
    fc.assert(property, { numRuns: 200 })
  })

  test('a value that ends at the limit is found, and one that goes on behind it is not', () => {
    for (const value of ['"ab\\"c"', '[1,"]",[]]', '{"a":"}"}', '-12.5e3', 'true']) {
      for (const behind of [',2', ' ]']) {
        const text = value + behind
        expect(valueEnd(text, 0, value.length)).toBe(value.length)
        for (let limit = 1; limit < value.length; limit++)
          expect(valueEnd(text, 0, limit), `${value} to ${limit}`).toBeGreaterThan(limit)
      }
    }
  })

  const odd: readonly (readonly [what: string, text: string])[] = [
    ['digits', '7'.repeat(LONG)],
    ['blanks', `[${' '.repeat(LONG)}]`],
    ['escaped quotes', `"${'\\"'.repeat(LONG / 2)}"`],
    ['texts', `[${'"",'.repeat(LONG / 3)}1]`],
    ['arrays', `[${'[],'.repeat(LONG / 3)}1]`],
  ]
  const walks: readonly (readonly [name: string, walk: (text: string) => Steps<unknown>])[] = [
    ['the end', text => findingEnd(text, 0)],
    ['the members', text => readingMembers(`{"a":${text}}`, 0)],
    ['the parts', countingParts],
    ['the nesting', findingNesting],
    ['all but its blanks', removingBlanks],
  ]

  test.each(walks)('%s of 1.9 MB in one value kept all other work waiting', (_name, walk) => {
    for (const [what, text] of odd) expect([...walk(text)].length, what).toBeGreaterThanOrEqual(28)
  })

  test('halves of surrogate pairs are replaced in steps', () => {
    const source = `"${'\\ud83d\\ude00\\ude00x\\\\'.repeat(20_000)}\\ud83d"`
    const steps = makingWellFormed(source)
    let count = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) count++
    expect(step.value).toBe(`"${'\\ud83d\\ude00\\ufffdx\\\\'.repeat(20_000)}\\ufffd"`)
    expect(count).toBe(20)
  })
})
