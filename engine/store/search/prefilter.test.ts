import { describe, expect, test } from 'vitest'
import { parseQuery } from '../../query-language/parse-query.ts'
import { compilePrefilter, type Prefilter } from './prefilter.ts'
import { SqlConstants } from './sql-constants.ts'

function prefilter(query: string): Prefilter {
  return compilePrefilter(parseQuery(query), new SqlConstants())
}

/** The columns that each condition reads, in the order of the conditions. */
function columnsRead(query: string): string[][] {
  return prefilter(query).conditions.map(condition =>
    [
      ...new Set([...condition.matchAll(/\bl\.(\w+(?:\.\w+)?)/g)].map(([, column]) => column as string)),
    ].sort(),
  )
}

const TEXTS = ['app', 'env', 'extra', 'file', 'host', 'level', 'line', 'meta', 'tags']
const NUMBERS = ['number_fields.keys', 'number_fields.values', 'text_fields.keys']

describe('what is asked first', () => {
  test('a term is sought without the fields, whose texts stand in the line', () => {
    expect(columnsRead('error')).toEqual([TEXTS])
  })

  test('a number is sought without the texts of fields', () => {
    expect(columnsRead('duration:>=500')).toEqual([NUMBERS])
  })

  test('names come before numbers, and numbers before texts, however they are written', () => {
    expect(columnsRead('error duration:>=500 app:nginx')).toEqual([['app'], NUMBERS, TEXTS])
  })

  test('the terms of one OR share their looks', () => {
    expect(columnsRead('error OR failed OR app:nginx')).toEqual([TEXTS])
    expect(prefilter('error OR failed').conditions[0]).toContain('multiSearchAny(lower(l.line)')
  })

  test('an object that is written anew is looked at for what only its new form may have', () => {
    const looksForObjects = (query: string) => prefilter(query).conditions.join().includes('countSubstrings')
    expect(looksForObjects('1000')).toBe(true)
    expect(looksForObjects('"a: 1"')).toBe(true)
    expect(looksForObjects('error')).toBe(false)
  })

  test.each([
    ['a negation', '-error'],
    ['an alternative of which one may be anything', 'error OR -failed'],
    ['every line', ''],
    ['every text', '""'],
    ['text that empty objects have', '"{}"'],
    ['what must be made first', '_logtype:json'],
  ])('nothing is asked first of %s', (_title, query) => {
    expect(prefilter(query)).toEqual({ conditions: [], indexed: [] })
  })
})

describe('what the word index is asked', () => {
  const indexed = (query: string) => prefilter(query).indexed.length

  test.each([
    '==checkout',
    '===Checkout',
    'trace:==4bf92f3577b3',
    'app:==checkout',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'a ==checkout',
    '==checkout OR ==payments',
    'trace:[f81d-7dec-11,f81d-7ded-11]',
  ])('%s', query => {
    expect(indexed(query)).toBe(1)
  })

  test.each([
    ['a beginning of words', 'checkout'],
    ['an alternative that it does not know', '==checkout OR payments'],
    ['a negation', '-==checkout'],
    ['a number of a field, which has other forms', 'status:==4040'],
    ['addresses, which terms do not look at', 'ip:==10.0.25.1234'],
    ['a comparison', 'a:>1'],
    [
      'more than is worth looking up',
      Array.from({ length: 17 }, (_, index) => `==checkout${index}`).join(' OR '),
    ],
  ])('%s is not', (_title, query) => {
    expect(indexed(query)).toBe(0)
  })

  test('a term that is no part of larger words needs one look, any other two', () => {
    expect(prefilter('"a checkout b"').indexed.join()).not.toContain(' OR ')
    expect(prefilter('==checkout').indexed.join()).toContain(' OR ')
  })
})
