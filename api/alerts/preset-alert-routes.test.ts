import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigurationClient, NOT_FOUND } from '../../test/support/configuration-client.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const CHANNEL = { integration: 'pagerduty', key: 'k' }
let installation: TestInstallation
let client: ConfigurationClient

beforeAll(async () => {
  installation = await testInstallation()
  client = new ConfigurationClient(installation)
})

afterAll(() => installation.app.close())

test('a preset alert shows the times of its creation and change', async () => {
  const created = await client.post('presetalert', { name: 'page me', channels: [CHANNEL] })
  const madeAt = new Date(installation.clock.wallMs()).toISOString()
  expect(created).toEqual({
    presetid: expect.stringMatching(/^[0-9a-f]{10}$/),
    account: installation.credentials.accountId,
    name: 'page me',
    channels: [expect.objectContaining(CHANNEL)],
    _created: madeAt,
    _modified: madeAt,
  })
  installation.clock.advance(1)
  const replaced = await client.put(`presetalert/${created.presetid}`, { name: 'page nobody' })
  const _modified = new Date(installation.clock.wallMs()).toISOString()
  expect(replaced).toEqual({ ...created, name: 'page nobody', channels: [], _modified })
  expect(await client.get(`presetalert/${created.presetid}`)).toEqual(replaced)
})

test('two can have the same name, and the list begins with the oldest', async () => {
  const made = [
    await client.post('presetalert', { name: 'b' }),
    await client.post('presetalert', { name: 'b' }),
  ]
  expect(((await client.get('presetalert')) as unknown[]).slice(-2)).toEqual(made)
})

test('a deleted or unknown one is not found', async () => {
  const { presetid } = await client.post('presetalert', { name: 'a' })
  expect(await client.delete(`presetalert/${presetid}`)).toEqual({ deleted: true })
  for (const id of [presetid, 'nonsense'])
    for (const method of ['GET', 'PUT', 'DELETE'] as const)
      expect(
        await client.refusal(method, `presetalert/${id}`, method === 'PUT' ? { name: 'a' } : undefined),
      ).toEqual(NOT_FOUND)
})

test.each<[string, object, string[]]>([
  ['without a name', {}, ['"name" is required']],
  ['with an empty name', { name: '' }, ['"name" is not allowed to be empty']],
  ['with a number as name', { name: 5 }, ['"name" must be a string']],
  ['with an object as channels', { name: 'a', channels: {} }, ['"channels" must be an array']],
  [
    'for every reason',
    { channels: [CHANNEL, { integration: 'pagerduty', triggerlimit: 'x' }] },
    ['"name" is required', '"channels[1].triggerlimit" must be a number', '"channels[1].key" is required'],
  ],
])('a preset alert is refused %s', async (_name, body, messages) => {
  const { presetid } = await client.post('presetalert', { name: 'a' })
  expect(await client.findings('POST', 'presetalert', body)).toEqual(messages)
  expect(await client.findings('PUT', `presetalert/${presetid}`, body)).toEqual(messages)
})
