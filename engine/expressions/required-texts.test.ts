import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { expandedPattern } from './grok/grok-expression.ts'
import { GROK_TOPICS } from './grok/grok-library.ts'
import { parseExpression } from './parse-expression.ts'
import { requiredTexts } from './required-texts.ts'

const textsOf = (source: string) => requiredTexts(parseExpression(source, {}))

test.each<[string, readonly string[] | undefined]>([
  ['abc', ['abc']],
  ['ab.cde', ['cde']],
  ['a(?:bc|de)f', ['bc', 'de']],
  ['(abc)+x', ['abc']],
  ['(?:abc)?x', ['x']],
  ['(?:abc)*', undefined],
  ['(?:abc|.)', undefined],
  ['a\\bb', ['ab']],
  ['^abc$', ['abc']],
  ['[a]b[cd]', ['ab']],
  ['(?i)abc', undefined],
  ['\\d+', undefined],
  ['', undefined],
  [
    '(?:a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p)x',
    ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p'],
  ],
  ['(?:aa|bb|cc|dd|ee|ff|gg|hh|ii|jj|kk|ll|mm|nn|oo|pp|qq)x', ['x']],
])('%s', (source, texts) => {
  expect(textsOf(source)).toEqual(texts)
})

test('every line of a pattern of the library contains one of its texts', () => {
  for (const topic of GROK_TOPICS)
    for (const [name, { lines }] of Object.entries(topic)) {
      const texts = textsOf(expandedPattern(`%{${name}}`, []))
      if (texts !== undefined)
        for (const line of lines)
          expect(
            texts.some(text => line.includes(text)),
            `${name}: ${line}`,
          ).toBe(true)
    }
})

const { expression: drawnExpression } = fc.letrec<{ expression: string }>(tie => ({
  expression: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('a', 'b', 'ab', '[ab]', '.', '^', '$', '\\b'),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `${one}${other}`),
    fc.tuple(tie('expression'), tie('expression')).map(([one, other]) => `(?:${one}|${other})`),
    fc
      .tuple(tie('expression'), fc.constantFrom('?', '*', '+', '{0,2}', '{2}'))
      .map(([one, times]) => `(?:${one})${times}`),
    fc.tuple(tie('expression')).map(([one]) => `(${one})`),
  ),
}))

test('a text in which an expression matches contains one of its texts', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  fc.assert(
    fc.property(drawnExpression, text, (source, line) => {
      const texts = textsOf(source)
      if (texts === undefined || !RE2JS.compile(source).test(line)) return
      expect(texts.some(each => line.includes(each))).toBe(true)
    }),
    { numRuns: 1_000 },
  )
})
