import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create } from '../../engine/configuration/configuration-log.ts'
import { accountKeys } from '../../engine/configuration/entities.ts'
import { enterpriseKeys } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const ACCOUNTS = '/v1/enterprise/account'
const KEYS = '/v1/enterprise/keys'
const ENTERPRISE_KEY = 'e'.repeat(32)
const LONE = '0123456789'
const LONE_KEY = 'a'.repeat(32)
const FOREIGN = '9876543210'
const FOREIGN_KEY = 'b'.repeat(32)

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation({ settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true } })
  const { enterprise } = installation
  const serviceKey = (account: string, key: string) =>
    create(accountKeys, `${account.slice(5)}aaaaa`, {
      account,
      type: 'service',
      key,
      name: '',
      createdAtMs: 0,
    })
  await installation.account(LONE, { enterprise: null, ownerEmail: 'lone@example.org', retentionDays: 7 })
  await installation.account(FOREIGN, { enterprise: 'ffffffffff' })
  await installation.write(
    serviceKey(LONE, LONE_KEY),
    serviceKey(FOREIGN, FOREIGN_KEY),
    create(enterpriseKeys, 'eeeeeeeeee', { enterprise, key: ENTERPRISE_KEY, name: 'first', createdAtMs: 5 }),
  )
})
afterEach(() => installation.app.close())

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Sends a request with the enterprise's service key, unless other headers are given. */
async function send(
  method: Method,
  url: string,
  payload?: unknown,
  headers: Record<string, string> = {},
  app = installation.app,
) {
  const response = await app.inject({
    method,
    url,
    headers: { 'enterprise-servicekey': ENTERPRISE_KEY, 'content-type': 'application/json', ...headers },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

const attach = (servicekey: string, app = installation.app) =>
  send('POST', ACCOUNTS, undefined, { servicekey }, app)

describe('an account', () => {
  test('is attached by its service key, read, listed, changed and detached', async () => {
    const attached = await attach(LONE_KEY)
    expect(attached).toMatchObject({ status: 200 })
    expect(attached.body).toEqual({
      account: LONE,
      enterprise: installation.enterprise,
      retention: 7,
      owner: 'lone@example.org',
      retentionPeriods: [3, 7, 14, 30],
      retentionTiers: [3, 7, 14, 30],
      plan: 'enterprise',
      servicekey: LONE_KEY,
    })
    const url = `${ACCOUNTS}/${LONE}`
    expect((await send('GET', url)).body).toEqual(attached.body)
    expect((await send('GET', ACCOUNTS)).body.at(-1)).toEqual(attached.body)
    const changed = { ...attached.body, retention: 14, owner: 'new@example.org' }
    expect((await send('PUT', url, { retention: 14, owner: 'New@example.org' })).body).toMatchObject({
      retention: 14,
    })
    expect((await send('PUT', url, { owner: 'new@example.org' })).body).toEqual(changed)
    expect((await send('DELETE', url)).text).toBe(`{"account":"${LONE}"}`)
    expect((await send('GET', url)).status).toBe(404)
    expect((await attach(LONE_KEY)).body).toEqual(changed)
  })

  test('stays as it is when a client leaves a member unset, that is, sends 0 or an empty text', async () => {
    const { body } = await attach(LONE_KEY)
    expect((await send('PUT', `${ACCOUNTS}/${LONE}`, { retention: 0, owner: '' })).body).toEqual(body)
    expect((await send('PUT', `${ACCOUNTS}/${LONE}`, {})).body).toEqual(body)
    expect((await send('PUT', `${ACCOUNTS}/${LONE}`, body)).body).toEqual(body)
  })

  test('of this enterprise or another cannot be attached', async () => {
    await attach(LONE_KEY)
    for (const key of [LONE_KEY, FOREIGN_KEY, installation.credentials.serviceKey])
      expect(await attach(key)).toMatchObject({ status: 409, body: { code: 'Conflict' } })
  })

  test('is attached once when two processes try at the same time', async () => {
    const other = await anotherProcess(installation)
    const answers = await Promise.all([attach(LONE_KEY), attach(LONE_KEY, other.app)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    await other.app.close()
  })

  test('that does not belong to the enterprise is not found', async () => {
    for (const id of [LONE, FOREIGN, '0000000000']) {
      expect((await send('GET', `${ACCOUNTS}/${id}`)).status).toBe(404)
      expect((await send('PUT', `${ACCOUNTS}/${id}`, { retention: 3 })).status).toBe(404)
      expect((await send('DELETE', `${ACCOUNTS}/${id}`)).status).toBe(404)
    }
    expect((await send('GET', ACCOUNTS)).body).toHaveLength(1)
  })

  test('that was detached continues on its own, and is unknown to enterprise tokens', async () => {
    await attach(LONE_KEY)
    const authorization = `Token ${installation.credentials.enterpriseAccessToken}`
    const asChild = () =>
      installation.app.inject({
        url: '/v3/pipeline',
        headers: { authorization, 'x-delegate-account-id': LONE },
      })
    expect((await asChild()).statusCode).toBe(200)
    await send('DELETE', `${ACCOUNTS}/${LONE}`)
    expect((await asChild()).statusCode).toBe(403)
    const alone = await installation.app.inject({ url: '/v1/config/keys', headers: { servicekey: LONE_KEY } })
    expect(alone.statusCode).toBe(200)
  })

  test.each<[string, object, string]>([
    ['an owner that is not an address', { owner: 'x' }, '"owner" must be a valid email'],
    ['an owner that is not a text', { owner: 1 }, '"owner" must be a string'],
    ['91 days', { retention: 91 }, '"retention" must be less than or equal to 90'],
    ['-1 day', { retention: -1 }, '"retention" must be greater than or equal to 0'],
    ['days that are none', { retention: '3' }, '"retention" must be a number'],
  ])('is not changed to %s', async (_name, change, message) => {
    const { accountId } = installation.credentials
    const { status, body } = await send('PUT', `${ACCOUNTS}/${accountId}`, change)
    expect([status, body.details]).toEqual([400, [{ message, key: message.split('"')[1] }]])
  })

  test('is not changed, and all findings are reported at once', async () => {
    const wrong = { owner: 'bad', retention: 91 }
    const { status, body } = await send('PUT', `${ACCOUNTS}/${installation.credentials.accountId}`, wrong)
    expect([status, body.details]).toEqual([
      400,
      [
        { message: '"retention" must be less than or equal to 90', key: 'retention' },
        { message: '"owner" must be a valid email', key: 'owner' },
      ],
    ])
  })
})

describe('the caller', () => {
  test('can use an enterprise token as well', async () => {
    const authorization = `Token ${installation.credentials.enterpriseAccessToken}`
    const response = await installation.app.inject({ url: ACCOUNTS, headers: { authorization } })
    expect(response.json()).toHaveLength(1)
    expect(response.headers['x-auth-access-type']).toBe('enterprise')
  })

  test('must give the service key of the account to attach', async () => {
    expect(await send('POST', ACCOUNTS)).toMatchObject({
      status: 401,
      text: '{"error":"\\"servicekey\\" header is required","code":"NotAuthorized","status":"error"}',
    })
    for (const key of ['f'.repeat(32), installation.credentials.ingestionKey, ENTERPRISE_KEY])
      expect((await attach(key)).status).toBe(401)
  })

  test('with a read-only token sees no keys, and changes nothing', async () => {
    await attach(LONE_KEY)
    const looking = await installation.token({ kind: 'enterprise', scope: 'readonly' })
    const asLooker = async (method: Method, url: string, payload?: unknown) =>
      send(method, url, payload, { authorization: `Token ${looking}`, servicekey: LONE_KEY })
    expect((await asLooker('GET', `${ACCOUNTS}/${LONE}`)).body).toMatchObject({
      account: LONE,
      servicekey: '',
    })
    for (const [method, url, payload] of [
      ['POST', ACCOUNTS, undefined],
      ['PUT', `${ACCOUNTS}/${LONE}`, { retention: 3 }],
      ['DELETE', `${ACCOUNTS}/${LONE}`, undefined],
      ['GET', KEYS, undefined],
      ['POST', KEYS, {}],
      ['GET', `${KEYS}/eeeeeeeeee`, undefined],
      ['DELETE', `${KEYS}/eeeeeeeeee`, undefined],
    ] as const)
      expect((await asLooker(method, url, payload)).status).toBe(403)
  })
})

describe('a key of the enterprise', () => {
  test('is created, read, listed and deleted, and its deletion takes effect at once', async () => {
    const { body } = await send('POST', KEYS, { name: 'my key' })
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{10}$/),
      key: expect.stringMatching(/^[0-9a-f]{32}$/),
      name: 'my key',
      type: 'service',
      created: installation.clock.wallMs(),
    })
    expect((await send('POST', KEYS)).body.name).toBe('')
    expect((await send('GET', `${KEYS}/${body.id}`)).body).toEqual(body)
    expect((await send('GET', KEYS)).body).toContainEqual(body)
    const asNew = (method: Method) =>
      send(method, `${KEYS}/${body.id}`, undefined, { 'enterprise-servicekey': body.key })
    expect((await asNew('DELETE')).body).toEqual({ message: `Key ${body.id} was deleted`, deleted: true })
    expect((await asNew('GET')).status).toBe(401)
    expect((await send('GET', `${KEYS}/${body.id}`)).status).toBe(404)
    const topic = await installation.log.topic('weir.config', 1)
    const records = await topic.read(0, 0n, 10_000_000)
    expect(Buffer.concat(records.map(({ value }) => value)).includes(body.key)).toBe(false)
  })

  test('of another enterprise is not found', async () => {
    await installation.write(
      create(enterpriseKeys, 'dddddddddd', {
        enterprise: 'ffffffffff',
        key: 'd'.repeat(32),
        name: '',
        createdAtMs: 0,
      }),
    )
    expect((await send('GET', KEYS)).body).toHaveLength(1)
    expect((await send('GET', `${KEYS}/dddddddddd`)).status).toBe(404)
    expect((await send('DELETE', `${KEYS}/dddddddddd`)).status).toBe(404)
  })

  test('is one of at most twenty, however they are created', async () => {
    const other = await anotherProcess(installation)
    const statuses = await Promise.all(
      Array.from({ length: 30 }, async (_, at) => {
        const app = at % 2 === 0 ? installation.app : other.app
        return (await send('POST', KEYS, {}, {}, app)).status
      }),
    )
    expect(statuses.filter(status => status === 200)).toHaveLength(19)
    expect(statuses.filter(status => status === 400)).toHaveLength(11)
    expect((await send('GET', KEYS)).body).toHaveLength(20)
    await other.app.close()
  })

  test('cannot be created unless the operator allows it', async () => {
    await installation.app.close()
    installation = await testInstallation()
    const authorization = `Token ${installation.credentials.enterpriseAccessToken}`
    const { status, body } = await send('POST', KEYS, {}, { authorization })
    expect([status, body.error]).toEqual([403, 'Service keys can no longer be created'])
  })

  test('with a name of 31 characters is refused', async () => {
    expect((await send('POST', KEYS, { name: 'a'.repeat(31) })).body.error).toBe(
      '"name" must be at most 30 characters long',
    )
  })
})
