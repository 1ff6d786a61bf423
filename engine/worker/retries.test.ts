import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { LogError } from '../log/log.ts'
import { silentLogger } from '../logger.ts'
import { StoreError } from '../store/store.ts'
import { Retries } from './retries.ts'

const AWAY = new StoreError('UNAVAILABLE', 'away', { retriable: true })

/** Retries with their warnings, and an action that fails as often as given. */
function retries() {
  const clock = manualClock()
  const warnings: unknown[] = []
  const logger = {
    ...silentLogger,
    warn: (details: object, message: string) => warnings.push([message, details]),
  }
  const failing = (times: number, error: Error = AWAY) => {
    let calls = 0
    return {
      calls: () => calls,
      action: async () => {
        if (calls++ < times) throw error
        return 'done'
      },
    }
  }
  return { clock, warnings, failing, retries: new Retries({ partition: 3, clock, logger }) }
}

test('the result of an action that succeeds is there without a pause or a word', async () => {
  const { retries: tried, failing, warnings } = retries()
  expect(await tried.run('claim', failing(0).action)).toBe('done')
  expect(warnings).toEqual([])
})

test('pauses double up to five seconds, each with a warning, and begin anew with the next action', async () => {
  const { clock, retries: tried, failing, warnings } = retries()
  const startedMs = clock.monotonicMs()
  expect(await clock.advanceUntil(tried.run('claim', failing(9).action))).toBe('done')
  const pauses = [50, 100, 200, 400, 800, 1_600, 3_200, 5_000, 5_000]
  expect(warnings).toEqual(pauses.map(pauseMs => ['cannot claim yet', { partition: 3, err: AWAY, pauseMs }]))
  expect(clock.monotonicMs() - startedMs).toBeGreaterThanOrEqual(pauses.reduce((sum, ms) => sum + ms))
  await clock.advanceUntil(tried.run('settle', failing(1).action))
  expect(warnings.at(-1)).toEqual(['cannot settle yet', { partition: 3, err: AWAY, pauseMs: 50 }])
})

test('a log that is away is tried again, too', async () => {
  const { clock, retries: tried, failing } = retries()
  const { action, calls } = failing(1, new LogError('LOG_UNAVAILABLE', 'away', { retriable: true }))
  expect(await clock.advanceUntil(tried.run('append', action))).toBe('done')
  expect(calls()).toBe(2)
})

test.each([
  ['a store that refuses', new StoreError('REFUSED' as never, 'no', { retriable: false })],
  ['a log that is closed', new LogError('LOG_CLOSED' as never, 'no', { retriable: false })],
  ['a mistake of our own, whatever it says', Object.assign(new Error('no'), { retriable: true })],
])('%s is not tried again', async (_title, error) => {
  const { retries: tried, failing, warnings } = retries()
  const { action, calls } = failing(1, error)
  await expect(tried.run('claim', action)).rejects.toBe(error)
  expect([calls(), warnings]).toEqual([1, []])
})

test('a signal ends the repetition with the error of the action, in the middle of a pause', async () => {
  const { retries: tried, failing, clock } = retries()
  const { action, calls } = failing(100)
  const ended = new AbortController()
  const run = tried.run('claim', action, ended.signal)
  await Promise.resolve()
  ended.abort('over')
  await expect(run).rejects.toBe(AWAY)
  // Once more after the pause, which time did not end.
  expect([calls(), clock.monotonicMs()]).toEqual([2, 0])
})
