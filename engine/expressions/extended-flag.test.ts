import { expect, test } from 'vitest'
import { withoutExtended } from './extended-flag.ts'

test.each([
  ['(?x) a b # comment (\n c[ #]', 'abc[ #]'],
  ['(?ix)A\\ B', '(?i)A\\ B'],
  ['a b(?x) c d', 'a bcd'],
  ['(a (?x) b ) c', '(a b) c'],
  ['(?x: a (b c) ) d', '(?:a(bc)) d'],
  ['(?x) a (?-x: b c) d', 'a(?: b c)d'],
  ['(?xi-s: a ) b', '(?i-s:a) b'],
  ['(?i-x)a b', '(?i)a b'],
  ['(?x) (?<name> a ) (?P<other> b )', '(?<name>a)(?P<other>b)'],
  ['(?x)\\Q(\\E a ) b', '\\Q(\\Ea)b'],
  ['(?x) a (?i) b', 'a(?i)b'],
  ['(?i)a b # c', '(?i)a b # c'],
  ['(?-)a (?) b', '(?-)a (?) b'],
  ['(a#b) (?x) c', '(a#b) c'],
  ['x (x)', 'x (x)'],
])('%j is %j without the flag', (source, without) => {
  expect(withoutExtended(source)).toBe(without)
})
