import { Writable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { TEST_SETTINGS, testInstallation } from '../../test/support/test-installation.ts'
import { RefusalLog } from './refusal-log.ts'

interface Details {
  readonly subject: string | undefined
  readonly account: string | undefined
  readonly alsoRefused: number
}

function refusalLog() {
  const clock = manualClock()
  const log = new RefusalLog(clock)
  const said: string[] = []
  const warn = ({ subject, account, alsoRefused }: Details, sentence: string) =>
    said.push([sentence, subject, account, alsoRefused].filter(part => part !== undefined).join(' '))
  const requestOf = (subjectId?: string, shortId?: string) =>
    ({
      method: 'POST',
      routeOptions: { url: '/logs/ingest' },
      log: { warn },
      ...(subjectId !== undefined && { caller: { subjectId, account: shortId && { shortId } } }),
    }) as unknown as FastifyRequest
  return { clock, log, said, requestOf }
}

test('a reason is logged at once, and then every ten seconds with the number of refused requests', () => {
  const { clock, log, said, requestOf } = refusalLog()
  const request = requestOf()
  for (let second = 0; second < 12; second++) {
    for (let each = 0; each < 5; each++) log.note(request, { status: 503, message: 'full' })
    clock.advance(1_000)
  }
  log.note(request, { status: 503, message: 'away' })
  expect(said).toEqual(['full 0', 'full 49', 'away 0'])
})

test('too many requests are reported per caller, and an outage once for all', () => {
  const { clock, log, said, requestOf } = refusalLog()
  const callers = [requestOf('loud', 'a'), requestOf('quiet', 'a'), requestOf('loud', 'b'), requestOf('loud')]
  for (const message of ['many', 'away'])
    for (const request of callers) log.note(request, { status: message === 'many' ? 429 : 503, message })
  for (let each = 0; each < 8; each++)
    log.note(callers[0] as FastifyRequest, { status: 429, message: 'many' })
  clock.advance(10_000)
  for (const request of callers) log.note(request, { status: 429, message: 'many' })
  expect(said).toEqual([
    'many loud a 0',
    'many quiet a 0',
    'many loud b 0',
    'many loud 0',
    'away loud a 0',
    'many loud a 8',
    'many quiet a 0',
    'many loud b 0',
    'many loud 0',
  ])
})

test('callers are forgotten', () => {
  const { clock, log, requestOf } = refusalLog()
  for (let caller = 0; caller < 500; caller++) {
    log.note(requestOf(`caller ${caller}`), { status: 429, message: 'many' })
    clock.advance(10_000)
  }
  expect(log.size).toBeLessThan(130)
})

describe('the log of a server', () => {
  async function logOf(limits: object) {
    const lines: string[] = []
    const out = new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk))
        done()
      },
    })
    const settings = { ...TEST_SETTINGS, limits }
    return { lines, installation: await testInstallation({ settings, logger: pino(out) }) }
  }

  const rate = { perSecond: 1, burst: 1 }

  test('names the caller of too many requests', async () => {
    const { lines, installation } = await logOf({ api: rate })
    const { app, call, credentials } = installation
    for (let each = 0; each < 2; each++) await call({ url: '/v3/auth/token' })
    const refusal = JSON.parse(lines.find(line => line.includes('Too many')) ?? '{}')
    expect(refusal).toMatchObject({ account: credentials.accountId, subject: expect.stringMatching(/./) })
    await app.close()
  })

  test.each(['header', 'body'])(
    'names the sender of too many requests, with its key in the %s, without the key',
    async carrier => {
      const { lines, installation } = await logOf({ ingest: rate })
      const { app, credentials } = installation
      const { accountId, ingestionKey, accessToken } = credentials
      const inBody = carrier === 'body' && { apikey: ingestionKey }
      const send = () =>
        app.inject({
          method: 'POST',
          url: '/logs/ingest?hostname=h',
          payload: { ...inBody, lines: [{ line: 'a' }] },
          headers: inBody ? {} : { apikey: ingestionKey },
        })
      await send()
      expect((await send()).statusCode).toBe(429)
      const refusal = JSON.parse(lines.find(line => line.includes('Too many')) ?? '{}')
      expect(refusal).toMatchObject({ account: accountId, subject: expect.stringMatching(/./) })
      for (const secret of [ingestionKey, accessToken]) expect(lines.join('')).not.toContain(secret)
      await app.close()
    },
  )
})
