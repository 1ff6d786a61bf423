import { describe, expect, test } from 'vitest'
import { UNMETERED } from '../../../expressions/cost-meter.ts'
import { checkConfig } from '../../contract/config-schema.ts'
import { MAX_PARTS } from './define-parser.ts'
import { PARSERS } from './parsers.ts'

const parsers = [...PARSERS.values()]
/** Characters that begin, end or escape something in one of the forms. */
const MARKS = [
  '"',
  '[',
  ']',
  '\\',
  '=',
  ' ',
  '|',
  '<',
  '1',
  'a',
  '\n',
  ',',
  '&',
  '-',
  '{',
  '\ud800',
  '"a" ',
  '[a] ',
  'a=',
  'a="',
]
const LONG = 100_000

describe.each(parsers.map(parser => [parser.id, parser] as const))('%s', (_id, parser) => {
  const stored = (options: object) => {
    if (parser.options === undefined) return {}
    const checked = checkConfig(parser.options, options as never, 'the parser')
    if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
    return parser.complete?.(checked.stored) ?? checked.stored
  }

  test.each(parser.examples.map(example => [example.text, example] as const))('%s', (_text, example) => {
    const { text, options = {}, atMs = 0, value } = example
    const parsed = parser.compile(stored(options), UNMETERED)(text, atMs)
    expect(parsed).toEqual(value)
    expect(JSON.stringify(parsed, digits)).toBe(JSON.stringify(value, digits))
  })

  test('has an example that it accepts, and another one', () => {
    expect(parser.examples.some(({ value }) => value !== undefined)).toBe(true)
    expect(parser.examples.length).toBeGreaterThan(1)
  })

  test('reads long texts of any kind in time and without an exception', () => {
    for (const { options = {}, text } of parser.examples.slice(0, 3)) {
      const parse = parser.compile(stored(options), UNMETERED)
      for (const mark of MARKS) parse(mark.repeat(LONG / mark.length), 0)
      for (const mark of MARKS) parse(text + mark.repeat(LONG / mark.length), 0)
      parse(text.slice(0, -1).repeat(LONG / (text.length + 1)), 0)
    }
  })
})

test.each<[string, string, string, object?]>([
  ['parse_json', '[1', ',1'],
  ['parse_json', '[[]', ',[]'],
  ['parse_csv', 'a', ',a'],
  ['parse_key_value', 'a', ' a'],
  ['parse_query_string', 'a', '&a'],
  ['parse_tokens', 'a', ' a'],
  ['parse_cef', 'CEF:0|a|b|c|d|e|f|a=1', ' a=1'],
  ['parse_syslog', '1 - - - - - [a a="1"', ' a="1"'],
  ['parse_url', 'a:?a', '&a'],
])('%s accepts some thousand parts, and no text with very many', (id, begin, part) => {
  const parser = parsers.find(each => each.id === id)
  const end = id === 'parse_json' || id === 'parse_syslog' ? ']' : ''
  const textOf = (parts: number) => `${begin}${part.repeat(parts)}${end}`
  expect(parser?.compile({}, UNMETERED)(textOf(MAX_PARTS / 2), 0)).toBeDefined()
  expect(parser?.compile({}, UNMETERED)(textOf(MAX_PARTS + 1), 0)).toBeUndefined()
})

function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}
