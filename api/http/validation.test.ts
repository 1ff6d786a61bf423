import type { ErrorObject } from 'ajv'
import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import {
  byWord,
  readsBoolean,
  readsInteger,
  readsJson,
  readsList,
  readsWord,
} from '../../schemas/keywords.ts'
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

function findings(value: unknown, of: object = schema): ErrorObject[] {
  const validate = validatorCompiler({ schema: of, method: 'POST', url: '/' }) as {
    (value: unknown): boolean
    errors?: ErrorObject[]
  }
  return validate(value) ? [] : (validate.errors ?? [])
}

describe('findings have the words that clients match', () => {
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
    ['a text that is not a number', { name: 'a', count: 'x' }, 'count', '"count" must be a number'],
    ['a text below', { name: 'a', count: '0' }, 'count', '"count" must be greater than or equal to 1'],
    ['a text above', { name: 'a', count: '11' }, 'count', '"count" must be less than or equal to 10'],
    ['half a number', { name: 'a', count: 1.5 }, 'count', '"count" must be a number'],
    ['a text that is not a boolean', { name: 'a', flag: 'yes' }, 'flag', '"flag" must be a boolean'],
    ['a number as boolean', { name: 'a', flag: 1 }, 'flag', '"flag" must be a boolean'],
    ['a name with slashes', { name: 'a', 'a/b~c': 5 }, 'a/b~c', '"a/b~c" must be a string'],
  ])('%s', (_name, value, key, message) => {
    expect(detailsOf(findings(value))).toEqual([{ message, key }])
  })

  test('the whole body is called value', () => {
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

test('the validated body is not changed', () => {
  const sent = { name: 'a', more: { unknown: [1, '2'] } }
  expect(findings(sent)).toEqual([])
  expect(sent).toEqual({ name: 'a', more: { unknown: [1, '2'] } })
})

test('members that older clients send as texts are read as the values that they represent', () => {
  const sent = { name: 'a', count: '7', flag: 'false' }
  expect(findings(sent)).toEqual([])
  expect(sent).toEqual({ name: 'a', count: 7, flag: false })
})

describe('rules that JSON Schema cannot express', () => {
  const shape = byWord('kind', Type.Object({ kind: Type.Enum(['round', 'square']), color: Type.String() }), {
    round: Type.Object({ radius: Type.Integer() }),
    square: Type.Object({ side: Type.Integer(), label: Type.Optional(Type.String({ minLength: 3 })) }),
  })
  const rules = {
    type: 'object',
    properties: {
      word: readsWord(['30', '1m']),
      list: readsList(Type.String({ minLength: 1, format: 'email' })),
      template: readsJson({ tokens: ['name'] }),
      graphs: { type: 'array', distinctBy: 'id', items: { type: 'object' } },
      query: { searchQuery: true },
      zone: { format: 'timezone' },
      shapes: { type: 'array', items: shape },
    },
    needsOneOf: ['query', 'zone'],
    exclusivePeers: ['word', 'graphs'],
  }
  const messages = (value: object) =>
    detailsOf(findings({ query: '', ...value }, rules)).map(({ message }) => message)

  test.each<[string, object, string[]]>([
    ['a word that is none', { word: '2m' }, ['"word" must be one of [30, 1m]']],
    ['a list that is none', { list: {} }, ['"list" must be an array']],
    ['a list of nothing', { list: [] }, ['"list" must contain at least 1 items']],
    ['elements of a text', { list: 'a@b.org,c' }, ['"list[1]" must be a valid email']],
    ['a template that is no JSON', { template: '{' }, ['"template" must be a valid JSON string']],
    ['a template that is not an object', { template: [] }, ['"template" must be of type object']],
    [
      'tokens that there are not',
      { template: { a: '{{x}}', b: ['{{ name }} {{ y }} {{x}}'] } },
      [
        'Invalid bodyTemplate: {{x}} is not a valid token',
        'Invalid bodyTemplate: {{y}} is not a valid token',
      ],
    ],
    ['one id twice', { graphs: [{ id: 1 }, {}, {}, { id: 1 }] }, ['"graphs[3]" contains a duplicate value']],
    [
      'a query that cannot be read',
      { query: 'a )' },
      ['"query" has an unbalanced parenthesis at character 3'],
    ],
    ['a zone that there is not', { zone: 'Mars' }, ['"zone" must be a valid timezone']],
    [
      'peers that exclude each other',
      { word: '30', graphs: [{}] },
      ['"value" contains a conflict between exclusive peers [word, graphs]'],
    ],
    [
      'members that a word asks for, and not those of another',
      {
        shapes: [
          { kind: 'round', color: 'red', side: 'x' },
          { kind: 'square', side: 1, color: 5, label: '' },
          {},
        ],
      },
      [
        '"shapes[0].radius" is required',
        '"shapes[1].color" must be a string',
        '"shapes[1].label" must be at least 3 characters long',
        '"shapes[2].kind" is required',
        '"shapes[2].color" is required',
      ],
    ],
  ])('%s', (_name, value, expected) => {
    expect(messages(value)).toEqual(expected)
  })

  test('the whole body is missing', () => {
    expect(detailsOf(findings({ word: '30' }, rules))).toEqual([
      { message: '"value" must contain at least one of [query, zone]', key: 'value' },
    ])
  })

  test('an empty list is not a peer, and an absent member is not a duplicate', () => {
    expect(messages({ word: '30', graphs: [] })).toEqual([])
    expect(messages({ graphs: [{}, {}] })).toEqual([])
  })

  test('handlers get the values that texts and numbers represent', () => {
    const sent = { query: '', word: 30, list: 'a@b.org, c@d.org', template: '{"a":[1]}' }
    expect(findings(sent, rules)).toEqual([])
    expect(sent).toMatchObject({ word: '30', list: ['a@b.org', 'c@d.org'], template: { a: [1] } })
  })
})

describe('findings', () => {
  test('are in the order of the schema, and those of a whole body and of members without a schema are last', () => {
    const errors = findings({ 'a/b~c': 1, kind: 'x', channels: [{ url: 1 }, 5], limit: 'x' })
    expect(detailsOf(errors).map(({ key }) => key)).toEqual([
      'name',
      'limit',
      'kind',
      'channels[0].url',
      'channels[0].key',
      'channels[1]',
      'a/b~c',
    ])
  })

  test('are in the order of the matching branch', () => {
    const first = Type.Object({ key: Type.String(), place: Type.String() })
    const second = Type.Object({ place: Type.String(), key: Type.String() })
    const either = byWord('at', Type.Object({ at: Type.Enum(['a', 'b']) }), { a: first, b: second })
    const keys = (at: string) => {
      const errors = findings([{ at }], { type: 'array', items: either })
      return detailsOf(errors).map(({ key }) => key)
    }
    expect(keys('a')).toEqual(['[0].key', '[0].place'])
    expect(keys('b')).toEqual(['[0].place', '[0].key'])
  })

  test('about an empty text report that it is empty', () => {
    const email = { type: 'object', properties: { to: { type: 'string', minLength: 1, format: 'email' } } }
    expect(detailsOf(findings({ to: '' }, email))).toEqual([
      { message: '"to" is not allowed to be empty', key: 'to' },
    ])
  })

  test('end at the bound of the reader', () => {
    const list = { type: 'array', items: { type: 'string' } }
    expect(detailsOf(findings(Array(5000).fill(0), list))).toHaveLength(1000)
  })

  test.each<[string, object, unknown]>([
    ['elements', { type: 'array', items: readsInteger({ minimum: 1 }) }, Array(200_000).fill('x')],
    [
      'members',
      { type: 'object', additionalProperties: readsInteger({ minimum: 1 }) },
      Object.fromEntries(Array.from({ length: 200_000 }, (_, at) => [`k${at}`, 'x'])),
    ],
    ['elements twice', { type: 'array', distinctBy: 'id' }, Array(200_000).fill({ id: 1 })],
  ])('about 200,000 wrong %s do not block other requests', (_name, of, value) => {
    const before = process.threadCpuUsage()
    expect(detailsOf(findings(value, of))).toHaveLength(1000)
    // Each finding copied all previous ones, which took half a minute.
    const { user, system } = process.threadCpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(2_000)
  })

  test('of many elements include every one that makes an alternative wrong', () => {
    const wrong = Array(3_000).fill('x')
    const either = {
      anyOf: [
        { type: 'array', items: { type: 'integer' } },
        { type: 'array', maxItems: 2 },
      ],
    }
    expect(findings(wrong, either)).not.toEqual([])
    expect(findings([wrong, wrong], { type: 'array', items: either })).not.toEqual([])
    expect(findings(wrong, { anyOf: [either, { type: 'array' }] })).toEqual([])
  })
})
