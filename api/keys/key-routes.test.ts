import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { accountKeys, accounts } from '../../engine/configuration/entities.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const KEYS = '/v1/config/keys'
const ALLOWING = { settings: { ...TEST_SETTINGS, allowServiceKeyCreation: true } }

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation(ALLOWING)
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

const ingest = (apikey: string) =>
  installation.app.inject({
    method: 'POST',
    url: '/logs/ingest?hostname=a',
    headers: { apikey, 'content-type': 'application/json' },
    payload: { lines: [{ line: 'x' }] },
  })

describe('a key', () => {
  test.each(['ingestion', 'service'])(
    'of type %s is created, read, renamed, listed and deleted',
    async type => {
      const created = await send('POST', `${KEYS}?type=${type}`, { name: 'my first name' })
      expect(created.status).toBe(200)
      expect(created.body).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{10}$/),
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        name: 'my first name',
        type,
        created: installation.clock.wallMs(),
      })
      const url = `${KEYS}/${created.body.id}`
      expect((await send('GET', url)).body).toEqual(created.body)
      const renamed = { ...created.body, name: 'my new name' }
      expect((await send('PUT', url, { name: 'my new name' })).body).toEqual(renamed)
      expect((await send('GET', KEYS)).body.at(-1)).toEqual(renamed)
      expect((await send('GET', `${KEYS}?type=${type}`)).body.at(-1)).toEqual(renamed)
      const deleted = await send('DELETE', url)
      expect(deleted).toMatchObject({ status: 200, body: { message: expect.any(String), deleted: true } })
      expect((await send('GET', url)).text).toBe(
        '{"error":"Resource Not Found","code":"NotFound","status":"error"}',
      )
      expect((await send('DELETE', url)).status).toBe(404)
    },
  )

  test('can be created without a name, and without a body', async () => {
    expect((await send('POST', `${KEYS}?type=ingestion`, {})).body.name).toBe('')
    expect((await send('POST', `${KEYS}?type=ingestion`)).body.name).toBe('')
  })

  test('that is renamed without a name keeps it', async () => {
    const { body } = await send('POST', `${KEYS}?type=ingestion`, { name: 'a' })
    expect((await send('PUT', `${KEYS}/${body.id}`, {})).body).toEqual(body)
    expect((await send('PUT', `${KEYS}/${body.id}`, body)).body).toEqual(body)
  })

  test('accepts lines until it is deleted', async () => {
    const { body } = await send('POST', `${KEYS}?type=ingestion`, {})
    expect((await ingest(body.key)).statusCode).toBe(200)
    await send('DELETE', `${KEYS}/${body.id}`)
    expect((await ingest(body.key)).statusCode).toBe(401)
  })

  test('can delete itself, and is unknown afterwards', async () => {
    const { body } = await send('POST', `${KEYS}?type=service`, {})
    const asKey = (method: 'GET' | 'DELETE') =>
      installation.app.inject({ method, url: `${KEYS}/${body.id}`, headers: { servicekey: body.key } })
    expect((await asKey('DELETE')).json()).toMatchObject({ deleted: true })
    expect((await asKey('GET')).statusCode).toBe(401)
  })

  test('of another account is not found', async () => {
    await installation.account('0123456789')
    const token = await installation.token({ account: '0123456789' })
    const { body } = await send('POST', `${KEYS}?type=ingestion`, { name: 'mine' })
    const asOther = (method: 'GET' | 'PUT' | 'DELETE') =>
      installation.call({
        method,
        url: `${KEYS}/${body.id}`,
        headers: { authorization: `Token ${token}` },
        ...(method === 'PUT' && { payload: { name: 'theirs' } }),
      })
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect((await asOther(method)).statusCode).toBe(404)
    expect((await send('GET', `${KEYS}/${body.id}`)).body).toEqual(body)
  })

  test('is not in clear on the log', async () => {
    const { body } = await send('POST', `${KEYS}?type=ingestion`, {})
    const topic = await installation.log.topic('weir.config', 1)
    const records = await topic.read(0, 0n, 10_000_000)
    expect(Buffer.concat(records.map(({ value }) => value)).includes(body.key)).toBe(false)
  })
})

