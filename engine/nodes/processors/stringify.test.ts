import { expect, test } from 'vitest'
import { transformOptions } from '../../../test/support/transform-options.ts'

test('stringify has no options', () => {
  const { problems } = transformOptions('stringify')
  expect(problems({})).toEqual([])
  expect(problems({ fields: [] })).toEqual([" must NOT have additional properties: 'fields'"])
})
