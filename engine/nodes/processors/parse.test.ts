import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { parse } from './parse.ts'
import { PARSER_IDS } from './parsers/parsers.ts'

const { problems, stored } = transformOptions('parse')
const parsing = (parser: string, options?: JsonObject[string]): JsonObject => ({
  field: '.line',
  parser,
  ...(options === undefined ? {} : { options }),
})
const NEED_OPTIONS = ['parse_apache_log', 'parse_nginx_log', 'parse_regex', 'parse_grok', 'parse_timestamp']
const TAKE_OPTIONS = [...NEED_OPTIONS, 'parse_cef', 'parse_csv', 'parse_key_value']

test('there are 22 parsers, five of which need options', () => {
  expect(new Set(PARSER_IDS).size).toBe(22)
  for (const parser of PARSER_IDS)
    expect(problems(parsing(parser))).toEqual(
      NEED_OPTIONS.includes(parser) ? [" must have required property 'options'"] : [],
    )
})

test('options that were not sent are absent, and empty ones stay', () => {
  for (const parser of PARSER_IDS.filter(id => !NEED_OPTIONS.includes(id))) {
    expect(stored(parsing(parser))).toEqual({ ...parsing(parser), target_field: '' })
    expect(stored(parsing(parser, {}))).toEqual({ ...parsing(parser, {}), target_field: '' })
  }
})

test.each(PARSER_IDS.filter(id => !TAKE_OPTIONS.includes(id)))('%s has no options', parser => {
  expect(problems(parsing(parser, { format: 'x' }))).toEqual([
    "/options must NOT have additional properties: 'format'",
  ])
})

test('the source can be a field or the whole message, and so can the target', () => {
  expect(problems({ field: '', target_field: '.parsed', parser: 'parse_json' })).toEqual([])
  expect(problems({ field: '.', target_field: '', parser: 'parse_json' })).toEqual([])
  expect(problems({ field: 'line', target_field: 'to', parser: 'parse_json' })).toEqual([
    '/field Must be a valid data access syntax',
    '/target_field Must be a valid data access syntax',
  ])
  expect(problems({})).toEqual([
    " must have required property 'field'",
    " must have required property 'parser'",
  ])
})

test('unknown parsers are refused, without findings about their options', () => {
  for (const parser of ['apache_log', 'toString', '', null, 5]) {
    const [problem, ...others] = problems({ field: '.line', parser, options: { x: 1 } })
    expect(problem).toContain('/parser must be equal to one of the allowed values: parse_apache_log, ')
    expect(others).toEqual([])
  }
})

