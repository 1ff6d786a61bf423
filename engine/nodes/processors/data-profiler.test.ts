import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems } = transformOptions('data-profiler')
const valid: JsonObject = {
  app_fields: ['.app'],
  host_fields: ['.host'],
  level_fields: ['.level'],
  line_fields: ['.line'],
}
const paths = (count: number) => Array.from({ length: count }, (_, index) => `.f${index}`)

describe.each([...Object.keys(valid), 'label_fields'])('%s', member => {
  const problemsOf = (value: JsonObject[string]) => problems({ ...valid, [member]: value })

  test('has at most ten paths, of at most 512 characters', () => {
    expect(problemsOf(paths(10))).toEqual([])
    expect(problemsOf(paths(11))).toEqual([`/${member} must NOT have more than 10 items`])
    expect(problemsOf([`.${'x'.repeat(511)}`])).toEqual([])
    expect(problemsOf([`.${'x'.repeat(512)}`])).toEqual([
      `/${member}/0 must NOT have more than 512 characters`,
    ])
    expect(problemsOf(['.ok', 'not-valid-field-reference'])).toEqual([
      `/${member}/1 Must be a valid data access syntax`,
    ])
    expect(problemsOf([''])).toEqual([`/${member}/0 Must be a valid data access syntax`])
    expect(problemsOf('.a')).toEqual([`/${member} must be array`])
  })
})

test('needs a path for every role except the labels', () => {
  expect(problems({})).toEqual(Object.keys(valid).map(member => ` must have required property '${member}'`))
  for (const member of Object.keys(valid))
    expect(problems({ ...valid, [member]: [] })).toEqual([`/${member} must NOT have fewer than 1 items`])
  expect(problems({ ...valid, label_fields: [] })).toEqual([])
})
