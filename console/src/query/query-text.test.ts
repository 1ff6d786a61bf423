import { expect, test } from 'vitest'
import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { fieldTerm, withoutTerm, withTerm } from './query-text.ts'

test('a term is one condition for the parser, whatever the value', () => {
  for (const value of ['web', 'a b', 'say "no"', 'back\\slash', 'a:b', '-x', '(', "it's"]) {
    const term = fieldTerm('app', value)
    expect(parseQuery(term).kind).not.toBe('and')
    expect(JSON.stringify(parseQuery(term))).toContain(JSON.stringify(value))
  }
})

test('a term is added behind the query', () => {
  expect(withTerm(' ', 'app:==web')).toBe('app:==web')
  expect(withoutTerm('a OR b', fieldTerm('user.name', 'x'))).toBe('a OR b -user.name:=="x"')
  expect(parseQuery(withTerm('a OR b', 'c'))).toMatchObject({ kind: 'and' })
})
