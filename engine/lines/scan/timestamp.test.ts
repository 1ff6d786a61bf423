import { describe, expect, test } from 'vitest'
import { TIMESTAMP_NUMBER_MS, TIMESTAMP_OTHER, TIMESTAMP_TEXT_MS } from '../../../schemas/log/line-batch.ts'
import { DAY_MS } from '../../times/duration.ts'
import { rfc3339ToMs, timeBounds, timeOfNumber, timeOfText } from './timestamp.ts'

const NOW_MS = 1_767_225_600_000 // 2026-01-01T00:00:00Z
const BOUNDS = timeBounds(NOW_MS, 30)

test.each([
  ['1970-01-01T00:00:00.001Z', 1],
  ['1970-01-01T00:00:00Z', undefined],
  ['1969-12-31T23:59:59.999Z', undefined],
  ['0001-01-01T00:00:00Z', undefined],
  ['2026-01-01', undefined],
])('a line can only carry a time after 1970: %s', (text, ms) => {
  expect(rfc3339ToMs(text)).toBe(ms)
})

describe('a line has its own time within bounds, else the time of arrival', () => {
  const own = (ms: number, kind: number) => ({ ms, kind, clamped: false })
  const received = { ms: NOW_MS, kind: TIMESTAMP_OTHER, clamped: false }
  const clamped = { ms: NOW_MS, kind: TIMESTAMP_OTHER, clamped: true }

  test.each([
    [NOW_MS + DAY_MS, own(NOW_MS + DAY_MS, TIMESTAMP_NUMBER_MS)],
    [NOW_MS + DAY_MS + 1, clamped],
    [NOW_MS - 30 * DAY_MS, own(NOW_MS - 30 * DAY_MS, TIMESTAMP_NUMBER_MS)],
    [NOW_MS - 30 * DAY_MS - 1, clamped],
    [0, received],
    [-1, received],
  ])('number %i', (ms, time) => {
    expect(timeOfNumber(String(ms), BOUNDS)).toEqual(time)
  })

  test.each([
    [String(NOW_MS), own(NOW_MS, TIMESTAMP_TEXT_MS)],
    [` ${NOW_MS} `, own(NOW_MS, TIMESTAMP_OTHER)],
    [`0${NOW_MS}`, own(NOW_MS, TIMESTAMP_OTHER)],
    ['1767225600', own(NOW_MS, TIMESTAMP_OTHER)],
    ['2026-01-01T00:00:00Z', own(NOW_MS, TIMESTAMP_OTHER)],
    ['2020-01-01T00:00:00Z', clamped],
    ['9'.repeat(400), clamped],
    ['yesterday', received],
    ['', received],
    ['1e9', received],
  ])('text %j', (text, time) => {
    expect(timeOfText(text, BOUNDS)).toEqual(time)
  })
})
