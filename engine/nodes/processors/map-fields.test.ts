import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems } = transformOptions('map-fields')
const mapping = { source_field: '.a', target_field: '.b' }

test.each<[string, JsonObject]>([
  [" must have required property 'mappings'", {}],
  ['/mappings must NOT have fewer than 1 items', { mappings: [] }],
  ['/mappings/0 must be object', { mappings: ['.a'] }],
  [
    '/mappings/1/source_field Must be a valid data access syntax',
    { mappings: [mapping, { ...mapping, source_field: 'invalid' }] },
  ],
  [
    '/mappings/0/target_field Must be a valid data access syntax',
    { mappings: [{ ...mapping, target_field: '' }] },
  ],
  ["/mappings/0 must have required property 'target_field'", { mappings: [{ source_field: '.a' }] }],
  ['/mappings/0/drop_source must be boolean', { mappings: [{ ...mapping, drop_source: null }] }],
  ['/mappings/0/overwrite_target must be boolean', { mappings: [{ ...mapping, overwrite_target: 1 }] }],
  ["/mappings/0 must NOT have additional properties: 'x'", { mappings: [{ ...mapping, x: 1 }] }],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})
