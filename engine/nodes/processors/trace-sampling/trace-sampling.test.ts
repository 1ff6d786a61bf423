import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { traceSampling } from './trace-sampling.ts'
import { Traces } from './traces.ts'

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

describe('an explanation of a dropped span', () => {
  /** Takes messages one after the other, and explains the last one. */
  const explained = (config: JsonObject, ...messages: JsonObject[]) => {
    const process = traceSampling.compile(config, () => {}, UNMETERED)
    const explain = traceSampling.explain?.(config)
    const state = new Traces({ maxTraces: 10, maxHeldSpans: 1, maxHeldBytes: 10_000 })
    const events = messages.map(message => Event.of(message, {}, '2031-03-09T08:15:30.250Z'))
    for (const event of events) process(event, state, 0)
    return explain?.(events.at(-1) as Event, state, 0)
  }
  const head = { sample_type: 'head', rate: 3 }
  const met = (id: string) => ({ trace_id: id, status: 200 })
  const child = { trace_id: 'b', parent_span_id: 'r' }

  test('says the place of its trace in the turn, or that the trace was decided', () => {
    expect(explained(head, { trace_id: 'a' }, { trace_id: 'b' })).toEqual({
      rule: 'its trace is not the first of its turn',
      rate: 3,
      place: 2,
    })
    expect(explained(head, { trace_id: 'a' }, { trace_id: 'b' }, { trace_id: 'b' })).toEqual({
      rule: 'its trace is dropped, because its first span was not the first of its turn',
      rate: 3,
    })
  })

  test('tells a root that meets no condition from one whose trace is not the first of its turn', () => {
    const comparison = { field: '.status', str_operator: 'equal', value: 200 }
    expect(explained(tail(rule()), { trace_id: 'a', status: 500 })).toEqual({
      rule: 'it meets no condition',
      conditionals: [{ rate: 15, comparisons: [{ ...comparison, actual: 500, met: false }] }],
    })
    expect(explained(tail(rule()), met('a'), met('b'))).toEqual({
      rule: 'its trace is not the first of the turn of the condition that it meets',
      rate: 15,
      place: 2,
      comparisons: [{ ...comparison, actual: 200, met: true }],
    })
  })

  test('shows at most 16 KiB of the values of all conditions', () => {
    const text = 'x'.repeat(100_000)
    const fields = { '.text': text, '.list': [text, text], '.n': 4 }
    const conditionals = Array.from({ length: 20 }, () => ({
      ...rule(),
      conditional: {
        expressions: Object.keys(fields).map(field => ({ field, str_operator: 'is_null' })),
      },
    }))
    const message = { trace_id: 'a', text, list: [text, text], n: 4 }
    const reason = JSON.stringify(explained(tail(...conditionals), message))
    expect(reason).toContain('{"field":".n","str_operator":"is_null","actual":4,"met":false}')
    expect(reason).toContain(`"actual":${JSON.stringify(`["${'x'.repeat(1_022)}`)},"cut":true`)
    expect(reason.match(/x/g)?.length).toBeLessThan(16 * 1_024)
  })

  test('says of a child whether its trace was decided or has too many spans', () => {
    expect(explained(tail(rule()), met('a'), met('b'), child)).toEqual({
      rule: 'its trace is dropped: its root was not kept, or too many spans waited for it',
    })
    expect(explained(tail(rule()), child, child)).toEqual({
      rule: 'too many spans, or spans of too many traces, waited for their root',
    })
  })
})
