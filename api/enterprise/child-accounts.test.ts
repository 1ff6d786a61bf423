import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../engine/times/duration.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const SHORT_ID = /^[0-9a-f]{10}$/

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'POST' | 'PUT', url: string, payload?: object, token?: string) {
  const authorization = `Token ${token ?? installation.credentials.enterpriseAccessToken}`
  const headers = { authorization, ...(payload && { 'content-type': 'application/json' }) }
  const response = await installation.call({ method, url, headers, ...(payload && { payload }) })
  return { status: response.statusCode, body: response.json(), data: response.json().data }
}

const ACCOUNTS = '/v3/enterprise/account'
const create = async (change: object = {}) =>
  (await send('POST', ACCOUNTS, { company: 'Acme', owneremail: 'ann@acme.example', ...change })).data

describe('a child account', () => {
  test('is created with an owner and a key that can send lines', async () => {
    const data = await create({
      external_id: 'x-7',
      retention: 7,
      plan: { type: 'trial' },
      enable_syslog: false,
    })
    expect(data).toEqual({
      account: expect.stringMatching(SHORT_ID),
      account_id: data.account,
      enterprise_id: installation.enterprise,
      company: 'Acme',
      owneremail: 'ann@acme.example',
      plan: { type: 'trial' },
      status: 'active',
      retention: 7,
      quota: { retention: 7 },
      external_id: 'x-7',
      created: new Date(installation.clock.wallMs()).toISOString(),
      meta: { suspendIngestion: false },
      ingestion_key: expect.stringMatching(/^[0-9a-f]{32}$/),
    })
    const { ingestion_key: _, ...record } = data
    expect((await send('GET', `${ACCOUNTS}/${data.account}`)).data).toEqual(record)
    expect((await send('GET', ACCOUNTS)).data).toHaveLength(2)
    const sent = await installation.call({
      method: 'POST',
      url: '/logs/ingest?hostname=a',
      headers: { apikey: data.ingestion_key, 'content-type': 'application/json' },
      payload: { lines: [{ line: 'hello' }] },
    })
    expect(sent.statusCode).toBe(200)
  })

  test('is changed member by member', async () => {
    const { account, ingestion_key: _, ...before } = await create({ external_id: 'x-7' })
    const { data } = await send('PUT', `${ACCOUNTS}/${account}`, { retention: 3, plan: { max_pipelines: 1 } })
    expect(data).toEqual({
      ...before,
      account,
      retention: 3,
      quota: { retention: 3 },
      plan: { type: 'enterprise', max_pipelines: 1 },
    })
    const other = await send('PUT', `${ACCOUNTS}/${account}`, {
      company: 'Emca',
      owneremail: 'bob@acme.example',
      external_id: null,
      plan: { max_pipelines: null },
    })
    expect(other.data).toMatchObject({
      company: 'Emca',
      owneremail: 'bob@acme.example',
      external_id: null,
      retention: 3,
      plan: { type: 'enterprise' },
    })
  })

  test('that gets another owner has one owner, and the former one is an admin', async () => {
    const { account } = await create({ owneremail: 'Ann@acme.example' })
    const people = async () => {
      const authorization = `Token ${installation.credentials.enterpriseAccessToken}`
      const headers = { authorization, 'x-delegate-account-id': account }
      return (await installation.call({ url: '/v1/config/members', headers })).json()
    }
    expect(await people()).toEqual([{ email: 'ann@acme.example', role: 'owner', groups: [] }])
    await send('PUT', `${ACCOUNTS}/${account}`, { owneremail: 'bob@acme.example' })
    expect(await people()).toEqual([
      { email: 'ann@acme.example', role: 'admin', groups: [] },
      { email: 'bob@acme.example', role: 'owner', groups: [] },
    ])
    await send('PUT', `${ACCOUNTS}/${account}`, { owneremail: 'ANN@acme.example' })
    expect((await people()).map(({ role }: { role: string }) => role)).toEqual(['owner', 'admin'])
  })

  test.each<[string, object, string]>([
    ['no company', { owneremail: 'a@b.example' }, ''],
    ['no owner', { company: 'A' }, ''],
    ['an address that is none', { company: 'A', owneremail: 'ann' }, '/owneremail'],
    ['91 days', { company: 'A', owneremail: 'a@b.example', retention: 91 }, '/retention'],
    ['a member nobody knows', { company: 'A', owneremail: 'a@b.example', status: 'active' }, ''],
    ['syslog', { company: 'A', owneremail: 'a@b.example', enable_syslog: true }, '/enable_syslog'],
    [
      'a limit below 0',
      { company: 'A', owneremail: 'a@b.example', plan: { max_pipelines: -1 } },
      '/plan/max_pipelines',
    ],
  ])('with %s is refused', async (_name, body, pointer) => {
    const { status, body: answer } = await send('POST', ACCOUNTS, body)
    expect([status, answer.errors[0].instancePath]).toEqual([400, pointer])
  })

  test('of another enterprise, or an unknown one, is not found', async () => {
    await installation.account('9876543210', { enterprise: null })
    for (const id of ['9876543210', '0000000000']) {
      expect((await send('PUT', `${ACCOUNTS}/${id}`, { company: 'X' })).status).toBe(404)
      expect((await send('POST', `${ACCOUNTS}/${id}/suspend`)).status).toBe(404)
    }
  })

  test('is closed to tokens of an account, and to read-only enterprise tokens', async () => {
    const looking = await installation.token({
      kind: 'enterprise',
      account: null,
      enterprise: installation.enterprise,
      scope: 'readonly',
    })
    const { account } = await create()
    for (const token of [installation.credentials.accessToken, looking]) {
      expect((await send('POST', ACCOUNTS, { company: 'A', owneremail: 'a@b.example' }, token)).status).toBe(
        403,
      )
      expect((await send('PUT', `${ACCOUNTS}/${account}`, { company: 'X' }, token)).status).toBe(403)
      expect((await send('POST', `${ACCOUNTS}/${account}/suspend`, undefined, token)).status).toBe(403)
    }
    expect((await send('GET', ACCOUNTS, undefined, looking)).status).toBe(200)
  })

  test('that is suspended has no valid credential until it is resumed', async () => {
    const { account, ingestion_key: apikey } = await create()
    const statuses = async () => {
      const line = {
        method: 'POST',
        url: '/logs/ingest?hostname=a',
        payload: { lines: [{ line: 'x' }] },
      } as const
      const headers = { authorization: `Token ${installation.credentials.enterpriseAccessToken}` }
      return [
        (await installation.call({ ...line, headers: { apikey, 'content-type': 'application/json' } }))
          .statusCode,
        (
          await installation.call({
            url: '/v3/pipeline',
            headers: { ...headers, 'x-delegate-account-id': account },
          })
        ).statusCode,
      ]
    }
    expect(await statuses()).toEqual([200, 200])
    for (let times = 0; times < 2; times++)
      expect((await send('POST', `${ACCOUNTS}/${account}/suspend`)).data.status).toBe('deactivated')
    expect(await statuses()).toEqual([401, 403])
    const delegated = await installation.call({
      url: '/v1/config/members',
      headers: {
        authorization: `Token ${installation.credentials.enterpriseAccessToken}`,
        'x-delegate-account-id': account,
      },
    })
    expect(delegated.json().error).toBe('The account named by "x-delegate-account-id" is suspended')
    expect((await send('POST', `${ACCOUNTS}/${account}/resume`)).data.status).toBe('active')
    expect(await statuses()).toEqual([200, 200])
  })
})

