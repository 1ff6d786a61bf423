import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { jsonText } from '../../../json/json-text.ts'
import { AcceptedValues } from './accepted-values.ts'
import { metricsTagCardinalityLimit } from './metrics-tag-cardinality-limit.ts'

const { problems, stored } = transformOptions('metrics-tag-cardinality-limit')
const value_limit = 50
const names = (count: number) => Array.from({ length: count }, () => 'x')

test.each<[string, JsonObject]>([
  [" must have required property 'value_limit'", {}],
  ['/value_limit must be >= 1', { value_limit: 0 }],
  ['/value_limit must be integer', { value_limit: 1.5 }],
  ['/value_limit must be <= 500', { value_limit: 501 }],
  ['/value_limit must be <= 500', { value_limit: 501, mode: 'exact' }],
  ['/value_limit must be <= 5000', { value_limit: 5001, mode: 'probabilistic' }],
  ['/value_limit must be <= 5000', { value_limit: 5001, mode: 'probabalistic' }],
  [
    '/action must be equal to one of the allowed values: drop_event, drop_tag',
    { value_limit, action: 'nope' },
  ],
  [
    '/mode must be equal to one of the allowed values: exact, probabilistic, probabalistic',
    { value_limit, mode: 'nope' },
  ],
  ['/tags must NOT have more than 10 items', { value_limit, tags: names(11) }],
  ['/tags/0 must NOT have fewer than 1 characters', { value_limit, tags: [''] }],
  ['/tags/0 must NOT have more than 100 characters', { value_limit, tags: ['x'.repeat(101)] }],
  ['/exclude_tags must NOT have more than 10 items', { value_limit, exclude_tags: names(11) }],
  ['/exclude_tags/0 must NOT have fewer than 1 characters', { value_limit, exclude_tags: [''] }],
  [
    '/exclude_tags/0 must NOT have more than 100 characters',
    { value_limit, exclude_tags: ['x'.repeat(101)] },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each<JsonObject>([
  { value_limit: 1 },
  { value_limit: 500 },
  { value_limit: 5000, mode: 'probabilistic' },
  { value_limit, tags: names(10), exclude_tags: ['x'.repeat(100)] },
  { value_limit, tags: ['not-a-path'] },
])('%j is accepted', config => {
  expect(problems(config)).toEqual([])
})

test('the other spelling of probabilistic is returned as sent', () => {
  expect(stored({ value_limit, mode: 'probabalistic' }).mode).toBe('probabalistic')
})

test('any change of the options empties the memory', () => {
  const config = { value_limit: 5, action: 'drop_event', mode: 'exact' }
  const keeps = (change: object) =>
    metricsTagCardinalityLimit.state?.keeps(config as never, { ...config, ...change } as never)
  expect(keeps({})).toBe(true)
  for (const change of [
    { value_limit: 6 },
    { action: 'drop_tag' },
    { mode: 'probabilistic' },
    { tags: ['a'] },
  ])
    expect(keeps(change)).toBe(false)
})

test('tags of any name keep their order when others are dropped', () => {
  const process = metricsTagCardinalityLimit.compile(
    { value_limit: 1, action: 'drop_tag' },
    () => {},
    UNMETERED,
  )
  const state = new AcceptedValues()
  const tags = (text: string) =>
    Event.of(parseExactJson(`{"b":1,"tags":${text},"7":2}`), {}, '2031-03-09T08:15:30Z')
  process(tags('{"z":"0"}'), state, 0)
  const left = process(tags('{"b":"x","7":"y","z":"1","__proto__":"p","1":"q"}'), state, 0) as Event
  expect(jsonText(left.message)).toBe('{"b":1,"tags":{"b":"x","7":"y","__proto__":"p","1":"q"},"7":2}')
})

/** Tags of each metric after it passed; undefined: it was dropped. */
function tagsAfter(config: JsonObject, metrics: readonly JsonObject[]): (JsonObject | undefined)[] {
  const process = metricsTagCardinalityLimit.compile(config as never, () => {}, UNMETERED)
  const state = new AcceptedValues()
  return metrics.map(metric => {
    const outcome = process(Event.of(metric, {}, '2031-03-09T08:15:30Z'), state, 0)
    return outcome instanceof Event ? ((outcome.message as JsonObject).tags as JsonObject) : undefined
  })
}

test.each(['exact', 'probabilistic'])('%s: the values of a tag are those of all metrics', mode => {
  const metrics = [
    { name: 'a', tags: { host: '1' } },
    { name: 'b', namespace: 'n', tags: { host: '2' } },
    { name: 'b', tags: { host: '1' } },
    { name: 'c', tags: { host: '3' } },
  ]
  expect(tagsAfter({ value_limit: 2, mode }, metrics)).toEqual([
    { host: '1' },
    { host: '2' },
    { host: '1' },
    undefined,
  ])
})

test('where a tag is dropped, the others of its event are judged and remembered', () => {
  const metrics = [{ a: '1' }, { a: '2', b: '1' }, { b: '2', c: '1' }, { b: '1', c: '2' }].map(tags => ({
    tags,
  }))
  expect(tagsAfter({ value_limit: 1, action: 'drop_tag' }, metrics)).toEqual([
    { a: '1' },
    { b: '1' },
    { c: '1' },
    { b: '1' },
  ])
})
