import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { suspensionTokens } from '../../engine/configuration/kinds/suspension.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const INGESTION = '/v1/config/ingestion'
const WRONG = '"token" is wrong, too old or used already'

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'POST', path: string, payload?: unknown, app = installation.app) {
  const response = await app.inject({
    method,
    url: `${INGESTION}/${path}`,
    headers: { authorization: `Token ${installation.credentials.accessToken}` },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

const offered = async (): Promise<string> => (await send('POST', 'suspend')).body.token
const confirm = (token: unknown, app = installation.app) => send('POST', 'suspend/confirm', { token }, app)
const isIngesting = async () => (await send('GET', 'status')).body.is_ingesting

const LINE = { lines: [{ line: 'x' }] }
const ingest = (app = installation.app) =>
  app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=a',
    headers: { apikey: installation.credentials.ingestionKey, 'content-type': 'application/json' },
    payload: LINE,
  })

async function recordsHeld(): Promise<bigint> {
  const { ingest: topic } = installation.ports.replay
  const bounds = await Promise.all(Array.from({ length: topic.partitions }, (_, at) => topic.bounds(at)))
  return bounds.reduce((sum, { next }) => sum + next, 0n)
}

const suspendedInRecord = async () => {
  const { accountId } = installation.credentials
  return (await installation.call({ url: `/v3/auth/account/${accountId}` })).json().data.meta.suspendIngestion
}

test('ingestion is suspended in two steps, and resumed in one', async () => {
  expect(await send('GET', 'status')).toMatchObject({ status: 200, text: '{"is_ingesting":true}' })
  const offer = await send('POST', 'suspend')
  expect(offer).toMatchObject({ status: 200, body: { token: expect.any(String) } })
  expect([await isIngesting(), await suspendedInRecord()]).toEqual([true, false])
  expect(await confirm(offer.body.token)).toMatchObject({ status: 200, text: '{"status":"suspended"}' })
  expect([await isIngesting(), await suspendedInRecord()]).toEqual([false, true])
  expect(await send('POST', 'resume')).toMatchObject({ status: 200, text: '{"status":"ingesting"}' })
  expect([await isIngesting(), await suspendedInRecord()]).toEqual([true, false])
})

test('a body that is an object, as some clients send it, is accepted', async () => {
  expect((await send('POST', 'suspend', {})).status).toBe(200)
  expect((await send('POST', 'resume', {})).status).toBe(200)
})

test('resuming without a suspension changes nothing', async () => {
  const next = installation.configuration.nextOffset
  expect((await send('POST', 'resume')).body).toEqual({ status: 'ingesting' })
  expect(installation.configuration.nextOffset).toBe(next)
})

describe('while ingestion is suspended', () => {
  beforeEach(async () => {
    await confirm(await offered())
  })

  test('lines are refused and none is stored, until it is resumed', async () => {
    const held = await recordsHeld()
    const refused = await ingest()
    expect([refused.statusCode, refused.json()]).toEqual([
      403,
      { error: 'Ingestion is suspended for this account', code: 'Forbidden', status: 'error' },
    ])
    expect(await recordsHeld()).toBe(held)
    await send('POST', 'resume')
    expect((await ingest()).statusCode).toBe(200)
    expect(await recordsHeld()).toBe(held + 1n)
  })

  test('another process refuses them as soon as it has read the log', async () => {
    const other = await anotherProcess(installation)
    expect((await ingest(other.app)).statusCode).toBe(403)
    const stop = new AbortController()
    const following = other.configuration.follow(stop.signal)
    const changed = () => new Promise<void>(resolve => other.configuration.subscribe(() => resolve()))
    let followed = changed()
    await send('POST', 'resume')
    await followed
    expect((await ingest(other.app)).statusCode).toBe(200)
    followed = changed()
    const token = await offered()
    await followed
    followed = changed()
    await confirm(token)
    await followed
    expect((await ingest(other.app)).statusCode).toBe(403)
    stop.abort()
    await following
    await other.app.close()
  })

  test('another account continues', async () => {
    await installation.account('0123456789', { ingestionSuspended: false })
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    const line = {
      method: 'POST',
      url: '/logs/ingest?hostname=a',
      headers: { authorization },
      payload: LINE,
    } as const
    expect((await installation.call(line)).statusCode).toBe(200)
    const status = await installation.call({ url: `${INGESTION}/status`, headers: { authorization } })
    expect(status.json()).toEqual({ is_ingesting: true })
  })

  test('it can be suspended again', async () => {
    expect((await confirm(await offered())).status).toBe(200)
    expect(await isIngesting()).toBe(false)
  })
})

test('a request with a slow body is refused if ingestion was suspended in between', async () => {
  await installation.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = installation.app.server.address() as AddressInfo
  const body = JSON.stringify(LINE)
  const sending = request({
    port,
    method: 'POST',
    path: '/logs/ingest?hostname=a',
    headers: {
      apikey: installation.credentials.ingestionKey,
      'content-length': body.length,
      expect: '100-continue',
    },
  })
  sending.flushHeaders()
  await once(sending, 'continue') // The server has read the headers, and the key was valid.
  sending.write(body.slice(0, 5))
  await confirm(await offered())
  sending.end(body.slice(5))
  const [response] = await once(sending, 'response')
  expect(response.statusCode).toBe(403)
  expect(await recordsHeld()).toBe(0n)
})

describe('the token', () => {
  const refused = { status: 400, body: { details: [{ message: WRONG, key: 'token' }], code: 'BadRequest' } }

  test('works once', async () => {
    const token = await offered()
    expect((await confirm(token)).status).toBe(200)
    await send('POST', 'resume')
    expect(await confirm(token)).toMatchObject(refused)
    expect(await isIngesting()).toBe(true)
  })

  test('works once at two processes', async () => {
    const other = await anotherProcess(installation)
    const token = await offered()
    const answers = await Promise.all([confirm(token), confirm(token, other.app)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400])
    await other.app.close()
  })

  test('works for 15 minutes', async () => {
    const [first, second] = [await offered(), await offered()]
    installation.clock.advance(15 * MINUTE_MS - 1)
    expect((await confirm(first)).status).toBe(200)
    await send('POST', 'resume')
    installation.clock.advance(1)
    expect(await confirm(second)).toMatchObject(refused)
  })

  test('works after a restart', async () => {
    const token = await offered()
    const restarted = await anotherProcess(installation)
    expect((await confirm(token, restarted.app)).status).toBe(200)
    expect(await isIngesting()).toBe(false)
    await restarted.app.close()
  })

  test('of another account is invalid here', async () => {
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    const { token } = (
      await installation.call({ method: 'POST', url: `${INGESTION}/suspend`, headers: { authorization } })
    ).json()
    expect(await confirm(token)).toMatchObject(refused)
  })

  test.each<[string, unknown, string]>([
    ['wrong', 'f'.repeat(32), WRONG],
    ['empty', '', '"token" is not allowed to be empty'],
    ['no text', 1, '"token" must be a string'],
    ['missing', undefined, '"token" is required'],
  ])('is refused when it is %s', async (_name, token, message) => {
    expect(await confirm(token)).toMatchObject({ status: 400, body: { error: message } })
    expect(await isIngesting()).toBe(true)
  })

  test('is valid for the time that the operator sets', async () => {
    await installation.app.close()
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, suspensionTokenMinutes: 40 } })
    const [token, late] = [await offered(), await offered()]
    installation.clock.advance(40 * MINUTE_MS - 1)
    expect((await confirm(token)).status).toBe(200)
    installation.clock.advance(1)
    expect((await confirm(late)).status).toBe(400)
  })

  test('is not on the log, and leaves nothing behind', async () => {
    const token = await offered()
    for (let count = 0; count < 40; count++) await offered()
    const held = () => installation.configuration.list(suspensionTokens)
    expect(held()).toHaveLength(20)
    expect(held().some(({ id }) => id === token)).toBe(false)
    installation.clock.advance(15 * MINUTE_MS)
    await offered()
    expect(held()).toHaveLength(1)
  })
})
