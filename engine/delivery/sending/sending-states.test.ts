import { expect, test } from 'vitest'
import type { RemoteAnswer } from './remote.ts'
import { SendingStates } from './sending-states.ts'

const LANE = { account: 'a', pipeline: 'p', node: 'n' }
const failure = { code: 'E_DELIVERY_FAILED', field: null, message: 'It is away', answer: null }
const AGAIN: RemoteAnswer = { kind: 'again', status: 503, bytes: 1, failure }
const REST: RemoteAnswer = { kind: 'rest', status: 401, bytes: 1, failure }
const DELIVERED: RemoteAnswer = { kind: 'delivered', status: 200, bytes: 1 }

test('a lane fails since its first failed attempt, until one succeeds; the last trouble stays', () => {
  const states = new SendingStates()
  const note = (answer: RemoteAnswer, atMs: number) => states.note({ lane: LANE, answer, atMs, tookMs: 1 })
  expect(states.of(LANE)).toEqual({ state: 'delivering', failingSinceMs: null, trouble: null })
  note(AGAIN, 10)
  note(REST, 20)
  const trouble = { code: 'E_DELIVERY_RETRYING', message: 'It is away', status: 401, atMs: 20 }
  expect(states.of(LANE)).toEqual({ state: 'resting', failingSinceMs: 10, trouble })
  note(DELIVERED, 30)
  expect(states.of(LANE)).toEqual({ state: 'delivering', failingSinceMs: null, trouble })
  expect(states.of({ ...LANE, node: 'other' }).trouble).toBeNull()
})

test('a failing lane is reported once: at once if credentials are refused, otherwise after five minutes', () => {
  const states = new SendingStates()
  const note = (answer: RemoteAnswer, atMs: number) => states.note({ lane: LANE, answer, atMs, tookMs: 1 })
  expect([note(AGAIN, 0), note(AGAIN, 299_999), note(AGAIN, 300_000), note(AGAIN, 400_000)]).toEqual([
    ...[false, false, true, false],
  ])
  expect([note(DELIVERED, 500_000), note(REST, 500_001), note(REST, 500_002)]).toEqual([false, true, false])
})

test('an earlier report counts until an attempt succeeds', () => {
  const states = new SendingStates()
  const note = (answer: RemoteAnswer, atMs: number) =>
    states.note({ lane: LANE, answer, atMs, tookMs: 1 }, true)
  expect([states.isReported(LANE, false), states.isReported(LANE, true)]).toEqual([false, true])
  expect([states.standingOf(LANE, false), states.standingOf(LANE, true)]).toEqual(['new', 'failing'])
  expect([note(REST, 1), states.isReported(LANE, false)]).toEqual([false, true])
  expect([note(DELIVERED, 2), states.isReported(LANE, true), note(REST, 3)]).toEqual([false, false, true])
  expect(states.standingOf(LANE, false)).toBe('failing')
  note(DELIVERED, 4)
  expect(states.standingOf(LANE, true)).toBe('proven')
})
