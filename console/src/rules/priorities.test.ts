import { expect, test } from 'vitest'
import { inOrder, priorityChanges } from './priorities.ts'

const rules = (...priorities: number[]) =>
  priorities.map((priority, at) => ({ id: String.fromCharCode(97 + at), priority }))

test('the lowest number decides, and rules of one number stay in their order', () => {
  expect(inOrder(rules(5, 1, 5, 0)).map(({ id }) => id)).toEqual(['d', 'b', 'a', 'c'])
})

test.each([
  ['two rules change places', [20, 10, 30], { a: 10, b: 20 }],
  ['equal numbers are told apart', [0, 0, 0], { b: 1, c: 2 }],
  ['a rule moves past rules of one number', [7, 3, 3], { a: 3, b: 4, c: 7 }],
  ['an order that holds changes nothing', [1, 2, 3], {}],
  ['numbers at the upper end make room below', [1_000_000, 1_000_000], { a: 999_999 }],
])('%s', (_name, priorities, changed) => {
  const before = rules(...priorities)
  const changes = Object.fromEntries(priorityChanges(before).map(({ id, priority }) => [id, priority]))
  expect(changes).toEqual(changed)
  const after = before.map(({ id, priority }) => changes[id] ?? priority)
  expect(after).toEqual([...new Set(after)].toSorted((a, b) => a - b))
})
