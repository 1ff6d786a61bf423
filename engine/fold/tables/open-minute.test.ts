import { expect, test } from 'vitest'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { noCounts } from '../../graph/node-counters.ts'
import { OpenMinute } from './open-minute.ts'

const NODE = { account: 'a', pipeline: 'p', node: 'n' }

/** A minute of log time with counts since its 61st second. */
function counted(): OpenMinute {
  const minute = new OpenMinute()
  minute.noteTime(61_000)
  minute.activity.add(NODE, { ...noCounts(), eventsIn: 3 })
  return minute
}

test('a minute without counts has no end and no rows', () => {
  const minute = new OpenMinute()
  minute.noteTime(61_000)
  expect([minute.deadlineMs, minute.endsBefore(999_000)]).toEqual([Number.POSITIVE_INFINITY, false])
  expect(minute.take(9n)).toEqual([])
})

test('counts belong to the minute in which they began, and are due at its end', () => {
  const minute = counted()
  minute.noteTime(121_000)
  expect(minute.deadlineMs).toBe(120_000)
  expect([minute.endsBefore(119_999), minute.endsBefore(120_000)]).toEqual([false, true])
})

test('its rows have the offset of the record that ended it; then another minute begins', () => {
  const minute = counted()
  const [metrics, ...others] = minute.take(9n)
  expect(others).toEqual([])
  expect(metrics).toMatchObject({ table: 'node_metrics', rows: 1, sinceMs: 60_000 })
  expect(metrics).toMatchObject({ first: { offset: 9n, row: 0 }, last: { offset: 9n, row: 0 } })
  const { rows } = readNativeBlock(metrics?.block ?? [])
  expect(rows).toMatchObject([{ account: 'a', pipeline: 'p', node: 'n', events_in: 3n }])
  minute.noteTime(121_000)
  expect(minute.startMs).toBe(120_000)
})