describe('these requests are refused', () => {
  test.each<[string, string, unknown, string, string]>([
    ['no type', '', {}, '"type" must be one of [ingestion, service]', 'type'],
    ['an empty type', '?type=', {}, '"type" must be one of [ingestion, service]', 'type'],
    ['another type', '?type=incorrect', {}, '"type" must be one of [ingestion, service]', 'type'],
    [
      'a name of 31 characters',
      '?type=ingestion',
      { name: 'a'.repeat(31) },
      '"name" must be at most 30 characters long',
      'name',
    ],
    ['a name that is a number', '?type=ingestion', { name: 1 }, '"name" must be a string', 'name'],
    ['a list', '?type=ingestion', [], '"value" must be of type object', 'value'],
  ])('%s', async (_name, query, payload, message, key) => {
    const { status, text } = await send('POST', KEYS + query, payload)
    expect(status).toBe(400)
    expect(text).toBe(
      JSON.stringify({ details: [{ message, key }], error: message, code: 'BadRequest', status: 'error' }),
    )
  })

  test('a list of another type', async () => {
    expect((await send('GET', `${KEYS}?type=x`)).body.error).toBe(
      '"type" must be one of [ingestion, service]',
    )
  })

  test('a service key, unless the operator allows it', async () => {
    await installation.app.close()
    installation = await testInstallation()
    const { status, text } = await send('POST', `${KEYS}?type=service`, { name: 'x' })
    expect([status, text]).toEqual([
      403,
      '{"error":"Service keys can no longer be created","code":"Forbidden","status":"error"}',
    ])
    expect((await send('GET', `${KEYS}?type=service`)).body).toHaveLength(1)
  })
})

describe('the limit', () => {
  const countOf = (type: string) =>
    installation.configuration.list(accountKeys).filter(({ value }) => value.type === type).length

  test.each([
    ['ingestion', 10],
    ['service', 20],
  ])('of %s keys: %i, also when many are created at once at two processes', async (type, limit) => {
    const other = await anotherProcess(installation)
    const { accessToken } = installation.credentials
    const statuses = await Promise.all(
      Array.from({ length: 2 * limit }, async (_, at) => {
        const app = at % 2 === 0 ? installation.app : other.app
        const headers = { authorization: `Token ${accessToken}` }
        return (await app.inject({ method: 'POST', url: `${KEYS}?type=${type}`, headers })).statusCode
      }),
    )
    await installation.configuration.catchUp()
    // The first start has created one.
    expect(statuses.filter(status => status === 200)).toHaveLength(limit - 1)
    expect(statuses.filter(status => status === 400)).toHaveLength(limit + 1)
    expect(countOf(type)).toBe(limit)
    expect((await send('POST', `${KEYS}?type=${type}`)).body).toMatchObject({ code: 'BadRequest' })
    const [first] = (await send('GET', `${KEYS}?type=${type}`)).body
    await send('DELETE', `${KEYS}/${first.id}`)
    expect((await send('POST', `${KEYS}?type=${type}`)).status).toBe(200)
    await other.app.close()
  })

  test.each([
    ['more', 12],
    ['fewer', 3],
  ])('is %s if the operator sets it', async (_name, maxIngestionKeys) => {
    await installation.app.close()
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, maxIngestionKeys } })
    for (let count = 2; count <= maxIngestionKeys; count++)
      expect((await send('POST', `${KEYS}?type=ingestion`)).status).toBe(200)
    expect((await send('POST', `${KEYS}?type=ingestion`)).status).toBe(400)
    expect(countOf('ingestion')).toBe(maxIngestionKeys)
    const { accountId } = installation.credentials
    expect(installation.configuration.get(accounts, accountId)?.value.plan.maxServiceKeys).toBe(20)
  })
})

test('no body gives a 500, and an accepted one can be read back', async () => {
  await installation.app.close()
  installation = await testInstallation({ settings: { ...TEST_SETTINGS, maxIngestionKeys: 100_000 } })
  const body = fc.oneof(
    fc.record(
      { name: fc.oneof(fc.string({ maxLength: 35, unit: 'binary' }), fc.jsonValue()) },
      { requiredKeys: [] },
    ),
    fc.jsonValue(),
  )
  await fc.assert(
    fc.asyncProperty(body, async payload => {
      const { status, body: answer } = await send('POST', `${KEYS}?type=ingestion`, payload)
      if (status !== 200) {
        expect(status).toBe(400)
        expect(answer).toMatchObject({ code: 'BadRequest', status: 'error' })
        return
      }
      expect((await send('GET', `${KEYS}/${answer.id}`)).body).toEqual(answer)
      expect(answer.name).toBe((payload as { name?: string } | null)?.name ?? '')
    }),
    { numRuns: 150 },
  )
})
