import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { replace } from '../../engine/configuration/configuration-log.ts'
import { accessTokens, secretHash } from '../../engine/configuration/entities.ts'
import { DAY_S, HOUR_MS, SECOND_MS } from '../../engine/times/duration.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const CONSOLE = { 'x-weir-console': '1' }
const SESSION_S = (12 * HOUR_MS) / SECOND_MS

let weir: TestInstallation

beforeAll(async () => {
  weir = await testInstallation()
})
afterAll(() => weir.app.close())

const signIn = (token: string, more: object = {}, headers: Record<string, string> = CONSOLE) =>
  weir.app.inject({ method: 'POST', url: '/v3/auth/session', headers, payload: { token, ...more } })
const cookieOf = (answer: { headers: Record<string, unknown> }) =>
  String(answer.headers['set-cookie']).split(';', 1)[0] as string
const signedIn = async (token = weir.credentials.accessToken) => cookieOf(await signIn(token))
const read = (cookie: string, headers: Record<string, string> = {}) =>
  weir.app.inject({ url: '/v3/auth/token', headers: { cookie, ...headers } })

describe('sign-in', () => {
  test('answers the description of the token, and a cookie that no script can read', async () => {
    const answer = await signIn(weir.credentials.accessToken)
    expect(answer.statusCode).toBe(200)
    expect(answer.json().data).toMatchObject({
      account: weir.credentials.accountId,
      role: 'admin',
      limited: false,
      expires_at: null,
      token_id: expect.stringMatching(/./),
      name: expect.stringMatching(/./),
      scope: null,
      features: { store: true, engine: false, taps: false, ingest: true },
    })
    const cookie = String(answer.headers['set-cookie'])
    expect(cookie).toMatch(/^weir_session_[0-9a-zA-Z]{8}=[A-Za-z0-9+/=]+; Max-Age=43200; Path=\/; /)
    expect(cookie.split('; ')).toEqual(expect.arrayContaining(['HttpOnly', 'SameSite=Strict', 'Path=/']))
    expect(cookie).not.toContain(weir.credentials.accessToken)
  })

  test('works with blanks around the token, which copying leaves', async () => {
    const cookie = await signedIn(` ${weir.credentials.accessToken}\n`)
    expect((await read(cookie)).statusCode).toBe(200)
  })

  test.each([
    ['an unknown token', 'sts_unknown'],
    ['a service key', 'serviceKey'],
  ])('is refused with %s, as other requests are', async (_name, given) => {
    const token = given === 'serviceKey' ? weir.credentials.serviceKey : given
    const answer = await signIn(token)
    expect([answer.statusCode, answer.json().message]).toEqual([401, 'Invalid or expired access token'])
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('is refused with a token that can only send lines', async () => {
    const answer = await signIn(await weir.token({ scope: 'ingest' }))
    expect(answer.statusCode).toBe(403)
    expect(answer.json().message).toContain('can only send lines')
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test.each([{}, { token: '' }, { token: 5 }, { token: 'a', stay: 'yes' }, { token: 'a'.repeat(1_025) }])(
    'is refused with the body %j',
    async payload => {
      const answer = await weir.app.inject({
        method: 'POST',
        url: '/v3/auth/session',
        headers: CONSOLE,
        payload,
      })
      expect([answer.statusCode, answer.json().errors.length > 0]).toEqual([400, true])
    },
  )

  test('and sign-out need the header of the console', async () => {
    const payload = { token: weir.credentials.accessToken }
    for (const method of ['POST', 'DELETE'] as const) {
      const answer = await weir.app.inject({ method, url: '/v3/auth/session', payload })
      expect([answer.statusCode, answer.headers['set-cookie']]).toEqual([403, undefined])
    }
  })

  test('has the prefix of the host and Secure over HTTPS, which a trusted proxy may have ended', async () => {
    const direct = weir
    onTestFinished(async () => {
      await weir.app.close()
      weir = direct
    })
    weir = await testInstallation({ settings: { ...TEST_SETTINGS, trustedProxies: ['127.0.0.1'] } })
    const headers = { ...CONSOLE, 'x-forwarded-proto': 'https', 'x-forwarded-for': '10.0.0.1' }
    const answer = await signIn(weir.credentials.accessToken, {}, headers)
    expect(String(answer.headers['set-cookie'])).toMatch(/^__Host-weir_session_\w{8}=.*; Secure/)
    const cookie = cookieOf(answer)
    const { 'x-weir-console': _, ...proxied } = headers
    expect((await read(cookie, proxied)).statusCode).toBe(200)
    // Without the prefix, another server of the host could have set it.
    expect((await read(cookie.replace('__Host-', ''), proxied)).statusCode).toBe(401)
  })
})

describe('a session', () => {
  test('lasts 12 hours', async () => {
    const cookie = await signedIn()
    weir.clock.advance(SESSION_S * SECOND_MS - 1)
    expect((await read(cookie)).statusCode).toBe(200)
    weir.clock.advance(1)
    const answer = await read(cookie)
    expect([answer.statusCode, answer.json().message]).toEqual([401, 'The session has ended: sign in again'])
  })

  test('lasts 30 days on request', async () => {
    const answer = await signIn(weir.credentials.accessToken, { stay: true })
    expect(String(answer.headers['set-cookie'])).toContain(`Max-Age=${30 * DAY_S};`)
    weir.clock.advance(29 * DAY_S * SECOND_MS)
    expect((await read(cookieOf(answer))).statusCode).toBe(200)
  })

  test('does not outlive its token', async () => {
    const token = await weir.token({ expiresAtMs: weir.clock.wallMs() + HOUR_MS })
    const answer = await signIn(token)
    expect(String(answer.headers['set-cookie'])).toContain(`Max-Age=${HOUR_MS / SECOND_MS};`)
    weir.clock.advance(HOUR_MS)
    expect((await read(cookieOf(answer))).statusCode).toBe(401)
  })

  test('ends when its token is revoked', async () => {
    const token = await weir.token({})
    const cookie = await signedIn(token)
    expect((await read(cookie)).statusCode).toBe(200)
    const held = weir.configuration.find(accessTokens, 'hash', secretHash(token))!
    await weir.write(replace(accessTokens, held, { ...held.value, revoked: true }))
    expect((await read(cookie)).statusCode).toBe(401)
  })

  test('ends in the browser by sign-out, also after its end', async () => {
    const answer = await weir.app.inject({
      method: 'DELETE',
      url: '/v3/auth/session',
      headers: { ...CONSOLE, cookie: 'weir_session_x=nonsense' },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json().data).toEqual({ deleted: true })
    expect(String(answer.headers['set-cookie'])).toMatch(/^weir_session_\w{8}=; Max-Age=0; Path=\//)
  })

  test.each(['altered', 'of another place', 'empty'])('is refused when it is %s', async how => {
    const cookie = await signedIn()
    const [name] = cookie.split('=', 1)
    const text = JSON.stringify({ token: weir.credentials.accessToken, untilMs: Number.MAX_SAFE_INTEGER })
    const forged = {
      altered: cookie.replace(/=(.)/, (_, first) => `=${first === 'A' ? 'B' : 'A'}`),
      'of another place': `${name}=${weir.configuration.seal.close(text, 'elsewhere')}`,
      empty: `${name}=`,
    }[how]!
    expect((await read(forged)).statusCode).toBe(401)
  })

  test('of another installation on the host has another name, and is not read', async () => {
    const cookie = await signedIn()
    const both = `${cookie.replace(/_session_\w{8}/, '_session_00000000')}; ${cookie}`
    expect((await read(both)).statusCode).toBe(200)
    expect((await read(both.split('; ', 1)[0] as string)).statusCode).toBe(401)
  })

  test('changes nothing without the header of the console', async () => {
    const cookie = await signedIn()
    const create = (headers: Record<string, string>) =>
      weir.app.inject({ method: 'POST', url: '/v3/pipeline', headers, payload: { title: 'a' } })
    const answer = await create({ cookie })
    expect([answer.statusCode, answer.json().message]).toEqual([
      403,
      expect.stringContaining('x-weir-console'),
    ])
    expect((await create({ cookie, 'x-weir-console': '1' })).statusCode).toBe(200)
  })

  test('yields to every other credential', async () => {
    const cookie = await signedIn()
    expect((await read(cookie, { authorization: 'Token nonsense' })).statusCode).toBe(401)
    const readonly = await weir.token({ scope: 'readonly' })
    expect((await read(cookie, { authorization: `Token ${readonly}` })).json().data.role).toBe('readonly')
  })

  test('sends no lines', async () => {
    const cookie = await signedIn()
    const answer = await weir.app.inject({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      headers: { cookie, ...CONSOLE },
      payload: { lines: [{ line: 'a' }] },
    })
    expect(answer.statusCode).toBe(401)
  })

  test('of an enterprise acts for an account that a header names', async () => {
    const cookie = await signedIn(await weir.token({ kind: 'enterprise' }))
    const delegated = { 'x-delegate-account-id': weir.credentials.accountId }
    const describe = async (headers: Record<string, string>) =>
      (await read(cookie, headers)).json().data?.account
    expect(await describe({})).toBe(null)
    expect(await describe(delegated)).toBe(weir.credentials.accountId)
    expect((await read(cookie, { 'x-delegate-account-id': '0123456789' })).statusCode).toBe(403)
    // The address counts on WebSockets alone.
    const url = `/v3/auth/token?delegate_account_id=${weir.credentials.accountId}`
    const answer = await weir.app.inject({ url, headers: { cookie } })
    expect(answer.json().data.account).toBe(null)
  })
})

describe('a WebSocket with a session', () => {
  let host: string

  beforeAll(async () => {
    await weir.app.listen({ host: '127.0.0.1', port: 0 })
    host = `127.0.0.1:${(weir.app.server.address() as AddressInfo).port}`
  })

  /** @returns status of the answer: 101 opens the socket */
  const open = async (headers: Record<string, string>, query = '') => {
    const socket = new WebSocket(`ws://${host}/ws/tail${query}`, { headers })
    const status = await new Promise<number | undefined>(answered => {
      socket.once('upgrade', ({ statusCode }) => answered(statusCode))
      socket.once('unexpected-response', (_, { statusCode }) => answered(statusCode))
    })
    socket.once('error', () => {})
    socket.terminate()
    return status
  }

  test('needs the origin of the installation', async () => {
    const cookie = await signedIn()
    expect(await open({ cookie, origin: `http://${host}` })).toBe(101)
    for (const origin of ['http://127.0.0.1:1', 'http://weir.example', 'null', 'nonsense'])
      expect(await open({ cookie, origin })).toBe(403)
    expect(await open({ cookie })).toBe(403)
  })

  test('acts for the account that its address names', async () => {
    const token = await weir.token({ kind: 'enterprise' })
    const cookie = await signedIn(token)
    const origin = `http://${host}`
    const query = `?delegate_account_id=${weir.credentials.accountId}`
    expect(await open({ cookie, origin })).toBe(403)
    expect(await open({ cookie, origin }, query)).toBe(101)
    // Whoever sends a token in a header can send the account in another.
    expect(await open({ authorization: `Token ${token}` }, query)).toBe(403)
  })
})
