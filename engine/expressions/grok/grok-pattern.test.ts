import { expect, test } from 'vitest'
import { grokPatternProblem } from './grok-pattern.ts'
import { grokSteps } from './grok-size.ts'

test.each([
  ['%{USERNAME:user} %{EMAILADDRESS:email}'],
  ['%{WORD:part} %{NUMBER:nr}: %{GREEDYDATA:text}'],
  ['%{COMMONAPACHELOG}'],
  ['%{IP:client.ip},%{INT:[http][status]};%{WORD}-%{WORD}'],
])('%s is a grok pattern', pattern => {
  expect(grokPatternProblem(pattern)).toBeUndefined()
})

test.each([
  ['at %{WORD:part}', "'a' must not stand between references"],
  ['%{WORD:part}%', "'%' must not stand between references"],
  ['%{WORD}\\s%{WORD}', "'\\' must not stand between references"],
  ['%{WORD} 😀', "'😀' must not stand between references"],
  ['%{WORD}{', "'{' must not stand between references"],
  ['%{WORD:part} %{NO_SUCH:x}', 'there is no pattern NO_SUCH'],
  ['%{toString}', 'there is no pattern toString'],
  [Array(90).fill('%{BACULA_LOGLINE}').join(' '), 'it is too large'],
  [' '.repeat(20_001), 'it is too large'],
  ['%{NUMBER:nr:int}', '%{NUMBER:nr:int} has a type suffix'],
  ['%{WORD} %{', 'no reference at character 9'],
  ['%{}', 'no reference at character 1'],
  ['%{WORD:}', 'no reference at character 1'],
  ['%{WO RD}', 'no reference at character 1'],
  ['%{WORD:a b}', 'no reference at character 1'],
])('%s is not a grok pattern', (pattern, reason) => {
  expect(grokPatternProblem(pattern)).toBe(`Must be a valid grok pattern: ${reason}`)
})

test('references without an end are read once, and not again for each character: that took minutes', () => {
  expect(grokSteps(`%{${'a'.repeat(400_000)}`)).toBe(400_002)
  expect(grokSteps('%{a:b:'.repeat(100_000))).toBe(600_000)
})