test.each<[string, string, JsonObject[string]]>([
  ['/options must be object', 'parse_json', 'x'],
  ['/options must be object', 'parse_json', null],
  ["/options must have required property 'format'", 'parse_apache_log', {}],
  [
    '/options/format must be equal to one of the allowed values: common, combined, error',
    'parse_apache_log',
    { format: 'unknown' },
  ],
  [
    "/options must have required property 'custom_timestamp_format'",
    'parse_apache_log',
    { format: 'common', timestamp_format: 'Custom' },
  ],
  [
    '/options/timestamp_format must NOT have fewer than 1 characters',
    'parse_apache_log',
    { format: 'common', timestamp_format: '' },
  ],
  [
    '/options/custom_timestamp_format must NOT have fewer than 1 characters',
    'parse_apache_log',
    { format: 'common', timestamp_format: 'Custom', custom_timestamp_format: '' },
  ],
  ["/options must have required property 'format'", 'parse_nginx_log', {}],
  [
    '/options/format must be equal to one of the allowed values: combined, error',
    'parse_nginx_log',
    { format: 'common' },
  ],
  [
    "/options must have required property 'custom_timestamp_format'",
    'parse_nginx_log',
    { format: 'combined', timestamp_format: 'Custom' },
  ],
  [
    '/options/timestamp_format must NOT have fewer than 1 characters',
    'parse_nginx_log',
    { format: 'error', timestamp_format: '' },
  ],
  [
    '/options/custom_timestamp_format must NOT have fewer than 1 characters',
    'parse_nginx_log',
    { format: 'error', custom_timestamp_format: '' },
  ],
  ["/options must have required property 'pattern'", 'parse_regex', {}],
  ['/options/pattern must NOT have fewer than 1 characters', 'parse_regex', { pattern: '' }],
  ['/options/pattern must NOT have more than 4096 characters', 'parse_regex', { pattern: 'x'.repeat(4097) }],
  ['/options/case_sensitive must be boolean', 'parse_regex', { pattern: 'a', case_sensitive: 'no' }],
  ['/options/multiline must be boolean', 'parse_regex', { pattern: 'a', multiline: null }],
  ['/options/match_newline must be boolean', 'parse_regex', { pattern: 'a', match_newline: 0 }],
  ['/options/crlf_newline must be boolean', 'parse_regex', { pattern: 'a', crlf_newline: 0 }],
  ["/options must have required property 'pattern'", 'parse_grok', {}],
  ['/options/pattern must NOT have fewer than 1 characters', 'parse_grok', { pattern: '' }],
  [
    "/options/pattern Must be a valid grok pattern: 'x' must not stand between references",
    'parse_grok',
    { pattern: '%{WORD}x' },
  ],
  ["/options must have required property 'format'", 'parse_timestamp', {}],
  ['/options/format must NOT have fewer than 1 characters', 'parse_timestamp', { format: '' }],
  ["/options must have required property 'custom_format'", 'parse_timestamp', { format: 'Custom' }],
  [
    '/options/custom_format must NOT have fewer than 1 characters',
    'parse_timestamp',
    { format: 'Custom', custom_format: '' },
  ],
  ['/options/translate_custom_fields must be boolean', 'parse_cef', { translate_custom_fields: 'no' }],
  ['/options/field_names/1 must NOT have fewer than 1 characters', 'parse_csv', { field_names: ['a', ''] }],
  ['/options/field_names must be array', 'parse_csv', { field_names: 'a' }],
  [
    '/options/field_delimiter must NOT have fewer than 1 characters',
    'parse_key_value',
    { field_delimiter: '' },
  ],
  [
    '/options/key_value_delimiter must NOT have fewer than 1 characters',
    'parse_key_value',
    { key_value_delimiter: '' },
  ],
])('%s (%s)', (problem, parser, options) => {
  expect(problems(parsing(parser, options))).toEqual([problem])
})

test.each(['(?=a)', '(a', '(a)\\1', 'a{1001}'])('%s is an expression that cannot be run', pattern => {
  expect(problems(parsing('parse_regex', { pattern }))).toEqual([
    expect.stringMatching(/^\/options\/pattern Must be a valid regular expression: /),
  ])
})

describe('the stored options', () => {
  const optionsOf = (parser: string, options: JsonObject) => stored(parsing(parser, options)).options

  test.each<[string, string, string]>([
    ['parse_apache_log', 'common', '%d/%b/%Y:%T %z'],
    ['parse_apache_log', 'combined', '%d/%b/%Y:%T %z'],
    ['parse_apache_log', 'error', '%d/%b/%Y:%T %z'],
    ['parse_nginx_log', 'combined', '%d/%b/%Y:%T %z'],
    ['parse_nginx_log', 'error', '%Y/%m/%d %H:%M:%S'],
  ])('%s, %s: %s is how the time is written', (parser, format, timestamp_format) => {
    expect(optionsOf(parser, { format })).toEqual({ format, timestamp_format })
    const custom = { format, timestamp_format: 'Custom', custom_timestamp_format: '%F' }
    expect(optionsOf(parser, custom)).toEqual(custom)
    expect(optionsOf(parser, { format, timestamp_format: '%s' })).toEqual({ format, timestamp_format: '%s' })
  })

  test('an expression needs no named groups, and its four switches are stored', () => {
    expect(optionsOf('parse_regex', { pattern: '\\d{3}-\\d{2}-\\d{3}' })).toEqual({
      pattern: '\\d{3}-\\d{2}-\\d{3}',
      case_sensitive: true,
      multiline: false,
      match_newline: false,
      crlf_newline: false,
    })
    const all = {
      pattern: 'a',
      case_sensitive: false,
      multiline: true,
      match_newline: true,
      crlf_newline: true,
    }
    expect(optionsOf('parse_regex', all)).toEqual(all)
  })

  test.each<[string, JsonObject]>([
    ['parse_key_value', { field_delimiter: ':' }],
    ['parse_key_value', { key_value_delimiter: ':' }],
    ['parse_key_value', { field_delimiter: ':', key_value_delimiter: ',' }],
    ['parse_cef', { translate_custom_fields: true }],
    ['parse_csv', { field_names: ['field1', 'field2'] }],
    ['parse_csv', { field_names: [] }],
    ['parse_grok', { pattern: '%{USERNAME:user} %{EMAILADDRESS:email}' }],
    ['parse_timestamp', { format: '%a %d %b %T %Y' }],
  ])('%s: %j and nothing more', (parser, options) => {
    expect(optionsOf(parser, options)).toEqual(options)
  })
})

