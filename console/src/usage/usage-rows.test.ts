import { expect, test } from 'vitest'
import type { UsageOverTime } from '../api/usage.ts'
import { COLOURS, changeOf, layersOf, usageRows } from './usage-rows.ts'

const usage = (
  series: Readonly<Record<string, readonly number[]>>,
  other: number[] = [0, 0],
): UsageOverTime => ({
  kind: 'apps',
  from: 0,
  to: 1,
  interval: 'day',
  starts: [0, 1],
  series: Object.entries(series).map(([name, bytes]) => ({
    name,
    bytes: [...bytes],
    lines: bytes.map(value => value / 10),
  })),
  other: { bytes: other, lines: other },
  exact: true,
})

test('names are sorted by the shown unit, and compared with the range before', () => {
  const rows = usageRows(usage({ a: [10, 10], b: [40, 0] }), usage({ a: [10, 0], c: [5, 5] }), 'bytes')
  expect(rows.map(({ name, total, before }) => [name, total, before])).toEqual([
    ['b', 40, 0],
    ['a', 20, 10],
  ])
  expect(rows.map(changeOf)).toEqual(['new', '+100 %'])
})

test('a name that the range before does not list may have been small: nothing is said', () => {
  const [row] = usageRows(usage({ a: [10, 10] }), usage({ c: [50, 0] }, [3, 0]), 'bytes')
  expect(changeOf(row!)).toBeUndefined()
  const [unknown] = usageRows(usage({ a: [10, 10] }), undefined, 'bytes')
  expect(changeOf(unknown!)).toBeUndefined()
})

test.each([
  [5, 10, '\u221250 %'],
  [10, 10, '0 %'],
  [300, 10, '\u00d7 30'],
  [0, 0, '0 %'],
])('%i after %i is %s', (total, before, expected) => {
  expect(changeOf({ name: 'a', values: [], total, before })).toBe(expected)
})

test('the layers of the chart add up to everything, whatever has a colour', () => {
  const many = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`n${at}`, [at + 1, 2 * at]]))
  const answer = usage(many, [7, 9])
  const layers = layersOf(usageRows(answer, undefined, 'bytes'), answer.other.bytes, answer.starts)
  expect(layers).toHaveLength(COLOURS + 1)
  const at = (index: number) => layers.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)
  expect([at(0), at(1)]).toEqual([78 + 7, 132 + 9])
})
