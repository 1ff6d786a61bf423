import { expect, test } from 'vitest'
import { parseExpression } from '../parse-expression.ts'
import { requiredText } from './required-text.ts'

test.each([
  ['door', 'door'],
  ['(?<a>do)(o)r', 'door'],
  ['do\\bor$', 'door'],
  ['a(?:bc|de)fgh', 'fgh'],
  ['ab?cd', 'cd'],
  ['(?:ab){2}c', 'ab'],
  ['(?:ab){0,2}c', 'c'],
  ['(?:ab){1}c', 'abc'],
  ['(?:abc)*d', 'd'],
  ['a[b]c', 'abc'],
  ['a[bc]d.e', 'a'],
  ['a[^b]', 'a'],
  ['\\d\\w\\pL', ''],
  ['(?i)ab-1c', '-1'],
  ['(?i)é', ''],
  ['é😀', 'é😀'],
  ['a|b', ''],
  ['()', ''],
  ['0123456789abcdefg', '0123456789abcdef'],
])('each match of %s contains "%s"', (source, text) => {
  expect(requiredText(parseExpression(source, {}))).toBe(text)
})
