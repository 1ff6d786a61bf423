import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { Event } from '../../event/event.ts'
import { PassedWithError, Split } from '../../event/outcome.ts'
import { UNMETERED } from '../../expressions/cost-meter.ts'
import { textFormBytes } from '../../json/json-size.ts'
import { unroll } from './unroll.ts'

const { problems } = transformOptions('unroll')

test.each<[string, JsonObject]>([
  [" must have required property 'field'", {}],
  ['/field Must be a valid data access syntax', { field: 'items' }],
  ['/field Must be a valid data access syntax', { field: '' }],
  ['/field must be string', { field: 1 }],
  ['/values_only must be boolean', { field: '.items', values_only: 'false' }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

const process = unroll.compile({ field: '.items', values_only: true }, () => {}, UNMETERED)
const outcomeOf = (items: readonly JsonValue[], envelope: JsonObject = {}) =>
  process(Event.of({ items: [...items] }, envelope, '2031-03-09T08:15:30.250Z'), undefined, 0)

test.each([
  [10_000, 10_000],
  [10_001, 'E_UNROLL_BAD_TYPE'],
])('an array of %i elements gives %s', (length, expected) => {
  const outcome = outcomeOf(Array(length).fill(1))
  const given = outcome instanceof Split ? outcome.count : outcome instanceof PassedWithError && outcome.code
  expect(given).toBe(expected)
})

test('metadata and timestamp are those of the event', () => {
  const outcome = outcomeOf(['a', 'b'], { query: { app: 'web' } })
  if (!(outcome instanceof Split)) throw new Error('it is not split')
  for (const { metadata, timestamp } of outcome.events)
    expect([metadata, timestamp]).toEqual([{ query: { app: 'web' } }, '2031-03-09T08:15:30.250Z'])
})

test.each(['.items', '.a.items', '.list[0]', '.list[0].items', 'metadata.items'])(
  'each copy around an element of %s has the size of its message',
  field => {
    const items = ['é"', { b: [1.5] }, null, 2n ** 70n]
    const message = { n: 1, items, a: { items, z: '' }, list: [items, 'x'] }
    const copying = unroll.compile({ field, values_only: false }, () => {}, UNMETERED)
    const messages =
      field === '.list[0].items' ? [{ ...message, list: [{ items }] }] : [message, { ...message, 7: 0 }]
    for (const each of messages) {
      const event = Event.of(each, { items }, '2031-03-09T08:15:30.250Z')
      void event.bytes
      const outcome = copying(event, undefined, 0)
      if (!(outcome instanceof Split)) throw new Error('it is not split')
      const events = [...outcome.events]
      expect(events.map(({ bytes }) => bytes)).toEqual(events.map(copy => textFormBytes(copy.message)))
    }
  },
)

test('an explanation of an event without elements names the empty array', () => {
  const config = { field: '.items' }
  const event = Event.of({ items: [] }, {}, '2031-03-09T08:15:30.250Z')
  expect(unroll.explain?.(config)(event, undefined, 0)).toEqual({
    rule: 'the array is empty',
    field: '.items',
  })
})
