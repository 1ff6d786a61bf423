import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { transformOptions } from '../../test/support/transform-options.ts'

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

test('only the very word Custom is special', () => {
  const config = { parsers: [{ field: '.at', options: { format: 'custom' } }] }
  expect(stored(config)).toEqual(config)
})
