import { createServer } from 'node:net'
import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { NetworkAddress, Outbound } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import { anotherProcess } from '../../test/support/another-process.ts'
import { freePort } from '../../test/support/free-port.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const ARCHIVING = '/v1/config/archiving'
const FAILED = 'Failed to connect to the object store: no connection was established within 3 s'

/** Each provider with all of its members. */
const EVERY = {
  ibm: { integration: 'ibm', bucket: 'b', endpoint: 'e', apikey: 'sEcReT', resourceinstanceid: 'crn:v1' },
  s3: { integration: 's3', bucket: 'b', endpoint: 'e', accesskey: 'a', secretkey: 'sEcReT', region: 'r' },
  azblob: { integration: 'azblob', accountname: 'a', accountkey: 'sEcReT' },
  gcs: { integration: 'gcs', bucket: 'b', projectid: 'p' },
  dos: { integration: 'dos', space: 's', endpoint: 'e', accesskey: 'a', secretkey: 'sEcReT' },
  swift: {
    integration: 'swift',
    authurl: 'u',
    username: 'n',
    password: 'sEcReT',
    tenantname: 't',
    expires: 5,
  },
}
const REQUIRED: Readonly<Record<keyof typeof EVERY, readonly string[]>> = {
  ibm: ['bucket', 'endpoint', 'apikey', 'resourceinstanceid'],
  s3: ['bucket'],
  azblob: ['accountname', 'accountkey'],
  gcs: ['bucket', 'projectid'],
  dos: ['space', 'endpoint', 'accesskey', 'secretkey'],
  swift: ['authurl', 'username', 'password', 'tenantname'],
}
const INTEGRATIONS = Object.keys(EVERY) as (keyof typeof EVERY)[]

let installation: TestInstallation

beforeEach(async () => {
  installation = await testInstallation()
})
afterEach(() => installation.app.close())

async function send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', payload?: unknown, headers = {}) {
  const response = await installation.call({
    method,
    url: ARCHIVING,
    headers,
    ...(payload !== undefined && { payload: JSON.stringify(payload) }),
  })
  return { status: response.statusCode, body: response.json(), text: response.body }
}

describe('an archiving configuration', () => {
  test.each(INTEGRATIONS)(
    'at %s is returned as it was sent, and is not in clear on the log',
    async integration => {
      const sent = EVERY[integration]
      expect(await send('POST', sent)).toMatchObject({ status: 200, body: sent })
      expect((await send('GET')).body).toEqual(sent)
      expect((await send('PUT', sent)).body).toEqual(sent)
      expect((await send('GET')).body).toEqual(sent)
      const topic = await installation.log.topic('weir.config', 1)
      const records = await topic.read(0, 0n, 10_000_000)
      expect(Buffer.concat(records.map(({ value }) => value)).includes('sEcReT')).toBe(false)
    },
  )

  test.each(INTEGRATIONS)('at %s requires its own members, and no others', async integration => {
    const members: Record<string, unknown> = EVERY[integration]
    const required = REQUIRED[integration]
    const missing = await send('POST', { integration })
    expect([missing.status, missing.body.details]).toEqual([
      400,
      required.map(key => ({ message: `"${key}" is required`, key })),
    ])
    const empty = await send('POST', { integration, ...Object.fromEntries(required.map(name => [name, ''])) })
    expect(empty.body.details).toEqual(
      required.map(key => ({ message: `"${key}" is not allowed to be empty`, key })),
    )
    for (const key of Object.keys(members).filter(name => name !== 'integration' && name !== 'expires'))
      expect((await send('POST', { ...members, [key]: 1 })).body.details).toEqual([
        { message: `"${key}" must be a string`, key },
      ])
    const least = { integration, ...Object.fromEntries(required.map(name => [name, members[name]])) }
    expect(await send('POST', least)).toMatchObject({ status: 200, text: JSON.stringify(least) })
  })

  test.each([3600, 0, -1, '3600', ''])('keeps the type of expires: %j', async expires => {
    const sent = { ...EVERY.swift, expires }
    await send('POST', sent)
    expect((await send('GET')).body).toEqual(sent)
  })

  test.each([true, 1.5, null, [1]])('refuses expires with the value %j', async expires => {
    const { status, body } = await send('POST', { ...EVERY.swift, expires })
    expect([status, body.error]).toEqual([400, '"expires" must be a string or a number'])
  })

  test('can change the integration, and then has no members of the previous one', async () => {
    await send('POST', { integration: 's3', bucket: 'b', region: 'r' })
    const gcs = { integration: 'gcs', bucket: 'c', projectid: 'p' }
    expect(await send('PUT', gcs)).toMatchObject({ status: 200, body: gcs })
    expect((await send('GET')).body).toEqual(gcs)
    expect((await send('PUT', { integration: 's3', bucket: 'b' })).body).toEqual({
      integration: 's3',
      bucket: 'b',
    })
  })

  test('has no members of other integrations, whatever they contain', async () => {
    const { text } = await send('POST', { ...EVERY.gcs, accesskey: 1, region: 'r', other: {} })
    expect(text).toBe('{"integration":"gcs","bucket":"b","projectid":"p"}')
  })

  test('belongs to one account', async () => {
    await installation.account('0123456789')
    const authorization = `Token ${await installation.token({ account: '0123456789' })}`
    await send('POST', EVERY.gcs)
    expect((await send('GET', undefined, { authorization })).status).toBe(404)
    expect((await send('POST', EVERY.s3, { authorization })).status).toBe(200)
    expect((await send('GET')).body).toEqual(EVERY.gcs)
  })
})

