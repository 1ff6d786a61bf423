import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

let installation: TestInstallation
beforeAll(async () => {
  installation = await testInstallation()
})
afterAll(() => installation.app.close())

const LIMIT = 262_144
const TOO_LONG = 'The body must be at most 262144 bytes long'

async function call(method: 'POST' | 'PUT' | 'GET', url: string, body?: string | object) {
  const payload = typeof body === 'object' ? JSON.stringify(body) : body
  const { statusCode: status, body: text } = await installation.call({
    method,
    url,
    headers: { 'content-type': 'application/json' },
    ...(payload !== undefined && { payload }),
  })
  return { status, body: JSON.parse(text) }
}

/** A view whose body has that many bytes. */
function viewOf(bytes: number): string {
  const frame = JSON.stringify({ name: 'v', query: '', hosts: [''] }).length
  return JSON.stringify({ name: 'v', query: '', hosts: ['x'.repeat(bytes - frame)] })
}

describe('views of 2 MB each, which made a list of them stop all other requests for seconds', () => {
  test('are refused: the body of a view has 262,144 bytes at most', async () => {
    expect((await call('POST', '/v1/config/view', viewOf(LIMIT))).status).toBe(200)
    const { status, body } = await call('POST', '/v1/config/view', viewOf(LIMIT + 1))
    expect([status, body]).toEqual([
      400,
      { details: [{ message: TOO_LONG, key: 'body' }], error: TOO_LONG, code: 'BadRequest', status: 'error' },
    ])
  })

  test('and so are all other objects of /v1/config, and above 2 MB the answer is 413', async () => {
    const long = JSON.stringify({ name: 'x'.repeat(LIMIT) })
    for (const path of [
      'presetalert',
      'categories/views',
      'board',
      'keys?type=ingestion',
      'members',
      'archiving',
    ])
      expect([path, (await call('POST', `/v1/config/${path}`, long)).body.error]).toEqual([path, TOO_LONG])
    expect((await call('PUT', '/v1/config/index-rate', long)).body.error).toBe(TOO_LONG)
    expect((await call('POST', '/v1/config/view', viewOf(2_097_153))).status).toBe(413)
  })

  test('a list of many is sent in pieces, and has every view once, in order', async () => {
    const hosts = Array.from({ length: 2_000 }, (_, index) => `host-${index}`)
    for (let index = 0; index < 20; index++)
      await call('POST', '/v1/config/view', { name: `list ${index}`, hosts })
    const { status, body } = await call('GET', '/v1/config/view')
    const names = (body as { name: string }[]).map(({ name }) => name).filter(name => name.startsWith('list'))
    expect([status, names]).toEqual([200, Array.from({ length: 20 }, (_, index) => `list ${index}`)])
    expect(body.at(-1).hosts).toEqual(hosts)
  })
})

describe('a board with 100,000 graphs, which kept all other requests waiting', () => {
  test('is refused: a board has a thousand graphs at most', async () => {
    const board = (graphs: number) => ({ title: 'b', graphs: Array.from({ length: graphs }, () => ({})) })
    expect((await call('POST', '/v1/config/board', board(1_000))).status).toBe(200)
    const { status, body } = await call('POST', '/v1/config/board', board(1_001))
    expect([status, body.error]).toEqual([400, '"graphs" must contain less than or equal to 1000 items'])
  })
})

test('a template of blanks, which is stored a hundred times as long as it was sent, is refused', async () => {
  let bodyTemplate: unknown = Array.from({ length: 5_000 }, () => 1)
  for (let depth = 0; depth < 40; depth++) bodyTemplate = [bodyTemplate]
  const key = 'channels[0].bodyTemplate'
  const channels = [{ integration: 'webhook', url: 'https://a.example', bodyTemplate: { bodyTemplate } }]
  const { status, body } = await call('POST', '/v1/config/presetalert', { name: 'p', channels })
  expect([status, body.details]).toEqual([
    400,
    [{ message: `"${key}" must be at most 131072 characters long`, key }],
  ])
})

test('two megabytes of names in one sample, which kept all other requests waiting for 0.8 s, are refused', async () => {
  const sample = Object.fromEntries(Array.from({ length: 100_001 }, (_, index) => [`k${index}`, 0]))
  const { status, body } = await call('POST', '/v3/pipeline/simulate', { pipeline: {}, samples: [sample] })
  const message = 'The body is not accepted: it contains an object with more than 100000 members'
  expect([status, body.errors]).toEqual([400, [{ instancePath: '', message }]])
})

test('a node is 524,288 bytes long at most', async () => {
  const created = await call('POST', '/v3/pipeline', { title: 'p' })
  const { id } = created.body.data
  const message = 'The body must be at most 524288 bytes long'
  const { status, body } = await call(
    'POST',
    `/v3/pipeline/${id}/transform`,
    `{"type":"${'x'.repeat(524_288)}"}`,
  )
  expect([status, body.errors]).toEqual([400, [{ instancePath: '', message }]])
})
