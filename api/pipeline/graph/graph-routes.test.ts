import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { PipelineGraph } from '../../../schemas/http/pipeline/graph-api.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'

const SECRET = 'a-token-of-splunk'
const SILENCE = {
  evaluation: { alert_type: 'absence', event_type: 'log' },
  alert_payload: {
    service: { name: 'slack', uri: 'https://hooks.example/secret', message_text: 'nothing came' },
  },
}

let installation: TestInstallation
let url: string
let sourceId: string

beforeEach(async () => {
  installation = await testInstallation()
  const id = await created('/v3/pipeline', { title: 'P' })
  url = `/v3/pipeline/${id}/graph`
  sourceId = await created(`/v3/pipeline/${id}/source`, { type: 'log-analysis-ingestion' })
  await created(`/v3/pipeline/${id}/sink`, {
    type: 'splunk-hec-logs',
    title: 'Out',
    inputs: [sourceId],
    user_config: { url: 'https://splunk.example.com:8088', token: SECRET },
  })
})
afterEach(() => installation.app.close())

async function created(path: string, payload: object): Promise<string> {
  const answer = await installation.call({ method: 'POST', url: path, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data.id
}

async function read(query = ''): Promise<PipelineGraph> {
  const answer = await installation.call({ url: `${url}${query}` })
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers.etag).toBe(answer.json().data.etag)
  expect(answer.body).not.toContain(SECRET)
  return answer.json().data
}

async function put(document: object, match?: string, query = '') {
  const headers = match === undefined ? {} : { 'if-match': match }
  const answer = await installation.call({ method: 'PUT', url: `${url}${query}`, payload: document, headers })
  return { status: answer.statusCode, body: answer.json(), data: answer.json().data }
}

/** Options of the destination with their secrets, as an export has them. */
async function storedToken(): Promise<unknown> {
  const answer = await installation.call({ url: url.replace(/graph$/, 'export?format=json') })
  return answer.json().destinations[0].config.token
}

const titled = ({ document }: PipelineGraph, title: string) => ({ ...document, title })

describe('a graph', () => {
  test('is read by somebody who only reads, without its secrets', async () => {
    const { document, nodes, revision } = await read()
    expect(revision).toBeNull()
    expect(document.destinations?.[0]?.config).toMatchObject({
      token: expect.stringMatching(/^\*{3}[0-9a-f]{8}$/),
    })
    expect(nodes.find(({ id }) => id === sourceId)).toEqual({
      id: sourceId,
      name: sourceId,
      sends: false,
      outputs: [{ id: sourceId, label: 'Default', name: sourceId }],
    })
    expect(nodes.filter(({ sends }) => sends).map(({ id }) => id)).toEqual([
      nodes.find(({ id }) => id !== sourceId)?.id,
    ])
    const authorization = `Token ${await installation.user('readonly')}`
    const seen = await installation.call({ url, headers: { authorization } })
    expect(seen.json().data.document).toEqual(document)
    const refused = await installation.call({
      method: 'PUT',
      url,
      payload: document,
      headers: { authorization },
    })
    expect(refused.statusCode).toBe(403)
  })

  test('that is sent back as it is changes nothing, and keeps the secret', async () => {
    const { document, etag } = await read()
    const { status, data } = await put(document, etag)
    expect([status, data.changed, data.text]).toEqual([200, false, []])
    expect(data.graph.etag).toBe(etag)
    expect(await storedToken()).toBe(SECRET)
  })

  test('keeps a masked secret of a node that moves or changes, and takes a new one', async () => {
    const { document, etag } = await read()
    const [sink] = document.destinations ?? []
    const second = { ...sink, name: 'second' }
    const changed = { ...document, title: 'Q', destinations: [second, { ...sink, title: 'Renamed' }] }
    const { status, data } = await put(changed, etag)
    expect([status, data.changed]).toEqual([200, true])
    expect(data.graph.etag).not.toBe(etag)
    expect(await storedToken()).toBe(SECRET)
    const renewed = { ...sink, config: { ...sink?.config, token: 'new' } }
    await put({ ...document, destinations: [renewed] }, data.graph.etag)
    expect(await storedToken()).toBe('new')
  })

  test('masks all texts of alerts, and keeps them', async () => {
    const alert = url.replace(/graph$/, `source/${sourceId}/alert`)
    await created(alert, {
      component_kind: 'source',
      inputs: [sourceId],
      active: true,
      alert_config: { ...SILENCE, general: { name: SECRET } },
    })
    const { document, etag } = await read()
    expect(document.alerts).toHaveLength(1)
    const { status, data } = await put(document, etag)
    expect([status, data.changed]).toEqual([200, false])
    const alerts = (await installation.call({ url: url.replace(/graph$/, 'alert') })).json().data
    expect(alerts[0].alert_config.general.name).toBe(SECRET)
  })

  test('with the mask of a foreign secret is refused at its node', async () => {
    const { document, etag } = await read()
    const [sink] = document.destinations ?? []
    const config = { ...sink?.config, token: '***01234567' }
    const { status, body } = await put({ ...document, destinations: [{ ...sink, config }] }, etag)
    expect([status, body.errors[0].instancePath]).toEqual([400, '/destinations/0/config'])
  })

  test('does not give a secret away through an option that is shown', async () => {
    const { document, etag } = await read()
    const [sink] = document.destinations ?? []
    const token = sink?.config?.token
    await put({ ...document, destinations: [{ ...sink, title: String(token) }] }, etag)
    expect((await read()).document.destinations?.[0]?.title).toBe(token)
  })

  test('that somebody else changed is not overwritten: the answer is the newer one', async () => {
    const before = await read()
    const first = await put(titled(before, 'theirs'), before.etag)
    const { status, body, data } = await put(titled(before, 'mine'), before.etag)
    expect([status, body.code, data.document.title]).toEqual([409, 'ECONFLICT', 'theirs'])
    expect(data.etag).toBe(first.data.graph.etag)
    expect(JSON.stringify(body)).not.toContain(SECRET)
    expect((await put(titled(before, 'mine'), before.etag, '?dry_run=true')).status).toBe(409)
    expect((await put(titled(before, 'mine'), `"x", ${data.etag}`)).status).toBe(200)
    expect((await put(titled(before, 'anything'), '*')).status).toBe(200)
  })

  test('is only compared with dry_run', async () => {
    const { document, etag } = await read()
    const { status, data } = await put({ ...document, title: 'Q' }, undefined, '?dry_run=true')
    expect([status, data.changed, data.graph.etag]).toEqual([200, true, etag])
    expect(data.text.join('\n')).toContain('Q')
    expect((await read()).document.title).toBe('P')
  })

  test('of a revision is what was published', async () => {
    await installation.call({
      method: 'PUT',
      url: url.replace(/graph$/, ''),
      payload: { title: 'P' },
    })
    expect((await installation.call({ url: `${url}?revision=deployed` })).statusCode).toBe(404)
    const { document, etag } = await read()
    const sinks = [{ name: 'store', type: 'log-analysis', inputs: [sourceId] }]
    await put({ ...document, destinations: sinks }, etag)
    await created(url.replace(/graph$/, 'publish'), {})
    const published = await read()
    await put({ ...published.document, title: 'Later' }, published.etag)
    const deployed = await read('?revision=deployed')
    expect(deployed).toMatchObject({
      revision: 1,
      document: { title: 'P', destinations: [{ name: 'store' }] },
    })
    expect(await read('?revision=1')).toEqual(deployed)
    expect((await installation.call({ url: `${url}?revision=2` })).statusCode).toBe(404)
  })
})

test('requests that are not valid are refused, and the place is named', async () => {
  const { document, etag } = await read()
  expect((await installation.call({ url: `${url}?revision=0` })).json().errors[0].instancePath).toBe(
    '/revision',
  )
  expect((await put(document)).body.message).toContain('if-match')
  for (const [sent, place] of [
    [{ ...document, id: '00000000-0000-4000-8000-000000000000' }, '/id'],
    [{ ...document, destinations: [{ name: 'a', type: 'nowhere' }] }, '/destinations/0/type'],
    [{ ...document, sources: 'x' }, '/sources'],
    [[], ''],
  ] as const) {
    const { status, body } = await put(sent, etag)
    expect([status, body.errors[0].instancePath]).toEqual([400, place])
  }
  expect((await put(document, etag, '?dry=true')).body.errors[0].instancePath).toBe('/dry')
  await installation.account('0123456789')
  const authorization = `Token ${await installation.token({ account: '0123456789' })}`
  expect((await installation.call({ url, headers: { authorization } })).statusCode).toBe(404)
})

describe('a changed graph that is tried before it is saved', () => {
  const KEY = 'sixteen byte key'
  /** `pin` of the worked example of decrypt-fields. */
  const SAMPLE = { pin: 'F8ol0w==', pin_iv: 'AAECAwQFBgcICQoLDA0ODw==' }

  async function post(of: string, payload: object) {
    const path = of === '' ? '/v3/pipeline/simulate' : url.replace(/graph$/, of)
    const answer = await installation.call({ method: 'POST', url: path, payload })
    return { status: answer.statusCode, body: answer.json() }
  }

  async function changedGraph() {
    const { document, etag } = await read()
    const decrypt = {
      name: 'clear',
      type: 'decrypt-fields',
      inputs: [document.sources?.[0]?.name],
      config: { field: '.pin', algorithm: 'AES-128-CFB', key: KEY, iv_field: '.pin_iv' },
    }
    const destinations = [{ name: 'nowhere', type: 'blackhole', inputs: ['clear'] }]
    await put({ ...document, processors: [decrypt], destinations }, etag)
    return titled(await read(), 'Not saved')
  }

  test('is simulated with its secrets, and they are not in the answer', async () => {
    const pipeline = await changedGraph()
    expect(JSON.stringify(pipeline)).not.toContain(KEY)
    const { status, body } = await post('simulate', { pipeline, samples: [SAMPLE] })
    expect(status, JSON.stringify(body)).toBe(200)
    const clear = body.data.nodes.find(({ name }: { name: string }) => name === 'clear')
    expect([status, clear.outputs[0].events[0].event.message]).toEqual([200, { ...SAMPLE, pin: '4821' }])
    expect(JSON.stringify(body)).not.toContain(KEY)
  })

  test('is refused where a mask stands for no secret of the pipeline', async () => {
    const pipeline = await changedGraph()
    const refusal = {
      status: 400,
      body: expect.objectContaining({
        errors: expect.arrayContaining([
          {
            instancePath: '/pipeline/processors/0/config',
            message: expect.stringContaining('contains a mask of a secret'),
          },
        ]),
      }),
    }
    expect(await post('', { pipeline, samples: [SAMPLE] })).toEqual(refusal)
    const [decrypt] = pipeline.processors ?? []
    const processors = [{ ...decrypt, config: { ...decrypt?.config, key: '***01234567' } }]
    const foreign = { ...pipeline, processors }
    expect(await post('simulate', { pipeline: foreign, samples: [SAMPLE] })).toEqual(refusal)
    expect(await post('preview', { pipeline: foreign })).toEqual(refusal)
    expect((await post('preview', { pipeline })).status).toBe(200)
  })

  test('cannot be simulated together with a revision', async () => {
    const pipeline = await changedGraph()
    const { status, body } = await post('simulate?revision=1', { pipeline, samples: [] })
    expect([status, body.errors]).toEqual([
      400,
      [{ instancePath: '/pipeline', message: 'must NOT be sent together with revision' }],
    ])
  })
})
