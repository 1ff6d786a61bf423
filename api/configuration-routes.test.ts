import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BoardRecord } from '../schemas/http/account/board.ts'
import { CategoryRecord } from '../schemas/http/account/category.ts'
import { IndexRateAlertRecord } from '../schemas/http/account/index-rate-alert.ts'
import { PresetAlertRecord } from '../schemas/http/account/preset-alert.ts'
import { ViewRecord } from '../schemas/http/account/view.ts'
import type { JsonObject, JsonValue } from '../schemas/json.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'
import { anotherProcess } from '../test/support/another-process.ts'
import { ConfigurationClient, NOT_FOUND } from '../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../test/support/test-installation.ts'
import { validatorCompiler } from './http/validation.ts'

let installation: TestInstallation
let client: ConfigurationClient

beforeEach(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterEach(() => installation.app.close())

async function twoProcesses() {
  const { app, credentials, configuration } = await anotherProcess(installation)
  const second = new ConfigurationClient({ app, credentials })
  /** Runs an action right before the next write of the second process, after its decision. */
  const beforeItsWrite = (happen: () => Promise<unknown>) => {
    const append = configuration.append.bind(configuration)
    vi.spyOn(configuration, 'append').mockImplementationOnce(async (...write) => {
      await happen()
      return append(...write)
    })
  }
  return { clients: [client, second] as const, second, beforeItsWrite, close: () => app.close() }
}

describe('two processes', () => {
  test('see at once the answered changes of the other', async () => {
    const { second, close } = await twoProcesses()
    const { viewid } = await client.post('view', { name: 'a', query: '' })
    expect(await second.get(`view/${viewid}`)).toMatchObject({ name: 'a' })
    await second.put(`view/${viewid}`, { name: 'b', query: '' })
    expect(await client.get(`view/${viewid}`)).toMatchObject({ name: 'b' })
    await client.delete(`view/${viewid}`)
    expect(await second.refusal('PUT', `view/${viewid}`, { name: 'c', query: '' })).toEqual(NOT_FOUND)
    await close()
  })

  test('that create a category of one name at the same time create one', async () => {
    const { clients, close } = await twoProcesses()
    const attempts = ['Team', 'TEAM', 'team', 'tEAM'].flatMap(name =>
      clients.map(each => each.send('POST', 'categories/views', { name })),
    )
    const statuses = (await Promise.all(attempts)).map(({ statusCode }) => statusCode)
    expect(statuses.toSorted()).toEqual([200, ...Array(7).fill(409)])
    for (const each of clients) expect(await each.get('categories/views')).toHaveLength(1)
    await close()
  })

  test('that replace a view at the same time both succeed, and the later one counts', async () => {
    const { clients, close } = await twoProcesses()
    const { viewid } = await client.post('view', { name: 'a', query: '' })
    const names = Array.from({ length: 20 }, (_, index) => `name ${index}`)
    const replaced = await Promise.all(
      names.map((name, index) => (clients[index % 2] ?? client).put(`view/${viewid}`, { name, query: name })),
    )
    expect(replaced.map(({ name }) => name)).toEqual(names)
    const last = (await client.get(`view/${viewid}`)) as JsonObject
    expect(names).toContain(last.name)
    expect(last.query).toBe(last.name)
    await close()
  })

  test('of which one deletes an object while the other replaces it end without it', async () => {
    const { second, close } = await twoProcesses()
    const { presetid } = await client.post('presetalert', { name: 'a' })
    const replacing = Array.from({ length: 10 }, () =>
      second.send('PUT', `presetalert/${presetid}`, { name: 'b' }),
    )
    const [deleted, ...others] = await Promise.all([
      client.send('DELETE', `presetalert/${presetid}`),
      ...replacing,
    ])
    expect(deleted.statusCode).toBe(200)
    for (const { statusCode } of others) expect([200, 404]).toContain(statusCode)
    expect(await second.refusal('GET', `presetalert/${presetid}`)).toEqual(NOT_FOUND)
    await close()
  })

  test('write in alternation, and neither loses a write', async () => {
    const { second, beforeItsWrite, close } = await twoProcesses()
    const { boardid } = await client.post('board', { title: 'a' })
    beforeItsWrite(() => client.put(`board/${boardid}`, { title: 'b' }))
    expect(await second.put(`board/${boardid}`, { title: 'c' })).toMatchObject({ title: 'c' })
    expect(await client.get(`board/${boardid}`)).toMatchObject({ title: 'c' })
    beforeItsWrite(() => client.put(`board/${boardid}`, { title: 'd' }))
    expect(await second.delete(`board/${boardid}`)).toEqual({ deleted: true })
    expect(await client.refusal('GET', `board/${boardid}`)).toEqual(NOT_FOUND)
    await close()
  })

  test('learn that the other has just deleted an object or used a name', async () => {
    const { second, beforeItsWrite, close } = await twoProcesses()
    const { boardid } = await client.post('board', { title: 'a' })
    beforeItsWrite(() => client.delete(`board/${boardid}`))
    expect(await second.refusal('PUT', `board/${boardid}`, { title: 'c' })).toEqual(NOT_FOUND)
    beforeItsWrite(() => client.post('categories/boards', { name: 'Team' }))
    expect((await second.refusal('POST', 'categories/boards', { name: 'TEAM' }))[0]).toBe(409)
    await close()
  })

  test('remove a category from a view even if one deletes it while the other names it', async () => {
    const { second, close } = await twoProcesses()
    const { id } = await client.post('categories/views', { name: 'Team' })
    const sent = { name: 'a', query: '', category: ['Team'] }
    const [, ...written] = await Promise.all([
      client.delete(`categories/views/${id}`),
      ...Array.from({ length: 10 }, () => second.send('POST', 'view', sent)),
    ])
    for (const { statusCode } of written) expect([200, 400]).toContain(statusCode)
    for (const view of (await client.get('view')) as JsonObject[]) expect(view.category).toEqual([])
    await close()
  })
})

test('keys, addresses and headers of channels are never in clear on the log', async () => {
  const secret = 'kept-to-oneself'
  const channels = [
    { integration: 'pagerduty', key: secret },
    { integration: 'slack', url: `https://hooks.example.com/${secret}` },
    {
      integration: 'webhook',
      url: 'https://a.example',
      headers: { token: secret },
      bodyTemplate: { a: secret },
    },
  ]
  const webhook = [{ url: `https://a.example/${secret}`, method: 'POST', headers: { token: secret } }]
  await client.post('view', { name: 'in clear', query: '', channels })
  await client.post('presetalert', { name: 'in clear', channels })
  await client.put('index-rate', {
    threshold_alert: 'both',
    frequency: 'daily',
    channels: { pagerduty: [secret], slack: [`https://hooks.example.com/${secret}`], webhook },
  })
  const topic = await installation.log.topic(CONFIG_TOPIC, 1)
  const written = (await topic.read(0, 0n, 10_000_000)).map(({ value }) => value.toString('latin1')).join()
  expect([written.includes('in clear'), written.includes(secret)]).toEqual([true, false])
})

test.each([
  '{"2":"{{name}}","1":{"10":[],"b":0,"9":{}}}',
  '"{\\"2\\":\\"{{name}}\\",\\"1\\":{\\"10\\":[],\\"b\\":0,\\"9\\":{}}}"',
])('members of a template keep their order, even if their names are numbers: %s', async bodyTemplate => {
  const kept = '{\n  "2": "{{name}}",\n  "1": {\n    "10": [],\n    "b": 0,\n    "9": {}\n  }\n}'
  const channels = `[{"integration":"webhook","url":"https://a.example","bodyTemplate":${bodyTemplate}}]`
  for (const [path, id] of [
    ['view', 'viewid'],
    ['presetalert', 'presetid'],
  ] as const) {
    const made = await client.send('POST', path, `{"name":"a","query":"","channels":${channels}}`)
    expect(made.json().channels[0].bodyTemplate).toBe(kept)
    const url = `${path}/${made.json()[id]}`
    expect(await client.get(url)).toEqual(made.json())
    expect(await client.put(url, made.json())).toMatchObject({ channels: [{ bodyTemplate: kept }] })
  }
  const webhook = `[{"url":"https://a.example","method":"POST","bodyTemplate":${bodyTemplate.replaceAll('name', 'account')}}]`
  const body = `{"threshold_alert":"both","frequency":"daily","channels":{"webhook":${webhook}}}`
  expect((await client.send('PUT', 'index-rate', body)).statusCode).toBe(200)
  expect(await client.get('index-rate')).toMatchObject({
    channels: { webhook: [{ bodyTemplate: kept.replace('name', 'account') }] },
  })
})

test('a template whose indentation makes it a hundred times as long is 400, and nothing has changed', async () => {
  const webhook = { integration: 'webhook', url: 'https://a.example' }
  const { presetid } = await client.post('presetalert', { name: 'small', channels: [webhook] })
  const deep = `${'['.repeat(50)}${Array(100_000).fill(0).join()}${']'.repeat(50)}`
  const sent = { name: 'large', channels: [{ ...webhook, bodyTemplate: deep }] }
  const [status, { code }] = await client.refusal('PUT', `presetalert/${presetid}`, sent)
  expect([status, code]).toEqual([400, 'BadRequest'])
  expect(await client.get(`presetalert/${presetid}`)).toMatchObject({ name: 'small' })
})

/** Texts that once caused errors. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    'a',
    '__proto__',
    'level:error',
    '(',
    'İ',
    '\ud800',
    '\u0000',
    '30',
    'true',
    '{{ name }}',
  ),
  fc.string({ unit: 'binary' }),
)
const anything = fc.oneof(
  text,
  fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<JsonValue>,
  fc.constantFrom(0, -0, 1, 1.5, 1e21, 100_001, null, true, [], {}),
)

/** Mostly valid values, so that some are accepted, and a few of any kind. */
function mostly(right: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof({ weight: 30, arbitrary: right }, { weight: 1, arbitrary: anything })
}

function members(
  right: Record<string, fc.Arbitrary<unknown>>,
  required: string[] = [],
): fc.Arbitrary<object> {
  const named = Object.fromEntries(Object.entries(right).map(([name, value]) => [name, mostly(value)]))
  return fc.record<Record<string, unknown>>({ ...named, stray: anything }, { requiredKeys: required })
}

const words = fc.array(
  fc.oneof(
    fc.constantFrom('web', 'db'),
    text.filter(word => word !== ''),
  ),
  { maxLength: 3 },
)
const query = fc.constantFrom('', 'level:error', 'a OR b', 'app:(x y)')
const email = fc.constantFrom('a@example.org', 'B.c@example.org')
const url = fc.constantFrom('https://hooks.example.com/x', 'http://a.example:8080/?b=c')
const flag = fc.constantFrom(true, false, 'true', 'false')
const count = fc.constantFrom(1, '2', 100_000)
const headers = fc.dictionary(
  fc.constantFrom('accept', 'X-Token', '__proto__'),
  fc.oneof(fc.constant('a'), text),
  {
    maxKeys: 3,
  },
)
const template = fc.oneof(
  fc.dictionary(text, anything, { maxKeys: 4 }),
  (fc.jsonValue() as fc.Arbitrary<JsonValue>).map(value => JSON.stringify(value)),
)
const common = {
  operator: fc.constantFrom('presence', 'absence'),
  triggerlimit: count,
  triggerinterval: fc.constantFrom('1m', '15m', '25h'),
  immediate: flag,
  terminal: flag,
  timezone: fc.constantFrom('UTC', 'Pacific/Samoa'),
  blackout: fc.dictionary(text, anything, { maxKeys: 2 }),
}
const channel = fc.oneof(
  members(
    {
      integration: fc.constant('email'),
      ...common,
      emails: fc.oneof(fc.array(email, { minLength: 1, maxLength: 2 }), fc.constant('a@b.org,c@d.org')),
    },
    ['integration', 'emails'],
  ),
  members(
    {
      integration: fc.constant('pagerduty'),
      ...common,
      key: fc.constant('k'),
      autoresolve: flag,
      autoresolvelimit: count,
      autoresolveinterval: common.triggerinterval,
    },
    ['integration', 'key'],
  ),
  members({ integration: fc.constant('slack'), ...common, url, color: text }, ['integration', 'url']),
  members(
    {
      integration: fc.constant('webhook'),
      ...common,
      url,
      method: fc.constantFrom('post', 'get'),
      headers,
      bodyTemplate: template,
    },
    ['integration', 'url'],
  ),
)
const channels = fc.array(channel, { maxLength: 3 })
const search = { query, hosts: words, apps: words, levels: words, tags: words }
const category = fc.uniqueArray(fc.constantFrom('Team A', 'Team B'))
const graph = members({
  graphid: fc.stringMatching(/^[0-9a-f]{10}$/),
  type: fc.constantFrom('line', 'bar'),
  title: text,
  ...search,
  field: text,
  aggregation: fc.constantFrom('count', 'p95'),
})

const name = text.filter(value => value !== '' && value.length <= 50)
const COLLECTIONS = {
  view: {
    id: 'viewid',
    record: ViewRecord,
    body: members({ name, ...search, category, channels }, ['name', 'query']),
  },
  presetalert: { id: 'presetid', record: PresetAlertRecord, body: members({ name, channels }, ['name']) },
  'categories/views': { id: 'id', record: CategoryRecord, body: members({ name }, ['name']) },
  board: {
    id: 'boardid',
    record: BoardRecord,
    body: members(
      { title: name, graphs: fc.array(graph, { maxLength: 3 }), order: fc.array(text), category },
      ['title'],
    ),
  },
} as const
const indexRate = members(
  {
    max_lines: fc.constantFrom(0, 3),
    max_z_score: fc.constantFrom(1, 5),
    threshold_alert: fc.constantFrom('separate', 'both'),
    frequency: fc.constantFrom('hourly', 'daily'),
    channels: members({
      email: fc.array(email, { maxLength: 2 }),
      pagerduty: words,
      slack: fc.array(url, { maxLength: 2 }),
      webhook: fc.array(
        members(
          {
            url,
            method: fc.constantFrom('GET', 'POST'),
            headers,
            bodyTemplate: template,
          },
          ['url', 'method'],
        ),
        { maxLength: 2 },
      ),
    }),
    enabled: fc.boolean(),
  },
  ['threshold_alert', 'frequency'],
)

/** Removes the ids that change with every write. */
function withoutAlertIds(value: JsonValue): JsonValue {
  return JSON.parse(
    JSON.stringify(value, (name, member) => (['alertid', '_modified'].includes(name) ? undefined : member)),
  )
}

function assertIs(schema: object, value: JsonValue): void {
  const validate = validatorCompiler({ schema, method: 'GET', url: '/' }) as {
    (value: unknown): boolean
    errors?: unknown
  }
  expect([validate(value), validate.errors]).toEqual([true, undefined])
}

describe('with any body', () => {
  beforeEach(async () => {
    for (const type of ['views', 'boards'])
      for (const name of ['Team A', 'Team B']) await client.post(`categories/${type}`, { name })
  })

  test.each(Object.entries(COLLECTIONS))(
    '%s refuses it with a finding, or returns a value that can be read and sent back',
    async (path, { id, record, body }) => {
      let accepted = 0
      await fc.assert(
        fc.asyncProperty(body, async sent => {
          const response = await client.send('POST', path, JSON.stringify(sent))
          if (response.statusCode !== 200) {
            expect([400, 409]).toContain(response.statusCode)
            return
          }
          accepted++
          const created = response.json()
          const url = `${path}/${created[id]}`
          assertIs(record, created)
          expect(await client.get(url)).toEqual(created)
          expect(withoutAlertIds(await client.put(url, created))).toEqual(withoutAlertIds(created))
          expect(withoutAlertIds(await client.get(url))).toEqual(withoutAlertIds(created))
          await client.delete(url)
        }),
        { numRuns: 100 },
      )
      expect(accepted).toBeGreaterThan(10)
    },
  )

  test('index-rate refuses it with a finding, or returns a value that can be read and sent back', async () => {
    let accepted = 0
    await fc.assert(
      fc.asyncProperty(indexRate, async sent => {
        const response = await client.send('PUT', 'index-rate', JSON.stringify(sent))
        if (response.statusCode !== 200) {
          expect(response.statusCode).toBe(400)
          return
        }
        accepted++
        const written = response.json()
        assertIs(IndexRateAlertRecord, written)
        expect(await client.get('index-rate')).toEqual(written)
        expect(await client.put('index-rate', written)).toEqual(written)
      }),
      { numRuns: 100 },
    )
    expect(accepted).toBeGreaterThan(10)
  })

  test.each([...Object.keys(COLLECTIONS), 'index-rate'])(
    '%s never answers 500 to an invalid body',
    async path => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(
            fc.string(),
            anything.map(value => JSON.stringify(value)),
          ),
          async sent => {
            const method = path === 'index-rate' ? 'PUT' : 'POST'
            const { statusCode } = await client.send(method, path, sent)
            expect([200, 400, 409]).toContain(statusCode)
          },
        ),
        { numRuns: 100 },
      )
    },
  )
})
