import { expect, test } from 'vitest'
import { parseQuery } from '../../query-language/parse-query.ts'
import { mergeAlternatives } from './merged-alternatives.ts'

const merged = (query: string) => mergeAlternatives(parseQuery(query))

test.each([
  ['a:1 OR a:2 OR a:3', 'a:[1,2,3]'],
  ['(a:1 OR a:2) OR (a:3 OR b:4)', 'a:[1,2,3] OR b:4'],
  ['a:(1 OR 2) OR a:[3,4]', 'a:[1,2,3,4]'],
  ['a:(1 OR (2 OR =3)) OR a:=4', 'a:[1,2] OR a:=[3,4]'],
  ['x -(a:1 OR a:2)', 'x -a:[1,2]'],
  ['a:1 OR word OR a:2 OR (b:1 c:2)', 'a:[1,2] OR word OR (b:1 c:2)'],
  ['a:1 OR a:-2 OR a:3 OR a:*', 'a:[1,3] OR a:-2 OR a:*'],
])('%s has the same result as %s', (query, fewer) => {
  expect(merged(query)).toEqual(merged(fewer))
  expect(JSON.stringify(merged(query)).length).toBeLessThan(JSON.stringify(parseQuery(query)).length)
})

test.each(['a:1 a:2', '-(a:1 b:2)', 'a:1 OR A:1', 'word OR other', 'a:(1 2)', '*'])(
  '%s is not changed',
  query => {
    expect(merged(query)).toEqual(parseQuery(query))
  },
)
