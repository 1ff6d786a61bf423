import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { INDEX_RATE_TOKENS } from '../../schemas/http/account/index-rate-alert.ts'
import { ConfigurationClient } from '../../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const CHANNELS = { email: [], pagerduty: [], slack: [], webhook: [] }
const LEAST = { threshold_alert: 'separate', frequency: 'hourly' }
const WEBHOOK = { url: 'https://something.example', method: 'POST' }
let installation: TestInstallation
let client: ConfigurationClient

beforeAll(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterAll(() => installation.app.close())

describe('the index-rate alert', () => {
  test('is off in the beginning', async () => {
    const response = await client.send('GET', 'index-rate')
    expect([response.statusCode, response.body]).toEqual([
      200,
      '{"threshold_alert":"separate","frequency":"hourly","channels":{"email":[],"pagerduty":[],"slack":[],"webhook":[]},"enabled":false}',
    ])
  })

  test('is returned as it was sent, with templates as indented text', async () => {
    const sent = {
      max_lines: 3,
      max_z_score: 3,
      threshold_alert: 'both',
      frequency: 'daily',
      channels: {
        email: ['a@example.org'],
        pagerduty: ['ndt3k75rsw520d8t55dv35decdyt3mkcb3r'],
        slack: ['https://hooks.slack.com/KEY'],
        webhook: [{ ...WEBHOOK, headers: { field2: 'value2' }, bodyTemplate: { something: 'something' } }],
      },
      enabled: true,
    }
    const bodyTemplate = '{\n  "something": "something"\n}'
    const answered = {
      ...sent,
      channels: { ...sent.channels, webhook: [{ ...sent.channels.webhook[0], bodyTemplate }] },
    }
    expect(await client.put('index-rate', sent)).toEqual(answered)
    expect(await client.get('index-rate')).toEqual(answered)
    expect(await client.put('index-rate', answered)).toEqual(answered)
  })

  test('is replaced as a whole: without enabled it is off', async () => {
    await client.put('index-rate', {
      ...LEAST,
      max_lines: 3,
      channels: { email: ['a@example.org'] },
      enabled: true,
    })
    expect(await client.put('index-rate', { ...LEAST, more: 1 })).toEqual({
      ...LEAST,
      channels: CHANNELS,
      enabled: false,
    })
  })

  test('accepts the largest thresholds that can be stored exactly', async () => {
    const sent = { ...LEAST, max_lines: 2 ** 53 - 1, max_z_score: 2 ** 53 - 1, enabled: false }
    expect(await client.put('index-rate', sent)).toEqual({ ...sent, channels: CHANNELS })
  })

  test.each(['max_lines', 'max_z_score'])('is on with only %s', async threshold => {
    const sent = { ...LEAST, [threshold]: 5, enabled: true }
    expect(await client.put('index-rate', sent)).toEqual({ ...sent, channels: CHANNELS })
  })

  test.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])('accepts the method %s', async method => {
    const sent = { ...LEAST, channels: { webhook: [{ ...WEBHOOK, method }] } }
    expect(await client.put('index-rate', sent)).toMatchObject({
      channels: { webhook: [{ url: WEBHOOK.url, method, headers: {} }] },
    })
  })

  test('accepts its own tokens in a template, and any name of a member', async () => {
    const bodyTemplate = { '{{maxLines}}': INDEX_RATE_TOKENS.map(token => `{{${token}}} {{ ${token} }}`) }
    const sent = { ...LEAST, channels: { webhook: [{ ...WEBHOOK, bodyTemplate }] } }
    expect(await client.put('index-rate', sent)).toMatchObject({
      channels: { webhook: [{ bodyTemplate: JSON.stringify(bodyTemplate, null, 2) }] },
    })
  })

  test('accepts braces without a token, and reads them once', async () => {
    const bodyTemplate = `{{${' '.repeat(60_000)} {${'{{ '.repeat(20_000)}`
    const sent = { ...LEAST, channels: { webhook: [{ ...WEBHOOK, bodyTemplate: { bodyTemplate } }] } }
    expect((await client.send('PUT', 'index-rate', sent)).statusCode).toBe(200)
  })

  test('belongs to its account, and is hidden from roles below admin', async () => {
    await installation.account('0123456789')
    const token = await installation.token({ account: '0123456789' })
    const other = new ConfigurationClient(installation, { authorization: `Token ${token}` })
    await client.put('index-rate', { ...LEAST, max_lines: 77 })
    expect(await other.get('index-rate')).not.toHaveProperty('max_lines')
    const member = new ConfigurationClient(installation, {
      authorization: `Token ${await installation.user('member')}`,
    })
    expect((await member.refusal('GET', 'index-rate'))[0]).toBe(403)
    expect((await member.refusal('PUT', 'index-rate', LEAST))[0]).toBe(403)
  })

  test.each(['POST', 'DELETE'] as const)('has no %s', async method => {
    const [status, { code }] = await client.refusal(method, 'index-rate')
    expect([status, code]).toEqual([405, 'MethodNotAllowed'])
  })
})

