import { describe, expect, test } from 'vitest'
import { finish } from '../../../steps.ts'
import { AcceptedValues, comparedValue, type TagRule } from './accepted-values.ts'
import { ValueFilter } from './value-filter.ts'

const EXACT: TagRule = { limit: 500, isExact: true }
const FILTERED: TagRule = { limit: 5_000, isExact: false }

function withValues(rule: TagRule, tags: number, values: number, text = ''): AcceptedValues {
  const accepted = new AcceptedValues()
  for (let tag = 0; tag < tags; tag++)
    for (let value = 0; value < values; value++) accepted.accept(`t${tag}`, `${value}${text}`, rule)
  return accepted
}

describe('values are compared by their first 256 bytes', () => {
  const x = (count: number) => 'x'.repeat(count)
  test.each<[string, string, string, boolean]>([
    ['that differ behind them', `${x(256)}a`, `${x(256)}b`, true],
    ['of which one ends there', x(256), `${x(256)}b`, true],
    ['of which one is shorter', x(255), x(256), false],
    ['that differ in the last of them', `${x(255)}a`, `${x(255)}b`, false],
    ['that differ behind the first byte of a character', `${x(255)}é`, `${x(255)}è`, true],
    ['that differ in its last byte', `${x(254)}é`, `${x(254)}è`, false],
  ])('values %s', (_what, one, other, isSame) => {
    expect(comparedValue(one) === comparedValue(other)).toBe(isSame)
  })
})

test.each([
  ['exact', EXACT],
  ['filtered', FILTERED],
])('%s values come back from a snapshot, and move in pieces of a bounded size', (_mode, rule) => {
  const accepted = withValues(rule, 30, 300, '\u0001'.repeat(80))
  const figures = accepted.measure()
  expect(finish(AcceptedValues.restore(finish(accepted.snapshot()))).measure()).toEqual(figures)
  const pieces = [...accepted.empty()].filter(piece => piece !== undefined)
  expect(accepted.measure()).toEqual({ tags: 0, values: 0, bytes: 0 })
  expect(pieces.length).toBeGreaterThan(1)
  const target = new AcceptedValues()
  for (const piece of pieces) {
    expect(piece.length).toBeLessThan(900_000)
    target.absorb(piece)
  }
  expect(target.measure()).toEqual(figures)
  expect(target.judge('t3', `299${'\u0001'.repeat(80)}`, rule, 0)).toBe('known')
  expect(target.judge('t30', 'x', rule, 0)).toBe('new')
})

test('the limit counts the values of a tag, and the names of an event count before they are remembered', () => {
  const accepted = withValues({ limit: 2, isExact: true }, 999, 2)
  const judge = (name: string, value: string, names = 0) =>
    accepted.judge(name, value, { limit: 2, isExact: true }, names)
  expect([judge('t0', '1'), judge('t0', '2')]).toEqual(['known', 'refused'])
  expect([judge('new', '1'), judge('new', '1', 1)]).toEqual(['new', 'unchecked'])
})

test('a filter knows every value that was added, and fewer than one in a hundred others', () => {
  for (const limit of [1, 10, 500, 5_000]) {
    const filter = ValueFilter.for(limit)
    for (let value = 0; value < limit; value++) filter.add(`value ${value}`)
    expect(Array.from({ length: limit }, (_, value) => filter.has(`value ${value}`))).not.toContain(false)
    let wrong = 0
    for (let other = 0; other < 20_000; other++) if (filter.has(`other ${other}`)) wrong++
    expect(wrong).toBeLessThan(200)
  }
})

test.each(['', '{}', '[2]', '[1,["a"]]', '[1,["a",[5]]]', '[1,["a","AA=="]]', '[1'])(
  'bytes that are not a snapshot are refused: %s',
  text => {
    expect(() => finish(AcceptedValues.restore(Buffer.from(text)))).toThrow(RangeError)
    expect(() => new AcceptedValues().absorb(Buffer.from(text))).toThrow(RangeError)
  },
)
