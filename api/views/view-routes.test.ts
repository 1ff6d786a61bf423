import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { ConfigurationClient, NOT_FOUND } from '../../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const ID = expect.stringMatching(/^[0-9a-f]{10}$/)
const PRESENCE = '30, 1m, 5m, 15m, 30m, 1h, 6h, 12h, 24h, 25h'
const ABSENCE = '1m, 5m, 15m, 30m, 1h, 6h, 12h, 24h, 25h'

let installation: TestInstallation
let client: ConfigurationClient

beforeAll(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterAll(() => installation.app.close())

async function newCategory(name: string, type = 'views'): Promise<string> {
  return (await client.post(`categories/${type}`, { name })).id as string
}

async function newPresetAlert(channels: object[] = []): Promise<string> {
  return (await client.post('presetalert', { name: 'page me', channels })).presetid as string
}

describe('a view', () => {
  test('has every member in the answer, even those that were not sent', async () => {
    expect(await client.post('view', { name: 'errors', query: 'level:error' })).toEqual({
      viewid: ID,
      account: installation.credentials.accountId,
      name: 'errors',
      query: 'level:error',
      hosts: [],
      apps: [],
      tags: [],
      levels: [],
      category: [],
      presetids: [],
      channels: [],
      orgs: [],
    })
  })

  test('is read back as it was returned, alone and in the list, oldest first', async () => {
    const first = await client.post('view', { name: 'same', apps: ['web'] })
    const second = await client.post('view', { name: 'same', hosts: ['h'], levels: ['error'], tags: ['t'] })
    expect(await client.get(`view/${first.viewid}`)).toEqual(first)
    const listed = (await client.get('view')) as JsonValue[]
    expect(listed.slice(-2)).toEqual([first, second])
    expect(second).toMatchObject({ query: '', hosts: ['h'], levels: ['error'], tags: ['t'] })
  })

  test('is replaced as a whole: members that were not sent get their default', async () => {
    await newCategory('Full')
    const created = await client.post('view', {
      name: 'full',
      query: 'a',
      hosts: ['h'],
      apps: ['a'],
      levels: ['error'],
      tags: ['t'],
      category: ['Full'],
      channels: [{ integration: 'slack', url: 'https://hooks.example.com/a' }],
    })
    const replaced = await client.put(`view/${created.viewid}`, { name: 'bare', tags: ['u'] })
    expect(replaced).toEqual({
      ...created,
      name: 'bare',
      query: '',
      hosts: [],
      apps: [],
      levels: [],
      tags: ['u'],
      category: [],
      channels: [],
    })
    expect(await client.get(`view/${created.viewid}`)).toEqual(replaced)
  })

  test('does not exist after it is deleted', async () => {
    const { viewid } = await client.post('view', { name: 'short', query: '' })
    expect(await client.delete(`view/${viewid}`)).toEqual({ deleted: true })
    expect(await client.refusal('GET', `view/${viewid}`)).toEqual(NOT_FOUND)
    expect(await client.refusal('PUT', `view/${viewid}`, { name: 'x', query: '' })).toEqual(NOT_FOUND)
    expect(await client.refusal('DELETE', `view/${viewid}`)).toEqual(NOT_FOUND)
  })

  test('ignores members that it does not have', async () => {
    const sent = { name: 'a', query: '', presetids: ['ffffffffff'], orgs: ['x'], viewid: 5, more: { x: 1 } }
    expect(await client.post('view', sent)).toMatchObject({ presetids: [], orgs: [], viewid: ID })
  })

  test('of another account is not found', async () => {
    const { viewid } = await client.post('view', { name: 'mine', query: '' })
    await installation.account('0123456789')
    const token = await installation.token({ account: '0123456789' })
    const other = new ConfigurationClient(installation, { authorization: `Token ${token}` })
    expect(await other.get('view')).toEqual([])
    expect(await other.refusal('GET', `view/${viewid}`)).toEqual(NOT_FOUND)
    expect(await other.refusal('PUT', `view/${viewid}`, { name: 'x', query: '' })).toEqual(NOT_FOUND)
    expect(await other.refusal('DELETE', `view/${viewid}`)).toEqual(NOT_FOUND)
    expect(await client.get(`view/${viewid}`)).toMatchObject({ name: 'mine' })
  })
})

describe('a view is refused', () => {
  const valid = { name: 'a', query: '' }
  test.each<[string, object, string[]]>([
    ['without a name', { query: '' }, ['"name" is required']],
    ['with an empty name', { ...valid, name: '' }, ['"name" is not allowed to be empty']],
    ['with a number as name', { ...valid, name: 5 }, ['"name" must be a string']],
    [
      'with a name of 121 characters',
      { ...valid, name: 'é'.repeat(121) },
      ['"name" must be at most 120 characters long'],
    ],
    [
      'when it searches for nothing',
      { name: 'a', category: [] },
      ['"value" must contain at least one of [query, hosts, apps, levels, tags]'],
    ],
    ['with null as query', { name: 'a', query: null }, ['"query" must be a string']],
    [
      'with a query that cannot be read',
      { name: 'a', query: 'a (b' },
      ['"query" has an unbalanced parenthesis at character 3'],
    ],
    ['with a text as list', { ...valid, hosts: 'h' }, ['"hosts" must be an array']],
    ['with an empty app', { ...valid, apps: ['a', ''] }, ['"apps[1]" is not allowed to be empty']],
    ['with a number as level', { ...valid, levels: [5] }, ['"levels[0]" must be a string']],
    ['with an empty tag', { ...valid, tags: [''] }, ['"tags[0]" is not allowed to be empty']],
    ['with an empty category', { ...valid, category: [''] }, ['"category[0]" is not allowed to be empty']],
    ['with an empty preset alert', { ...valid, presetid: '' }, ['"presetid" is not allowed to be empty']],
    [
      'with a preset alert that there is not',
      { ...valid, presetid: '0a1b2c3d4e' },
      ['"presetid" must be the id of a preset alert'],
    ],
    [
      'with both a preset alert and channels',
      { ...valid, presetid: 'x', channels: [{ integration: 'email', emails: ['a@example.org'] }] },
      ['"value" contains a conflict between exclusive peers [presetid, channels]'],
    ],
    ['with channels that are not a list', { ...valid, channels: {} }, ['"channels" must be an array']],
    [
      'for every reason at once, in the order of the members',
      { channels: [{ integration: 'slack' }], tags: [5], query: '(', hosts: 'h' },
      [
        '"name" is required',
        '"query" has an unbalanced parenthesis at character 1',
        '"hosts" must be an array',
        '"tags[0]" must be a string',
        '"channels[0].url" is required',
      ],
    ],
  ])('%s', async (_name, body, messages) => {
    const { viewid } = await client.post('view', valid)
    expect(await client.findings('POST', 'view', body)).toEqual(messages)
    expect(await client.findings('PUT', `view/${viewid}`, body)).toEqual(messages)
    expect(await client.get(`view/${viewid}`)).toMatchObject(valid)
  })

  test.each<[string, string | undefined]>([
    ['no body', undefined],
    ['an empty body', ''],
    ['a list', '[]'],
    ['half a body', '{"name":'],
    ['null', 'null'],
  ])('with %s', async (_name, body) => {
    const [status, error] = await client.refusal('POST', 'view', body)
    expect([status, error.code, error.status]).toEqual([400, 'BadRequest', 'error'])
  })

  test('with unknown categories, all of which are named', async () => {
    await newCategory('Known')
    await newCategory('A board', 'boards')
    const sent = { ...valid, category: ['no', 'KNOWN', 'a board', 'nor'] }
    const error = 'Invalid category name(s): no, a board, nor'
    expect(await client.refusal('POST', 'view', sent)).toEqual([
      400,
      { error, code: 'BadRequest', status: 'error' },
    ])
  })

  test('by a read-only member', async () => {
    const reader = new ConfigurationClient(installation, {
      authorization: `Token ${await installation.user('readonly')}`,
    })
    expect(await reader.get('view')).toBeInstanceOf(Array)
    expect((await reader.refusal('POST', 'view', {}))[0]).toBe(403)
  })
})

test.each([120, 1])('a name of %d characters is accepted', async length => {
  const name = '€'.repeat(length)
  expect(await client.post('view', { name, tags: [] })).toMatchObject({ name })
})

describe('categories of a view', () => {
  test('are named in the spelling of the category, each once', async () => {
    await newCategory('DemoCategory1')
    await newCategory('Straße')
    const sent = { name: 'a', query: '', category: ['DEMOCATEGORY1', 'straße', 'democategory1'] }
    const { viewid, category } = await client.post('view', sent)
    expect(category).toEqual(['DemoCategory1', 'Straße'])
    expect(await client.get(`view/${viewid}`)).toMatchObject({ category })
  })

  test('show new names, and are removed when they are deleted', async () => {
    const kept = await newCategory('Kept')
    const gone = await newCategory('Gone')
    const { viewid } = await client.post('view', { name: 'a', query: '', category: ['gone', 'kept'] })
    await client.put(`categories/views/${kept}`, { name: 'Renamed' })
    expect(await client.get(`view/${viewid}`)).toMatchObject({ category: ['Gone', 'Renamed'] })
    await client.delete(`categories/views/${gone}`)
    expect(await client.get(`view/${viewid}`)).toMatchObject({ category: ['Renamed'] })
    await newCategory('Gone')
    expect(await client.get(`view/${viewid}`)).toMatchObject({ category: ['Renamed'] })
  })
})

describe('a preset alert of a view', () => {
  const channel = { integration: 'email', emails: ['a@example.org'] }

  test('gives it its present channels, until it is deleted', async () => {
    const presetid = await newPresetAlert([channel])
    const before = (await client.get(`presetalert/${presetid}`)) as JsonObject
    const { viewid, ...view } = await client.post('view', { name: 'a', query: '', presetid, channels: [] })
    expect(view).toMatchObject({ presetids: [presetid], channels: before.channels })
    const changed = await client.put(`presetalert/${presetid}`, {
      name: 'other',
      channels: [{ ...channel, triggerlimit: 7 }],
    })
    expect(changed.channels).toMatchObject([{ triggerlimit: 7 }])
    expect(await client.get(`view/${viewid}`)).toMatchObject({ channels: changed.channels })
    await client.delete(`presetalert/${presetid}`)
    expect(await client.get(`view/${viewid}`)).toMatchObject({ name: 'a', presetids: [], channels: [] })
  })

  test('is removed by a replacement that does not name it', async () => {
    const presetid = await newPresetAlert([channel])
    const { viewid } = await client.post('view', { name: 'a', query: '', presetid })
    expect(await client.put(`view/${viewid}`, { name: 'a', query: '' })).toMatchObject({
      presetids: [],
      channels: [],
    })
  })

  test('of another account is unknown', async () => {
    const account = 'abcdefabcd'
    await installation.account(account)
    const token = await installation.token({ account })
    const other = new ConfigurationClient(installation, { authorization: `Token ${token}` })
    const { presetid } = await other.post('presetalert', { name: 'theirs' })
    const sent = { name: 'a', query: '', presetid }
    expect(await client.findings('POST', 'view', sent)).toEqual([
      '"presetid" must be the id of a preset alert',
    ])
  })
})

/** Returns a channel as it is answered, without its id. */
async function stored(channel: object): Promise<JsonObject> {
  const { viewid, channels } = await client.post('view', { name: 'a', query: '', channels: [channel] })
  expect(await client.get(`view/${viewid}`)).toMatchObject({ channels })
  const [{ alertid, ...rest }] = channels as [JsonObject]
  expect(alertid).toEqual(ID)
  return rest
}

const DEFAULTS = {
  operator: 'presence',
  triggerlimit: 1,
  triggerinterval: '30',
  immediate: false,
  terminal: true,
}
const EMAIL = { integration: 'email', emails: ['a@example.org'] }
const PAGERDUTY = { integration: 'pagerduty', key: 'k' }
const SLACK = { integration: 'slack', url: 'https://hooks.slack.com/services/identifier/secret' }
const WEBHOOK = { integration: 'webhook', url: 'https://yourwebhook/endpoint' }

describe('a channel is answered in the types that clients decode', () => {
  test.each<[string, object, object]>([
    ['email', EMAIL, { ...EMAIL, ...DEFAULTS }],
    ['pagerduty', PAGERDUTY, { ...PAGERDUTY, ...DEFAULTS }],
    ['slack', SLACK, { ...SLACK, ...DEFAULTS }],
    ['webhook', WEBHOOK, { ...WEBHOOK, ...DEFAULTS, method: 'post', headers: {} }],
    [
      'texts that stand for numbers and booleans',
      { ...EMAIL, triggerlimit: '15', immediate: 'true', terminal: 'false' },
      { ...EMAIL, ...DEFAULTS, triggerlimit: 15, immediate: true, terminal: false },
    ],
    [
      'the same of auto-resolution',
      { ...PAGERDUTY, autoresolve: 'true', autoresolvelimit: '3', autoresolveinterval: 30 },
      { ...PAGERDUTY, ...DEFAULTS, autoresolve: true, autoresolvelimit: 3, autoresolveinterval: '30' },
    ],
    [
      'a number as interval',
      { ...EMAIL, triggerinterval: 30 },
      { ...EMAIL, ...DEFAULTS, triggerinterval: '30' },
    ],
    [
      'the interval of absence by default',
      { ...EMAIL, operator: 'absence' },
      { ...EMAIL, ...DEFAULTS, operator: 'absence', triggerinterval: '15m' },
    ],
    [
      'addresses in one text',
      { ...EMAIL, emails: 'a@example.org, b@example.org,' },
      { ...EMAIL, ...DEFAULTS, emails: ['a@example.org', 'b@example.org'] },
    ],
    [
      'members of other channels, left out whatever they hold',
      { ...EMAIL, key: 5, url: 'nonsense', method: 'x', headers: 1, color: '#fff', autoresolve: 'maybe' },
      { ...EMAIL, ...DEFAULTS },
    ],
    ['a color', { ...SLACK, color: '#ff0000' }, { ...SLACK, ...DEFAULTS, color: '#ff0000' }],
    [
      'headers in their case',
      { ...WEBHOOK, method: 'delete', headers: { 'X-Token': 'Abc', accept: '' } },
      { ...WEBHOOK, ...DEFAULTS, method: 'delete', headers: { 'X-Token': 'Abc', accept: '' } },
    ],
    [
      'a template that is an object, as indented text with its members in order',
      { ...WEBHOOK, bodyTemplate: { z: { list: [1, 'two'] }, a: '{{ unknown }}' } },
      {
        ...WEBHOOK,
        ...DEFAULTS,
        method: 'post',
        headers: {},
        bodyTemplate:
          '{\n  "z": {\n    "list": [\n      1,\n      "two"\n    ]\n  },\n  "a": "{{ unknown }}"\n}',
      },
    ],
    [
      'a template that is JSON in a text',
      { ...WEBHOOK, bodyTemplate: '{"b":[],"a":"{{name}}"}' },
      {
        ...WEBHOOK,
        ...DEFAULTS,
        method: 'post',
        headers: {},
        bodyTemplate: '{\n  "b": [],\n  "a": "{{name}}"\n}',
      },
    ],
    [
      'a blackout, unchanged',
      {
        ...EMAIL,
        blackout: {
          enabled: true,
          times: { enabled: true, periods: [['17:00', '08:00']] },
          days: ['0', '6'],
          timezone: 'Europe/Oslo',
        },
      },
      {
        ...EMAIL,
        ...DEFAULTS,
        blackout: {
          enabled: true,
          times: { enabled: true, periods: [['17:00', '08:00']] },
          days: ['0', '6'],
          timezone: 'Europe/Oslo',
        },
      },
    ],
  ])('%s', async (_name, sent, answered) => {
    expect(await stored(sent)).toEqual(answered)
  })

  test.each(PRESENCE.split(', '))('the interval %s of presence', async triggerinterval => {
    expect(await stored({ ...EMAIL, triggerinterval })).toMatchObject({ triggerinterval })
  })

  test.each(ABSENCE.split(', '))('the interval %s of absence', async triggerinterval => {
    const sent = { ...EMAIL, operator: 'absence', triggerinterval }
    expect(await stored(sent)).toMatchObject({ triggerinterval })
  })

  test.each(['Pacific/Samoa', 'UTC', 'EST5EDT', 'EST', 'GMT', 'US/Pacific', 'Europe/Oslo', 'Asia/Kolkata'])(
    'the time zone %s',
    async timezone => {
      expect(await stored({ ...EMAIL, timezone })).toMatchObject({ timezone })
    },
  )

  test.each([1, 100000])('a limit of %d', async triggerlimit => {
    expect(await stored({ ...EMAIL, triggerlimit })).toMatchObject({ triggerlimit })
  })

  test.each([
    'https://yourwebhook/endpoint',
    'http://127.0.0.1:8080/a?b=c#d',
    'https://user:secret@example.com/',
    'https://slack_url/key',
    'https://[::1]/x',
  ])('the address %s', async url => {
    expect(await stored({ ...WEBHOOK, url })).toMatchObject({ url })
  })

  test('a number in a template with all its digits', async () => {
    const channel =
      '{"integration":"webhook","url":"https://a.example","bodyTemplate":{"n":12345678901234567890}}'
    const response = await client.send('POST', 'view', `{"name":"a","query":"","channels":[${channel}]}`)
    const bodyTemplate = '{\n  "n": 12345678901234567890\n}'
    expect(response.json().channels).toMatchObject([{ bodyTemplate }])
  })

  test('channels of a GET are accepted, except for ids', async () => {
    const sent = {
      name: 'a',
      query: '',
      channels: [EMAIL, PAGERDUTY, SLACK, { ...WEBHOOK, bodyTemplate: { a: 1 } }],
    }
    const created = await client.post('view', sent)
    const replaced = await client.put(`view/${created.viewid}`, created)
    const withoutIds = (view: JsonObject) => ({
      ...view,
      channels: (view.channels as JsonObject[]).map(({ alertid, ...channel }) => channel),
    })
    expect(withoutIds(replaced)).toEqual(withoutIds(created))
    const ids = [created, replaced].flatMap(view =>
      (view.channels as JsonObject[]).map(({ alertid }) => alertid),
    )
    expect(new Set(ids).size).toBe(8)
  })
})

describe('a channel is refused', () => {
  test.each<[string, unknown, string[]]>([
    ['that is not an object', 'email', ['"channels[0]" must be of type object']],
    ['without an integration', {}, ['"channels[0].integration" is required']],
    [
      'of an unknown integration',
      { integration: 'sms' },
      ['"channels[0].integration" must be one of [email, pagerduty, slack, webhook]'],
    ],
    [
      'with an unknown operator',
      { ...EMAIL, operator: 'equal' },
      ['"channels[0].operator" must be one of [presence, absence]'],
    ],
    [
      'with a limit of 0',
      { ...EMAIL, triggerlimit: 0 },
      ['"channels[0].triggerlimit" must be greater than or equal to 1'],
    ],
    [
      'with a limit of 100001 in a text',
      { ...EMAIL, triggerlimit: '100001' },
      ['"channels[0].triggerlimit" must be less than or equal to 100000'],
    ],
    [
      'with half a line as limit',
      { ...EMAIL, triggerlimit: 1.5 },
      ['"channels[0].triggerlimit" must be a number'],
    ],
    [
      'with words as limit',
      { ...EMAIL, triggerlimit: 'ten' },
      ['"channels[0].triggerlimit" must be a number'],
    ],
    [
      'with an interval that there is not',
      { ...EMAIL, triggerinterval: '17m' },
      [`"channels[0].triggerinterval" must be one of [${PRESENCE}]`],
    ],
    [
      'with an interval that there is not for absence',
      { ...EMAIL, operator: 'absence', triggerinterval: '30' },
      [`"channels[0].triggerinterval" must be one of [${ABSENCE}]`],
    ],
    [
      'with such an interval and an unknown operator',
      { ...EMAIL, operator: 'x', triggerinterval: null },
      [
        '"channels[0].operator" must be one of [presence, absence]',
        `"channels[0].triggerinterval" must be one of [${PRESENCE}]`,
      ],
    ],
    [
      'with a word as immediate',
      { ...EMAIL, immediate: 'not a bool' },
      ['"channels[0].immediate" must be a boolean'],
    ],
    ['with a number as terminal', { ...EMAIL, terminal: 1 }, ['"channels[0].terminal" must be a boolean']],
    [
      'in no time zone',
      { ...EMAIL, timezone: 'Mars/Olympus' },
      ['"channels[0].timezone" must be a valid timezone'],
    ],
    [
      'with an empty time zone',
      { ...EMAIL, timezone: '' },
      ['"channels[0].timezone" is not allowed to be empty'],
    ],
    [
      'with a text as blackout',
      { ...EMAIL, blackout: 'x' },
      ['"channels[0].blackout" must be of type object'],
    ],
    ['email without addresses', { integration: 'email' }, ['"channels[0].emails" is required']],
    [
      'email with no address',
      { ...EMAIL, emails: [] },
      ['"channels[0].emails" must contain at least 1 items'],
    ],
    [
      'email with an empty text',
      { ...EMAIL, emails: '' },
      ['"channels[0].emails" is not allowed to be empty'],
    ],
    [
      'email with a comma alone',
      { ...EMAIL, emails: ' , ' },
      ['"channels[0].emails" must contain at least 1 items'],
    ],
    ['email with a number', { ...EMAIL, emails: 5 }, ['"channels[0].emails" must be an array']],
    [
      'email with a text that is not an address',
      { ...EMAIL, emails: ['a@example.org', 'b', ''] },
      ['"channels[0].emails[1]" must be a valid email', '"channels[0].emails[2]" is not allowed to be empty'],
    ],
    ['pagerduty without a key', { integration: 'pagerduty' }, ['"channels[0].key" is required']],
    [
      'pagerduty with an empty key',
      { ...PAGERDUTY, key: '' },
      ['"channels[0].key" is not allowed to be empty'],
    ],
    [
      'pagerduty with a wrong auto-resolution',
      {
        ...PAGERDUTY,
        operator: 'absence',
        autoresolve: 'x',
        autoresolvelimit: '0',
        autoresolveinterval: '30',
      },
      [
        '"channels[0].autoresolve" must be a boolean',
        '"channels[0].autoresolvelimit" must be greater than or equal to 1',
        `"channels[0].autoresolveinterval" must be one of [${ABSENCE}]`,
      ],
    ],
    ['slack without an address', { integration: 'slack' }, ['"channels[0].url" is required']],
    [
      'slack with a relative address',
      { ...SLACK, url: '/services/x' },
      ['"channels[0].url" must be a valid uri'],
    ],
    [
      'webhook with words',
      { ...WEBHOOK, url: 'this is not a valid url' },
      ['"channels[0].url" must be a valid uri'],
    ],
    [
      'webhook without a scheme',
      { ...WEBHOOK, url: 'example.com/x' },
      ['"channels[0].url" must be a valid uri'],
    ],
    [
      'webhook with an empty address',
      { ...WEBHOOK, url: '' },
      ['"channels[0].url" is not allowed to be empty'],
    ],
    [
      'webhook with another method',
      { ...WEBHOOK, method: 'POST' },
      ['"channels[0].method" must be one of [post, put, patch, get, delete]'],
    ],
    [
      'webhook with a list of headers',
      { ...WEBHOOK, headers: [] },
      ['"channels[0].headers" must be of type object'],
    ],
    [
      'webhook with a number as header',
      { ...WEBHOOK, headers: { a: 5 } },
      ['"channels[0].headers.a" must be a string'],
    ],
    [
      'webhook with headers that HTTP cannot send',
      {
        ...WEBHOOK,
        headers: { ok: 'caf\u00e9\t', 'a b': 'c', '': 'd', 'e\r\n': 'f', g: 'h\u0000', i: '\u20ac' },
      },
      [
        '"channels[0].headers.a b" must be a valid HTTP header name',
        '"channels[0].headers." must be a valid HTTP header name',
        '"channels[0].headers.e\r\n" must be a valid HTTP header name',
        '"channels[0].headers.g" must be a valid HTTP header value',
        '"channels[0].headers.i" must be a valid HTTP header value',
      ],
    ],
    [
      'webhook with half a template',
      { ...WEBHOOK, bodyTemplate: '{"a":' },
      ['"channels[0].bodyTemplate" must be a valid JSON string'],
    ],
    [
      'webhook with a template nested without end',
      { ...WEBHOOK, bodyTemplate: '['.repeat(100_000) + ']'.repeat(100_000) },
      ['"channels[0].bodyTemplate" must be a valid JSON string'],
    ],
    [
      'webhook with a number as template',
      { ...WEBHOOK, bodyTemplate: 5 },
      ['"channels[0].bodyTemplate" must be of type object'],
    ],
    [
      'webhook with null as template',
      { ...WEBHOOK, bodyTemplate: null },
      ['"channels[0].bodyTemplate" must be of type object'],
    ],
  ])('%s', async (_name, channel, messages) => {
    expect(await client.findings('POST', 'view', { name: 'a', query: '', channels: [channel] })).toEqual(
      messages,
    )
    expect(await client.findings('POST', 'presetalert', { name: 'a', channels: [channel] })).toEqual(messages)
  })

  test('at its place in the list', async () => {
    const channels = [EMAIL, { ...WEBHOOK, url: 'x' }]
    expect(await client.findings('POST', 'view', { name: 'a', query: '', channels })).toEqual([
      '"channels[1].url" must be a valid uri',
    ])
  })
})
