import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'
import { ENCRYPTION_ALGORITHMS } from './encryption-algorithm.ts'

test('there are 21 algorithms', () => {
  expect(new Set(ENCRYPTION_ALGORITHMS).size).toBe(21)
  expect(ENCRYPTION_ALGORITHMS).toContain('AES-192-CBC-ISO7816')
  expect(ENCRYPTION_ALGORITHMS).toContain('AES-256-CFB')
})

describe.each([
  ['encrypt-fields', 'encode_raw_bytes'],
  ['decrypt-fields', 'decode_raw_bytes'],
])('%s', (type, rawBytes) => {
  const { problems, stored } = transformOptions(type)
  const valid = { field: '.a', algorithm: 'AES-128-CTR', key: '2222222222222222', iv_field: '.iv' }

  test('writes base64 by default', () => {
    expect(stored(valid)).toEqual({ ...valid, [rawBytes]: true })
  })

  test.each<[string, JsonObject]>([
    ['/field Must be a valid data access syntax', { field: 'invalid' }],
    ['/iv_field Must be a valid data access syntax', { iv_field: '' }],
    ['/key must be string', { key: 5 }],
    [`/${rawBytes} must be boolean`, { [rawBytes]: 'true' }],
  ])('%s', (problem, change) => {
    expect(problems({ ...valid, ...change })).toEqual([problem])
  })

  test('refuses any other algorithm, without findings about its key', () => {
    const [problem, ...others] = problems({ ...valid, algorithm: 'Pig-Latin', key: '' })
    expect(problem).toContain('/algorithm must be equal to one of the allowed values: AES-')
    expect(others).toEqual([])
  })

  test('requires everything except the last member', () => {
    expect(problems({})).toEqual(Object.keys(valid).map(member => ` must have required property '${member}'`))
  })

  test.each<[string, number]>([
    ['AES-256-CBC-PKCS7', 32],
    ['AES-192-OFB', 24],
    ['AES-128-CFB', 16],
  ])('%s has a key of exactly %d characters', (algorithm, length) => {
    const problemsOf = (key: string) => problems({ ...valid, algorithm, key })
    expect(problemsOf('k'.repeat(length))).toEqual([])
    expect(problemsOf('k'.repeat(length - 1))).toEqual([
      `/key must NOT have fewer than ${length} characters (bytes of UTF-8)`,
    ])
    expect(problemsOf('k'.repeat(length + 1))).toEqual([
      `/key must NOT have more than ${length} characters (bytes of UTF-8)`,
    ])
    expect(problemsOf('ü'.repeat(length / 2))).toEqual([])
    expect(problemsOf('ü'.repeat(length))).toHaveLength(1)
  })
})
