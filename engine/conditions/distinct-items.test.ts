import { expect, test } from 'vitest'
import { duplicateProblems } from './distinct-items.ts'

const text = (item: unknown) => (typeof item === 'string' ? item : undefined)

test('every item that repeats an earlier one is found', () => {
  expect(duplicateProblems('/topics', ['a', 'b', 'a', 'A', 'b', 'a'], text)).toEqual(
    [2, 4, 5].map(index => ({
      instancePath: `/topics/${index}`,
      message: 'must NOT have duplicate items',
    })),
  )
})

test('items that are not compared, and values that are not lists, are not found', () => {
  expect(duplicateProblems('/topics', [1, 1, null, null], text)).toEqual([])
  expect([undefined, null, 'aa', 5, {}].flatMap(items => duplicateProblems('/topics', items, text))).toEqual(
    [],
  )
})
