import { afterEach, beforeEach, expect, test } from 'vitest'
import type { HttpRequest } from '../../../engine/outbound/http-exchange.ts'
import { OutboundError } from '../../../engine/outbound/outbound-error.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'

let installation: TestInstallation
let requests: HttpRequest[]
/** Status of the answers; undefined: there are none. */
let status: number | undefined

beforeEach(async () => {
  requests = []
  status = 200
  installation = await testInstallation({
    checks: {
      request: async request => {
        requests.push(request)
        if (status === undefined) throw new OutboundError('DENIED', 'the network behind it')
        return { status, headers: {}, body: 'as the test says' }
      },
      produce: async () => ({ error: null }),
    },
  })
})
afterEach(() => installation.app.close())

async function call(method: 'POST' | 'PUT', url: string, payload: object = {}, headers = {}) {
  const answer = await installation.call({ method, url, payload, headers })
  return { status: answer.statusCode, body: answer.json(), data: answer.json().data }
}

/** A pipeline into an HTTP server and the own store. */
async function newPipeline() {
  const { id } = (await call('POST', '/v3/pipeline', { title: 'p' })).data
  const source = (await call('POST', `/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })).data.id
  const sink = async (type: string, user_config: object) =>
    (await call('POST', `/v3/pipeline/${id}/sink`, { type, inputs: [source], user_config })).data.id
  const hook = await sink('http', { uri: 'https://a.example.com/in' })
  const store = await sink('mezmo', {})
  return { id, source, path: (node: string) => `/v3/pipeline/${id}/sink/${node}/check`, hook, store }
}

test('a check says in a sentence what came back', async () => {
  const { path, hook } = await newPipeline()
  const seen = []
  for (status of [200, 404, 401, undefined]) {
    const { data, body } = await call('POST', path(hook))
    expect(body.meta).toMatchObject({ type: 'delivery-check' })
    seen.push([data.outcome, data.status, data.message, data.answer])
    installation.clock.advance(1_000)
  }
  expect(seen).toEqual([
    [
      'accepted',
      200,
      'The server answered 200: it accepts requests of this destination.',
      'as the test says',
    ],
    ['answered', 404, 'The server answered 404 to an empty request: it is there.', 'as the test says'],
    [
      ...[
        'refused',
        401,
        'The server answered 401: it refuses the credentials, or does not allow the request.',
      ],
      'as the test says',
    ],
    ['silent', null, expect.stringMatching(/^No answer came/), ''],
  ])
})

test('an account checks once a second', async () => {
  const { path, hook } = await newPipeline()
  expect((await call('POST', path(hook))).status).toBe(200)
  expect((await call('POST', path(hook))).status).toBe(429)
  installation.clock.advance(1_000)
  expect((await call('POST', path(hook))).status).toBe(200)
  expect(requests).toHaveLength(2)
})

test('the options are those of the draft, or of what runs', async () => {
  const { id, path, source, hook } = await newPipeline()
  expect((await call('POST', `${path(hook)}?revision=deployed`)).status).toBe(404)
  expect((await call('POST', `/v3/pipeline/${id}/publish`)).status).toBe(200)
  const changed = { type: 'http', inputs: [source], user_config: { uri: 'https://b.example.com/in' } }
  expect((await call('PUT', `/v3/pipeline/${id}/sink/${hook}`, changed)).status).toBe(200)
  await call('POST', `${path(hook)}?revision=deployed`)
  installation.clock.advance(1_000)
  await call('POST', path(hook))
  expect(requests.map(({ url }) => url)).toEqual(['https://a.example.com/in', 'https://b.example.com/in'])
})

test('other nodes, options that cannot be published, and those who only read are refused', async () => {
  const { id, path, source, hook, store } = await newPipeline()
  expect((await call('POST', path(store))).status).toBe(400)
  expect((await call('POST', path(NOWHERE))).status).toBe(404)
  expect((await call('POST', path(source))).status).toBe(404)
  const authorization = `Token ${await installation.user('readonly')}`
  expect((await call('POST', path(hook), {}, { authorization })).status).toBe(403)
  const gcs = {
    type: 'gcp-cloud-storage',
    inputs: [source],
    user_config: { bucket: 'bucket', credentials_json: '{}' },
  }
  const unfinished = (await call('POST', `/v3/pipeline/${id}/sink`, gcs)).data.id
  const refused = await call('POST', path(unfinished))
  expect([refused.status, refused.body.errors[0].instancePath]).toEqual([400, '/credentials_json'])
  expect(requests).toEqual([])
})