describe('an index-rate alert is refused', () => {
  const sending = (webhook: object) => ({ ...LEAST, channels: { webhook: [{ ...WEBHOOK, ...webhook }] } })
  test.each<[string, object, string[]]>([
    ['without anything', {}, ['"threshold_alert" is required', '"frequency" is required']],
    [
      'with other words',
      { threshold_alert: 'invalid', frequency: 'weekly' },
      ['"threshold_alert" must be one of [separate, both]', '"frequency" must be one of [hourly, daily]'],
    ],
    ['with half a line', { ...LEAST, max_lines: 0.5 }, ['"max_lines" must be a number']],
    [
      'with a threshold below zero',
      { ...LEAST, max_z_score: -1 },
      ['"max_z_score" must be greater than or equal to 0'],
    ],
    [
      'with thresholds that no number keeps exactly',
      { ...LEAST, max_lines: 1e30, max_z_score: 1e21 },
      [
        '"max_lines" must be less than or equal to 9007199254740991',
        '"max_z_score" must be less than or equal to 9007199254740991',
      ],
    ],
    [
      'when it is on without a threshold',
      { ...LEAST, enabled: true },
      ['"value" must contain at least one of [max_lines, max_z_score]'],
    ],
    ['with a text as enabled', { ...LEAST, enabled: 'true' }, ['"enabled" must be a boolean']],
    ['with a list of channels', { ...LEAST, channels: [] }, ['"channels" must be of type object']],
    [
      'with addresses that are none',
      { ...LEAST, channels: { email: ['x'], pagerduty: [''], slack: ['y'] } },
      [
        '"channels.email[0]" must be a valid email',
        '"channels.pagerduty[0]" is not allowed to be empty',
        '"channels.slack[0]" must be a valid uri',
      ],
    ],
    [
      'with a webhook that says nothing',
      { ...LEAST, channels: { webhook: [{}] } },
      ['"channels.webhook[0].url" is required', '"channels.webhook[0].method" is required'],
    ],
    [
      'with a method in lower case',
      sending({ method: 'post' }),
      ['"channels.webhook[0].method" must be one of [GET, POST, PUT, PATCH, DELETE]'],
    ],
    [
      'headers that HTTP cannot send',
      sending({ headers: { a: 'b\r\nc: d', e: '\u20ac', f: 'caf\u00e9\t', 'g:': 'h' } }),
      [
        '"channels.webhook[0].headers.g:" must be a valid HTTP header name',
        '"channels.webhook[0].headers.a" must be a valid HTTP header value',
        '"channels.webhook[0].headers.e" must be a valid HTTP header value',
      ],
    ],
    [
      'with a token that is none',
      sending({ bodyTemplate: { something: '{{maxLines}}' } }),
      ['Invalid bodyTemplate: {{maxLines}} is not a valid token'],
    ],
    [
      'with several, deep within a text',
      sending({ bodyTemplate: '{"a":["{{ max_lines }} {{ no }}",{"b":"{{nor}} {{no}}"}]}' }),
      [
        'Invalid bodyTemplate: {{no}} is not a valid token',
        'Invalid bodyTemplate: {{nor}} is not a valid token',
      ],
    ],
    [
      'with half a template',
      sending({ bodyTemplate: '{' }),
      ['"channels.webhook[0].bodyTemplate" must be a valid JSON string'],
    ],
  ])('%s', async (_name, body, messages) => {
    expect(await client.findings('PUT', 'index-rate', body)).toEqual(messages)
  })
})
