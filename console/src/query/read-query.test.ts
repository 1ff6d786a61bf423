import { expect, test } from 'vitest'
import { readQuery } from './read-query.ts'

test('the place of an error is the character that the server names', () => {
  expect(readQuery('level:(error')).toEqual({
    words: [],
    trouble: { message: '"query" has an unbalanced parenthesis at character 7', position: 6 },
  })
})

test.each([
  ['a b OR c', 'a AND (b OR c)'],
  ['a OR b -(c d)', '(a OR b) AND NOT (c AND d)'],
  ['x app:(web OR db) OR "a b"', 'x AND (app:(web OR db) OR "a b")'],
  ['a b', undefined],
  ['a OR b', undefined],
])('%s is read as %s', (text, meaning) => {
  expect(readQuery(text).meaning).toBe(meaning)
})

test('words that lines must contain are marked, and no others', () => {
  expect(readQuery('timeout "a b" -refused app:web OR x').words).toEqual(['timeout', 'a b', 'x'])
})
