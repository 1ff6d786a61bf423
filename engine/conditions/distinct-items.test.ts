import { expect, test } from 'vitest'
import { duplicateProblems } from './distinct-items.ts'

const text = (item: unknown) => (typeof item === 'string' ? item : undefined)

test('every item that says again what an earlier one said is found', () => {
  expect(duplicateProblems('/topics', ['a', 'b', 'a', 'A', 'b', 'a'], text)).toEqual(
    [2, 4, 5].map(index => ({
      instancePath: `/topics/${index}`,
      message: 'must NOT have duplicate items',
    })),
  )
})

test('what is not compared, and what is no list, is not found', () => {
  expect(duplicateProblems('/topics', [1, 1, null, null], text)).toEqual([])
  expect([undefined, null, 'aa', 5, {}].flatMap(items => duplicateProblems('/topics', items, text))).toEqual(
    [],
  )
})