describe('these requests are refused', () => {
  const NONE = '{"error":"No active archiving configuration exists","code":"NotFound","status":"error"}'
  const NONE_TO_CHANGE =
    '{"error":"Active archiving configuration does not exist for this account. Try creating one instead.","code":"NotFound","status":"error"}'

  test('everything except creating, before there is one', async () => {
    expect(await send('GET')).toMatchObject({ status: 404, text: NONE })
    expect(await send('DELETE')).toMatchObject({ status: 404, text: NONE })
    expect(await send('PUT', EVERY.gcs)).toMatchObject({ status: 404, text: NONE_TO_CHANGE })
    await send('POST', EVERY.gcs)
    expect(await send('DELETE')).toMatchObject({ status: 200, text: '{"deleted":true}' })
    expect(await send('GET')).toMatchObject({ status: 404, text: NONE })
  })

  test('a second one, also when two processes create it at once', async () => {
    const other = await anotherProcess(installation)
    const headers = { authorization: `Token ${installation.credentials.accessToken}` }
    const create = (app: typeof installation.app, payload: object) =>
      app.inject({ method: 'POST', url: ARCHIVING, headers, payload })
    const answers = await Promise.all([create(installation.app, EVERY.gcs), create(other.app, EVERY.s3)])
    expect(answers.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 409])
    expect((await send('GET')).body).toEqual(answers.find(({ statusCode }) => statusCode === 200)?.json())
    expect(await send('POST', EVERY.azblob)).toMatchObject({ status: 409, body: { code: 'Conflict' } })
    await other.app.close()
  })

  test.each<[string, unknown, string]>([
    ['no integration', { bucket: 'b' }, '"integration" is required'],
    [
      'another one',
      { integration: 'invalid' },
      '"integration" must be one of [ibm, s3, azblob, gcs, dos, swift]',
    ],
    [
      'one that is none',
      { integration: 3 },
      '"integration" must be one of [ibm, s3, azblob, gcs, dos, swift]',
    ],
    ['no body', undefined, '"value" must be of type object'],
    ['a list', [], '"value" must be of type object'],
  ])('%s', async (_name, payload, message) => {
    expect(await send('POST', payload)).toMatchObject({ status: 400, body: { error: message } })
  })
})

