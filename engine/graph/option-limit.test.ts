import { expect, test } from 'vitest'
import { MAX_ADDRESS_BLOCKS, MAX_LIST_ENTRIES, optionLimitProblem } from './option-limit.ts'

const fields = (count: number) => ({ fields: Array<string>(count).fill('.a') })
const compared = (value: string) => ({
  conditional: { expressions: [{ field: '.a', str_operator: 'is_ip_in_cidr_range', value }] },
})
const blocks = (count: number) => Array<string>(count).fill('10.0.0.0/8').join(',')

test('a list of options can have exactly the maximum number of entries', () => {
  expect(optionLimitProblem([fields(MAX_LIST_ENTRIES), fields(MAX_LIST_ENTRIES)])).toBe(undefined)
  expect(optionLimitProblem([fields(1), { deep: [fields(MAX_LIST_ENTRIES + 1)] }])).toBe(
    'the list "fields" has 1,001 entries: it may have at most 1,000. Use several nodes',
  )
})

test('a comparison can have exactly the maximum number of address blocks', () => {
  expect(optionLimitProblem([compared(blocks(MAX_ADDRESS_BLOCKS))])).toBe(undefined)
  expect(optionLimitProblem([compared(blocks(MAX_ADDRESS_BLOCKS + 1))])).toBe(
    'the list "value" has 10,001 entries: it may have at most 10,000. Use several nodes',
  )
})

test('a list that was saved beyond the limit stays valid as long as it does not grow', () => {
  const saved = [fields(5_000)]
  expect(optionLimitProblem([fields(5_000)], saved)).toBe(undefined)
  expect(optionLimitProblem([fields(4_999)], saved)).toBe(undefined)
  expect(optionLimitProblem([fields(5_001)], saved)).toContain('has 5,001 entries')
  expect(optionLimitProblem([{ parsers: Array(1_001).fill({}) }], saved)).toContain('"parsers" has 1,001')
})
