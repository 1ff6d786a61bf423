import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { CATALOGUE } from './catalogue.ts'
import type { NodeKind } from './contract/catalogue.ts'
import { checkNode } from './contract/check-node.ts'

function problemsOf(kind: NodeKind, type: string, config: JsonValue | undefined): string[] {
  const checked = checkNode(CATALOGUE, kind, type, config)
  if ('stored' in checked) return []
  return checked.problems.map(({ instancePath, message }) => `${instancePath} ${message}`)
}

function storedOf(
  kind: NodeKind,
  type: string,
  config: JsonValue | undefined,
  previous?: JsonObject,
): JsonObject {
  const checked = checkNode(CATALOGUE, kind, type, config, previous === undefined ? {} : { previous })
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  return checked.stored
}

const exists = (field: string) => ({ expressions: [{ field, str_operator: 'exists', value: '' }] })

describe('types', () => {
  test.each<[NodeKind, string]>([
    ['transform', 'http'],
    ['source', 'throttle'],
    ['transform', 'toString'],
    ['sink', ''],
  ])('do not include %s "%s"', (kind, type) => {
    expect(checkNode(CATALOGUE, kind, type, {})).toMatchObject({ problems: [{ instancePath: '/type' }] })
  })

  test('include sources without options, which accept an empty object or none', () => {
    expect(storedOf('source', 'log-analysis-ingestion', {})).toEqual({})
    expect(storedOf('source', 'log-analysis-ingestion', undefined)).toEqual({})
    expect(problemsOf('source', 'log-analysis-ingestion', { a: 1 })).toEqual([
      "/user_config must NOT have additional properties: 'a'",
    ])
    expect(problemsOf('source', 'log-analysis-ingestion', null)).toEqual(['/user_config must be object'])
    expect(problemsOf('source', 'log-analysis-ingestion', [])).toEqual(['/user_config must be object'])
  })

  test('include destinations with rules of their own, which report pointers into the request body', () => {
    expect(storedOf('sink', 'blackhole', {})).toEqual({ ack_enabled: true })
    expect(problemsOf('sink', 'blackhole', { ack_enabled: 'yes' })).toEqual([
      '/user_config/ack_enabled must be boolean',
    ])
  })
})

describe('throttle', () => {
  const stored = (config: JsonObject) => storedOf('transform', 'throttle', config)
  const problems = (config: JsonObject) => problemsOf('transform', 'throttle', config)

  test('options are stored as sent, with the defaults of the condition and no others', () => {
    expect(stored({ threshold: 5, window_ms: 1000 })).toEqual({ threshold: 5, window_ms: 1000 })
    expect(stored({ threshold: 5, window: '1min', key_field: '' })).toEqual({
      threshold: 5,
      window: '1min',
      key_field: '',
    })
    expect(stored({ threshold: 5, window_ms: 1, key_field: '.app', exclude: exists('.x') })).toEqual({
      threshold: 5,
      window_ms: 1,
      key_field: '.app',
      exclude: {
        logical_operation: 'AND',
        expressions: [{ field: '.x', str_operator: 'exists', value: '', negate: false }],
      },
    })
  })

  test.each<[string, JsonObject]>([
    ['/user_config/threshold must be >= 1', { threshold: 0, window_ms: 1000 }],
    ['/user_config/threshold must be <= 1000000000', { threshold: 1_000_000_001, window_ms: 1000 }],
    ['/user_config/threshold must be integer', { threshold: 1.5, window_ms: 1000 }],
    ['/user_config/threshold must be integer', { threshold: '5', window_ms: 1000 }],
    ["/user_config must have required property 'threshold'", { window_ms: 1000 }],
    ["/user_config must have required property 'window_ms'", { threshold: 1 }],
    ['/user_config/window_ms must be >= 1', { threshold: 1, window_ms: 0 }],
    ['/user_config/window_ms must be <= 86400000', { threshold: 1, window_ms: 86_400_001 }],
    ['/user_config/window must be >= 1ms', { threshold: 1, window: '0s' }],
    ['/user_config/window must be <= 24h', { threshold: 1, window: '1441min' }],
    ['/user_config/window must be an integer and a unit: ms, s, min or h', { threshold: 1, window: '1 s' }],
    ['/user_config/window must be an integer and a unit: ms, s, min or h', { threshold: 1, window: '1d' }],
    [
      '/user_config/window must NOT be sent together with window_ms',
      { threshold: 1, window: '1s', window_ms: 1000 },
    ],
    ['/user_config/window must be string', { threshold: 1, window: 1 }],
    [
      '/user_config/key_field Must be a valid data access syntax',
      { threshold: 1, window_ms: 1, key_field: 'app' },
    ],
    ['/user_config/key_field must be string', { threshold: 1, window_ms: 1, key_field: null }],
    [
      '/user_config/exclude/expressions/0/field Must be a valid data access syntax',
      { threshold: 1, window_ms: 1, exclude: exists('x') },
    ],
    ['/user_config/exclude must be object', { threshold: 1, window_ms: 1, exclude: 'x' }],
    ["/user_config must NOT have additional properties: 'limit'", { threshold: 1, window_ms: 1, limit: 1 }],
    [
      '/user_config must NOT have additional properties: "treshold" is not a setting of throttle; did you mean "threshold"?',
      { threshold: 1, window_ms: 1, treshold: 1 },
    ],
  ])('%s', (problem, config) => {
    expect(problems(config)).toEqual([problem])
  })

  test('the bounds themselves are valid', () => {
    expect(problems({ threshold: 1, window_ms: 1 })).toEqual([])
    expect(problems({ threshold: 1_000_000_000, window_ms: 86_400_000 })).toEqual([])
    expect(problems({ threshold: 1, window: '24h' })).toEqual([])
  })

  test('all findings are reported at once', () => {
    expect(problems({ threshold: 0, window: 'soon', key_field: 'x', exclude: { expressions: [] } })).toEqual([
      '/user_config/threshold must be >= 1',
      '/user_config/key_field Must be a valid data access syntax',
      '/user_config/exclude/expressions must NOT have fewer than 1 items',
      '/user_config/window must be an integer and a unit: ms, s, min or h',
    ])
  })
})

