import { expect, test } from 'vitest'
import { areInOrder, keptRows } from './kept-rows.ts'

interface Key {
  readonly key: string
  readonly passed: number
}

const keys = (text: string): readonly Key[] =>
  text.split(' ').map(each => {
    const [key = '', passed] = each.split('=')
    return { key, passed: Number(passed) }
  })
const idOf = ({ key }: Key) => key
const shown = (rows: ReturnType<typeof keptRows<Key>>) =>
  rows.map(({ id, value, isGone }) => `${id}=${value.passed}${isGone ? ' gone' : ''}`)

test('rows keep their places, new ones follow, and those that are gone keep their last values', () => {
  const first = keptRows([], keys('a=3 b=2'), idOf, 10)
  expect(shown(first)).toEqual(['a=3', 'b=2'])
  const second = keptRows(first, keys('c=9 b=5'), idOf, 10)
  expect(shown(second)).toEqual(['a=3 gone', 'b=5', 'c=9'])
  expect(shown(keptRows(second, keys('a=1 c=9'), idOf, 10))).toEqual(['a=1', 'b=5 gone', 'c=9'])
})

test('the order begins anew where rows get more than are held', () => {
  const first = keptRows([], keys('a=3 b=2'), idOf, 3)
  expect(shown(keptRows(first, keys('c=4'), idOf, 3))).toEqual(['a=3 gone', 'b=2 gone', 'c=4'])
  expect(shown(keptRows(first, keys('c=4 d=1'), idOf, 3))).toEqual(['c=4', 'd=1'])
})

test('rows are in order as long as they are those of the answer', () => {
  const rows = keptRows([], keys('a=3 b=2'), idOf, 10)
  expect(areInOrder(rows, keys('a=5 b=4'), idOf)).toBe(true)
  expect(areInOrder(rows, keys('b=5 a=4'), idOf)).toBe(false)
  expect(areInOrder(rows, keys('a=5'), idOf)).toBe(false)
})
