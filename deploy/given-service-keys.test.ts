import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { create } from '../engine/configuration/configuration-log.ts'
import { accountKeys } from '../engine/configuration/entities.ts'
import { silentLogger } from '../engine/logger.ts'
import { anotherProcess } from '../test/support/another-process.ts'
import { type TestInstallation, testInstallation } from '../test/support/test-installation.ts'
import { makeGivenServiceKeys } from './given-service-keys.ts'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { openServers, type Servers } from './servers.ts'
import { readSettings } from './settings/settings.ts'

const KEY = 'a1'.repeat(16)
const OTHER_KEY = 'b2'.repeat(16)
const ACCOUNT = '0123456789'
const UNKNOWN = 'ffffffffff'

const given = (...keys: string[]) => readSettings({ WEIR_SERVICE_KEYS: keys.join(',') })
const serviceKeysOf = ({ configuration }: Pick<Installation, 'configuration'>, account: string) =>
  configuration.list(accountKeys, account).filter(({ value }) => value.type === 'service')

describe('an installation', () => {
  let folder: string
  let installation: Installation | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-given-keys-'))
  })
  afterEach(async () => {
    await close()
    rmSync(folder, { recursive: true })
  })

  async function open(
    settings: Readonly<Record<string, string>> = {},
    use: 'serve' | 'inspect' = 'serve',
  ): Promise<{ installation: Installation; servers: Servers }> {
    const environment = { WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1', ...settings }
    const read = readSettings(environment)
    const logger = pino({ level: 'silent' })
    const opened = await openInstallation(read, logger, use)
    installation = opened
    const serves = { lines: true, api: true }
    return {
      installation: opened,
      servers: await openServers(read, { ...opened, serves }, undefined, logger),
    }
  }

  async function close(): Promise<void> {
    if (installation !== undefined) await closeInstallation(installation)
    installation = undefined
  }

  test('gives a child account the service key that it needs for groups, at any start with the setting', async () => {
    const first = await open()
    const { enterpriseAccessToken: token } = first.installation.keys
    const post = (servers: Servers, url: string, payload: object, headers = {}) =>
      servers.api.inject({
        method: 'POST',
        url,
        payload,
        headers: { authorization: `Token ${token}`, ...headers },
      })
    const owner = { company: 'Child', owneremail: 'owner@example.org' }
    const made = await post(first.servers, '/v3/enterprise/account', owner)
    const { account } = made.json<{ data: { account: string } }>().data
    expect(serviceKeysOf(first.installation, account)).toEqual([])
    await close()

    const path = join(folder, 'service keys')
    writeFileSync(path, `${account}:${KEY}\n`)
    const settings = { WEIR_SERVICE_KEYS_FILE: path }
    const second = await open(settings)
    const group = { name: 'team a', accessScopes: 'app:web' }
    const delegated = { 'x-delegate-account-id': account }
    const withKey = { ...delegated, servicekey: KEY }
    expect((await post(second.servers, '/v1/config/groups', group, delegated)).statusCode).toBe(401)
    expect((await post(second.servers, '/v1/config/groups', group, withKey)).statusCode).toBe(200)
    const [key] = serviceKeysOf(second.installation, account)
    await close()

    const third = await open(settings)
    expect(serviceKeysOf(third.installation, account)).toEqual([key])
    expect((await post(third.servers, '/v1/config/groups', group, withKey)).statusCode).toBe(200)
  })

  test('is not opened with a key for an unknown account, and the setting has no effect', async () => {
    const { accountId } = (await open()).installation.keys
    await close()
    const settings = { WEIR_SERVICE_KEYS: `${accountId}:${KEY},${UNKNOWN}:${OTHER_KEY}` }
    await expect(open(settings)).rejects.toThrow(
      `WEIR_SERVICE_KEYS has a key for the account ${UNKNOWN}, which does not exist`,
    )
    expect(serviceKeysOf((await open()).installation, accountId)).toHaveLength(1)
  })

  test('creates none when it is only inspected', async () => {
    const { accountId } = (await open()).installation.keys
    await close()
    const { installation: inspected } = await open({ WEIR_SERVICE_KEYS: `${accountId}:${KEY}` }, 'inspect')
    expect(serviceKeysOf(inspected, accountId)).toHaveLength(1)
  })
})

