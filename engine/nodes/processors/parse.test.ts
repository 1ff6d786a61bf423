import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { runProblemsOf } from '../../../test/support/run-problems.ts'
import { running } from '../../../test/support/running-processor.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { Event } from '../../event/event.ts'
import { EventMeter, SUSPENDED } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../expressions/expression-budget.ts'
import { Stretch } from '../../steps.ts'
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
  [
    '/options/pattern Must be a valid grok pattern: there is no pattern NO_SUCH',
    'parse_grok',
    { pattern: '%{NO_SUCH}' },
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

  test('an expression without named groups can be saved, and its four switches are stored', () => {
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
    runProblemsOf(parse.runProblems?.(stored(parsing(parser, options)))).map(
      ({ instancePath, message }) => `${instancePath} ${message}`,
    )

  test('with an expression without named groups, or with one that is too large for captures, is not published', () => {
    expect(runProblems('parse_regex', { pattern: '(\\d)' })).toEqual([
      '/options/pattern must have a named group, such as (?<name>[a-z]+): the named groups are the result',
    ])
    const large = '(?:(?:(?:(?<a>x)){0,999}){0,2}){0,30}'
    expect(parse.runProblems?.(parsing('parse_regex', { pattern: large }))).toEqual([
      {
        instancePath: '/options/pattern',
        message: 'Must be a valid regular expression: it is too large',
      },
    ])
    expect(runProblems('parse_regex', { pattern: '(?P<a>\\d)' })).toEqual([])
  })

  test('that was saved with a grok pattern of an unknown name is not published', () => {
    const problems = (pattern: JsonObject[string]) => parse.runProblems?.(parsing('parse_grok', { pattern }))
    expect(problems('%{WORD:a} %{NO_SUCH:b}')).toEqual([
      {
        instancePath: '/options/pattern',
        message: 'Must be a valid grok pattern: there is no pattern NO_SUCH',
      },
    ])
    expect(problems('%{WORD:a}')).toEqual([])
  })

  test('that is being edited may lack a pattern', () => {
    for (const parser of ['parse_regex', 'parse_grok'])
      expect(parse.runProblems?.(parsing(parser, {}))).toEqual([])
  })

  test.each<[string, JsonObject, string]>([
    ['parse_timestamp', { format: '%Q' }, '/format "%Q" it has no mark %Q'],
    ['parse_timestamp', { format: '%T' }, '/format "%T" it has no date'],
    [
      'parse_apache_log',
      { format: 'error', timestamp_format: 'Custom', custom_timestamp_format: '%H' },
      '/custom_timestamp_format "%H" it has no date',
    ],
    [
      'parse_nginx_log',
      { format: 'combined', timestamp_format: '%F %' },
      '/timestamp_format "%F %" it ends in a lone %',
    ],
  ])('with a time format that cannot be read is not saved: %s, %j', (parser, options, problem) => {
    const [member, format, reason] = /^(\S+) (".*") (it .*)$/.exec(problem)?.slice(1) ?? []
    const instancePath = `/options${member}`
    const message = `must be a valid time format, and ${format} is not: ${reason}`
    expect(problems(parsing(parser, options))).toEqual([`${instancePath} ${message}`])
    // Earlier programs saved it.
    expect(parse.runProblems?.(parsing(parser, options))).toEqual([{ instancePath, message }])
  })
})

const { after, errors, cost } = running(parse)

test('a result that cannot be written changes nothing, and the error is recorded', () => {
  const config = { ...parsing('parse_json'), target_field: 'metadata' }
  expect(errors(config, { line: '{"a":1}' })).toEqual([])
  expect(errors(config, { line: '5' })).toEqual([['E_PARSE_FAILED', '.line']])
  expect(after(config, { line: '5' })).toEqual({ line: '5' })
  const deep = (levels: number) => ({ ...parsing('parse_json'), target_field: '.a'.repeat(levels) })
  expect(errors(deep(56), { line: '[[]]' })).toEqual([])
  expect(errors(deep(57), { line: '[[]]' })).toEqual([['E_PARSE_FAILED', '.line']])
})

test('a text is parsed up to a length, and one that is nested deeper than pushed events is not', () => {
  const lengths = [1_048_576, 1_048_577].map(length => `"${'x'.repeat(length - 2)}"`)
  expect(lengths.map(line => errors(parsing('parse_json'), { line }).length)).toEqual([0, 1])
  const others = [262_144, 262_145].map(length => 'x'.repeat(length))
  expect(others.map(line => errors(parsing('parse_csv'), { line }).length)).toEqual([0, 1])
  const levels = [200, 201, 100_000].map(count => '['.repeat(count) + ']'.repeat(count))
  expect(levels.map(line => errors(parsing('parse_json'), { line }).length)).toEqual([0, 1, 1])
  const pairs = [100, 101].map(count => `${'[{"a":'.repeat(count)}"[{"${'}]'.repeat(count)}`)
  expect(pairs.map(line => errors(parsing('parse_json'), { line }).length)).toEqual([0, 1])
})

test('long texts cost their length', () => {
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(1_000)}"` })).toBe(0)
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(200_000)}"` })).toBeGreaterThan(200_000)
  expect(cost(parsing('parse_json'), { line: `"${'x'.repeat(250_000)}"` })).toBe('too much')
})

const GREEDY = '(?:[^x]{0,99}(?<a>[ab])[^y]{0,99}){3}[^a-d0-9]'

test('an event whose expression costs more than it may fails', () => {
  const regex = parsing('parse_regex', { pattern: GREEDY })
  expect(cost(regex, { line: 'abcd0123'.repeat(20) })).toBeGreaterThan(1_024)
  expect(cost(regex, { line: 'abcd0123'.repeat(2_000) })).toBe('too much')
  const grok = parsing('parse_grok', { pattern: '%{GREEDYDATA:a}-%{GREEDYDATA:b}-%{INT:c}' })
  expect(cost(grok, { line: '-'.repeat(500) })).toBeGreaterThan(1_024)
  expect(cost(grok, { line: '-'.repeat(100_000) })).toBe('too much')
})

test('an event of many stretches is parsed as it is in one', () => {
  const line = `${'cdefa0123'.repeat(300)} 17`
  const config = parsing('parse_regex', { pattern: '[^x]{0,30}(?<a>[ab])[^y]*? (?<number>\\d+)$' })
  const whole = after(config, { line })
  const meter = new EventMeter()
  const stretch = new Stretch()
  const allowance = new ExpressionAllowance(new ExpressionBudget())
  allowance.begin(0, 3_000)
  meter.open(allowance, stretch)
  meter.begin(0)
  const process = parse.compile(stored(config), () => {}, meter)
  const event = Event.of({ line }, {}, '')
  let stretches = 0
  let inPieces: Event | undefined
  while (inPieces === undefined) {
    stretch.begin()
    stretches++
    try {
      inPieces = process(event, undefined, 0) as Event
    } catch (error) {
      if (error !== SUSPENDED) throw error
      meter.again()
    }
  }
  expect(stretches).toBeGreaterThan(1)
  expect(inPieces.message).toEqual(whole)
})
