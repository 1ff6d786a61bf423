import { expect, test } from 'vitest'
import type { JsonObject } from '../../../../schemas/json.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { parseExactJson } from '../../../json/exact-json.ts'
import { dedupe } from './dedupe.ts'
import { RecentKeys } from './recent-keys.ts'

const { problems } = transformOptions('dedupe')
const fields = ['.a']

test.each<[string, JsonObject]>([
  [" must have required property 'fields'", {}],
  ['/fields must NOT have fewer than 1 items', { fields: [] }],
  ['/fields/0 Must be a valid data access syntax', { fields: ['not-a-valid-field'] }],
  ['/number_of_events must be >= 2', { fields, number_of_events: 1 }],
  ['/number_of_events must be <= 5000', { fields, number_of_events: 5001 }],
  ['/number_of_events must be integer', { fields, number_of_events: 2.5 }],
  [
    '/comparison_type must be equal to one of the allowed values: Match, Ignore; did you mean "Match"?',
    { fields, comparison_type: 'match' },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test.each([2, 5000])('%d events can be remembered', number_of_events => {
  expect(problems({ fields, number_of_events })).toEqual([])
})

/** Whether each of two messages passes, one after the other. */
function arePassed(config: object, one: string, other: string): boolean[] {
  const process = dedupe.compile(config as JsonObject, () => {}, UNMETERED)
  const keys = new RecentKeys()
  return [one, other].map(message => {
    const event = Event.of(parseExactJson(message), {}, '2031-03-09T08:15:30.250Z')
    return process(event, keys, 0) === event
  })
}

test.each<[string, string, string, boolean]>([
  ['large integers that differ in their last digit', '9007199254740993', '9007199254740992', true],
  ['the same number in two spellings', '2', '2.0', false],
  ['numbers beyond a double', '1e400', '1e401', true],
  ['halves of a pair', '"\\ud800"', '"\\udfff"', true],
  ['members called __proto__', '{"__proto__":1}', '{"__proto__":2}', true],
  ['keys in another order', '{"7":1,"a":2}', '{"a":2,"7":1}', false],
])('%s', (_what, one, other, isOther) => {
  for (const config of [{ fields: ['.a'] }, { fields: ['.zz'], comparison_type: 'Ignore' }])
    expect(arePassed(config, `{"a":${one}}`, `{"a":${other}}`)).toEqual([true, isOther])
})

test('to ignore a field ignores all of it, and the time and metadata of events never count', () => {
  const process = dedupe.compile({ fields: ['.a'], comparison_type: 'Ignore' }, () => {}, UNMETERED)
  const keys = new RecentKeys()
  const isPassed = (message: JsonObject, metadata: JsonObject, timestamp: string) => {
    const event = Event.of(message, metadata, timestamp)
    return process(event, keys, 0) === event
  }
  expect(isPassed({ a: { b: 1, c: [2] }, d: 1 }, { x: 1 }, '2031-03-09T08:15:30Z')).toBe(true)
  expect(isPassed({ a: { b: 2 }, d: 1 }, { x: 2 }, '2031-03-09T08:15:31Z')).toBe(false)
  expect(isPassed({ d: 1 }, {}, '2031-03-09T08:15:31Z')).toBe(false)
  expect(isPassed({ d: 2 }, {}, '2031-03-09T08:15:31Z')).toBe(true)
})

test('another list of fields, or another comparison, forgets all keys; another number keeps them', () => {
  const config = { fields: ['.a'], number_of_events: 5, comparison_type: 'Match' }
  const keeps = (change: object) => dedupe.state?.keeps(config as never, { ...config, ...change } as never)
  expect(keeps({ number_of_events: 2 })).toBe(true)
  expect(keeps({ fields: ['.b'] })).toBe(false)
  expect(keeps({ fields: ['.a', '.b'] })).toBe(false)
  expect(keeps({ comparison_type: 'Ignore' })).toBe(false)
})

test('an explanation says when the equal event came', () => {
  const config = { fields: ['.a'] } as JsonObject
  const process = dedupe.compile(config, () => {}, UNMETERED)
  const explain = dedupe.explain?.(config)
  const keys = new RecentKeys()
  const event = Event.of({ a: 1 }, {}, '2031-03-09T08:15:30.250Z')
  const first = Date.UTC(2031, 2, 9)
  for (const nowMs of [first, first + 1_000]) process(event, keys, nowMs)
  expect(explain?.(event, keys, first + 1_000)).toMatchObject({ equal_event_at: '2031-03-09T00:00:00.000Z' })
})
