import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { anotherProcess } from '../support/another-process.ts'
import { ConfigurationClient, NOT_FOUND } from '../support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../support/test-installation.ts'

/**
 * Behaviour of existing clients of `/v1/config`. An infrastructure-as-code client decodes answers into fixed types, reads
 * back and compares its writes, and matches errors in the raw text of the answer. The other one is a command-line client.
 */

let installation: TestInstallation
let client: ConfigurationClient

beforeEach(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation, { servicekey: installation.credentials.serviceKey })
})

afterEach(() => installation.app.close())

const TEMPLATE = {
  fields: {
    description: '{{ matches }} matches found for {{ name }}',
    issuetype: { name: 'Bug' },
    project: { key: 'test' },
    summary: 'Alert from {{ name }}',
  },
}

/** Channels as the client sends them: booleans as strings, and only non-empty members. */
const SENT_CHANNELS = [
  {
    integration: 'email',
    emails: ['test@example.org'],
    immediate: 'false',
    operator: 'absence',
    terminal: 'true',
    timezone: 'Pacific/Samoa',
    triggerinterval: '15m',
    triggerlimit: 15,
  },
  {
    integration: 'pagerduty',
    immediate: 'false',
    operator: 'presence',
    key: 'Your PagerDuty API key goes here',
    terminal: 'true',
    triggerinterval: '15m',
    triggerlimit: 15,
    autoresolve: true,
    autoresolvelimit: 10,
    autoresolveinterval: '15m',
  },
  {
    integration: 'slack',
    immediate: 'false',
    operator: 'absence',
    terminal: 'true',
    triggerinterval: '30m',
    triggerlimit: 15,
    url: 'https://hooks.slack.com/services/identifier/secret',
  },
  {
    integration: 'webhook',
    headers: { hello: 'test3', test: 'test2' },
    bodyTemplate: TEMPLATE,
    immediate: 'false',
    method: 'post',
    operator: 'presence',
    terminal: 'true',
    triggerinterval: '15m',
    triggerlimit: 15,
    url: 'https://yourwebhook/endpoint',
  },
]

/** Form in which the client expects to read these channels. */
const READ_CHANNELS = SENT_CHANNELS.map(channel => ({
  ...channel,
  alertid: expect.stringMatching(/^[0-9a-f]{10}$/),
  immediate: channel.immediate === 'true',
  terminal: channel.terminal === 'true',
  ...('bodyTemplate' in channel && { bodyTemplate: JSON.stringify(channel.bodyTemplate, null, 2) }),
}))

const ID = expect.stringMatching(/^[0-9a-f]{10}$/)
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

interface ClientResource {
  readonly name: string
  readonly path: string
  /** Member that holds the id. */
  readonly id: string
  readonly created: object
  readonly updated: object
  /** Expected answer of a read afterwards, except for the id. */
  readonly readCreated: object
  readonly readUpdated: object
}

const RESOURCES: readonly ClientResource[] = [
  {
    name: 'a view',
    path: 'view',
    id: 'viewid',
    created: {
      name: 'test',
      query: 'test',
      apps: ['app1', 'app2'],
      hosts: ['host1', 'host2'],
      levels: ['fatal', 'critical'],
      tags: ['tags1', 'tags2'],
      category: ['DEMOCATEGORY1', 'DemoCategory2'],
      channels: SENT_CHANNELS,
    },
    readCreated: {
      account: ID,
      name: 'test',
      query: 'test',
      apps: ['app1', 'app2'],
      hosts: ['host1', 'host2'],
      levels: ['fatal', 'critical'],
      tags: ['tags1', 'tags2'],
      category: ['DemoCategory1', 'DemoCategory2'],
      presetids: [],
      channels: READ_CHANNELS,
      orgs: [],
    },
    updated: { name: 'test2', query: 'test2', channels: SENT_CHANNELS.slice(0, 1) },
    readUpdated: {
      account: ID,
      name: 'test2',
      query: 'test2',
      apps: [],
      hosts: [],
      levels: [],
      tags: [],
      category: [],
      presetids: [],
      channels: READ_CHANNELS.slice(0, 1),
      orgs: [],
    },
  },
  {
    name: 'a preset alert',
    path: 'presetalert',
    id: 'presetid',
    created: { name: 'test', channels: SENT_CHANNELS },
    readCreated: { account: ID, name: 'test', channels: READ_CHANNELS, _created: TIME, _modified: TIME },
    updated: { name: 'test2' },
    readUpdated: { account: ID, name: 'test2', channels: [], _created: TIME, _modified: TIME },
  },
  ...['views', 'boards', 'screens'].map(type => ({
    name: `a category of ${type}`,
    path: `categories/${type}`,
    id: 'id',
    created: { name: 'test-category' },
    readCreated: { type, name: 'test-category' },
    updated: { name: 'test-category-updated' },
    readUpdated: { type, name: 'test-category-updated' },
  })),
  {
    name: 'a board',
    path: 'board',
    id: 'boardid',
    created: { title: 'test', graphs: [{ name: 'requests', operation: 'count', filter: 'level:error' }] },
    readCreated: {
      account: ID,
      title: 'test',
      graphs: [{ graphid: ID, type: 'line', name: 'requests', operation: 'count', filter: 'level:error' }],
      order: [],
      category: [],
    },
    updated: { title: 'test2' },
    readUpdated: { account: ID, title: 'test2', graphs: [], order: [], category: [] },
  },
]