test('all findings are reported at once', () => {
  expect(
    problems({ field: 'x', parser: 'parse_nginx_log', options: { timestamp_format: 'Custom', y: 1 }, z: 1 }),
  ).toEqual([
    " must NOT have additional properties: 'z'",
    '/field Must be a valid data access syntax',
    "/options must have required property 'format'",
    "/options must NOT have additional properties: 'y'",
    "/options must have required property 'custom_timestamp_format'",
  ])
})

describe('a pipeline', () => {
  const runProblems = (parser: string, options?: JsonObject) =>
    (parse.runProblems?.(stored(parsing(parser, options))) ?? []).map(
      ({ instancePath, message }) => `${instancePath} ${message}`,
    )

  test.each(['parse_regex', 'parse_grok'])('with %s cannot be published yet', parser => {
    expect(runProblems(parser, { pattern: '%{WORD:a}' })).toEqual([
      `/parser "${parser}" is not available on this server yet`,
    ])
  })

  test('with a time format that cannot be read is not published', () => {
    expect(runProblems('parse_timestamp', { format: '%Q' })).toEqual([
      '/options/format must be a valid time format: it has no mark %Q',
    ])
    const custom = { format: 'error', timestamp_format: 'Custom', custom_timestamp_format: '%H' }
    expect(runProblems('parse_apache_log', custom)).toEqual([
      '/options/custom_timestamp_format must be a valid time format: it has no date',
    ])
    expect(runProblems('parse_nginx_log', { format: 'combined' })).toEqual([])
  })
})

const { after, errors, cost } = running(parse)

test('a result that cannot be written changes nothing, and the error is recorded', () => {
  const config = { ...parsing('parse_json'), target_field: 'metadata' }
  expect(errors(config, { line: '{"a":1}' })).toEqual([])
  expect(errors(config, { line: '5' })).toEqual([['E_PARSE_FAILED', '.line']])
  expect(after(config, { line: '5' })).toEqual({ line: '5' })
  const deep = (levels: number) => ({ ...parsing('parse_json'), target_field: '.a'.repeat(levels) })
  expect(errors(deep(128), { line: '[[]]' })).toEqual([])
  expect(errors(deep(129), { line: '[[]]' })).toEqual([['E_PARSE_FAILED', '.line']])
})

test('a text is parsed up to a length, and one that is nested deeper than pushed events is not', () => {
  const lengths = [262_144, 262_145].map(length => `"${'x'.repeat(length - 2)}"`)
  expect(lengths.map(line => errors(parsing('parse_json'), { line }).length)).toEqual([0, 1])
  const levels = [128, 129, 100_000].map(count => '['.repeat(count) + ']'.repeat(count))
  expect(levels.map(line => errors(parsing('parse_json'), { line }).length)).toEqual([0, 1, 1])
})

test('long texts cost their length', () => {
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(1_000)}"` })).toBe(0)
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(200_000)}"` })).toBeGreaterThan(200_000)
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(250_000)}"` })).toBe('too much')
})
