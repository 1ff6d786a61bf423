import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { ApiError } from '../http/errors.ts'
import { type JudgeKey, type KeptAnswer, RecentAnswers } from './recent-answers.ts'

const digest = (body: string) => Buffer.from(body)
const answer = (batchId: string): Promise<KeptAnswer> => Promise.resolve({ batchId, isPartial: false })

function keys(keysPerAccount?: number) {
  const clock = manualClock()
  const recent = new RecentAnswers({ clock, ...(keysPerAccount !== undefined && { keysPerAccount }) })
  /** Result of a request with that key: the batch id of the first request, or the status of the refusal. */
  const use = async (account: string, key: string, body = 'body'): Promise<string | number> => {
    const idempotency = { key, digest: digest(body) }
    try {
      const first = recent.find(account, idempotency, 0)
      if (first !== undefined) return (await first).batchId
    } catch (error) {
      return (error as ApiError).status
    }
    recent.note(account, idempotency, answer(`${account} ${key} ${body}`))
    return 'new'
  }
  return { clock, recent, use }
}

describe('a key that this process does not know is judged by the log:', () => {
  const use = (judgement: ReturnType<JudgeKey>) => {
    const recent = new RecentAnswers({ clock: manualClock(), judgeKey: () => judgement })
    return recent.find('a', { key: 'stream/1', digest: digest('body') }, 0)
  }
  const refused = (status: number) => expect.objectContaining({ status })

  test('a new one has no answer yet, and a repeat gets one without its batch', async () => {
    expect(use('new')).toBeUndefined()
    expect(await use('repeat')).toEqual({ batchId: '', isPartial: true })
  })

  test.each([
    ['conflict', 409],
    ['passed', 409],
    ['unknown', 503],
  ] as const)('%s is refused with %i', (judgement, status) => {
    expect(() => use(judgement)).toThrow(refused(status))
  })
})

describe('a plain key', () => {
  test('gets its first answer, is refused with another body, and belongs to one account', async () => {
    const { use } = keys()
    expect(await use('a', 'k')).toBe('new')
    expect(await use('a', 'k')).toBe('a k body')
    expect(await use('a', 'k', 'other')).toBe(409)
    expect(await use('b', 'k', 'other')).toBe('new')
  })

  test('is forgotten after 24 h, not earlier', async () => {
    const { use, clock } = keys()
    await use('a', 'k')
    clock.advance(DAY_MS - 1)
    expect(await use('a', 'k', 'other')).toBe(409)
    clock.advance(1)
    expect(await use('a', 'k', 'other')).toBe('new')
  })

  test('beyond the number of keys is 503 if it is new, while a known one still works, and later there is space again', async () => {
    const { use, clock } = keys(2)
    await use('a', 'k1')
    clock.advance(1000)
    await use('a', 'k2')
    expect(await use('a', 'k3')).toBe(503)
    expect(await use('a', 'k1')).toBe('a k1 body')
    expect(await use('b', 'k3')).toBe('new')
    clock.advance(DAY_MS - 1000)
    expect(await use('a', 'k3')).toBe('new')
    expect(await use('a', 'k2')).toBe('a k2 body')
  })

  test('is new again if its first request failed', async () => {
    const { recent } = keys()
    const idempotency = { key: 'k', digest: digest('body') }
    const failed = Promise.reject(new ApiError(503, 'ServiceUnavailable', 'no'))
    recent.note('a', idempotency, failed)
    await expect(recent.find('a', idempotency, 0)).rejects.toThrow('no')
    expect(recent.find('a', idempotency, 0)).toBeUndefined()
  })
})