describe('the keys of the setting', () => {
  let weir: TestInstallation

  beforeEach(async () => {
    weir = await testInstallation()
    await weir.account(ACCOUNT)
  })
  afterEach(() => weir.app.close())

  const make = (...keys: string[]) => makeGivenServiceKeys(given(...keys), { ...weir, logger: silentLogger })

  test('are created once by processes that start together', async () => {
    const { app, configuration } = await anotherProcess(weir)
    const third = await anotherProcess(weir, 44)
    const settings = given(`${ACCOUNT}:${KEY}`, `${ACCOUNT}:${OTHER_KEY}`)
    await Promise.all(
      [weir.configuration, configuration, third.configuration].map(each =>
        makeGivenServiceKeys(settings, { ...weir, configuration: each, logger: silentLogger }),
      ),
    )
    for (const each of [weir.configuration, configuration, third.configuration]) {
      await each.catchUp()
      expect(
        serviceKeysOf({ configuration: each }, ACCOUNT)
          .map(({ value }) => value.key)
          .sort(),
      ).toEqual([KEY, OTHER_KEY])
    }
    await Promise.all([app.close(), third.app.close()])
  })

  test('are stored like other keys, and can be listed in clear and deleted', async () => {
    await make(`${weir.credentials.accountId}:${KEY}`)
    const listed = await weir.call({ url: '/v1/config/keys?type=service' })
    const key = listed.json<{ id: string; key: string; name: string }[]>().find(each => each.key === KEY)
    expect(key).toMatchObject({ name: 'WEIR_SERVICE_KEYS', type: 'service' })
    const usage = { url: '/v1/usage/apps?from=1&to=2', headers: { authorization: '', servicekey: KEY } }
    expect((await weir.app.inject(usage)).statusCode).toBe(200)
    await weir.call({ method: 'DELETE', url: `/v1/config/keys/${key?.id}` })
    expect((await weir.app.inject(usage)).statusCode).toBe(401)
  })

  test.each([
    ['of another account', () => weir.credentials.serviceKey, 'belongs to another account'],
    ['for ingestion', () => KEY, 'is its ingestion key'],
  ])('stop the start when they are keys %s', async (_, key, sentence) => {
    const ingestion = { account: ACCOUNT, type: 'ingestion' as const, key: KEY, name: '', createdAtMs: 0 }
    await weir.write(create(accountKeys, 'aaaaaaaaaa', ingestion))
    const failure = await make(`${ACCOUNT}:${key()}`).catch((error: Error) => error)
    expect(failure).toMatchObject({
      name: 'SettingsError',
      message: `WEIR_SERVICE_KEYS has a key for the account ${ACCOUNT} that ${sentence}`,
    })
  })

  test('cannot belong to two accounts', async () => {
    await expect(make(`${ACCOUNT}:${KEY}`, `${weir.credentials.accountId}:${KEY}`)).rejects.toThrow(
      'that belongs to another account',
    )
  })

  test('are limited by the plan, or by the operator', async () => {
    const keys = Array.from({ length: 21 }, (_, at) => `${ACCOUNT}:${at.toString(16).padStart(32, '0')}`)
    await expect(make(...keys)).rejects.toThrow(
      `WEIR_SERVICE_KEYS, account ${ACCOUNT}: the plan allows 20 service keys`,
    )
    const raised = readSettings({ WEIR_SERVICE_KEYS: keys.join(), WEIR_MAX_SERVICE_KEYS: '21' })
    await makeGivenServiceKeys(raised, { ...weir, logger: silentLogger })
    expect(serviceKeysOf(weir, ACCOUNT)).toHaveLength(21)
  })

  test('are requested when a key for a first start comes too late', async () => {
    const warnings: string[] = []
    const logger = { ...silentLogger, warn: (_: object, message?: string) => warnings.push(message ?? '') }
    const start = (key: string) =>
      makeGivenServiceKeys(readSettings({ WEIR_BOOTSTRAP_SERVICE_KEY: key }), { ...weir, logger })
    await start(weir.credentials.serviceKey)
    expect(warnings).toEqual([])
    await start(KEY)
    expect(warnings).toEqual([expect.stringContaining('Use WEIR_SERVICE_KEYS')])
  })
})
