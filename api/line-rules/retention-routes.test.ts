import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const PATH = '/v1/config/retention'

let installation: TestInstallation
beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

async function call(method: 'GET' | 'PUT' | 'POST', url: string, payload?: unknown, token?: string) {
  const response = await installation.app.inject({
    method,
    url,
    headers: {
      authorization: `Token ${token ?? installation.credentials.accessToken}`,
      ...(payload !== undefined && { 'content-type': 'application/json' }),
    },
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json() }
}

/** Settings of the account that partitions receive. */
function cut() {
  const { accountId } = installation.credentials
  const found = [...deployedConfiguration(CATALOGUE, installation.configuration).cuts()].find(
    each => each.cut.kind === 'account' && each.cut.entity === accountId,
  )
  return JSON.parse(found?.cut.payload ?? 'null')
}

test('lines are kept for 30 days by default, and for ten years at most', async () => {
  expect(await call('GET', PATH)).toEqual({ status: 200, body: { days: 30 } })
  for (const days of [3_650, 1, 365]) {
    expect(await call('PUT', PATH, { days })).toEqual({ status: 200, body: { days } })
    expect(await call('GET', PATH)).toEqual({ status: 200, body: { days } })
    expect(cut()).toEqual({ accountId: installation.credentials.accountId, retentionDays: days })
  }
})

test('an equal setting writes nothing, and a changed one is in the audit', async () => {
  const { configuration } = installation
  const before = configuration.nextOffset
  await call('PUT', PATH, { days: 30 })
  expect(configuration.nextOffset).toBe(before)
  await call('PUT', PATH, { days: 90 })
  const { body } = await call('GET', '/v1/config/audit?kind=account&limit=1')
  expect(body.events[0]).toMatchObject({ action: 'changed', kind: 'account' })
  expect(JSON.stringify(body.events[0])).toContain('retentionDays')
})

test.each<[unknown, string]>([
  [{ days: 0 }, '"days" must be greater than or equal to 1'],
  [{ days: 3_651 }, '"days" must be less than or equal to 3650'],
  [{ days: '30' }, '"days" must be a number'],
  [{ days: 1.5 }, '"days" must be a number'],
  [{ days: null }, '"days" must be a number'],
  [{}, '"days" is required'],
])('%j is refused with a sentence', async (payload, sentence) => {
  const { status, body } = await call('PUT', PATH, payload)
  expect([status, body.error]).toEqual([400, sentence])
  expect((await call('GET', PATH)).body).toEqual({ days: 30 })
})

describe('clients of accounts that know 0 to 90 days', () => {
  const url = () => `/v3/enterprise/account/${installation.credentials.accountId}`
  const asEnterprise = (method: 'GET' | 'PUT' | 'POST', path: string, payload?: unknown) =>
    call(method, path, payload, installation.credentials.enterpriseAccessToken)

  test('see 90 for more, and change nothing by writing back 90', async () => {
    await call('PUT', PATH, { days: 3_650 })
    const shown = { retention: 90, quota: { retention: 90 } }
    expect((await asEnterprise('GET', url())).body.data).toMatchObject(shown)
    const older = `/v1/enterprise/account/${installation.credentials.accountId}`
    expect((await asEnterprise('GET', older)).body).toMatchObject({ retention: 90 })
    expect((await asEnterprise('PUT', older, { retention: 90 })).body).toMatchObject({ retention: 90 })
    const again = { company: 'Acme', retention: 90 }
    expect((await asEnterprise('PUT', url(), again)).body.data).toMatchObject({ company: 'Acme', ...shown })
    expect((await call('GET', PATH)).body).toEqual({ days: 3_650 })
    expect((await asEnterprise('PUT', url(), { retention: 91 })).status).toBe(400)
  })

  test('can still shorten a longer retention', async () => {
    await call('PUT', PATH, { days: 365 })
    await asEnterprise('PUT', url(), { retention: 89 })
    expect((await call('GET', PATH)).body).toEqual({ days: 89 })
    await asEnterprise('PUT', url(), { retention: 90 })
    expect((await call('GET', PATH)).body).toEqual({ days: 90 })
  })

  test('create accounts with the retention of the first one by default', async () => {
    await call('PUT', PATH, { days: 365 })
    const account = { company: 'Acme', owneremail: 'a@b.example' }
    const made = (await asEnterprise('POST', '/v3/enterprise/account', account)).body.data
    const other = (await asEnterprise('POST', '/v3/enterprise/account', { ...account, retention: 7 })).body
    expect([made.retention, other.data.retention]).toEqual([90, 7])
    const response = await installation.app.inject({
      url: PATH,
      headers: {
        authorization: `Token ${installation.credentials.enterpriseAccessToken}`,
        'x-delegate-account-id': made.account,
      },
    })
    expect(response.json()).toEqual({ days: 365 })
  })
})