describe('a numbered key', () => {
  test('does not count as a plain key', async () => {
    const { use } = keys(1)
    for (let number = 0; number < 100; number++) expect(await use('a', `stream/${number}`)).toBe('new')
    expect(await use('a', 'k')).toBe('new')
  })

  test('within the last 64 numbers gets its first answer, and older ones are 409', async () => {
    const { use } = keys()
    await use('a', 's/100')
    expect(await use('a', 's/37')).toBe('new')
    expect(await use('a', 's/36')).toBe(409)
    expect(await use('a', 's/37')).toBe('a s/37 body')
    expect(await use('a', 's/100', 'other')).toBe(409)
    await use('a', 's/101')
    expect(await use('a', 's/37')).toBe(409)
  })

  test('counts only for its own stream', async () => {
    const { use } = keys()
    await use('a', 's/100')
    expect(await use('a', 't/1')).toBe('new')
    expect(await use('a', 's/t/1')).toBe('new')
    expect(await use('b', 's/1')).toBe('new')
  })

  test('the stream that was unused longest is forgotten first', async () => {
    const { use } = keys()
    for (let stream = 0; stream < 10_000; stream++) await use('a', `s${stream}/5`)
    await use('a', 's0/6')
    await use('a', 'one more/5')
    expect(await use('a', 's0/6')).toBe('a s0/6 body')
    expect(await use('a', 's1/5')).toBe('new')
  })
})

describe('a shared answer', () => {
  const announcement = (key: string, body: string, batchId: string) => ({
    account: 'a',
    key,
    digest: digest(body),
    batchId,
    isPartial: false,
  })

  test('is returned to a repeat, and another body under its key is 409', async () => {
    const { use, recent } = keys()
    recent.learn(announcement('k', 'body', 'elsewhere'), 0)
    recent.learn(announcement('s/5', 'body', 'elsewhere too'), 0)
    expect(await use('a', 'k')).toBe('elsewhere')
    expect(await use('a', 'k', 'other')).toBe(409)
    expect(await use('a', 's/5')).toBe('elsewhere too')
    expect(await use('a', 's/5', 'other')).toBe(409)
    expect(await use('b', 'k')).toBe('new')
  })

  test('wins over a later answer of this process', async () => {
    const { use, recent } = keys()
    for (const key of ['k', 's/5']) {
      await use('a', key)
      recent.learn(announcement(key, 'other', 'first'), 0)
      recent.learn(announcement(key, 'body', 'second'), 0)
      expect(await use('a', key, 'other')).toBe('first')
      expect(await use('a', key)).toBe(409)
    }
  })

  test('stays when the request under way in this process fails', async () => {
    const { use, recent } = keys()
    for (const key of ['k', 's/5']) {
      const failed = Promise.reject(new ApiError(503, 'ServiceUnavailable', 'no'))
      recent.note('a', { key, digest: digest('body') }, failed)
      recent.learn(announcement(key, 'body', 'elsewhere'), 0)
      await expect(failed).rejects.toThrow('no')
      expect(await use('a', key)).toBe('elsewhere')
    }
  })

  test('is forgotten 24 h after it was shared, also behind younger ones', async () => {
    const { use, recent, clock } = keys()
    await use('a', 'younger')
    recent.learn(announcement('k', 'body', 'elsewhere'), 1000)
    clock.advance(DAY_MS - 1001)
    expect(await use('a', 'k')).toBe('elsewhere')
    clock.advance(1)
    expect(await use('a', 'k', 'other')).toBe('new')
    expect(await use('a', 'younger')).toBe('a younger body')
  })

  test('takes the place of the oldest, so that memory is limited', async () => {
    const { use, recent } = keys(2)
    for (const key of ['k1', 'k2', 'k3']) recent.learn(announcement(key, 'body', key), 0)
    expect(await use('a', 'k2')).toBe('k2')
    expect(await use('a', 'k3')).toBe('k3')
    expect(await use('a', 'k1')).toBe(503)
  })

  test('of a number that its stream has passed changes nothing', async () => {
    const { use, recent } = keys()
    await use('a', 's/100')
    recent.learn(announcement('s/36', 'body', 'elsewhere'), 0)
    expect(await use('a', 's/36')).toBe(409)
    expect(await use('a', 's/37')).toBe('new')
  })

  test('is sent to the other processes only by the process that gave it', async () => {
    const { clock } = keys()
    const heard: unknown[] = []
    const recent = new RecentAnswers({ clock, announce: given => heard.push(given) })
    recent.note('a', { key: 'k', digest: digest('body') }, answer('here'))
    const failed = Promise.reject(new ApiError(503, 'ServiceUnavailable', 'no'))
    recent.note('a', { key: 'failed', digest: digest('body') }, failed)
    recent.learn(announcement('learnt', 'body', 'elsewhere'), 0)
    await new Promise(resolve => setImmediate(resolve))
    expect(heard).toEqual([announcement('k', 'body', 'here')])
  })
})
