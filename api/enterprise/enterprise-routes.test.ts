import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  changeAccount,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

let installation: TestInstallation

beforeAll(async () => {
  installation = await testInstallation()
  await installation.account('0123456789', { company: 'Child', externalId: 'x-1', retentionDays: 7 })
  await installation.account('9876543210', { enterprise: null })
})
afterAll(() => installation.app.close())

const asEnterprise = (url: string) =>
  installation.call({
    url,
    headers: { authorization: `Token ${installation.credentials.enterpriseAccessToken}` },
  })

test('an enterprise token sees the accounts of its enterprise and no others', async () => {
  const { accountId } = installation.credentials
  for (const url of ['/v3/enterprise/account', '/v3/auth/account']) {
    const { meta, data } = (await asEnterprise(url)).json()
    expect(meta).toEqual({ pk: 'account', type: 'account', links: { self: {} }, page: null })
    expect(data.map(({ account }: { account: string }) => account)).toEqual([accountId, '0123456789'])
  }
  expect((await asEnterprise('/v3/enterprise/account/9876543210')).statusCode).toBe(404)
  expect((await asEnterprise('/v3/auth/account/9876543210')).statusCode).toBe(404)
})

test('a single record has no pages', async () => {
  for (const [url, pk, type] of [
    ['/v3/enterprise/account/0123456789', 'account', 'account'],
    ['/v3/auth/account/0123456789', 'account', 'account'],
    ['/v3/auth/token', 'subject', 'token'],
    ['/v3/enterprise', 'enterprise', 'enterprise'],
  ] as const)
    expect((await asEnterprise(url)).json().meta).toEqual({ pk, type, links: { self: {} } })
})

test('an account record has the members that clients read', async () => {
  expect((await asEnterprise('/v3/enterprise/account/0123456789')).json().data).toEqual({
    account: '0123456789',
    account_id: '0123456789',
    enterprise_id: installation.enterprise,
    company: 'Child',
    owneremail: 'owner@weir.local',
    plan: { type: 'enterprise' },
    status: 'active',
    retention: 7,
    quota: { retention: 7 },
    external_id: 'x-1',
    created: new Date(installation.clock.wallMs()).toISOString(),
    meta: { suspendIngestion: false },
  })
})

test('suspended ingestion shows in the record', async () => {
  await changeAccount(installation, { ingestionSuspended: true })
  const { accountId } = installation.credentials
  expect((await installation.call({ url: `/v3/auth/account/${accountId}` })).json().data.meta).toEqual({
    suspendIngestion: true,
  })
})

test('an ordinary token can use only its own account', async () => {
  const { accountId } = installation.credentials
  const { data } = (await installation.call({ url: '/v3/auth/account' })).json()
  expect(data.map(({ account }: { account: string }) => account)).toEqual([accountId])
  expect((await installation.call({ url: '/v3/auth/account/0123456789' })).statusCode).toBe(404)
})

test('the enterprise lists its accounts', async () => {
  expect((await asEnterprise('/v3/enterprise')).json()).toMatchObject({
    meta: { pk: 'enterprise', type: 'enterprise' },
    data: { enterprise: installation.enterprise, accounts: [{}, { company: 'Child' }] },
  })
})

test('a token can request information about itself', async () => {
  expect((await installation.call({ url: '/v3/auth/token' })).json().data).toEqual({
    subject: expect.any(String),
    type: 'service',
    account: installation.credentials.accountId,
    enterprise: installation.enterprise,
    email: null,
    role: 'admin',
    token_id: expect.any(String),
    name: expect.any(String),
    scope: null,
    expires_at: null,
    limited: false,
    ingest_url: 'http://localhost:80',
    features: { store: true, engine: false, taps: false, ingest: true },
  })
  expect((await asEnterprise('/v3/auth/token')).json().data).toMatchObject({
    type: 'enterprise',
    account: null,
  })
  const user = await installation.user('member')
  const { data } = (
    await installation.call({ url: '/v3/auth/token', headers: { authorization: `Token ${user}` } })
  ).json()
  expect(data).toMatchObject({ type: 'user', role: 'member', email: expect.stringContaining('@') })
})