describe.each(RESOURCES)('$name', ({ path, id, created, updated, readCreated, readUpdated }) => {
  beforeEach(async () => {
    for (const name of ['DemoCategory1', 'DemoCategory2']) await client.post('categories/views', { name })
  })

  test('is created, read, imported, updated and deleted', async () => {
    const answered = await client.post(path, created)
    const own = `${path}/${answered[id]}`
    expect(answered).toEqual({ [id]: ID, ...readCreated })
    // An import knows the id alone; a plan after it must find nothing to change.
    expect(await client.get(own)).toEqual(answered)
    const changed = await client.put(own, updated)
    expect(changed).toEqual({ [id]: answered[id], ...readUpdated })
    expect(await client.get(own)).toEqual(changed)
    expect(await client.delete(own)).toEqual({ deleted: true })
    expect(await client.refusal('GET', own)).toEqual(NOT_FOUND)
  })

  test('is read back at once from any process', async () => {
    const { app, credentials } = await anotherProcess(installation)
    const second = new ConfigurationClient({ app, credentials })
    const answered = await client.post(path, created)
    expect(await second.get(`${path}/${answered[id]}`)).toEqual(answered)
    const changed = await second.put(`${path}/${answered[id]}`, updated)
    expect(await client.get(`${path}/${answered[id]}`)).toEqual(changed)
    expect(await second.get(path)).toEqual(await client.get(path))
    await app.close()
  })

  test('is listed in an array', async () => {
    const before = (await client.get(path)) as JsonValue[]
    const answered = await client.post(path, created)
    expect(await client.get(path)).toEqual([...before, answered])
  })
})

test('a view that uses a preset alert, and one that no longer does', async () => {
  const { presetid, channels } = await client.post('presetalert', { name: 'test', channels: SENT_CHANNELS })
  const sent = { name: 'test', query: 'test', presetid }
  const view = await client.post('view', sent)
  expect(view).toMatchObject({ presetids: [presetid], channels })
  expect(await client.put(`view/${view.viewid}`, sent)).toEqual(view)
  const own = await client.put(`view/${view.viewid}`, {
    name: 'test',
    query: 'test',
    channels: SENT_CHANNELS,
  })
  expect(own).toMatchObject({ presetids: [], channels: READ_CHANNELS })
})

test('PUT creates, updates, imports and switches off the index-rate alert', async () => {
  const webhook = {
    url: 'https://something.example',
    method: 'POST',
    headers: { field2: 'value2' },
    bodyTemplate: { something: 'something' },
  }
  const sent = {
    max_lines: 3,
    max_z_score: 3,
    threshold_alert: 'separate',
    frequency: 'hourly',
    channels: {
      email: ['test@example.org', 'test2@example.org'],
      pagerduty: ['ndt3k75rsw520d8t55dv35decdyt3mkcb3r'],
      slack: ['https://hooks.slack.com/KEY'],
      webhook: [webhook],
    },
    enabled: true,
  }
  const bodyTemplate = '{\n  "something": "something"\n}'
  const read = { ...sent, channels: { ...sent.channels, webhook: [{ ...webhook, bodyTemplate }] } }
  expect(await client.put('index-rate', sent)).toEqual(read)
  expect(await client.get('index-rate')).toEqual(read)
  const { enabled, ...off } = { ...sent, channels: { email: ['test@example.org'] } }
  expect(await client.put('index-rate', off)).toEqual({
    ...off,
    channels: { email: ['test@example.org'], pagerduty: [], slack: [], webhook: [] },
    enabled: false,
  })
})

