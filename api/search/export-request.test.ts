import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { readPagedExport } from './export-request.ts'
import { encodePageToken } from './page-token.ts'

const LIMITS = { most: 100, usual: 100 }
const POSITION = { ts: 1, t: 1, topic: 0, partition: 0, offset: '7', row: 0 }

test('a relative period is the same for all pages: it refers to the time of the first one', () => {
  const clock = manualClock()
  const read = (query: Record<string, string>) =>
    readPagedExport(new QueryParameters(query), 'a', LIMITS, clock)
  const query = { from: '-1h', to: 'now' }
  const first = read(query)
  const token = encodePageToken({ position: POSITION, startedMs: first.startedMs }, first.parameters)
  clock.advance(90_000)
  const second = read({ ...query, pagination_id: token })
  expect([second.selection.fromMs, second.selection.toMs]).toEqual([
    first.selection.fromMs,
    first.selection.toMs,
  ])
  expect(second.parameters).toBe(first.parameters)
  expect(() => read({ from: '-2h', to: 'now', pagination_id: token })).toThrow('does not belong')
})

test('a token belongs to a period, however it is written, as long as it is not relative', () => {
  const clock = manualClock()
  const parametersOf = (from: string) =>
    readPagedExport(new QueryParameters({ from, to: 'now' }), 'a', LIMITS, clock).parameters
  expect(parametersOf('2023-11-14')).toBe(parametersOf('1699920000'))
  expect(parametersOf('today')).not.toBe(parametersOf('2023-11-14'))
})