describe('if the operator requires a check of connections', () => {
  const s3 = (endpoint?: string) => ({
    integration: 's3',
    bucket: 'b',
    ...(endpoint !== undefined && { endpoint }),
  })

  beforeEach(async () => {
    await installation.app.close()
    installation = await testInstallation({ settings: { ...TEST_SETTINGS, checkArchiving: true } })
  })

  test('an object store that answers is accepted, and one that does not is refused', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await new Promise(resolve => server.once('listening', resolve))
    const { port } = server.address() as { port: number }
    const closed = await freePort()
    for (const endpoint of [`http://127.0.0.1:${closed}/path`, `127.0.0.1:${closed}`]) {
      const { status, body } = await installation.clock.advanceUntil(send('POST', s3(endpoint)))
      expect([status, body.error]).toEqual([400, FAILED])
      installation.clock.advance(60_000)
    }
    const swift = { ...EVERY.swift, authurl: `http://127.0.0.1:${port}/v3` }
    expect(await send('POST', swift)).toMatchObject({ status: 200, body: swift })
    installation.clock.advance(60_000)
    const put = send('PUT', s3(`http://127.0.0.1:${closed}`))
    expect((await installation.clock.advanceUntil(put)).status).toBe(400)
    expect((await send('GET')).body).toEqual(swift)
    server.close()
  })

  test.each<[string, object, NetworkAddress]>([
    ['gcs', EVERY.gcs, { host: 'storage.googleapis.com', port: 443 }],
    ['azblob', { ...EVERY.azblob, accountname: 'acme' }, { host: 'acme.blob.core.windows.net', port: 443 }],
    ['s3 without an endpoint', s3(), { host: 's3.us-east-1.amazonaws.com', port: 443 }],
    ['s3 with an empty endpoint', s3(''), { host: 's3.us-east-1.amazonaws.com', port: 443 }],
    [
      's3 with a region alone',
      { ...s3(), region: 'eu-west-1' },
      { host: 's3.eu-west-1.amazonaws.com', port: 443 },
    ],
    ['s3 with an endpoint', { ...s3('a:9000'), region: 'eu-west-1' }, { host: 'a', port: 9000 }],
  ])('%s is accepted when the host of the provider accepts a connection', async (_name, payload, address) => {
    await installation.app.close()
    const asked: NetworkAddress[] = []
    let isThere = false
    const outbound: Pick<Outbound, 'connect'> = {
      connect: async to => {
        asked.push(to)
        if (!isThere) throw new OutboundError('UNRESOLVED', 'away')
        return new PassThrough()
      },
    }
    installation = await testInstallation({ outbound, settings: { ...TEST_SETTINGS, checkArchiving: true } })
    const refused = await installation.clock.advanceUntil(send('POST', payload))
    expect([refused.status, refused.body.error]).toEqual([400, FAILED])
    isThere = true
    installation.clock.advance(60_000)
    expect((await send('POST', payload)).status).toBe(200)
    expect(asked).toEqual([address, address])
  })

  test.each<[string, object, string]>([
    ['no more than blanks', { ...EVERY.ibm, endpoint: ' ' }, 'ibm has no endpoint to connect to'],
    ['what is not an address', s3('http://a b/'), 'endpoint is not an address'],
    [
      'an account of another host',
      { ...EVERY.azblob, accountname: 'a.example/' },
      'accountname is not part of',
    ],
    ['a region of another host', { ...s3(), region: 'a.example/' }, 'region is not part of an address'],
  ])('%s is refused with the reason', async (_name, payload, reason) => {
    const { status, body } = await send('POST', payload)
    expect([status, body.error]).toEqual([
      400,
      expect.stringContaining(`The connection cannot be checked: ${reason}`),
    ])
  })
})

test('no body gives a 500, and an accepted one can be read back', async () => {
  const members = [...new Set(INTEGRATIONS.flatMap(integration => Object.keys(EVERY[integration])))]
  const text = fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue(), fc.bigInt())
  const payloads = fc.oneof(
    fc
      .tuple(fc.constantFrom(...INTEGRATIONS), fc.dictionary(fc.constantFrom(...members), text))
      .map(([integration, changed]) => ({ ...EVERY[integration], ...changed, integration })),
    fc.jsonValue(),
  )
  await send('POST', EVERY.gcs)
  const sending = (payload: unknown) =>
    JSON.stringify(payload, (_key, value) =>
      typeof value === 'bigint'
        ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(`${value}`)
        : value,
    )
  await fc.assert(
    fc.asyncProperty(payloads, async payload => {
      const response = await installation.call({ method: 'PUT', url: ARCHIVING, payload: sending(payload) })
      if (response.statusCode === 200) expect((await send('GET')).text).toBe(response.body)
      else expect([response.statusCode, response.json().code]).toEqual([400, 'BadRequest'])
    }),
    { numRuns: 300 },
  )
})
