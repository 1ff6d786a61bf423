import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { accountKeys } from '../../engine/configuration/entities.ts'
import { memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const GROUPS = '/v1/config/groups'
const BAD_KEY = 'Service Key Validation Error: Invalid or deactivated servicekey'

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation({ settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true } })
})
afterEach(() => installation.app.close())

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** Sends a request with a token, and the service key of the account unless other headers are given. */
async function send(
  method: Method,
  url: string,
  payload?: unknown,
  headers: Record<string, string> = { servicekey: installation.credentials.serviceKey },
) {
  const response = await installation.call({
    method,
    url,
    headers,
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

const CONSOLE = { 'x-weir-console': '1' }

/** Signs in to the console. @returns the cookie of the session */
async function sessionOf(token: string): Promise<string> {
  const { headers } = await installation.app.inject({
    method: 'POST',
    url: '/v3/auth/session',
    headers: CONSOLE,
    payload: { token },
  })
  return String(headers['set-cookie']).split(';', 1)[0] as string
}

const inSession = (
  cookie: string,
  method: Method,
  url: string,
  payload?: object,
  headers: Record<string, string> = CONSOLE,
) => installation.app.inject({ method, url, headers: { cookie, ...headers }, ...(payload && { payload }) })

const memberOf = (...groups: string[]) => {
  const { accountId: account } = installation.credentials
  const member = {
    account,
    email: 'a@b.org',
    role: 'member' as const,
    groups,
    subjectId: 's',
    createdAtMs: 0,
  }
  return installation.write(create(members, memberKey(account, member.email), member))
}

describe('a group', () => {
  test('is created, read, changed in part, listed and deleted', async () => {
    const created = await send('POST', GROUPS, { name: 'team a', accessScopes: 'app:web' })
    expect(created).toMatchObject({
      status: 200,
      body: {
        id: expect.stringMatching(/^[0-9a-f]{10}$/),
        account: installation.credentials.accountId,
        name: 'team a',
        accessScopes: 'app:web',
      },
    })
    expect(Object.keys(created.body)).toEqual(['id', 'account', 'name', 'accessScopes'])
    const url = `${GROUPS}/${created.body.id}`
    expect((await send('GET', url, undefined, {})).body).toEqual(created.body)
    expect((await send('PATCH', url, { name: 'team b' })).body).toEqual({ ...created.body, name: 'team b' })
    expect((await send('PATCH', url, { accessScopes: '' })).body.accessScopes).toBe('')
    expect((await send('PATCH', url, created.body)).body).toEqual(created.body)
    expect((await send('PATCH', url, {})).body).toEqual(created.body)
    expect((await send('GET', GROUPS, undefined, {})).body).toEqual([created.body])
    expect((await send('DELETE', url)).text).toBe('{"deleted":true}')
    expect((await send('GET', url)).status).toBe(404)
    expect((await send('GET', GROUPS)).text).toBe('[]')
  })

  test('shows no lines without a query', async () => {
    expect((await send('POST', GROUPS, { name: 'g' })).body.accessScopes).toBe('')
  })

  test('of another account is not found', async () => {
    await installation.account('0123456789')
    const { body } = await send('POST', GROUPS, { name: 'g' })
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    const url = `${GROUPS}/${body.id}`
    expect((await send('GET', url, undefined, { authorization })).status).toBe(404)
    expect((await send('GET', GROUPS, undefined, { authorization })).body).toEqual([])
  })

  test('with members is not deleted, but can be without them', async () => {
    const { body } = await send('POST', GROUPS, { name: 'g' })
    await memberOf(body.id)
    const refused = await send('DELETE', `${GROUPS}/${body.id}`)
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      409,
      'Conflict',
      'members are in the group: a@b.org',
    ])
    const member = installation.configuration.list(members).at(-1)!
    await installation.write(replace(members, member, { ...member.value, groups: [] }))
    expect((await send('DELETE', `${GROUPS}/${body.id}`)).status).toBe(200)
  })

  test('that one process assigns to a member while another deletes it never leaves a dangling reference', async () => {
    const other = await anotherProcess(installation)
    const headers = {
      authorization: `Token ${installation.credentials.accessToken}`,
      servicekey: installation.credentials.serviceKey,
    }
    for (let round = 0; round < 10; round++) {
      const { body } = await send('POST', GROUPS, { name: 'g' })
      const email = `m${round}@b.org`
      const give = () =>
        installation.call({
          method: 'POST',
          url: '/v1/config/members',
          payload: { email, role: 'member', groups: [body.id] },
        })
      const take = () => other.app.inject({ method: 'DELETE', url: `${GROUPS}/${body.id}`, headers })
      const [given, taken] =
        round % 2 === 0
          ? await Promise.all([give(), take()])
          : (await Promise.all([take(), give()])).toReversed()
      expect([
        [200, 409],
        [400, 200],
      ]).toContainEqual([given?.statusCode, taken?.statusCode])
    }
    await other.app.close()
  })
})

describe('the header servicekey', () => {
  const writes = async (): Promise<[Method, string, object | undefined][]> => {
    const { body } = await send('POST', GROUPS, { name: 'g' })
    return [
      ['POST', GROUPS, { name: 'h' }],
      ['PATCH', `${GROUPS}/${body.id}`, { name: 'h' }],
      ['DELETE', `${GROUPS}/${body.id}`, undefined],
    ]
  }

  test('is required for every write, before anything else is checked', async () => {
    for (const [method, url] of await writes()) {
      const { status, text } = await send(method, url, { name: 1 }, {})
      expect([status, text]).toEqual([
        401,
        '{"error":"\\"servicekey\\" header is required","code":"NotAuthorized","status":"error"}',
      ])
    }
    expect((await send('POST', GROUPS, { name: 1 }, { servicekey: ' ' })).status).toBe(401)
  })

  test('must contain a service key of the same account', async () => {
    await installation.account('0123456789')
    await installation.write(
      create(accountKeys, '0a0a0a0a0a', {
        account: '0123456789',
        type: 'service',
        key: 'a'.repeat(32),
        name: '',
        createdAtMs: 0,
      }),
    )
    const { ingestionKey } = installation.credentials
    for (const servicekey of ['b'.repeat(32), 'a'.repeat(32), ingestionKey])
      for (const [method, url, payload] of await writes()) {
        const { status, body } = await send(method, url, payload, { servicekey })
        expect([status, body.error]).toEqual([401, BAD_KEY])
      }
  })

  test('is enough on its own', async () => {
    const headers = { servicekey: installation.credentials.serviceKey, 'content-type': 'application/json' }
    for (const [method, url, payload] of await writes()) {
      const response = await installation.app.inject({ method, url, headers, ...(payload && { payload }) })
      expect(response.statusCode).toBe(200)
    }
  })

  test('does not count when the key came in another way', async () => {
    const { serviceKey } = installation.credentials
    const basic = `Basic ${Buffer.from(`${serviceKey}:`).toString('base64')}`
    for (const headers of [{ apikey: serviceKey }, { authorization: basic }]) {
      const response = await installation.app.inject({
        method: 'POST',
        url: GROUPS,
        headers,
        payload: { name: 'g' },
      })
      expect([response.statusCode, response.json().error]).toEqual([401, '"servicekey" header is required'])
    }
  })

  test('is not required from the session of an administrator', async () => {
    const cookie = await sessionOf(installation.credentials.accessToken)
    for (const [method, url, payload] of await writes())
      expect((await inSession(cookie, method, url, payload)).statusCode).toBe(200)
  })

  test('is replaced by a session of the console alone, and never for a member', async () => {
    const cookie = await sessionOf(installation.credentials.accessToken)
    const memberCookie = await sessionOf(await installation.user('member'))
    for (const [method, url, payload] of await writes()) {
      const outside = await inSession(cookie, method, url, payload, {})
      const ofMember = await inSession(memberCookie, method, url, payload)
      expect([outside.statusCode, ofMember.statusCode]).toEqual([403, 403])
    }
  })

  test('does not make a member an admin', async () => {
    const authorization = `Token ${await installation.user('member')}`
    const { serviceKey: servicekey } = installation.credentials
    expect((await send('POST', GROUPS, { name: 'g' }, { authorization, servicekey })).status).toBe(403)
  })

  test('can contain a key that another process has just created, and none that it has just deleted', async () => {
    const other = await anotherProcess(installation)
    const { body: key } = await send('POST', '/v1/config/keys?type=service')
    const post = () =>
      other.app.inject({
        method: 'POST',
        url: GROUPS,
        headers: { authorization: `Token ${installation.credentials.accessToken}`, servicekey: key.key },
        payload: { name: 'g' },
      })
    expect((await post()).statusCode).toBe(200)
    await send('DELETE', `/v1/config/keys/${key.id}`)
    await other.configuration.catchUp()
    expect((await post()).statusCode).toBe(401)
    await other.app.close()
  })
})

describe('these requests are refused', () => {
  test.each<[string, unknown, string]>([
    ['no name', { accessScopes: '' }, '"name" is required'],
    ['an empty name', { name: '' }, '"name" is not allowed to be empty'],
    ['a name that is none', { name: 1 }, '"name" must be a string'],
    ['a scope that is none', { name: 'g', accessScopes: 1 }, '"accessScopes" must be a string'],
    [
      'a scope that cannot be read',
      { name: 'g', accessScopes: 'app:web )' },
      '"accessScopes" has an unbalanced parenthesis at character 9',
    ],
    [
      'a scope that no search can hold',
      {
        name: 'g',
        accessScopes: Array.from({ length: 1300 }, (_, at) => `f${at}:>1`)
          .join(' ')
          .slice(0, 8192),
      },
      '"accessScopes" has too many terms',
    ],
  ])('%s', async (_name, payload, message) => {
    const { status, body } = await send('POST', GROUPS, payload)
    expect([status, body.error, body.details[0].message]).toEqual([400, message, message])
    const { body: group } = await send('POST', GROUPS, { name: 'g' })
    const { accessScopes: _, ...unchanged } = group
    const patch = await send('PATCH', `${GROUPS}/${group.id}`, payload)
    if (message.includes('is required')) expect(patch.status).toBe(200)
    else expect([patch.status, patch.body.error]).toEqual([400, message])
    expect((await send('GET', `${GROUPS}/${group.id}`)).body).toMatchObject(unchanged)
  })

  test('a POST without a body', async () => {
    expect((await send('POST', GROUPS)).status).toBe(400)
  })
})

test('no body gives a 500, and an accepted one can be read back', async () => {
  const payloads = fc.oneof(
    fc.record(
      {
        name: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
        accessScopes: fc.oneof(fc.string(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  )
  const { body: group } = await send('POST', GROUPS, { name: 'g' })
  await fc.assert(
    fc.asyncProperty(payloads, fc.boolean(), async (payload, patches) => {
      const { status, body } = patches
        ? await send('PATCH', `${GROUPS}/${group.id}`, payload)
        : await send('POST', GROUPS, payload)
      if (status === 200) expect((await send('GET', `${GROUPS}/${body.id}`)).body).toEqual(body)
      else expect([status, body.code]).toEqual([400, 'BadRequest'])
    }),
    { numRuns: 200 },
  )
})