describe('limits and features of an account', () => {
  const own = () => `${ACCOUNTS}/${installation.credentials.accountId}`
  const asAccount = (method: 'GET' | 'POST' | 'PUT', url: string, payload?: object) =>
    send(method, url, payload, installation.credentials.accessToken)

  test('a full plan refuses further objects, and keeps existing ones', async () => {
    await send('PUT', own(), { plan: { max_pipelines: 1, max_nodes_per_pipeline: 1 } })
    const { data } = await asAccount('POST', '/v3/pipeline', { title: 'A' })
    expect((await asAccount('POST', '/v3/pipeline', { title: 'B' })).body.code).toBe(
      'ERR_PLAN_EXCEEDED_PIPELINE_LIMIT',
    )
    const source = { type: 'log-analysis-ingestion' }
    expect((await asAccount('POST', `/v3/pipeline/${data.id}/source`, source)).status).toBe(200)
    expect((await asAccount('POST', `/v3/pipeline/${data.id}/source`, source)).body.code).toBe(
      'ERR_PLAN_EXCEEDED_NODE_LIMIT',
    )
  })

  test('without throttle, a pipeline with one is not published', async () => {
    await send('PUT', own(), { features: { throttle: false } })
    expect((await send('GET', own())).data.features).toEqual({ throttle: false })
    const { data } = await asAccount('POST', '/v3/pipeline', { title: 'A' })
    const url = `/v3/pipeline/${data.id}`
    const node = { type: 'throttle', user_config: { threshold: 1, window_ms: 1000 } }
    const id = (await asAccount('POST', `${url}/transform`, node)).data.id
    const refused = await asAccount('POST', `${url}/publish?allow_unconnected_edges=true`)
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [{ instancePath: `/transform/${id}/type`, message: expect.stringContaining('switched off') }],
    ])
    await send('PUT', own(), { features: { throttle: true } })
    expect((await asAccount('POST', `${url}/publish?allow_unconnected_edges=true`)).status).toBe(200)
  })
})

test('new accounts of an enterprise are 429 beyond its budget; those that it has can be suspended, and it gets more later', async () => {
  await installation.app.close()
  // Eight hours at once: 1 MB for the enterprise, one half of which its accounts divide.
  installation = await testInstallation({}, { changeBytesPerHour: 32_768 })
  const createOne = () => send('POST', ACCOUNTS, { company: 'Acme', owneremail: 'ann@acme.example' })
  const { account, ingestion_key: apikey } = (await createOne()).data
  let answer = await createOne()
  for (let created = 0; created < 20 && answer.status === 200; created++) answer = await createOne()
  expect([answer.status, answer.body.message]).toEqual([
    429,
    expect.stringMatching(
      /^The accounts of the enterprise together have changed their configuration too much: 131072 bytes an hour are possible, and 1048576 at once\./,
    ),
  ])
  expect((await send('GET', ACCOUNTS)).data).toHaveLength(11)
  const authorization = `Token ${installation.credentials.enterpriseAccessToken}`
  const createView = () =>
    installation.call({
      method: 'POST',
      url: '/v1/config/view',
      headers: { authorization, 'x-delegate-account-id': account },
      payload: { name: 'v', query: 'x'.repeat(8_000) },
    })
  // The account has most of its own budget left.
  let view = await createView()
  for (let created = 0; created < 20 && view.statusCode === 200; created++) view = await createView()
  expect([view.statusCode, view.json().error]).toEqual([429, expect.stringContaining('of the enterprise')])
  expect((await send('POST', `${ACCOUNTS}/${account}/suspend`)).data.status).toBe('deactivated')
  const sent = await installation.call({
    method: 'POST',
    url: '/logs/ingest?hostname=a',
    headers: { apikey },
    payload: { lines: [{ line: 'hello' }] },
  })
  expect(sent.statusCode).toBe(401)
  installation.clock.advance(HOUR_MS)
  expect((await createOne()).status).toBe(200)
})
