import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseBoundedJson } from './json-body.ts'
import { indentedJsonText } from './member-order.ts'

const rewritten = (text: string) => indentedJsonText(parseBoundedJson(text))

/** Names of digits behind an x, so that an object keeps their order. */
const value = fc.letrec(tie => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom(0, -1.5, true, null, '', 'a": {'),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.stringMatching(/^(x[0-9]{1,2}|[a-w]{0,2})$/), tie('any'), { maxKeys: 5 }),
  ),
})).any

test('every member is where it was sent, on the lines that JSON.stringify gives it', () => {
  const withoutX = (text: string) => text.replaceAll('x', '')
  fc.assert(
    fc.property(value, sent => {
      expect(rewritten(withoutX(JSON.stringify(sent)))).toBe(withoutX(JSON.stringify(sent, null, 2)))
    }),
  )
})

test.each([
  ['{"2":1,"1":2,"2":3}', '{\n  "2": 3,\n  "1": 2\n}'],
  ['{ "\\u0032" :1,"b":{"1":[]},"1":{}}', '{\n  "2": 1,\n  "b": {\n    "1": []\n  },\n  "1": {}\n}'],
  [
    '{"a\\"2":0,"\\\\":"1\\":","1":12345678901234567890}',
    '{\n  "a\\"2": 0,\n  "\\\\": "1\\":",\n  "1": 12345678901234567890\n}',
  ],
  ['{"__proto__":{"2":0,"1":0},"1":-0}', '{\n  "__proto__": {\n    "2": 0,\n    "1": 0\n  },\n  "1": 0\n}'],
  ['"1"', '"1"'],
])('%s', (sent, expected) => {
  expect(rewritten(sent)).toBe(expected)
})
