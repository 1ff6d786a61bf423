import { expect, test } from 'vitest'
import { count, percent, size, typedSize } from './numbers.ts'

test('sizes have three digits', () => {
  const values = [0, 999, 1000, 1_234_567, 999_499, 999_600, 5e15]
  expect(values.map(size)).toEqual(['0 B', '999 B', '1.00 kB', '1.23 MB', '999 kB', '1.00 MB', '5.00 PB'])
})

test('counts are in full', () => {
  expect(count(1_234_567)).toBe('1,234,567')
})

test('a share that is not nothing is not shown as nothing', () => {
  expect([percent(0, 5), percent(1, 3), percent(1, 1_000_000), percent(0, 0)]).toEqual([
    '0 %',
    '33.3 %',
    '< 0.1 %',
    '0 %',
  ])
})

test.each([
  ['1.5 GB', 1_500_000_000],
  ['4000', 4_000],
  [' 2kB ', 2_000],
  ['0', 0],
  ['1 gb', undefined],
  ['many', undefined],
  ['', undefined],
  ['999999 PB', undefined],
])('%j is a size of %j bytes', (text, bytes) => {
  expect(typedSize(text)).toBe(bytes)
})
