import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import { RequestPaces } from './request-paces.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'n' }

test('no more requests of a node begin in any span than its pace allows', async () => {
  const clock = manualClock(0)
  const paces = new RequestPaces(clock)
  const { signal } = new AbortController()
  const startsMs: number[] = []
  const request = async (pace = { requests: 2, perMs: 1_000 }) => {
    await paces.whenDue(LANE, pace, signal)
    startsMs.push(clock.monotonicMs())
  }
  await clock.advanceUntil(Promise.all(Array.from({ length: 5 }, () => request())))
  expect(startsMs).toEqual([0, 0, 1_000, 1_000, 2_000])
})

test('the time until a request may begin is known before it is booked', async () => {
  const clock = manualClock(0)
  const paces = new RequestPaces(clock)
  const slow = { requests: 1, perMs: 60_000 }
  expect([paces.untilDueMs(LANE, slow), paces.untilDueMs(LANE, undefined)]).toEqual([0, 0])
  await paces.whenDue(LANE, slow, new AbortController().signal)
  clock.advance(10_000)
  expect(paces.untilDueMs(LANE, slow)).toBe(50_000)
  clock.advance(60_000)
  expect(paces.untilDueMs(LANE, slow)).toBe(0)
})

test('a node without a pace, and other nodes, do not wait', async () => {
  const clock = manualClock(0)
  const paces = new RequestPaces(clock)
  const { signal } = new AbortController()
  const slow = { requests: 1, perMs: 60_000 }
  await paces.whenDue(LANE, slow, signal)
  await paces.whenDue({ ...LANE, node: 'other' }, slow, signal)
  await paces.whenDue(LANE, undefined, signal)
  await paces.whenDue(LANE, slow, signal)
  expect(clock.monotonicMs()).toBe(0)
})
