import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { compactText, drawnSpelling, drawnValue, spelledText } from '../../test/support/drawn-json.ts'
import { finish } from '../steps.ts'
import { parseExactJson, parsingExactJson } from './exact-json.ts'
import { JsonBoundError, type PieceReader, parsingJson } from './json-in-steps.ts'
import { exactJsonText, jsonText } from './json-text.ts'
import { orderedObject } from './ordered-object.ts'

/** Reads every piece like events, and counts the characters of the longest. */
class CountingReader implements PieceReader {
  readonly maxDepth = 64
  readonly maxMembers = 10_000
  readonly pieceCharacters: number
  longest = 0

  constructor(pieceCharacters = 16_384) {
    this.pieceCharacters = pieceCharacters
  }

  read(text: string): JsonValue {
    this.longest = Math.max(this.longest, text.length)
    return parseExactJson(text)
  }

  object = orderedObject
}

const parsed = (text: string, pieceCharacters?: number) =>
  finish(parsingJson(text, new CountingReader(pieceCharacters)))

function valueOrError(parse: () => JsonValue): string {
  try {
    return jsonText(parse())
  } catch (error) {
    expect(error).toBeInstanceOf(SyntaxError)
    return 'not JSON'
  }
}

describe('JSON that is parsed in pieces', () => {
  test('has the same value as in one go, in any spelling and with pieces of any size', () => {
    fc.assert(
      fc.property(drawnValue, drawnSpelling, fc.integer({ min: 1, max: 40 }), (value, spelling, piece) => {
        expect(jsonText(parsed(spelledText(value, spelling), piece))).toBe(compactText(value))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is exact, with strings that are cut, and no piece is long', () => {
    fc.assert(
      fc.property(drawnValue, drawnSpelling, fc.integer({ min: 1, max: 20 }), (value, spelling, piece) => {
        const text = spelledText(value, spelling)
        const whole = parseExactJson(text)
        const inSteps = finish(parsingExactJson(text, piece))
        expect(inSteps).toEqual(whole)
        expect(exactJsonText(inSteps)).toBe(exactJsonText(whole))
      }),
      { numRuns: 2_000 },
    )
    const spied = vi.spyOn(JSON, 'parse')
    const long = `{"a":["${'\\"'.repeat(40_000)}",${'1,'.repeat(50_000)}1e400],"b":"${'\\ud83d\\ude00'.repeat(9_000)}"}`
    const value = finish(parsingExactJson(long))
    const lengths = spied.mock.calls.map(([text]) => text.length)
    spied.mockRestore()
    expect(jsonText(value) === jsonText(parseExactJson(long))).toBe(true)
    expect(Math.max(...lengths)).toBeLessThan(17_000)
  })

  test('is refused if it is damaged anywhere, and otherwise has the value of the damaged text', () => {
    const damages = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
      removed: fc.integer({ min: 0, max: 3 }),
      added: fc.constantFrom('', ',', ']', '}', '[', '{', ':', '"', ' ', '\\', '1'),
    })
    fc.assert(
      fc.property(drawnValue, drawnSpelling, damages, (value, spelling, { at, removed, added }) => {
        const text = spelledText(value, spelling)
        const from = Math.floor(at * text.length)
        const damaged = text.slice(0, from) + added + text.slice(from + removed)
        const whole = valueOrError(() => parseExactJson(damaged))
        for (const piece of [1, 7, 30]) {
          expect(valueOrError(() => parsed(damaged, piece))).toBe(whole)
          expect(valueOrError(() => finish(parsingExactJson(damaged, piece)))).toBe(whole)
        }
      }),
      { numRuns: 5_000 },
    )
  })

  test.each([
    ['[1,,2]'],
    ['[1,2,]'],
    ['[,1]'],
    ['{"a":[1,2],}'],
    ['{"a":1,"b" [1,2]}'],
    ['{"a":1,[1,2]}'],
    ['[1,"a":[1,2]]'],
    ['[1,2}'],
    ['[[1,2]'],
    ['[[1,2]]]'],
    ['[[1,2]] 3'],
    ['[[1,2] [3]]'],
    ['{"a":{"b":1}"c":{"d":1}}'],
    ['["'],
    [']['],
  ])('%s is refused', text => {
    expect(() => parsed(text, 1)).toThrow(SyntaxError)
  })

  test('of a repeated key the last value counts, whichever of them is long', () => {
    for (const text of ['{"a":[1,2,3],"b":1,"a":4}', '{"a":4,"b":1,"a":[1,2,3]}'])
      expect(parsed(text, 1)).toEqual(JSON.parse(text))
  })

  test('a text of two megabytes is read in pieces of some ten thousand characters, with a pause after each', () => {
    const keys = Array.from({ length: 90_000 }, (_, index) => `{"k\\n${index.toString(36)}":${index}}`)
    const text = `{"list":[${keys.join(',')}]}`
    const reader = new CountingReader()
    let pauses = 0
    const steps = parsingJson(text, reader)
    let next = steps.next()
    for (; !next.done; next = steps.next()) pauses++
    expect(next.value).toEqual(JSON.parse(text))
    expect(reader.longest).toBeLessThan(20_000)
    expect(pauses).toBeGreaterThan(text.length / 20_000)
  })

  test('an object has at most ten thousand members, wherever it is', () => {
    const object = (members: number) =>
      `{${Array.from({ length: members }, (_, index) => `"k${index}":[]`).join(',')}}`
    expect(Object.keys(parsed(`[${object(10_000)},${object(10_000)}]`) as object)).toHaveLength(2)
    for (const text of [object(10_001), `[1,{"a":${object(10_001)}}]`])
      expect(() => parsed(text)).toThrow('it contains an object with more than 10000 members')
  })

  test('an exact member has bounds of its own, and nothing else has them', () => {
    class Bounded extends CountingReader {
      readonly exactMember = 'events'
      readonly exactBounds = { maxDepth: 100, maxMembers: 20_000 }
    }
    const read = (text: string) => finish(parsingJson(text, new Bounded()))
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    const members = (count: number) =>
      `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',')}}`
    for (const value of [nested(99), members(20_000)])
      expect(jsonText(read(`{"a":1,"events":${value},"b":2}`))).toBe(`{"a":1,"events":${value},"b":2}`)
    for (const text of [
      `{"events":${nested(100)}}`,
      `{"events":${members(20_001)}}`,
      ...[`{"other":${nested(64)}}`, `{"events":1,"other":${nested(64)}}`],
      ...[`{"other":{"events":${nested(64)}}}`, `[{"events":${nested(64)}}]`],
      `{"events":1,"other":${members(10_001)}}`,
      `{"events":1,${members(10_000).slice(1)}`,
    ])
      expect(() => read(text)).toThrow(JsonBoundError)
  })

  test('it is nested at most as deeply as the reader allows', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
    expect(jsonText(parsed(nested(64), 1))).toBe(nested(64))
    expect(() => parsed(nested(65), 1)).toThrow('it is nested more than 64 levels deep')
  })
})
