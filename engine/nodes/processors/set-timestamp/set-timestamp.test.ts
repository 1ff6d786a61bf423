import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { runProblemsOf } from '../../../../test/support/run-problems.ts'
import { transformOptions } from '../../../../test/support/transform-options.ts'
import { Event } from '../../../event/event.ts'
import { PassedWithError } from '../../../event/outcome.ts'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { setTimestamp } from './set-timestamp.ts'

const { problems, stored } = transformOptions('set-timestamp')
const custom = { format: 'Custom', custom_format: '%F' }
const parser = { field: '.at', options: custom }

test.each<[string, JsonObject]>([
  [" must have required property 'parsers'", {}],
  ['/parsers must NOT have fewer than 1 items', { parsers: [] }],
  ['/parsers/0 must be object', { parsers: [null] }],
  ["/parsers/0 must have required property 'options'", { parsers: [{ field: '.at' }] }],
  ["/parsers/0 must have required property 'field'", { parsers: [{ options: custom }] }],
  ['/parsers/1/field Must be a valid data access syntax', { parsers: [parser, { ...parser, field: 'at' }] }],
  [
    "/parsers/1/options must have required property 'custom_format'",
    { parsers: [parser, { field: '.at', options: { format: 'Custom' } }] },
  ],
  ["/parsers/0/options must have required property 'format'", { parsers: [{ ...parser, options: {} }] }],
  [
    '/parsers/0/options/format must NOT have fewer than 1 characters',
    { parsers: [{ ...parser, options: { format: '' } }] },
  ],
  [
    '/parsers/0/options/custom_format must NOT have fewer than 1 characters',
    { parsers: [{ ...parser, options: { format: 'Custom', custom_format: '' } }] },
  ],
  [
    "/parsers/0/options must NOT have additional properties: 'zone'",
    { parsers: [{ ...parser, options: { ...custom, zone: 'UTC' } }] },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('only the exact word Custom is special', () => {
  const config = { parsers: [{ field: '.at', options: { format: 'custom %F' } }] }
  expect(stored(config)).toEqual(config)
  expect(problems({ parsers: [{ field: '.at', options: { format: 'custom' } }] })).toEqual([
    '/parsers/0/options/format must be a valid time format, and "custom" is not: it has no date',
  ])
})

test.each<[string, JsonObject]>([
  [
    '/parsers/0/options/format must be a valid time format, and "%F %Q" is not: it has no mark %Q',
    { format: '%F %Q' },
  ],
  [
    '/parsers/0/options/custom_format must be a valid time format, and "%T" is not: it has no date',
    { format: 'Custom', custom_format: '%T' },
  ],
])('refused, and not published if an earlier program saved it: %s', (problem, options) => {
  const config = { parsers: [{ field: '.at', options }] }
  expect(problems(config)).toEqual([problem])
  const found = runProblemsOf(setTimestamp.runProblems?.(config))
  expect(found.map(({ instancePath, message }) => `${instancePath} ${message}`)).toEqual([problem])
})

test.each(['%F', 'epoch_ms', 'epoch_ns', '%s'])('%s is a format, also as Custom', format => {
  const config = {
    parsers: [
      { field: '.at', options: { format } },
      { field: '.at', options: { format: 'Custom', custom_format: format } },
    ],
  }
  expect(stored(config)).toEqual(config)
})

const NOW_MS = Date.parse('2031-03-09T08:15:30Z')

/** Timestamp of an event of that message, or the error. */
function timestampOf(message: JsonValue, parsers: readonly [field: string, format: string][]): JsonValue {
  const config = { parsers: parsers.map(([field, format]) => ({ field, options: { format } })) }
  const process = setTimestamp.compile(config, () => {}, UNMETERED)
  const event = Event.of(message, { at: '2031-03-10' }, '2031-03-09T08:15:30.250Z')
  const outcome = process(event, undefined, NOW_MS)
  if (outcome instanceof Event) return outcome.timestamp
  if (!(outcome instanceof PassedWithError)) throw new Error('it does not go on')
  expect(outcome.event).toBe(event)
  return [outcome.code, outcome.detail.field ?? null, outcome.detail.found ?? null]
}

test.each<[JsonValue, string, JsonValue]>([
  [1_930_810_530, '%s', '2031-03-09T08:15:30Z'],
  [1_930_810_530n, '%s', '2031-03-09T08:15:30Z'],
  ['1930810530', '%s', '2031-03-09T08:15:30Z'],
  [1_930_810_530.25, '%s%.f', '2031-03-09T08:15:30.250Z'],
  [1_930_810_530_250, 'epoch_ms', '2031-03-09T08:15:30.250Z'],
  ['1930810530250', 'epoch_ms', '2031-03-09T08:15:30.250Z'],
  [-0, 'epoch_ms', '1970-01-01T00:00:00Z'],
  [1_930_810_530.25, '%s', ['E_PARSE_FAILED', '.at', 'number']],
  [1e21, 'epoch_ns', ['E_PARSE_FAILED', '.at', 'number']],
  [20_310_309, '%Y%m%d', ['E_PARSE_FAILED', '.at', 'number']],
  [5, '%%s%F', ['E_PARSE_FAILED', '.at', 'number']],
  [null, '%s', ['E_PARSE_FAILED', '.at', 'null']],
  [true, '%s', ['E_PARSE_FAILED', '.at', 'boolean']],
  [['1'], '%s', ['E_PARSE_FAILED', '.at', 'array']],
])('$0 read as $1 gives $2', (at, format, result) => {
  expect(timestampOf({ at }, [['.at', format]])).toEqual(result)
})

test('the whole message, metadata and the timestamp itself can contain the time', () => {
  expect(timestampOf('2031-03-08', [['.', '%F']])).toBe('2031-03-08T00:00:00Z')
  expect(timestampOf({}, [['metadata.at', '%F']])).toBe('2031-03-10T00:00:00Z')
  expect(timestampOf({}, [['timestamp', '%FT%T.250%Z']])).toBe('2031-03-09T08:15:30Z')
})

test('an error names the first field that exists, or the first of all', () => {
  const parsers: [string, string][] = [
    ['.a', '%F'],
    ['.b', '%F'],
    ['.c', '%F'],
  ]
  expect(timestampOf({ b: 1, c: 'x' }, parsers)).toEqual(['E_PARSE_FAILED', '.b', 'number'])
  expect(timestampOf({ d: 1 }, parsers)).toEqual(['E_NOT_FOUND', '.a', null])
  expect(timestampOf({ b: 1, c: '2031-03-08' }, parsers)).toBe('2031-03-08T00:00:00Z')
})