describe('the client matches errors in the raw text', () => {
  const view = (channel: object) => ({
    name: 'test',
    query: 'test',
    channels: [{ ...SENT_CHANNELS[3], ...channel }],
  })
  const indexRate = (bodyTemplate: object) => ({
    max_lines: 3,
    threshold_alert: 'separate',
    frequency: 'hourly',
    channels: { webhook: [{ url: 'https://something.example', method: 'POST', bodyTemplate }] },
  })
  test.each<[string, 'POST' | 'PUT' | 'GET', string, object | undefined, RegExp]>([
    [
      'an interval',
      'POST',
      'view',
      view({ operator: 'absence', triggerinterval: '17m' }),
      /"message":"\\"channels\[0\]\.triggerinterval\\" must be one of \[1m, 5m, 15m, 30m, 1h, 6h, 12h, 24h, 25h\]"/,
    ],
    [
      'an operator',
      'POST',
      'presetalert',
      view({ operator: 'equal' }),
      /"message":"\\"channels\[0\]\.operator\\" must be one of \[presence, absence\]"/,
    ],
    [
      'immediate',
      'POST',
      'view',
      view({ immediate: 'not a bool' }),
      /"message":"\\"channels\[0\]\.immediate\\" must be a boolean"/,
    ],
    [
      'an address',
      'POST',
      'view',
      view({ url: 'this is not a valid url' }),
      /"message":"\\"channels\[0\]\.url\\" must be a valid uri"/,
    ],
    [
      'a method',
      'POST',
      'presetalert',
      view({ method: 'false' }),
      /"message":"\\"channels\[0\]\.method\\" must be one of \[post, put, patch, get, delete\]"/,
    ],
    [
      'an empty category',
      'POST',
      'view',
      { name: 'test', query: 'test', category: [''] },
      /"message":"\\"category\[0\]\\" is not allowed to be empty"/,
    ],
    [
      'an unknown category',
      'POST',
      'view',
      { name: 'test', query: 'test', category: ['nope', 'none'] },
      /^\{"error":"Invalid category name\(s\): nope, none","code":"BadRequest","status":"error"\}$/,
    ],
    [
      'a type of category',
      'POST',
      'categories/nope',
      { name: 'test' },
      /"message":"\\"type\\" must be one of \[views, boards, screens\]"/,
    ],
    [
      'a token',
      'PUT',
      'index-rate',
      indexRate({ something: '{{maxLines}}' }),
      /"error":"Invalid bodyTemplate: \{\{maxLines\}\} is not a valid token"/,
    ],
    [
      'an id',
      'GET',
      'view/0a1b2c3d4e',
      undefined,
      /^\{"error":"Resource Not Found","code":"NotFound","status":"error"\}$/,
    ],
  ])('about %s', async (_name, method, path, body, pattern) => {
    expect((await client.send(method, path, body)).body).toMatch(pattern)
  })

  test('the whole answer, as it is written', async () => {
    const { body } = await client.send('POST', 'view', view({ url: 'x' }))
    const message = '\\"channels[0].url\\" must be a valid uri'
    expect(body).toBe(
      `{"details":[{"message":"${message}","key":"channels[0].url"}],"error":"${message}","code":"BadRequest","status":"error"}`,
    )
  })
})

describe('the command-line client', () => {
  test('sends back channels exactly as it read them', async () => {
    const sent = { name: 'a', query: 'b', category: [], channels: SENT_CHANNELS }
    const { viewid, channels } = await client.post('view', sent)
    const again = await client.put(`view/${viewid}`, {
      name: 'c',
      query: 'b',
      category: [],
      channels: channels as [],
    })
    expect(again).toMatchObject({ name: 'c', channels: READ_CHANNELS })
  })

  test('asks for a category of each type to find its type', async () => {
    const { id } = await client.post('categories/views', { name: 'mine' })
    const statuses: number[] = []
    for (const type of ['boards', 'screens', 'views'])
      statuses.push((await client.send('GET', `categories/${type}/${id}`)).statusCode)
    expect(statuses).toEqual([404, 404, 200])
  })

  test('edits all members of a view that it has read', async () => {
    await client.post('categories/views', { name: 'Team' })
    const created = await client.post('view', { name: 'a', apps: ['web'], tags: ['t'], category: ['team'] })
    const edited = await client.put(`view/${created.viewid}`, { ...created, name: 'b' })
    expect(edited).toEqual({ ...(created as JsonObject), name: 'b' })
  })
})
