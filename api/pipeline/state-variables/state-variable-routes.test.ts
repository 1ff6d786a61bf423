import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { stateVariables } from '../../../engine/configuration/kinds/state-variables.ts'
import {
  type Method,
  openProcessedInstallation,
  type ProcessedInstallation,
} from '../../../test/support/processed-installation.ts'
import type { TestInstallation } from '../../../test/support/test-installation.ts'
import { isoTime } from '../../http/iso-time.ts'

const NOWHERE = '00000000-0000-4000-8000-000000000000'
const PATH = '/v3/pipeline/state-variable'
const SCRIPT = `function f(message) {
  message.line = message.line + ' ' + getPipelineStateVariable("operational_state")
  return message
}`

let processed: ProcessedInstallation
let installation: TestInstallation

beforeAll(async () => {
  processed = await openProcessedInstallation()
  installation = processed.installation
})
afterEach(() => processed.removePipelines())
afterAll(() => processed.close())

const send = (method: Method, url: string, payload?: object) => processed.send(method, url, payload)

async function newPipeline(title = 'p'): Promise<string> {
  return (await send('POST', '/v3/pipeline', { title })).data.id
}

const setState = (id: string, state: object) => send('PUT', `${PATH}/${id}`, { pipeline_id: id, state })

test('a pipeline begins in the state normal, and a write replaces all of its variables', async () => {
  const id = await newPipeline()
  const other = await newPipeline('other')
  const record = {
    id,
    account_id: installation.credentials.accountId,
    pipeline_id: id,
    state: { operational_state: 'normal' },
    created_at: isoTime(installation.clock.wallMs()),
    updated_at: null,
  }
  const listed = await send('GET', `${PATH}?pipeline_id=${id}`)
  expect([listed.status, listed.data, listed.meta.type]).toEqual([200, [record], 'pipeline-state-variable'])
  installation.clock.advance(1_000)
  const state = { operational_state: 'incident', colour: 'red_2' }
  const changed = { ...record, state, updated_at: isoTime(installation.clock.wallMs()) }
  expect((await setState(id, state)).data).toEqual(changed)
  expect(
    (await send('GET', PATH)).data.map((each: { id: string; state: object }) => [each.id, each.state]),
  ).toEqual([
    [id, state],
    [other, { operational_state: 'normal' }],
  ])
  expect((await setState(id, { operational_state: 'deploy' })).data.state).toEqual({
    operational_state: 'deploy',
  })
  await send('DELETE', `/v3/pipeline/${id}`)
  expect(installation.configuration.list(stateVariables)).toEqual([])
})

test('the id of the pipeline may be in the body of a GET', async () => {
  const id = await newPipeline()
  await newPipeline('other')
  await installation.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = installation.app.server.address() as AddressInfo
  const ask = (text: string) =>
    new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
      const headers = {
        authorization: `Token ${installation.credentials.accessToken}`,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(text),
      }
      const sent = request({ port, host: '127.0.0.1', path: PATH, method: 'GET', headers }, response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }),
        )
      })
      sent.on('error', reject)
      sent.end(text)
    })
  const answer = await ask(JSON.stringify({ pipeline_id: id }))
  expect([answer.status, JSON.parse(answer.text).data.map((each: { id: string }) => each.id)]).toEqual([
    200,
    [id],
  ])
  expect(JSON.parse((await ask('{}')).text).data).toHaveLength(2)
  expect((await ask('{"pipeline_id":')).status).toBe(400)
  expect((await ask(JSON.stringify({ pipeline_id: NOWHERE }))).status).toBe(404)
})

test('invalid names and values are refused with their place', async () => {
  const id = await newPipeline()
  const refusal = async (payload: object) => {
    const { status, body } = await send('PUT', `${PATH}/${id}`, payload)
    return [status, body.errors?.[0]?.instancePath]
  }
  const state = { operational_state: 'normal' }
  expect(await refusal({ state })).toEqual([400, ''])
  expect(await refusal({ pipeline_id: NOWHERE, state })).toEqual([400, '/pipeline_id'])
  expect(await refusal({ pipeline_id: id, state: {} })).toEqual([400, '/state'])
  for (const value of ['', 'Incident', '1', 'a b', 'x'.repeat(33), 5, null])
    expect(await refusal({ pipeline_id: id, state: { operational_state: value } })).toEqual([
      400,
      '/state/operational_state',
    ])
  expect((await refusal({ pipeline_id: id, state: { ...state, colour: 'Red' } }))[0]).toBe(400)
  expect((await refusal({ pipeline_id: id, state: { ...state, Colour: 'red' } }))[0]).toBe(400)
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'a']))
  expect((await setState(id, { ...state, ...many(15) })).status).toBe(200)
  expect(await refusal({ pipeline_id: id, state: { ...state, ...many(16) } })).toEqual([400, '/state'])
  expect((await setState(id, { operational_state: 'x'.repeat(32) })).status).toBe(200)
  expect((await send('GET', `${PATH}?other=1`)).status).toBe(400)
})

test('another account sees nothing, and a read-only caller changes nothing', async () => {
  const id = await newPipeline()
  const as = (authorization: string, method: 'GET' | 'PUT') =>
    installation.call({
      method,
      url: method === 'GET' ? `${PATH}?pipeline_id=${id}` : `${PATH}/${id}`,
      headers: { authorization },
      ...(method === 'PUT' && { payload: { pipeline_id: id, state: { operational_state: 'incident' } } }),
    })
  const reader = `Token ${await installation.user('readonly')}`
  expect((await as(reader, 'GET')).statusCode).toBe(200)
  expect((await as(reader, 'PUT')).statusCode).toBe(403)
  await installation.account('00000000aa')
  const stranger = `Token ${await installation.token({ account: '00000000aa', scope: 'admin' })}`
  expect((await as(stranger, 'GET')).statusCode).toBe(404)
  expect((await as(stranger, 'PUT')).statusCode).toBe(404)
})

test('scripts read the new state from the next line on, and simulations use it', async () => {
  const id = await newPipeline()
  const add = async (kind: string, node: object) =>
    (await send('POST', `/v3/pipeline/${id}/${kind}`, node)).data.id as string
  const source = await add('source', { type: 'log-analysis-ingestion' })
  const script = await add('transform', {
    type: 'js-script',
    inputs: [source],
    user_config: { script: SCRIPT },
  })
  await add('sink', { type: 'mezmo', inputs: [script] })
  expect((await send('POST', `/v3/pipeline/${id}/publish`, {})).status).toBe(200)
  await processed.settled()
  const simulated = async () => {
    const { data } = await send('POST', `/v3/pipeline/${id}/simulate`, { samples: [{ line: 'sample' }] })
    const [, { outputs }] = data.nodes
    return outputs[0].events[0].event.message.line
  }
  expect(await simulated()).toBe('sample normal')
  await processed.sendLines([{ line: 'one' }])
  await setState(id, { operational_state: 'incident' })
  await processed.settled()
  await processed.sendLines([{ line: 'two' }])
  expect(await simulated()).toBe('sample incident')
  expect(await processed.storedLines(2)).toEqual(['one normal', 'two incident'])
})
