import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { transformOptions } from '../../../test/support/transform-options.ts'

const { problems, stored } = transformOptions('js-script')

test.each<[string, JsonObject]>([
  [" must have required property 'script'", {}],
  ['/script must NOT have fewer than 1 characters', { script: '' }],
  ['/script must be string', { script: null }],
  [
    "/script script is not valid JavaScript: Unexpected identifier 'IS' (line 1, column 6)",
    { script: 'THIS IS NOT VALID' },
  ],
])('%s', (problem, config) => {
  expect(problems(config)).toEqual([problem])
})

test('a script is stored unchanged to the last blank, under either name of the type', () => {
  const script = '\nfunction processEvent(e) {\n  return e\n}\n  \n'
  expect(stored({ script })).toEqual({ script })
  expect(transformOptions('script-execution').stored({ script })).toEqual({ script })
})
