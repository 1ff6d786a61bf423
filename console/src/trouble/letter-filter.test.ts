import { expect, test } from 'vitest'
import { filterMembers, letterFilter, NO_LETTER_FILTER } from './letter-filter.ts'

const NOW = Date.UTC(2026, 10, 28, 12)

test('an address without conditions has the filter that restricts nothing', () => {
  expect(letterFilter(new URLSearchParams('pipeline=p'))).toEqual(NO_LETTER_FILTER)
  expect(filterMembers(NO_LETTER_FILTER, NOW)).toEqual({})
})

test('conditions of an address are those of the API, with their times', () => {
  const filter = letterFilter(new URLSearchParams(`code=E&node=n&revision=r&from=2h&to=${NOW}&show=all`))
  expect(filterMembers(filter, NOW)).toEqual({
    ...{ code: 'E', node: 'n', revision: 'r' },
    ...{ from: '2026-11-28T10:00:00.000Z', to: '2026-11-28T12:00:00.000Z' },
  })
  expect(filterMembers({ ...NO_LETTER_FILTER, from: 'never', to: 'now' }, NOW)).toEqual({ from: 'never' })
})
