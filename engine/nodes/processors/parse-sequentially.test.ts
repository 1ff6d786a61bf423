import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { CATALOGUE } from '../catalogue.ts'
import { parseSequentially } from './parse-sequentially.ts'

const { problems, stored } = transformOptions('parse-sequentially')
const trying = (...parsers: JsonValue[]): JsonObject => ({ field: '.line', parsers })
const json = { parser: 'parse_json' }
const nginx = { parser: 'parse_nginx_log', options: { format: 'error' } }
const TWICE = 'cannot be defined more than once with the same options.'

test.each<[string, JsonObject]>([
  [" must have required property 'field'", { parsers: [json] }],
  [" must have required property 'parsers'", { field: '.line' }],
  ['/target_field Must be a valid data access syntax', { ...trying(json), target_field: 'to' }],
  ['/parsers must NOT have fewer than 1 items', trying()],
  ['/parsers must be array', { field: '.line', parsers: json }],
  ['/parsers/0 must be object', trying('parse_json')],
  ["/parsers/0 must have required property 'parser'", trying({ label: 'a' })],
  ['/parsers/0/label must be string', trying({ ...json, label: null })],
  ['/parsers/0/_output_name must be string', trying({ ...json, _output_name: 5 })],
  ["/parsers/0 must NOT have additional properties: 'x'", trying({ ...json, x: 1 })],
  ["/parsers/1 must have required property 'options'", trying(json, { parser: 'parse_grok' })],
  ['/parsers/1/options must be object', trying(json, { ...nginx, options: null })],
  [
    "/parsers/1/options must have required property 'custom_timestamp_format'",
    trying(json, { ...nginx, options: { format: 'error', timestamp_format: 'Custom' } }),
  ],
  [`/parsers/1 parser parse_json ${TWICE}`, trying(json, json)],
  [`/parsers/1 parser parse_json ${TWICE}`, trying(json, { ...json, options: {}, label: 'other' })],
  [
    `/parsers/2 parser parse_nginx_log ${TWICE}`,
    trying(nginx, json, {
      parser: 'parse_nginx_log',
      options: { timestamp_format: '%Y/%m/%d %H:%M:%S', format: 'error' },
    }),
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('each repeat is refused, together with every other finding', () => {
  expect(
    problems({ ...trying(json, json, { parser: 'parse_csv', options: { x: 1 } }, json), field: 'x' }),
  ).toEqual([
    '/field Must be a valid data access syntax',
    `/parsers/1 parser parse_json ${TWICE}`,
    "/parsers/2/options must NOT have additional properties: 'x'",
    `/parsers/3 parser parse_json ${TWICE}`,
  ])
})

test('a parser can be tried again with other options', () => {
  const combined = { parser: 'parse_nginx_log', options: { format: 'combined' } }
  const cef = { parser: 'parse_cef', options: { translate_custom_fields: true } }
  expect(problems(trying(nginx, combined, { parser: 'parse_cef' }, cef))).toEqual([])
})

describe('names of outputs', () => {
  const namesOf = (config: JsonObject) =>
    (config.parsers as JsonObject[]).map(({ _output_name: name }) => String(name))

  test('are 32 lower-case hex digits, distinct, and stay with parser and options in any place', () => {
    const first = namesOf(stored(trying(json, nginx)))
    for (const name of first) expect(name).toMatch(/^[0-9a-f]{32}$/)
    expect(new Set(first).size).toBe(2)
    const again = stored(
      trying({ ...nginx, label: 'web' }, json, { parser: 'parse_csv' }),
      stored(trying(json)),
    )
    expect(namesOf(again).slice(0, 2)).toEqual(first.toReversed())
  })

  test('are created by the server, whatever a client sends', () => {
    expect(stored(trying({ ...json, _output_name: 'mine' }))).toEqual(stored(trying(json)))
    expect(stored(trying({ ...json, _output_name: '' }))).toEqual(stored(trying(json)))
  })

  test('do not change with the order of options, or with defaults that were sent', () => {
    const options = { timestamp_format: '%Y/%m/%d %H:%M:%S', format: 'error' }
    expect(namesOf(stored(trying({ parser: 'parse_nginx_log', options })))).toEqual(
      namesOf(stored(trying(nginx))),
    )
  })

  test('are in the outputs, with their labels, behind the output for unparsed events', () => {
    const userConfig = stored(
      trying({ ...json, label: 'as JSON' }, nginx, { parser: 'parse_csv', label: '' }),
    )
    const [one, two, three] = namesOf(userConfig)
    const node = { id: 'n', kind: 'transform', type: 'parse-sequentially', user_config: userConfig } as const
    expect(
      CATALOGUE.outputsOf({ ...node, title: null, inputs: [] }).map(({ id, label }) => [id, label]),
    ).toEqual([
      ['n._unmatched', 'Unmatched'],
      [`n.${one}`, 'as JSON'],
      [`n.${two}`, 'parse_nginx_log'],
      [`n.${three}`, 'parse_csv'],
    ])
  })
})

test('sent options are returned, including labels', () => {
  const config = stored(trying({ ...json, label: '' }, { parser: 'parse_csv', options: {} }))
  expect(config).toMatchObject({ field: '.line', target_field: '' })
  expect(config.parsers).toEqual([
    { ...json, label: '', _output_name: expect.any(String) as string },
    { parser: 'parse_csv', options: {}, _output_name: expect.any(String) as string },
  ])
})

test('a pattern and a format that cannot be run are named by their places', () => {
  const parsers = [
    { parser: 'parse_json' },
    { parser: 'parse_grok', options: { pattern: '%{NO_SUCH:a}' } },
    { parser: 'parse_timestamp', options: { format: '%Q' } },
  ]
  expect(parseSequentially.runProblems?.({ field: '.line', parsers })).toEqual([
    {
      instancePath: '/parsers/1/options/pattern',
      message: 'Must be a valid grok pattern: there is no pattern NO_SUCH',
    },
    {
      instancePath: '/parsers/2/options/format',
      message: 'must be a valid time format, and "%Q" is not: it has no mark %Q',
    },
  ])
  expect(problems(trying(...parsers))).toEqual([
    '/parsers/1/options/pattern Must be a valid grok pattern: there is no pattern NO_SUCH',
    '/parsers/2/options/format must be a valid time format, and "%Q" is not: it has no mark %Q',
  ])
  expect(parseSequentially.runProblems?.({})).toEqual([])
})
