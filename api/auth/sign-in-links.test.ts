import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { isLoopback, SignInLinks } from './sign-in-links.ts'

const CONSOLE = { 'x-weir-console': '1' }

let weir: TestInstallation
let clock: ManualClock
let links: SignInLinks

const codeOf = (link: string) => link.split('#code=')[1] as string
const newCode = () => codeOf(links.create('http://127.0.0.1:8080'))
const signIn = (code: string, headers: Record<string, string> = {}, remoteAddress = '127.0.0.1') =>
  weir.app.inject({
    method: 'POST',
    url: '/v3/auth/session',
    headers: { ...CONSOLE, host: '127.0.0.1:8080', ...headers },
    remoteAddress,
    payload: { code },
  })

describe('a sign-in link', () => {
  beforeEach(async () => {
    clock = manualClock()
    links = new SignInLinks({ clock, entropy: seededEntropy(7), token: () => weir.credentials.accessToken })
    weir = await testInstallation({ signInLinks: links })
  })
  afterEach(() => weir.app.close())

  test('has its code in the fragment, and signs the local user in once', async () => {
    const link = links.create('http://127.0.0.1:8080')
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/console\/sign-in#code=[\w-]{32}$/)
    const answer = await signIn(codeOf(link))
    expect([answer.statusCode, answer.json().data.role]).toEqual([200, 'admin'])
    const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] as string
    expect((await weir.app.inject({ url: '/v3/auth/token', headers: { cookie } })).statusCode).toBe(200)
    const again = await signIn(codeOf(link))
    expect([again.statusCode, again.json().message]).toEqual([
      401,
      expect.stringContaining('npx weir console'),
    ])
    expect(again.headers['set-cookie']).toBeUndefined()
  })

  test('works for ten minutes', async () => {
    const [first, second] = [newCode(), newCode()]
    clock.advance(10 * MINUTE_MS - 1)
    expect((await signIn(first)).statusCode).toBe(200)
    clock.advance(1)
    expect((await signIn(second)).statusCode).toBe(401)
  })

  test.each([
    ['another machine', {}, '10.0.0.5'],
    ['another host name', { host: 'weir.example' }, '127.0.0.1'],
    ['a proxy', { 'x-forwarded-for': '127.0.0.1' }, '127.0.0.1'],
    ['a proxy that says so by the standard', { forwarded: 'for=127.0.0.1' }, '127.0.0.1'],
    ['a proxy that names the client alone', { 'cf-connecting-ip': '10.0.0.1' }, '127.0.0.1'],
    ['a user before the host', { host: 'evil.example@127.0.0.1' }, '127.0.0.1'],
  ])('is refused from %s, and stays good for its user', async (_name, headers, address) => {
    const code = newCode()
    expect((await signIn(code, headers as Record<string, string>, address)).statusCode).toBe(401)
    expect((await signIn(code)).statusCode).toBe(200)
  })

  test('of sixteen later ones ends', async () => {
    const first = newCode()
    for (let at = 0; at < 16; at++) newCode()
    expect((await signIn(first)).statusCode).toBe(401)
  })

  test('is unknown where there are none', async () => {
    const code = newCode()
    await weir.app.close()
    weir = await testInstallation()
    expect((await signIn(code)).statusCode).toBe(401)
  })

  test.each([{}, { code: '' }, { code: 5 }, { code: 'a', token: 'b' }, { code: 'a'.repeat(65) }])(
    'and the body %j is 400',
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
})

test.each([
  ['localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['127.example.com', false],
  ['10.0.0.1', false],
  ['', false],
  ['localhost.example', false],
])('%s is this machine: %s', (name, expected) => {
  expect(isLoopback(name)).toBe(expected)
})