describe('drop-fields and filter', () => {
  test('paths are checked one by one, and the timestamp cannot be dropped', () => {
    expect(problemsOf('transform', 'drop-fields', { fields: ['.ok', 'no', 'timestamp', 5] })).toEqual([
      '/user_config/fields/1 Must be a valid data access syntax',
      '/user_config/fields/3 must be string',
      '/user_config/fields/2 must NOT be the timestamp, which cannot be dropped',
    ])
    expect(problemsOf('transform', 'drop-fields', { fields: [] })).toEqual([
      '/user_config/fields must NOT have fewer than 1 items',
    ])
  })

  test('an action is one of two', () => {
    expect(problemsOf('transform', 'filter', { action: 'keep', conditional: exists('.a') })).toEqual([
      '/user_config/action must be equal to one of the allowed values: allow, drop',
    ])
    expect(problemsOf('transform', 'filter', { action: 'allow' })).toEqual([
      "/user_config must have required property 'conditional'",
    ])
  })

  test('options nested without end are refused before they are walked', () => {
    const deep = JSON.parse(`${'[1,'.repeat(4000)}1${']'.repeat(4000)}`) as JsonValue
    expect(problemsOf('transform', 'drop-fields', { fields: deep })).toEqual([
      '/user_config must NOT be nested more than 64 levels deep',
    ])
  })

  test('the sent options are not changed', () => {
    const sent = { action: 'allow', conditional: exists('.a') }
    checkNode(CATALOGUE, 'transform', 'filter', sent)
    expect(sent).toEqual({ action: 'allow', conditional: exists('.a') })
  })
})

describe('names of the outputs of a route', () => {
  const rule = (label: string, field = '.a', name?: string): JsonObject => ({
    label,
    conditional: exists(field),
    ...(name === undefined ? {} : { _output_name: name }),
  })
  const names = (rules: JsonObject[], previous?: JsonObject) => {
    const stored = storedOf('transform', 'route', { conditionals: rules }, previous)
    return {
      stored,
      names: (stored.conditionals as JsonObject[]).map(({ _output_name: name }) => String(name)),
    }
  }

  test('are eight lower-case hex digits, distinct, and the same for the same options', () => {
    const first = names([rule('a'), rule('b'), rule('a')])
    for (const name of first.names) expect(name).toMatch(/^[0-9a-f]{8}$/)
    expect(new Set(first.names).size).toBe(3)
    expect(names([rule('a'), rule('b'), rule('a')]).names).toEqual(first.names)
  })

  test('stay with their rule when rules move, are renamed, or change their condition', () => {
    const {
      stored,
      names: [a, b, c],
    } = names([rule('a'), rule('b'), rule('c')])
    expect(names([rule('c'), rule('a'), rule('b')], stored).names).toEqual([c, a, b])
    expect(names([rule('a'), rule('renamed'), rule('c')], stored).names).toEqual([a, b, c])
    expect(names([rule('a', '.other'), rule('b'), rule('c')], stored).names).toEqual([a, b, c])
    expect(names([rule('a'), rule('c')], stored).names).toEqual([a, c])
  })

  test('of a new rule are new', () => {
    const {
      stored,
      names: [a, b],
    } = names([rule('a'), rule('b')])
    const [added, ...kept] = names([rule('new'), rule('a'), rule('b')], stored).names
    expect(kept).toEqual([a, b])
    expect([a, b]).not.toContain(added)
  })

  test('identify the rule when a client sends them back, and invented ones are ignored', () => {
    const {
      stored,
      names: [a = '', b = ''],
    } = names([rule('a'), rule('b')])
    expect(names([rule('b', '.a', a), rule('a', '.a', b)], stored).names).toEqual([a, b])
    const [invented] = names([rule('x', '.a', 'my-name')]).names
    expect(invented).toMatch(/^[0-9a-f]{8}$/)
    expect(names([rule('a', '.a', '')], stored).names).toEqual([a])
  })

  test('labels have 1 to 255 characters', () => {
    const problems = (label: string) => problemsOf('transform', 'route', { conditionals: [rule(label)] })
    expect(problems('x'.repeat(255))).toEqual([])
    expect(problems('x'.repeat(256))).toEqual([
      '/user_config/conditionals/0/label must NOT have more than 255 characters',
    ])
    expect(problems('')).toEqual(['/user_config/conditionals/0/label must NOT have fewer than 1 characters'])
  })
})
