import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('trace-sampling')
const conditional = { expressions: [{ field: '.status', str_operator: 'equal', value: 200 }] }
const rule = (name?: string): JsonObject => ({
  rate: 15,
  conditional,
  ...(name === undefined ? {} : { _output_name: name }),
})
const tail = (...conditionals: JsonObject[]) => ({ sample_type: 'tail', conditionals })

test.each<[string, JsonObject]>([
  [" must have required property 'sample_type'", {}],
  ['/sample_type must be equal to one of the allowed values: head, tail', { sample_type: 'body' }],
  ['/trace_id_field Must be a valid data access syntax', { sample_type: 'head', trace_id_field: 'id' }],
  ['/rate must be >= 2', { sample_type: 'head', rate: 1 }],
  ['/rate must be <= 100000', { sample_type: 'head', rate: 100_001 }],
  [
    '/parent_span_id_field must NOT be sent for head sampling',
    { sample_type: 'head', parent_span_id_field: '.p' },
  ],
  ['/conditionals must NOT be sent for head sampling', { sample_type: 'head', conditionals: [rule()] }],
  ['/rate must NOT be sent for tail sampling', { ...tail(rule()), rate: 10 }],
  [" must have required property 'conditionals'", { sample_type: 'tail' }],
  ['/conditionals must NOT have fewer than 1 items', tail()],
  [
    '/parent_span_id_field Must be a valid data access syntax',
    { ...tail(rule()), parent_span_id_field: 'p' },
  ],
  ["/conditionals/0 must have required property 'rate'", tail({ conditional })],
  ["/conditionals/0 must have required property 'conditional'", tail({ rate: 1 })],
  ['/conditionals/0/rate must be >= 1', tail({ ...rule(), rate: 0 })],
  ['/conditionals/0/rate must be <= 100000', tail({ ...rule(), rate: 100_001 })],
  [
    '/conditionals/1/conditional/expressions must NOT have fewer than 1 items',
    tail(rule(), { rate: 1, conditional: { expressions: [] } }),
  ],
  ['/conditionals/0/_output_name must be string', tail({ ...rule(), _output_name: null })],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each<JsonObject>([
  { sample_type: 'head', rate: 2 },
  { sample_type: 'head', rate: 100_000 },
  tail({ ...rule(), rate: 1 }, { ...rule(), rate: 100_000 }),
])('%j is accepted', config => {
  expect(problems(config)).toEqual([])
})

test('each way of sampling has its own defaults, and none of the other', () => {
  expect(stored({ sample_type: 'head' })).toEqual({
    sample_type: 'head',
    trace_id_field: '.trace_id',
    rate: 10,
  })
  expect(Object.keys(stored(tail(rule()))).sort()).toEqual([
    'conditionals',
    'parent_span_id_field',
    'sample_type',
    'trace_id_field',
  ])
})

describe('names of rules', () => {
  const namesOf = (config: JsonObject) =>
    (config.conditionals as JsonObject[]).map(({ _output_name: name }) => String(name))

  test('that a client chose stay unchanged, whatever they were before', () => {
    const before = stored(tail(rule('ab1869cd'), rule()))
    expect(namesOf(stored(tail(rule('My name'), rule('ab1869cd')), before))).toEqual(['My name', 'ab1869cd'])
  })

  test('that were missing or empty are eight hex digits, distinct, and stay the same over updates', () => {
    const first = stored(tail(rule(), rule(''), rule('ab1869cd')))
    const names = namesOf(first)
    for (const name of names) expect(name).toMatch(/^[0-9a-f]{8}$/)
    expect(new Set(names).size).toBe(3)
    expect(namesOf(stored(tail(rule(), rule(''), rule('ab1869cd')), first))).toEqual(names)
    expect(namesOf(stored(tail(rule(), rule(), rule(), rule()), first)).slice(0, 3)).toEqual(names)
  })

  test('are not used twice when a client sends one with another rule', () => {
    const first = stored(tail(rule(), rule()))
    const [one = ''] = namesOf(first)
    const names = namesOf(stored(tail(rule(), rule(one)), first))
    expect(names[1]).toBe(one)
    expect(names[0]).not.toBe(one)
  })
})
