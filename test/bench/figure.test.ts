import { expect, test } from 'vitest'
import { figureOf, figureTable, numberText } from './figure.ts'

test('the best round of a rate is the highest one, and that of a time the lowest; so is the best round of the floor', () => {
  const floor = { name: 'bare', values: [200, 400, 300] }
  expect(figureOf({ name: 'n', unit: 'lines/s', values: [10, 30, 20], floor })).toEqual({
    name: 'n',
    unit: 'lines/s',
    better: 'higher',
    value: 30,
    median: 20,
    worst: 10,
    rounds: 3,
    quantiles: false,
    floor: { name: 'bare', value: 400 },
    ratio: 30 / 400,
  })
  expect(figureOf({ name: 'n', unit: 'ms', values: [10, 30, 20], floor })).toMatchObject({
    better: 'lower',
    value: 10,
    worst: 30,
    floor: { value: 200 },
    ratio: 10 / 200,
  })
})

test.each([
  ['lines per CPU-s', 'higher'],
  ['MB/s', 'higher'],
  ['ms', 'lower'],
  ['s', 'lower'],
  ['B a bucket', 'lower'],
])('of %s, %s is better', (unit, better) => {
  expect(figureOf({ name: 'n', unit, values: [1] }).better).toBe(better)
})

test.each([
  [0, '0'],
  [0.000123456, '0.000123'],
  [0.5, '0.5'],
  [9.996, '10'],
  [123.4, '123'],
  [999.6, '1,000'],
  [1234567, '1,230,000'],
])('%d is shown as %s', (value, text) => {
  expect(numberText(value)).toBe(text)
})

test('the table has a row per figure, with blanks for a missing floor or second round', () => {
  const table = figureTable([
    figureOf({
      name: 'with',
      unit: 'ms',
      values: [1500, 1.5],
      floor: { name: 'nothing done', values: [20] },
    }),
    figureOf({ name: 'without', unit: 'B', values: [7] }),
  ])
  expect(table.split('\n')).toEqual([
    '| Figure  | Unit | Best |      Worst | Floor | Ratio | What the floor is |',
    '| ------- | ---- | ---: | ---------: | ----: | ----: | ----------------- |',
    '| with    | ms   |  1.5 | 1,500 of 2 |    20 | 0.075 | nothing done      |',
    '| without | B    |    7 |            |       |       |                   |',
  ])
})

test('tries are shown by their p50 and p99', () => {
  const tries = Array.from({ length: 200 }, (_, index) => 200 - index)
  const figure = figureOf({ name: 'search', unit: 'ms', tries, reads: 'scan' })
  expect(figure).toMatchObject({ value: 100, worst: 198, rounds: 200, quantiles: true, better: 'lower' })
  expect(figureTable([figure]).split('\n')[2]).toBe(
    '| search | ms   | 100 p50 | 198 p99 of 200 |       |       |                   | scan         |',
  )
})

test('a figure that the program cannot be asked for is a dash', () => {
  const table = figureTable([figureOf({ name: 'rows', unit: '%', values: [] })])
  expect(table.split('\n')[2]).toBe('| rows   | %    |    – |       |       |       |                   |')
})
