import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create, remove } from '../../engine/configuration/configuration-log.ts'
import { accessGroups, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const MEMBERS = '/v1/config/members'
const OWNER = 'owner@weir.local'
const GROUP = 'aaaaaaaaaa'
const FOREIGN_GROUP = 'bbbbbbbbbb'

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation()
  await installation.account('0123456789')
  const group = { name: 'g', accessScopes: 'app:web', createdAtMs: 0 }
  await installation.write(
    create(accessGroups, GROUP, { ...group, account: installation.credentials.accountId }),
    create(accessGroups, FOREIGN_GROUP, { ...group, account: '0123456789' }),
  )
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', url: string, payload?: unknown) {
  const response = await installation.call({
    method,
    url,
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

const of = (email: string) => `${MEMBERS}/${encodeURIComponent(email)}`

describe('a member', () => {
  test('is added, read, changed, listed and deleted', async () => {
    const created = await send('POST', MEMBERS, { email: 'Ann@Example.org', role: 'member', groups: [GROUP] })
    expect([created.status, created.text]).toEqual([
      200,
      `{"email":"ann@example.org","role":"member","groups":["${GROUP}"]}`,
    ])
    expect((await send('GET', of('ANN@example.org'))).body).toEqual(created.body)
    expect((await send('GET', MEMBERS)).body).toEqual([
      { email: OWNER, role: 'owner', groups: [] },
      created.body,
    ])
    const changed = { ...created.body, role: 'readonly', groups: [] }
    expect((await send('PUT', of('ann@example.org'), { role: 'readonly', groups: [] })).body).toEqual(changed)
    const deleted = await send('DELETE', of('Ann@example.org'))
    expect(deleted).toMatchObject({
      status: 200,
      body: { deleted: true, message: 'Member ann@example.org was deleted' },
    })
    expect((await send('GET', of('ann@example.org'))).text).toBe(
      '{"error":"Resource Not Found","code":"NotFound","status":"error"}',
    )
    expect((await send('DELETE', of('ann@example.org'))).status).toBe(404)
  })

  test('is found by a percent-encoded address and by a plain one', async () => {
    const { body } = await send('POST', MEMBERS, { email: 'a+b@example.org', role: 'admin' })
    expect(body.groups).toEqual([])
    expect((await send('GET', `${MEMBERS}/a+b@example.org`)).body).toEqual(body)
    expect((await send('GET', `${MEMBERS}/a%2Bb%40example.org`)).body).toEqual(body)
  })

  test('changes only in the sent members, and never its address', async () => {
    await send('POST', MEMBERS, { email: 'ann@example.org', role: 'member', groups: [GROUP] })
    const put = async (change: object) => (await send('PUT', of('ann@example.org'), change)).body
    const before = { email: 'ann@example.org', role: 'member', groups: [GROUP] }
    expect(await put({})).toEqual(before)
    expect(await put({ email: 17 })).toEqual(before)
    expect(await put(before)).toEqual(before)
    expect(await put({ email: 'bob@example.org', groups: [] })).toEqual({ ...before, groups: [] })
    expect(await put({ role: 'admin' })).toEqual({ ...before, role: 'admin', groups: [] })
  })

  test('that does not exist is added by PUT with a role', async () => {
    expect((await send('PUT', of('new@example.org'), {})).status).toBe(404)
    expect((await send('PUT', of('new@example.org'), { groups: [GROUP] })).status).toBe(404)
    expect((await send('PUT', of('no address'), { role: 'admin' })).body.details).toEqual([
      { message: '"email" must be a valid email', key: 'email' },
    ])
    expect((await send('PUT', of(`${'a'.repeat(320)}@example.org`), { role: 'admin' })).status).toBe(400)
    const { body } = await send('PUT', of('New@Example.org'), { role: 'member', groups: [GROUP] })
    expect(body).toEqual({ email: 'new@example.org', role: 'member', groups: [GROUP] })
  })

  test('cannot be added twice', async () => {
    await send('POST', MEMBERS, { email: 'ann@example.org', role: 'member' })
    const again = await send('POST', MEMBERS, { email: 'ANN@example.org', role: 'admin' })
    expect([again.status, again.body.code]).toEqual([409, 'Conflict'])
    expect((await send('GET', of('ann@example.org'))).body.role).toBe('member')
  })

  test('that two processes add at once is added once', async () => {
    const other = await anotherProcess(installation)
    const add = (app: typeof installation.app, role: string) =>
      app.inject({
        method: 'POST',
        url: MEMBERS,
        headers: { authorization: `Token ${installation.credentials.accessToken}` },
        payload: { email: 'ann@example.org', role },
      })
    const answers = await Promise.all([add(installation.app, 'admin'), add(other.app, 'readonly')])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    const winner = answers.find(({ statusCode }) => statusCode === 200)
    expect((await send('GET', of('ann@example.org'))).body).toEqual(winner?.json())
    await other.app.close()
  })

  test('that is deleted loses personal tokens, even if a member with that address is added again', async () => {
    const token = await installation.user('admin')
    const { email } = installation.configuration
      .list(members)
      .find(({ value }) => value.role === 'admin')!.value
    const status = async () =>
      (await installation.app.inject({ url: '/v3/pipeline', headers: { authorization: `Token ${token}` } }))
        .statusCode
    expect(await status()).toBe(200)
    await send('DELETE', of(email))
    expect(await status()).toBe(401)
    await send('POST', MEMBERS, { email, role: 'admin' })
    expect(await status()).toBe(401)
  })

  test('with a lower role has tokens with fewer rights at once', async () => {
    const token = await installation.user('admin')
    const { email } = installation.configuration
      .list(members)
      .find(({ value }) => value.role === 'admin')!.value
    const asMember = () =>
      installation.app.inject({ url: MEMBERS, headers: { authorization: `Token ${token}` } })
    expect((await asMember()).statusCode).toBe(200)
    await send('PUT', of(email), { role: 'readonly' })
    expect((await asMember()).statusCode).toBe(403)
  })

  test('of another account is not found', async () => {
    const token = await installation.token({ account: '0123456789' })
    const response = await installation.call({ url: of(OWNER), headers: { authorization: `Token ${token}` } })
    expect(response.statusCode).toBe(404)
  })
})

test('has a group that is named twice only once', async () => {
  const groups = [GROUP, GROUP]
  const once = { email: 'a@b.org', role: 'member', groups: [GROUP] }
  expect((await send('POST', MEMBERS, { ...once, groups })).body).toEqual(once)
  expect((await send('PUT', of('a@b.org'), { groups })).body).toEqual(once)
})

describe('the owner', () => {
  test('is a member, and cannot be changed, deleted or created here', async () => {
    for (const [method, url, payload] of [
      ['PUT', of(OWNER), { role: 'admin' }],
      ['PUT', of(OWNER.toUpperCase()), { groups: [] }],
      ['DELETE', of(OWNER), undefined],
    ] as const) {
      const { status, body } = await send(method, url, payload)
      expect([status, body.code]).toEqual([400, 'BadRequest'])
      expect(body.error).toContain('owner')
    }
    expect((await send('POST', MEMBERS, { email: OWNER, role: 'member' })).status).toBe(409)
    expect((await send('GET', of(OWNER))).body).toEqual({ email: OWNER, role: 'owner', groups: [] })
  })
})

const ROLES = '"role" must be one of [admin, member, readonly]'

describe('these requests are refused', () => {
  test.each<[string, unknown, [string, string][]]>([
    ['no body', undefined, [['"value" must be of type object', 'value']]],
    [
      'nothing',
      {},
      [
        ['"email" is required', 'email'],
        ['"role" is required', 'role'],
      ],
    ],
    ['no role', { email: 'a@b.org' }, [['"role" is required', 'role']]],
    ['the role owner', { email: 'a@b.org', role: 'owner' }, [[ROLES, 'role']]],
    ['another role', { email: 'a@b.org', role: 'boss' }, [[ROLES, 'role']]],
    [
      'no address',
      { email: 'nonsense', role: 'x' },
      [
        ['"email" must be a valid email', 'email'],
        [ROLES, 'role'],
      ],
    ],
    ['an empty address', { email: '', role: 'member' }, [['"email" is not allowed to be empty', 'email']]],
    [
      'groups that are none',
      { email: 'a@b.org', role: 'member', groups: 'x' },
      [['"groups" must be an array', 'groups']],
    ],
    [
      'a group that is none',
      { email: 'a@b.org', role: 'member', groups: [1] },
      [['"groups[0]" must be a string', 'groups[0]']],
    ],
    [
      'more groups than anybody needs',
      { email: 'a@b.org', role: 'member', groups: Array.from({ length: 101 }, () => GROUP) },
      [['"groups" must contain less than or equal to 100 items', 'groups']],
    ],
    [
      'groups that the account has not',
      { email: 'a@b.org', role: 'member', groups: [GROUP, 'cccccccccc', FOREIGN_GROUP] },
      [
        ['"groups[1]" must be the id of a group of the account', 'groups[1]'],
        ['"groups[2]" must be the id of a group of the account', 'groups[2]'],
      ],
    ],
    [
      'groups of an admin',
      { email: 'a@b.org', role: 'admin', groups: [GROUP] },
      [['"groups" must be empty unless the role is member', 'groups']],
    ],
    [
      'no address, and groups of an admin that the account has not',
      { email: 'nope', role: 'admin', groups: [GROUP, FOREIGN_GROUP] },
      [
        ['"email" must be a valid email', 'email'],
        ['"groups[1]" must be the id of a group of the account', 'groups[1]'],
        ['"groups" must be empty unless the role is member', 'groups'],
      ],
    ],
    [
      'another role, of which nothing follows for groups',
      { email: 'a@b.org', role: 'boss', groups: [1, GROUP, 'cccccccccc'] },
      [
        [ROLES, 'role'],
        ['"groups[0]" must be a string', 'groups[0]'],
        ['"groups[2]" must be the id of a group of the account', 'groups[2]'],
      ],
    ],
    [
      'more groups than anybody needs, of which the account has none',
      { email: 'a@b.org', role: 'member', groups: Array.from({ length: 102 }, () => 'cccccccccc') },
      [
        ['"groups" must contain less than or equal to 100 items', 'groups'],
        ...Array.from({ length: 100 }, (_, at): [string, string] => [
          `"groups[${at}]" must be the id of a group of the account`,
          `groups[${at}]`,
        ]),
      ],
    ],
    ['a list', [], [['"value" must be of type object', 'value']]],
  ])('%s', async (_name, payload, findings) => {
    const { status, text } = await send('POST', MEMBERS, payload)
    const details = findings.map(([message, key]) => ({ message, key }))
    expect([status, text]).toEqual([
      400,
      JSON.stringify({ details, error: details[0]?.message, code: 'BadRequest', status: 'error' }),
    ])
  })

  test('all findings about a change are reported at once', async () => {
    await send('POST', MEMBERS, { email: 'a@b.org', role: 'member' })
    const keys = async (email: string, change: object) => {
      const { status, body } = await send('PUT', of(email), change)
      expect(status).toBe(400)
      return body.details.map(({ key }: { key: string }) => key)
    }
    expect(await keys('a@b.org', { role: 'boss', groups: ['cccccccccc'] })).toEqual(['role', 'groups[0]'])
    expect(await keys('a@b.org', { role: 'admin', groups: [1] })).toEqual(['groups[0]', 'groups'])
    expect(await keys('no address', { role: 'admin', groups: ['cccccccccc'] })).toEqual([
      'email',
      'groups[0]',
      'groups',
    ])
  })

  test('another role for a member with groups, and groups for another role', async () => {
    await send('POST', MEMBERS, { email: 'a@b.org', role: 'member', groups: [GROUP] })
    expect(await send('PUT', of('a@b.org'), { role: 'admin' })).toMatchObject({
      status: 400,
      body: { error: '"groups" must be [] with the role admin: send "groups":[]' },
    })
    expect((await send('PUT', of('a@b.org'), { role: 'owner' })).body.error).toBe(ROLES)
    expect((await send('PUT', of('a@b.org'), { groups: ['cccccccccc'] })).status).toBe(400)
    expect((await send('GET', of('a@b.org'))).body).toEqual({
      email: 'a@b.org',
      role: 'member',
      groups: [GROUP],
    })
  })

  test('a group that another process deletes at the same time, as the log decides', async () => {
    const { accountId } = installation.credentials
    const other = await anotherProcess(installation)
    const group = other.configuration.get(accessGroups, GROUP)!
    await other.configuration.append([remove(accessGroups, group)], { subjectId: 't', account: accountId })
    // This process has not read the deletion yet: the group exists for its handler, but not for the log.
    const member = {
      account: accountId,
      email: 'a@b.org',
      role: 'member' as const,
      groups: [GROUP],
      subjectId: 's',
      createdAtMs: 0,
    }
    expect(installation.configuration.get(accessGroups, GROUP)).toBeDefined()
    await expect(
      installation.write(create(members, memberKey(accountId, 'a@b.org'), member)),
    ).rejects.toMatchObject({ code: 'UNKNOWN_GROUP' })
    await other.app.close()
  })
})

test('no body gives a 500, and an accepted one can be read back', async () => {
  const payloads = fc.oneof(
    fc.record(
      {
        email: fc.oneof(fc.emailAddress(), fc.string()),
        role: fc.constantFrom('admin', 'member', 'readonly', 'owner', 1),
        groups: fc.oneof(fc.constant([GROUP]), fc.constant([]), fc.jsonValue()),
      },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(payloads, fc.boolean(), async (payload, byPath) => {
      const email = (payload as { email?: unknown } | null)?.email
      const path =
        byPath && typeof email === 'string' && email !== '' && email.isWellFormed() && !/^\.+$/.test(email)
      const { status, body } = path
        ? await send('PUT', of(email), payload)
        : await send('POST', MEMBERS, payload)
      expect([200, 400, 404, 409]).toContain(status)
      if (status === 200) expect((await send('GET', of(body.email))).body).toEqual(body)
      else expect(body.status).toBe('error')
    }),
    { numRuns: 200 },
  )
})
