import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('aggregate')
const window = { type: 'tumbling', interval: 3600 }
const evaluate = { operation: 'SUM' }
const SCRIPT = 'function process(event, metadata) { event.foo = "bar"; return event }'
const leaf = (str_operator: string, value: JsonObject[string]) => ({
  expressions: [{ field: '.value.value', str_operator, value }],
})

test.each<[string, JsonObject]>([
  ["/window must have required property 'interval'", { window: { type: 'sliding' } }],
  [
    '/window/type must be equal to one of the allowed values: tumbling, sliding',
    { window: { ...window, type: 'hopping' } },
  ],
  ['/window/interval must be >= 1', { window: { ...window, interval: 0 } }],
  ['/window/interval must be <= 90000', { window: { ...window, interval: 90_001 } }],
  ['/window/interval must be <= 90000', { window: { ...window, interval: 305_325_235_325 } }],
  ['/window/interval must be integer', { window: { ...window, interval: '60' } }],
  ['/window/window_min must be >= 0', { window: { ...window, window_min: -1 } }],
  ["/window must NOT have additional properties: 'x'", { window: { ...window, x: 1 } }],
  ['/window must be object', { window: 60 }],
  ["/evaluate must have required property 'operation'", { evaluate: {} }],
  [
    '/evaluate/operation must be equal to one of the allowed values: DEFAULT, SUM, MIN, MAX, AVG, SET_INTERSECTION, DIST_CONCAT, CUSTOM',
    { evaluate: { operation: 'sum' } },
  ],
  ["/evaluate must have required property 'script'", { evaluate: { operation: 'CUSTOM' } }],
  [
    '/evaluate/script must NOT be sent unless operation is CUSTOM',
    { evaluate: { operation: 'SUM', script: SCRIPT } },
  ],
  [
    '/evaluate/script must NOT have fewer than 1 characters',
    { evaluate: { operation: 'CUSTOM', script: '' } },
  ],
  [
    '/evaluate/script must NOT have more than 5000 characters',
    { evaluate: { operation: 'CUSTOM', script: SCRIPT + ' '.repeat(5001 - SCRIPT.length) } },
  ],
  [
    "/evaluate/script script is not valid JavaScript: Unexpected identifier 'a' (line 1, column 5)",
    { evaluate: { operation: 'CUSTOM', script: 'not a script' } },
  ],
  ['/group_by/1 Must be a valid data access syntax', { group_by: ['.name', 'name'] }],
  ['/event_timestamp Must be a valid data access syntax', { event_timestamp: 'time' }],
  ['/event_timestamp Must be a valid data access syntax', { event_timestamp: '' }],
  ['/event_timestamp must NOT have more than 200 characters', { event_timestamp: `.${'x'.repeat(200)}` }],
  [
    '/conditional/expressions/0/value Value must be a number',
    { conditional: leaf('value_change_less', 'much') },
  ],
])('%s', (problem, change) => {
  expect(problems({ window, evaluate, ...change })).toEqual([problem])
})

test.each<JsonObject>([
  { window: { ...window, interval: 1 } },
  { window: { ...window, interval: 90_000, window_min: 0 } },
  { evaluate: { operation: 'CUSTOM', script: SCRIPT + ' '.repeat(5000 - SCRIPT.length) } },
  { event_timestamp: `.${'x'.repeat(199)}` },
  { conditional: leaf('percent_change_greater_or_equal', 5) },
  { conditional: leaf('greater', '5') },
  { group_by: [] },
])('%j is accepted', change => {
  expect(problems({ window, evaluate, ...change })).toEqual([])
})

test('a sliding window reads back as sent, including the 0, and with no more than the time of the event', () => {
  const sent = { window: { type: 'sliding', interval: 10, window_min: 0 }, evaluate: { operation: 'SUM' } }
  expect(stored(sent)).toEqual({ ...sent, event_timestamp: 'timestamp' })
})

test('a tumbling window gets a distance, too, and a sent one is returned', () => {
  expect(stored({ window, evaluate }).window).toEqual({ ...window, window_min: 5 })
  expect(stored({ window: { ...window, window_min: 7 }, evaluate }).window).toEqual({
    ...window,
    window_min: 7,
  })
})

test('the other name of the type has the same meaning', () => {
  const config = { window, evaluate }
  expect(transformOptions('aggregate-v2').stored(config)).toEqual(stored(config))
})

test('window and evaluation are required, and all findings are reported at once', () => {
  expect(problems({})).toEqual([
    " must have required property 'window'",
    " must have required property 'evaluate'",
  ])
  expect(
    problems({ window: { ...window, interval: 0 }, evaluate: { operation: 'CUSTOM' }, group_by: ['x'] }),
  ).toEqual([
    '/window/interval must be >= 1',
    '/group_by/0 Must be a valid data access syntax',
    "/evaluate must have required property 'script'",
  ])
})
