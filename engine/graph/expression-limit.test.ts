import { expect, test } from 'vitest'
import { expressionLimitProblem, MAX_PIPELINE_STATES, partsWithExpressions } from './expression-limit.ts'

const leaf = (value: string) => ({ field: '.a', str_operator: 'regex_match', value })
const filter = (...sources: string[]) => ({ conditional: { expressions: sources.map(leaf) } })
/** Expressions of 1,000 states each. */
const thousands = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `${String(first + index).padStart(3, '0')}a{995}`)
const DEAR = Array.from({ length: 10 }, (_, index) => `[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]${index}`)
const SENTENCE = expect.stringContaining('may have at most 200,000 states together: ')

test('the expressions of a pipeline can have exactly the maximum number of states together', () => {
  const most = thousands(MAX_PIPELINE_STATES / 1_000)
  expect(expressionLimitProblem([filter(...most)])).toBe(undefined)
  expect(expressionLimitProblem([filter(...most.slice(0, 90)), filter(...most.slice(90))])).toBe(undefined)
  expect(expressionLimitProblem([filter(...most, 'a')])).toEqual(SENTENCE)
  expect(expressionLimitProblem([filter(...most), { pattern: 'a' }])).toEqual(SENTENCE)
  expect(expressionLimitProblem([filter(...most), { patterns: [{ expression: 'a' }] }])).toEqual(SENTENCE)
})

test('ten of the most expensive expressions are far below the limit', () => {
  expect(expressionLimitProblem([1, 2, 3, 4].map(() => filter(...DEAR)))).toBe(undefined)
})

test('a pipeline that was saved beyond the limit stays valid as long as it does not grow', () => {
  const saved = filter(...thousands(300))
  expect(expressionLimitProblem([saved], [saved])).toBe(undefined)
  expect(expressionLimitProblem([filter(...thousands(299))], [saved])).toBe(undefined)
  expect(expressionLimitProblem([filter(...thousands(299), 'a{999}')], [saved])).toEqual(SENTENCE)
})

test('properties of Unicode, and invalid expressions, count by their cost', () => {
  const properties = (count: number) => filter(...Array.from({ length: count }, () => '\\pL'.repeat(1_000)))
  expect(expressionLimitProblem([properties(6)])).toBe(undefined)
  expect(expressionLimitProblem([properties(7)])).toEqual(SENTENCE)
  expect(expressionLimitProblem([filter(...Array.from({ length: 49 }, () => '('.repeat(4_096)))])).toEqual(
    SENTENCE,
  )
})

test('texts that are not expressions do not count, and those of alerts do', () => {
  const text = { field: '.a', str_operator: 'contains', value: 'a'.repeat(300_000) }
  expect(expressionLimitProblem([{ conditional: { expressions: [text] } }])).toBe(undefined)
  const alert = { alert_config: { evaluation: filter(...thousands(201)) } }
  const alerts = [alert] as unknown as NonNullable<Parameters<typeof partsWithExpressions>[0]['alerts']>
  expect(expressionLimitProblem(partsWithExpressions({ nodes: [], alerts }))).toEqual(SENTENCE)
})
