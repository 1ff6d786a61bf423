import { afterAll, beforeAll, expect, test } from 'vitest'
import { spreadReportsOn } from '../../engine/configuration/kinds/spread.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const URL = '/v3/account/spread'
const PARTITIONS = 2
let installation: TestInstallation

beforeAll(async () => {
  installation = await testInstallation()
})
afterAll(() => installation.app.close())

const put = (payload: object, headers: Record<string, string> = {}) =>
  installation.call({ method: 'PUT', url: URL, payload, headers })

const status = async () => {
  const { phase, partitions_done: done } = (await installation.call({ url: URL })).json().data
  return [phase, done]
}

const reportAll = async (change: number) => {
  const { configuration, clock } = installation.ports
  const reports = spreadReportsOn(configuration)
  for (let partition = 0; partition < PARTITIONS; partition++)
    await reports.report(installation.credentials.accountId, partition, change, clock.wallMs())
}

test('a change is complete once every partition has done its part', async () => {
  expect(await status()).toEqual(['off', PARTITIONS])
  const { meta, data } = (await put({ enabled: true })).json()
  expect(meta).toEqual({ pk: 'account', type: 'spread', links: { self: {} }, page: null })
  expect(data).toEqual({
    account: installation.credentials.accountId,
    enabled: true,
    phase: 'turning_on',
    partitions: PARTITIONS,
    partitions_done: 0,
  })
  await reportAll(1)
  expect(await status()).toEqual(['on', PARTITIONS])
  await put({ enabled: true })
  expect(await status()).toEqual(['on', PARTITIONS])
  await put({ enabled: false })
  expect(await status()).toEqual(['turning_off', 0])
  await reportAll(2)
  expect(await status()).toEqual(['off', PARTITIONS])
})

test('an impossible change is refused with a sentence', async () => {
  const one = await testInstallation({ settings: { ...TEST_SETTINGS, partitions: 1 } })
  const refused = await one.call({ method: 'PUT', url: URL, payload: { enabled: true } })
  expect([refused.statusCode, refused.json().code]).toEqual([400, 'EONEPARTITION'])
  await one.app.close()
  expect((await put({ enabled: 'yes' })).statusCode).toBe(400)
  expect((await put({ enabled: true, more: 1 })).statusCode).toBe(400)
  expect((await put({})).statusCode).toBe(400)
})

test('a member can read, and an admin can change', async () => {
  const authorization = `Token ${await installation.user('member')}`
  expect((await installation.call({ url: URL, headers: { authorization } })).statusCode).toBe(200)
  expect((await put({ enabled: true }, { authorization })).statusCode).toBe(403)
})
