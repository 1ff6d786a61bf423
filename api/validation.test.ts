import type { ErrorObject } from 'ajv'
import { describe, expect, test } from 'vitest'
import { readsBoolean, readsInteger } from '../schemas/keywords.ts'
import { detailsOf, problemsOf, validatorCompiler } from './validation.ts'

const schema = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 3 },
    url: { type: 'string', format: 'uri' },
    email: { type: 'string', format: 'email' },
    limit: { type: 'integer', minimum: 1, maximum: 100000 },
    on: { type: 'boolean' },
    kind: { enum: ['a', 'b', 'c'] },
    channels: {
      type: 'array',
      items: { type: 'object', required: ['key'], properties: { url: { type: 'string' } } },
    },
    'a/b~c': { type: 'string' },
    count: readsInteger({ minimum: 1, maximum: 10 }),
    flag: readsBoolean(),
  },
}

function findings(value: unknown): ErrorObject[] {
  const validate = validatorCompiler()({ schema, method: 'POST', url: '/' }) as {
    (value: unknown): boolean
    errors?: ErrorObject[]
  }
  return validate(value) ? [] : (validate.errors ?? [])
}

describe('findings in the words that clients match', () => {
  test.each<[string, object, string, string]>([
    ['absent', {}, 'name', '"name" is required'],
    ['empty', { name: '' }, 'name', '"name" is not allowed to be empty'],
    ['too long', { name: 'abcd' }, 'name', '"name" must be at most 3 characters long'],
    ['a number as text', { name: 5 }, 'name', '"name" must be a string'],
    ['a text as number', { name: 'a', limit: '5' }, 'limit', '"limit" must be a number'],
    ['a text as boolean', { name: 'a', on: 'true' }, 'on', '"on" must be a boolean'],
    ['an object as list', { name: 'a', channels: {} }, 'channels', '"channels" must be an array'],
    [
      'a text as object',
      { name: 'a', channels: ['x'] },
      'channels[0]',
      '"channels[0]" must be of type object',
    ],
    ['below', { name: 'a', limit: 0 }, 'limit', '"limit" must be greater than or equal to 1'],
    ['above', { name: 'a', limit: 100001 }, 'limit', '"limit" must be less than or equal to 100000'],
    ['another word', { name: 'a', kind: 'd' }, 'kind', '"kind" must be one of [a, b, c]'],
    ['no URI', { name: 'a', url: 'nonsense' }, 'url', '"url" must be a valid uri'],
    ['no address', { name: 'a', email: 'nonsense' }, 'email', '"email" must be a valid email'],
    [
      'inside a list',
      { name: 'a', channels: [{ key: 1 }, { key: 1, url: 5 }] },
      'channels[1].url',
      '"channels[1].url" must be a string',
    ],
    ['a text that is no number', { name: 'a', count: 'x' }, 'count', '"count" must be a number'],
    ['a text below', { name: 'a', count: '0' }, 'count', '"count" must be greater than or equal to 1'],
    ['a text above', { name: 'a', count: '11' }, 'count', '"count" must be less than or equal to 10'],
    ['half a number', { name: 'a', count: 1.5 }, 'count', '"count" must be a number'],
    ['a text that is no boolean', { name: 'a', flag: 'yes' }, 'flag', '"flag" must be a boolean'],
    ['a number as boolean', { name: 'a', flag: 1 }, 'flag', '"flag" must be a boolean'],
    ['a name with slashes', { name: 'a', 'a/b~c': 5 }, 'a/b~c', '"a/b~c" must be a string'],
  ])('%s', (_name, value, key, message) => {
    expect(detailsOf(findings(value))).toEqual([{ message, key }])
  })

  test('the whole is called value', () => {
    expect(detailsOf(findings('text'))).toEqual([{ message: '"value" must be of type object', key: 'value' }])
  })

  test('all are reported, in both forms', () => {
    const errors = findings({ limit: 0, on: 1 })
    expect(detailsOf(errors).map(({ key }) => key)).toEqual(['name', 'limit', 'on'])
    expect(problemsOf(errors)).toEqual([
      { instancePath: '', message: "must have required property 'name'" },
      { instancePath: '/limit', message: 'must be >= 1' },
      { instancePath: '/on', message: 'must be boolean' },
    ])
  })
})

test('what is validated stays as it was sent', () => {
  const sent = { name: 'a', more: { unknown: [1, '2'] } }
  expect(findings(sent)).toEqual([])
  expect(sent).toEqual({ name: 'a', more: { unknown: [1, '2'] } })
})

test('members that older clients send as texts are read as what they stand for', () => {
  const sent = { name: 'a', count: '7', flag: 'false' }
  expect(findings(sent)).toEqual([])
  expect(sent).toEqual({ name: 'a', count: 7, flag: false })
})
