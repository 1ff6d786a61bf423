import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import type { Store } from '../../engine/store/store.ts'
import { TEST_SETTINGS, testInstallation } from '../../test/support/test-installation.ts'
import type { RequestLimits } from '../ports.ts'
import { RateLimit } from './rate-limit.ts'

const limited = (limits: RequestLimits, store?: Store) =>
  testInstallation({ settings: { ...TEST_SETTINGS, limits }, ...(store && { store }) })

/** Number of the attempts that are admitted. */
function through(limit: RateLimit, attempts: number, credential = 'a'): number {
  let passed = 0
  for (let attempt = 0; attempt < attempts; attempt++) {
    try {
      limit.take(credential)
      passed++
    } catch {}
  }
  return passed
}

test.each([1, 3, 7, 1_000])('a burst is accepted at once, and then %d per second', perSecond => {
  const clock = manualClock()
  const limit = new RateLimit({ perSecond, burst: 10 }, clock)
  expect(through(limit, 20)).toBe(10)
  for (let second = 0; second < 3; second++) {
    clock.advance(1_000)
    expect(through(limit, 2_000)).toBe(Math.min(10, perSecond))
  }
  clock.advance(3_600_000)
  expect(through(limit, 20)).toBe(10)
})

test('a refused request does not count, and the answer says when to repeat it', () => {
  const clock = manualClock()
  const limit = new RateLimit({ perSecond: 1, burst: 3 }, clock)
  expect(through(limit, 100)).toBe(3)
  expect(() => limit.take('a')).toThrow(expect.objectContaining({ headers: { 'retry-after': '1' } }))
  clock.advance(999)
  expect(through(limit, 1)).toBe(0)
  clock.advance(1)
  expect(through(limit, 1)).toBe(1)
})

test('credentials do not share a bucket, and full ones are forgotten', () => {
  const clock = manualClock()
  const limit = new RateLimit({ perSecond: 10, burst: 1 }, clock)
  for (let credential = 0; credential < 1_000; credential++)
    expect(through(limit, 2, String(credential))).toBe(1)
  clock.advance(100)
  for (let credential = 0; credential < 24; credential++) through(limit, 1, 'a')
  clock.advance(100)
  expect(through(limit, 1, 'b')).toBe(1)
  for (let credential = 0; credential < 1_024; credential++) {
    clock.advance(100)
    through(limit, 1, 'c')
  }
  expect(limit.size).toBeLessThan(5)
})

test('a credential with too many requests gets 429 with retry-after, and others continue', async () => {
  const { app, clock, call, token } = await limited({ api: { perSecond: 2, burst: 2 } })
  const ask = async (headers: Record<string, string> = {}) =>
    (await call({ url: '/v3/auth/token', headers })).statusCode
  expect([await ask(), await ask(), await ask()]).toEqual([200, 200, 429])
  const response = await call({ url: '/v2/usage' })
  expect(response.headers).toMatchObject({ 'retry-after': '1', 'x-auth-access-type': 'service' })
  expect(response.json()).toMatchObject({ code: 'TooManyRequests', status: 'error' })
  expect(await ask({ authorization: `Token ${await token({})}` })).toBe(200)
  clock.advance(500)
  expect([await ask(), await ask()]).toEqual([200, 429])
  await app.close()
})

test('requests without the right count, too', async () => {
  const { app, token } = await limited({ api: { perSecond: 1, burst: 2 } })
  const headers = { authorization: `Token ${await token({ scope: 'ingest' })}` }
  const ask = async () => (await app.inject({ url: '/v3/pipeline', headers })).statusCode
  expect([await ask(), await ask(), await ask()]).toEqual([403, 403, 429])
  await app.close()
})

test('lines have a limit of their own, wherever the key is', async () => {
  const { app, credentials, call } = await limited({ ingest: { perSecond: 1, burst: 2 } })
  const { ingestionKey } = credentials
  const send = async (given: object) => {
    const url = '/logs/ingest?hostname=h'
    const response = await app.inject({ method: 'POST', url, payload: { lines: [{ line: 'a' }] }, ...given })
    return response.statusCode
  }
  expect(await send({ headers: { apikey: ingestionKey } })).toBe(200)
  expect(await send({ payload: { apikey: ingestionKey, lines: [{ line: 'a' }] } })).toBe(200)
  expect(await send({ headers: { apikey: ingestionKey } })).toBe(429)
  expect(await send({ payload: { apikey: ingestionKey, lines: [{ line: 'a' }] } })).toBe(429)
  expect((await call({ url: '/v3/auth/token' })).statusCode).toBe(200)
  await app.close()
})

test('without settings nothing is limited', async () => {
  const { app, call } = await testInstallation()
  for (let attempt = 0; attempt < 200; attempt++)
    expect((await call({ url: '/v3/auth/token' })).statusCode).toBe(200)
  await app.close()
})

test('a list of usage that is longer than a piece counts as an export until its end', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  let names = 5000
  const base = (await testInstallation()).ports.store as Store
  const store: Store = {
    ...base,
    async *usageByKindStream() {
      yield Array.from({ length: names }, (_, app) => ({ name: `app${app}`, bytes: 1, lines: 1 }))
      if (names > 1) await held
    },
  }
  const { app, call } = await limited({ exportsPerAccount: 1 }, store)
  const url = '/v2/usage/apps?from=2026-03-04T00:00:00Z&to=2026-03-04T00:00:00Z'
  const first = Promise.resolve(call({ url }))
  await new Promise(resolve => setImmediate(resolve))
  expect((await call({ url })).statusCode).toBe(429)
  names = 1
  expect((await call({ url })).statusCode).toBe(200)
  release()
  const answer = await first
  expect(answer.statusCode).toBe(200)
  expect(answer.json().results).toHaveLength(5000)
  await app.close()
})

test('surplus exports of an account get 429 until one has been answered', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => {
    release = resolve
  })
  const base = (await testInstallation()).ports.store as Store
  const store: Store = {
    ...base,
    search: () => ({
      access: 'scan',
      async *rows() {
        await held
        yield []
      },
      async *parts() {},
    }),
  }
  const { app, call, account, token } = await limited({ exportsPerAccount: 2 }, store)
  const url = '/v2/export?from=1700000000&to=1700000001'
  const first = [call({ url }), call({ url: url.replace('v2', 'v1') })]
  await new Promise(resolve => setImmediate(resolve))
  const third = await call({ url })
  expect([third.statusCode, third.headers['retry-after']]).toEqual([429, '1'])
  await account('0123456789')
  const other = { authorization: `Token ${await token({ account: '0123456789' })}` }
  const elsewhere = call({ url, headers: other })
  release()
  for (const answer of [...first, elsewhere]) expect((await answer).statusCode).toBe(200)
  // A bad request does not use up a place.
  for (let attempt = 0; attempt < 3; attempt++)
    expect((await call({ url: `${url}&query=(` })).statusCode).toBe(400)
  expect((await call({ url })).statusCode).toBe(200)
  await app.close()
})
