import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { ConfigurationLog, remove, replace } from '../../engine/configuration/configuration-log.ts'
import {
  type AccessToken,
  accessTokens,
  MAX_PERSONAL_TOKENS,
  MAX_SERVICE_TOKENS,
  secretHash,
} from '../../engine/configuration/entities.ts'
import { members } from '../../engine/configuration/kinds/members.ts'
import { silentLogger } from '../../engine/logger.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'
import { buildServer } from '../server.ts'

const URL = '/v1/config/tokens'

let installation: TestInstallation
beforeEach(async () => {
  installation = await testInstallation()
  return () => installation.app.close()
})

interface Asked {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly path?: string
  readonly body?: object
  readonly delegate?: string
}

/** A request with that secret. */
async function ask(secret: string, { method = 'GET', path = '', body, delegate }: Asked = {}) {
  const response = await installation.app.inject({
    method,
    url: `${URL}${path}`,
    headers: {
      authorization: `Token ${secret}`,
      ...(delegate === undefined ? {} : { 'x-delegate-account-id': delegate }),
    },
    ...(body === undefined ? {} : { payload: body }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}
const create = (secret: string, body: object, delegate?: string) =>
  ask(secret, { method: 'POST', body: { name: 't', ...body }, ...(delegate && { delegate }) })
const idOf = (secret: string) =>
  installation.configuration.find(accessTokens, 'hash', secretHash(secret))?.id as string
const worksWith = async (secret: string) => (await ask(secret)).status === 200
const roleOf = async (secret: string) => {
  const { app } = installation
  const response = await app.inject({ url: '/v3/auth/token', headers: { authorization: `Token ${secret}` } })
  return response.json().data?.role ?? response.statusCode
}

describe('creating', () => {
  test('the answer contains a valid secret, and nothing else ever does', async () => {
    const { accessToken } = installation.credentials
    const made = await create(accessToken, { name: 'shipper', scope: 'member', expires: 3600 })
    expect(made.status).toBe(200)
    expect(made.body).toMatchObject({ name: 'shipper', kind: 'service', scope: 'member', right: 'member' })
    expect(made.body.token).toMatch(/^sts_[0-9a-f]{40}$/)
    expect(await roleOf(made.body.token)).toBe('member')
    for (const path of ['', `/${made.body.id}`]) {
      const { text } = await ask(accessToken, { path })
      expect(text).toContain('shipper')
      expect(text).not.toContain(made.body.token)
      expect(text).not.toContain(secretHash(made.body.token))
    }
  })

  test.each([
    ['an ISO date', '1970-01-03', 2 * DAY_MS],
    ['an ISO date-time', '1970-01-02T01:00:00+01:00', DAY_MS],
    ['seconds from now', 86_400, DAY_MS],
    ['a span from now', '1d12h', 1.5 * DAY_MS],
    ['a UNIX time as a text', '172800', 2 * DAY_MS],
  ])('the end can be %s', async (_name, expires, endMs) => {
    const { clock } = installation
    clock.setWall(0)
    const { body } = await create(installation.credentials.accessToken, { expires })
    expect(Date.parse(body.expires_at)).toBe(endMs)
    clock.setWall(endMs - 1)
    expect(await worksWith(body.token)).toBe(true)
    clock.setWall(endMs)
    expect(await worksWith(body.token)).toBe(false)
  })

  test.each([
    [{ name: '' }, ['"name" is not allowed to be empty']],
    [{ name: 'n'.repeat(121) }, ['"name" must be at most 120 characters long']],
    [
      { name: undefined, kind: 'x', scope: 'all', expires: true, email: 'x' },
      [
        '"name" is required',
        '"kind" must be one of [user, service, enterprise]',
        '"scope" must be one of [owner, admin, member, readonly, ingest]',
        '"expires" must be a string or a number',
        '"email" must be a valid email',
      ],
    ],
    [{ expires: 'tomorrow' }, ['"expires" must be a valid ISO 8601 date']],
    [{ expires: '2000-02-30' }, ['"expires" must be a valid ISO 8601 date']],
    [{ expires: '1969-12-31' }, ['"expires" must be in the future']],
    [{ expires: 0 }, ['"expires" must be greater than or equal to 1']],
    [{ expires: 315_360_001 }, ['"expires" must be less than or equal to 315360000']],
    [{ kind: 'user' }, ['"email" is required']],
    [{ kind: 'user', email: 'nobody@example.org' }, ['"email" must be that of a member of the account']],
    [{ email: 'a@example.org' }, ['"email" is only for tokens of the kind user']],
  ])('%j is refused with all findings', async (body, messages) => {
    const answer = await create(installation.credentials.accessToken, body)
    expect(answer.status).toBe(400)
    expect(answer.body.details.map(({ message }: { message: string }) => message)).toEqual(messages)
  })

  test('a personal token has the present role of its user', async () => {
    const secret = await installation.user('member')
    const { body } = await create(secret, {})
    expect(body).toMatchObject({ kind: 'user', scope: null, right: 'member' })
    expect(body.token).toMatch(/^sta_/)
    const member = installation.configuration.list(members).find(({ value }) => value.role === 'member')!
    await installation.write(replace(members, member, { ...member.value, role: 'readonly' }))
    expect(await roleOf(body.token)).toBe('readonly')
  })

  test('an admin creates the first token of a member, which never has more rights than the admin', async () => {
    const admin = await installation.user('admin')
    await installation.user('member')
    const member = installation.configuration.list(members).find(({ value }) => value.role === 'member')!
    const made = await create(admin, { kind: 'user', email: member.value.email.toUpperCase() })
    expect(made.body).toMatchObject({ email: member.value.email, right: 'member', scope: 'admin' })
    const further = await create(made.body.token, {})
    expect(further.body).toMatchObject({ right: 'member', scope: 'admin' })
    await installation.write(replace(members, member, { ...member.value, role: 'owner' }))
    expect(await roleOf(made.body.token)).toBe('admin')
    expect(await roleOf(further.body.token)).toBe('admin')
  })

  test('two that create tokens at the limit create one between them', async () => {
    const { credentials, token } = installation
    const second = await secondProcess()
    for (let held = 1; held < MAX_SERVICE_TOKENS - 1; held++) await token({})
    const made = await Promise.all(
      [installation.app, second].map(app =>
        app.inject({
          method: 'POST',
          url: URL,
          headers: { authorization: `Token ${credentials.accessToken}` },
          payload: { name: 'last' },
        }),
      ),
    )
    expect(made.map(({ statusCode }) => statusCode).sort()).toEqual([200, 400])
    expect(made.find(({ statusCode }) => statusCode === 400)?.json().error).toContain('at most 100 tokens')
    await second.close()
  })

  test('members have a limit of their own, and expired tokens do not count', async () => {
    const secret = await installation.user('readonly')
    for (let held = 1; held < MAX_PERSONAL_TOKENS; held++) await create(secret, { expires: 60 })
    expect((await create(secret, {})).status).toBe(400)
    expect((await create(await installation.user('readonly'), {})).status).toBe(200)
    installation.clock.advance(60_000)
    expect((await create(secret, {})).status).toBe(200)
  })

  test('members have the limit of the operator, which can be higher or lower', async () => {
    for (const maxMemberKeys of [MAX_PERSONAL_TOKENS + 2, 3]) {
      await installation.app.close()
      installation = await testInstallation({ settings: { ...TEST_SETTINGS, maxMemberKeys } })
      const secret = await installation.user('readonly')
      for (let held = 1; held < maxMemberKeys; held++) expect((await create(secret, {})).status).toBe(200)
      const { status, body } = await create(secret, {})
      expect([status, body.error]).toEqual([400, `a member has at most ${maxMemberKeys} tokens of that kind`])
      expect((await create(await installation.user('readonly'), {})).status).toBe(200)
    }
  })

  test('tokens that ended a week ago are removed when another one is created', async () => {
    const { accessToken } = installation.credentials
    const { body: old } = await create(accessToken, { expires: 60 })
    installation.clock.advance(60_000 + 7 * DAY_MS - 1)
    await create(accessToken, {})
    expect((await ask(accessToken, { path: `/${old.id}` })).body).toMatchObject({ right: null })
    installation.clock.advance(1)
    await create(accessToken, {})
    expect((await ask(accessToken, { path: `/${old.id}` })).status).toBe(404)
  })
})

test('tokens of deleted members are removed when another one is created', async () => {
  const { configuration, credentials, write } = installation
  const id = idOf(await installation.user('member'))
  const member = configuration.list(members).find(({ value }) => value.role === 'member')!
  await write(remove(members, member))
  expect((await ask(credentials.accessToken, { path: `/${id}` })).body).toMatchObject({ right: null })
  await create(credentials.accessToken, {})
  expect((await ask(credentials.accessToken, { path: `/${id}` })).status).toBe(404)
})

test('any request is created, refused or not found, and never causes an error', async () => {
  const words = [
    'user',
    'service',
    'enterprise',
    'owner',
    'readonly',
    'ingest',
    '2099-01-01',
    'a@b.org',
    '\ud800',
    '',
  ]
  const value = fc.oneof(fc.constantFrom(...words), fc.jsonValue(), fc.integer(), fc.double())
  const body = fc.record(
    { name: value, kind: value, scope: value, expires: value, email: value, grace_s: value },
    { requiredKeys: [] },
  )
  const way = fc.constantFrom(
    ['POST', () => ''],
    ['PATCH', (id: string) => `/${id}`],
    ['POST', (id: string) => `/${id}/rotate`],
  ) as fc.Arbitrary<['POST' | 'PATCH', (id: string) => string]>
  const { token, user, credentials } = installation
  const id = idOf(await token({}))
  const secrets = [credentials.accessToken, credentials.enterpriseAccessToken, await user('member')]
  await fc.assert(
    fc.asyncProperty(
      way,
      fc.constantFrom(...secrets),
      fc.oneof(body, fc.jsonValue()),
      async (sent, secret, given) => {
        const [method, pathOf] = sent
        const response = await installation.app.inject({
          method,
          url: `${URL}${pathOf(id)}`,
          headers: { authorization: `Token ${secret}` },
          payload: JSON.stringify(given),
        })
        expect([200, 400, 403, 404]).toContain(response.statusCode)
      },
    ),
    { seed: 5, numRuns: 300 },
  )
})

/** Requests of callers that must be refused. */
describe('a caller cannot grant more than their own rights', () => {
  const own = (key: 'accessToken' | 'enterpriseAccessToken') => async () => installation.credentials[key]
  const user = (role: 'owner' | 'admin' | 'member' | 'readonly', given: Partial<AccessToken> = {}) => {
    return () => installation.user(role, given)
  }
  const service = (given: Partial<AccessToken>) => () => installation.token(given)

  test.each<[string, () => Promise<string>, object, 'delegated' | 'own']>([
    ['a member, a service token', user('member'), { kind: 'service', scope: 'readonly' }, 'own'],
    ['a member, more than their role', user('member'), { scope: 'admin' }, 'own'],
    ['a readonly user, a token that ingests', user('readonly'), { scope: 'ingest' }, 'own'],
    [
      'a readonly user whose scope says admin, admin',
      user('readonly', { scope: 'admin' }),
      { scope: 'admin' },
      'own',
    ],
    [
      'an owner narrowed to readonly, their role',
      user('owner', { scope: 'readonly' }),
      { scope: 'owner' },
      'own',
    ],
    ['an admin, an owner', user('admin'), { scope: 'owner' }, 'own'],
    [
      'an admin, an owner of the account as a service',
      user('admin'),
      { kind: 'service', scope: 'owner' },
      'own',
    ],
    ['a service account, an owner', own('accessToken'), { scope: 'owner' }, 'own'],
    ['a service account that may read, a service token', service({ scope: 'readonly' }), {}, 'own'],
    [
      'a service account that can only ingest, the like',
      service({ scope: 'ingest' }),
      { scope: 'ingest' },
      'own',
    ],
    ['an owner, a token of the enterprise', user('owner'), { kind: 'enterprise' }, 'own'],
    [
      'an enterprise token for a child, one of the enterprise',
      own('enterpriseAccessToken'),
      { kind: 'enterprise' },
      'delegated',
    ],
    [
      'an enterprise token for a child, an owner of it',
      own('enterpriseAccessToken'),
      { scope: 'owner' },
      'delegated',
    ],
    [
      'an enterprise token, a service token of no account',
      own('enterpriseAccessToken'),
      { kind: 'service' },
      'own',
    ],
    [
      'an enterprise token that may read, the like',
      service({ kind: 'enterprise', scope: 'readonly' }),
      {},
      'own',
    ],
    [
      'one that ends, one that ends later',
      service({ expiresAtMs: Number.MAX_SAFE_INTEGER / 8 }),
      { expires: null },
      'own',
    ],
  ])('%s', async (_name, secretOf, body, context) => {
    const { accountId } = installation.credentials
    const answer = await create(await secretOf(), body, context === 'delegated' ? accountId : undefined)
    expect(answer.status).toBe(403)
    expect(answer.body.code).toBe('Forbidden')
  })

  test('missing members are copied from the token of the request', async () => {
    const endMs = installation.clock.wallMs() + DAY_MS
    const expiresAtMs = endMs
    const narrow = await installation.user('owner', { scope: 'readonly', expiresAtMs })
    const { body } = await create(narrow, {})
    expect(body).toMatchObject({ right: 'readonly', scope: 'readonly' })
    expect(Date.parse(body.expires_at)).toBe(endMs)
    const reader = await installation.token({ kind: 'enterprise', scope: 'admin' })
    expect((await create(reader, {})).body).toMatchObject({ kind: 'enterprise', scope: 'admin' })
    const { enterpriseAccessToken, accountId } = installation.credentials
    const child = await create(enterpriseAccessToken, {}, accountId)
    expect(child.body).toMatchObject({ kind: 'service', scope: null, right: 'admin' })
  })

  test('an admin creates a token of the owner that has only the rights of the admin', async () => {
    const owner = installation.configuration.list(members).find(({ value }) => value.role === 'owner')!
    const ofOwner = { kind: 'user', email: owner.value.email }
    const admin = await installation.user('admin')
    const narrow = await create(admin, { ...ofOwner, scope: 'readonly' })
    expect(narrow.body).toMatchObject({ email: owner.value.email, scope: 'readonly', right: 'readonly' })
    expect(await roleOf(narrow.body.token)).toBe('readonly')
    expect((await create(admin, ofOwner)).body).toMatchObject({ scope: 'admin', right: 'admin' })
    expect((await create(admin, { ...ofOwner, scope: 'owner' })).status).toBe(403)
    const member = await installation.user('member')
    expect((await create(member, { ...ofOwner, scope: 'readonly' })).status).toBe(403)
  })

  test('an enterprise token creates a token of the owner of a child, with its own rights', async () => {
    const { enterpriseAccessToken, accountId } = installation.credentials
    const owner = installation.configuration.list(members).find(({ value }) => value.role === 'owner')!
    const ofOwner = { kind: 'user', email: owner.value.email }
    for (const scope of ['readonly', 'admin', 'owner'] as const) {
      const made = await create(enterpriseAccessToken, { ...ofOwner, scope }, accountId)
      expect(made.body).toMatchObject({ email: owner.value.email, scope, right: scope })
    }
    const narrowed = await installation.token({ kind: 'enterprise', scope: 'admin' })
    expect((await create(narrowed, { ...ofOwner, scope: 'owner' }, accountId)).status).toBe(403)
  })

  test('an admin cannot rotate a token of another member', async () => {
    const admin = await installation.user('admin')
    const path = `/${idOf(await installation.user('member'))}/rotate`
    expect((await ask(admin, { method: 'POST', path })).status).toBe(403)
  })

  test('a narrow or short-lived token cannot take over a wider one of the same person by rotating it', async () => {
    const wide = await installation.user('admin')
    const { subjectId, email } = installation.configuration.get(accessTokens, idOf(wide))!.value
    const narrow = await installation.token({ kind: 'user', subjectId, email, scope: 'readonly' })
    const expiresAtMs = installation.clock.wallMs() + DAY_MS
    const passing = await installation.token({ kind: 'user', subjectId, email, expiresAtMs })
    const path = `/${idOf(wide)}`
    for (const secret of [narrow, passing])
      expect((await ask(secret, { method: 'POST', path: `${path}/rotate` })).status).toBe(403)
    for (const method of ['PATCH', 'DELETE'] as const)
      expect((await ask(narrow, { method, path, body: { name: 'mine' } })).status).toBe(403)
    expect(await worksWith(wide)).toBe(true)
  })

  test('a narrowed token cannot take over one whose rights may grow with its user', async () => {
    const wide = await installation.user('readonly')
    const { subjectId, email } = installation.configuration.get(accessTokens, idOf(wide))!.value
    const narrow = await installation.token({ kind: 'user', subjectId, email, scope: 'readonly' })
    const dead = await installation.token({ kind: 'user', subjectId, email, scope: 'ingest' })
    // The user can only read: the two are equal as long as that is so.
    expect((await ask(narrow, { method: 'POST', path: `/${idOf(wide)}/rotate` })).status).toBe(403)
    const widened = await ask(wide, { method: 'PATCH', path: `/${idOf(dead)}`, body: { scope: 'owner' } })
    expect(widened.status).toBe(400)
    expect((await ask(wide, { method: 'POST', path: `/${idOf(narrow)}/rotate` })).status).toBe(200)
    expect((await ask(wide, { method: 'POST', path: `/${idOf(wide)}/rotate` })).status).toBe(200)
  })

  test('no token can prolong itself', async () => {
    const expiresAtMs = installation.clock.wallMs() + DAY_MS
    const secret = await installation.token({ expiresAtMs })
    const patch = { method: 'PATCH', path: `/${idOf(secret)}`, body: { expires: 2 * 86_400 } } as const
    expect((await ask(secret, patch)).status).toBe(403)
    expect((await ask(await installation.user('owner'), patch)).status).toBe(200)
  })

  test('tokens of another account, and of the enterprise, are not found', async () => {
    await installation.account('0123456789')
    const foreign = await installation.token({ account: '0123456789' })
    const { accessToken, enterpriseAccessToken } = installation.credentials
    for (const path of [`/${idOf(foreign)}`, `/${idOf(enterpriseAccessToken)}`]) {
      expect((await ask(accessToken, { path })).status).toBe(404)
      expect((await ask(accessToken, { method: 'DELETE', path })).status).toBe(404)
    }
    const listed = (await ask(enterpriseAccessToken)).body.map(({ kind }: { kind: string }) => kind)
    expect(listed).toEqual(['enterprise'])
  })

  test('a member sees only their own tokens', async () => {
    const secret = await installation.user('member')
    await installation.user('member')
    const { body } = await ask(secret)
    expect(body.map(({ id }: { id: string }) => id)).toEqual([idOf(secret)])
  })

  test('a token that was revoked elsewhere at the same moment creates nothing', async () => {
    const { configuration, token, log, clock, entropy } = installation
    const secret = await token({})
    const late = await ConfigurationLog.open({
      topic: await log.topic(CONFIG_TOPIC, 1),
      clock,
      entropy,
      secretKey: Buffer.alloc(32, 1),
      logger: silentLogger,
    })
    const issuer = late.find(accessTokens, 'hash', secretHash(secret))!
    await installation.write(remove(accessTokens, configuration.get(accessTokens, issuer.id)!))
    const value = { ...issuer.value, hash: 'another', issuedBy: issuer.id }
    const minting = late.append([{ kind: accessTokens, id: 'x', expectedVersion: 0, value }], {
      subjectId: 's',
      account: '',
    })
    await expect(minting).rejects.toMatchObject({ code: 'ISSUER_GONE' })
  })

  test('a revocation or narrowing by another process counts, however late this process learns of it', async () => {
    const second = await secondProcess()
    const secret = await installation.user('admin')
    const member = installation.configuration.list(members).find(({ value }) => value.role === 'admin')!
    const attempt = () =>
      second.inject({
        method: 'POST',
        url: URL,
        headers: { authorization: `Token ${secret}` },
        payload: { name: 't', kind: 'service' },
      })
    expect((await attempt()).statusCode).toBe(401) // It has not read the token yet.
    expect((await attempt()).statusCode).toBe(401)
    await second.inject({
      url: URL,
      headers: { authorization: `Token ${installation.credentials.accessToken}` },
    })
    expect((await attempt()).statusCode).toBe(200)
    await installation.write(replace(members, member, { ...member.value, role: 'member' }))
    expect((await attempt()).statusCode).toBe(403)
    await installation.write(
      remove(accessTokens, installation.configuration.get(accessTokens, idOf(secret))!),
    )
    expect((await attempt()).statusCode).toBe(401)
    await second.close()
  })
})

describe('rotating', () => {
  const rotate = (secret: string, body?: object) =>
    ask(secret, { method: 'POST', path: `/${idOf(secret)}/rotate`, ...(body && { body }) })

  test('the old secret stops at once, the new one has the same right and end', async () => {
    const expiresAtMs = installation.clock.wallMs() + DAY_MS
    const secret = await installation.token({ expiresAtMs })
    const { body, status } = await rotate(secret)
    expect([status, Date.parse(body.expires_at)]).toEqual([200, expiresAtMs])
    expect(await worksWith(secret)).toBe(false)
    expect(await worksWith(body.token)).toBe(true)
  })

  test('within its grace the old secret works to the last millisecond, and cannot be used for another one', async () => {
    const secret = await installation.token({})
    const id = idOf(secret)
    const { body } = await rotate(secret, { grace_s: 60 })
    installation.clock.advance(59_999)
    expect(await worksWith(secret)).toBe(true)
    expect((await ask(secret, { method: 'POST', path: `/${id}/rotate` })).status).toBe(403)
    expect((await create(secret, { expires: 3600 })).status).toBe(403)
    installation.clock.advance(1)
    expect(await worksWith(secret)).toBe(false)
    expect(await worksWith(body.token)).toBe(true)
  })

  test('revoking ends both secrets', async () => {
    const secret = await installation.token({})
    const { body } = await rotate(secret, { grace_s: 60 })
    await ask(body.token, { method: 'DELETE', path: `/${body.id}` })
    expect([await worksWith(secret), await worksWith(body.token)]).toEqual([false, false])
  })

  test('a grace is at most a day long', async () => {
    const secret = await installation.token({})
    expect((await rotate(secret, { grace_s: 86_401 })).status).toBe(400)
    expect((await rotate(secret, { grace_s: 86_400 })).status).toBe(200)
  })
})

describe('changing', () => {
  const change = async (secret: string, body: object, by = secret) =>
    ask(by, { method: 'PATCH', path: `/${idOf(secret)}`, body })

  test('a token can be renamed, narrowed and ended earlier', async () => {
    const secret = await installation.user('admin')
    expect((await change(secret, { name: 'laptop' })).body).toMatchObject({ name: 'laptop', scope: null })
    expect((await change(secret, { scope: 'member', expires: 60 })).body).toMatchObject({ right: 'member' })
    expect(await roleOf(secret)).toBe('member')
    installation.clock.advance(60_000)
    expect(await roleOf(secret)).toBe(401)
  })

  test('a scope cannot be widened, not even from reading to ingesting', async () => {
    const secret = await installation.token({ scope: 'readonly' })
    const { accessToken } = installation.credentials
    for (const scope of ['member', 'admin', 'ingest'])
      expect((await change(secret, { scope }, accessToken)).body.error).toBe(
        '"scope" can only be narrowed; the token has the right readonly',
      )
  })

  test('only admins can postpone the end of a token', async () => {
    const expiresAtMs = installation.clock.wallMs() + DAY_MS
    const secret = await installation.user('member', { expiresAtMs })
    expect((await change(secret, { expires: null })).status).toBe(403)
    const { accessToken } = installation.credentials
    expect((await change(secret, { expires: null }, accessToken)).body).toMatchObject({ expires_at: null })
  })
})

test('the last use is correct to the hour, in other processes, too', async () => {
  const { clock, configuration, credentials } = installation
  const secret = await installation.token({})
  const path = `/${idOf(secret)}`
  const lastUse = async () =>
    (await ask(credentials.accessToken, { path })).body.last_used_at as string | null
  expect(await lastUse()).toBe(null)
  await ask(secret)
  const firstMs = clock.wallMs()
  expect(Date.parse((await lastUse()) as string)).toBe(firstMs)
  await settled(60_000)
  const second = await secondProcess()
  const lastUseMs = async () =>
    Date.parse(
      (
        await second.inject({
          url: `${URL}${path}`,
          headers: { authorization: `Token ${credentials.accessToken}` },
        })
      ).json().last_used_at,
    )
  expect(await lastUseMs()).toBe(firstMs)
  const events = configuration.nextOffset
  await settled(3_480_000)
  await ask(secret) // 59 minutes after the first time: not worth an event.
  await settled(60_000)
  expect(configuration.nextOffset).toBe(events)
  await ask(secret)
  const laterMs = clock.wallMs()
  await settled(60_000)
  expect(await lastUseMs()).toBe(laterMs)
  await second.close()
})

/** Advances the time and waits for the effects. */
async function settled(ms: number): Promise<void> {
  installation.clock.advance(ms)
  for (let turn = 0; turn < 20; turn++) await new Promise(resolve => setImmediate(resolve))
}

/** Another process on the same log, which reads it only on request. */
async function secondProcess() {
  const { log, clock, entropy, ports } = installation
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
  })
  const { Registry } = await import('@prometheus-io/client')
  return buildServer({ ...ports, configuration, registry: new Registry() })
}
