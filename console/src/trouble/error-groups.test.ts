import { expect, test } from 'vitest'
import type { HourlyError } from '../api/trouble.ts'
import { countsBy, groupsOf, matches } from './error-groups.ts'

const HOUR = '2026-03-04T05:00:00.000Z'
const NEXT = '2026-03-04T06:00:00.000Z'

function error(id: string, members: Partial<HourlyError>): HourlyError {
  return {
    ...{ id, pipeline_id: 'p', node_id: 'n', node_kind: 'transform', code: 'E_A', level: 'error' },
    ...{ field: null, message: 'm', captured: '', first_seen: HOUR, last_seen: HOUR, count: 1, hours: [] },
    ...members,
  }
}

const ERRORS = [
  error('1', { count: 2, hours: [{ start: NEXT, count: 2 }] }),
  error('2', { node_id: 'o', code: 'E_B', count: 5, hours: [{ start: HOUR, count: 5 }] }),
  error('3', {
    code: 'E_B',
    count: 4,
    hours: [
      { start: HOUR, count: 1 },
      { start: NEXT, count: 3 },
    ],
  }),
]

test('groups have their sums, those with the most errors stand first', () => {
  const shown = (by: 'none' | 'node' | 'code') =>
    groupsOf(ERRORS, by).map(({ key, count, errors }) => [key, count, errors.map(({ id }) => id).join()])
  expect(shown('none')).toEqual([['', 11, '1,2,3']])
  expect(shown('node')).toEqual([
    ['n', 6, '1,3'],
    ['o', 5, '2'],
  ])
  expect(shown('code')).toEqual([
    ['E_B', 9, '2,3'],
    ['E_A', 2, '1'],
  ])
})

test('the hours of a group are the sums of those of its errors, ascending', () => {
  expect(groupsOf(ERRORS, 'node')[0]?.hours).toEqual([
    { start: HOUR, count: 1 },
    { start: NEXT, count: 5 },
  ])
})

test('a filter keeps errors that have all of its values', () => {
  const found = (filter: Parameters<typeof matches>[1]) =>
    ERRORS.filter(each => matches(each, filter)).map(({ id }) => id)
  expect(found({})).toEqual(['1', '2', '3'])
  expect(found({ node: 'n', code: '' })).toEqual(['1', '3'])
  expect(found({ node: 'n', code: 'E_B' })).toEqual(['3'])
  expect(found({ pipeline: 'q' })).toEqual([])
})

test('values are counted by errors, the most frequent first', () => {
  expect([...countsBy(ERRORS, ({ code }) => code)]).toEqual([
    ['E_B', 9],
    ['E_A', 2],
  ])
})
