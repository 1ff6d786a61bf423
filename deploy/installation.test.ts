import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { create } from '../engine/configuration/configuration-log.ts'
import { accounts } from '../engine/configuration/entities.ts'
import { quarantineKey, quarantines } from '../engine/configuration/kinds/quarantine.ts'
import { quotaStates, quotas } from '../engine/configuration/kinds/quotas.ts'
import { setSpread, spreadStatus } from '../engine/configuration/kinds/spread.ts'
import { encodeControl } from '../engine/fold/control-record.ts'
import { CATALOGUE } from '../engine/nodes/catalogue.ts'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { closeServers, openServers, type Servers } from './servers.ts'
import { readSettings } from './settings/settings.ts'

/** Folder of the present installation. */
let folder: string

function start(
  given: Readonly<Record<string, string>> = {},
  logger = pino({ level: 'silent' }),
): Promise<Installation> {
  const settings = readSettings({ WEIR_DATA_DIR: folder, WEIR_PARTITIONS: '1', ...given })
  return openInstallation(settings, logger)
}

test('a start warns once when log-ends.json is missing: without it a lost end of the log may stay unnoticed', async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-installation-'))
  const warnings = async () => {
    const printed: string[] = []
    const logger = pino({ level: 'warn' }, { write: (line: string) => void printed.push(line) })
    await closeInstallation(await start({}, logger))
    return printed.filter(line => line.includes('log-ends.json is missing')).length
  }
  const installation = await start()
  const value = encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: 0 } })
  await installation.ingest.append(0, { value, producer: null, priority: 'control' })
  await closeInstallation(installation)
  expect(await warnings()).toBe(0)
  rmSync(join(folder, 'log-ends.json'))
  expect([await warnings(), await warnings()]).toEqual([1, 0])
  rmSync(folder, { recursive: true })
})

describe('a start of an installation that has stored lines', () => {
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-installation-'))
    const installation = await start()
    // Checkpoints show that lines were stored.
    await installation.checkpoints.append(0, {
      value: Buffer.from('x'),
      producer: null,
      priority: 'control',
    })
    await closeInstallation(installation)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const refused = (given: Readonly<Record<string, string>>, error: object) =>
    expect(start(given)).rejects.toMatchObject(error)

  test('is refused with another secret key, and the sentence names the setting and its remedy', () =>
    refused(
      { WEIR_SECRET_KEY: 'a'.repeat(64) },
      {
        name: 'SettingsError',
        message:
          `WEIR_SECRET_KEY is not the key that encrypted the secrets on the log in ${join(folder, 'log')}: remove the setting, ` +
          `so that the key in ${join(folder, 'secret.key')} is used, or set the earlier key`,
      },
    ))

  test('is refused without its secret key, and makes no other', async () => {
    const key = join(folder, 'secret.key')
    renameSync(key, `${key}.away`)
    await refused({}, { name: 'DataDirectoryError', message: expect.stringContaining(`${key} is missing`) })
    expect(existsSync(key)).toBe(false)
    renameSync(`${key}.away`, key)
  })

  test('is refused with another number of partitions', () =>
    refused(
      { WEIR_PARTITIONS: '2' },
      {
        name: 'SettingsError',
        message: expect.stringMatching(/^WEIR_PARTITIONS is 2, .* has 1 partitions, not 2: /),
      },
    ))

  test('is refused while the store is missing or empty, because its lines would not be stored again', async () => {
    const store = join(folder, 'store')
    renameSync(store, `${store}.away`)
    const lost = {
      name: 'DataDirectoryError',
      message: expect.stringContaining(`${store} is missing or empty, but the log in `),
    }
    await refused({}, lost)
    expect(readdirSync(folder)).not.toContain('store')
    mkdirSync(store)
    await refused({}, lost)
    rmSync(store, { recursive: true })
    renameSync(`${store}.away`, store)
  })
})

describe('an installation with its servers and its engine', () => {
  let installation: Installation
  let servers: Servers
  /** Answer to a key that came before the engine had read the log. */
  let early: number

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-installation-'))
    installation = await start({ WEIR_PARTITIONS: '2' })
    const serves = { lines: true, api: true }
    const logger = pino({ level: 'silent' })
    servers = await openServers(installation.settings, { ...installation, serves }, undefined, logger)
    early = await sendWithKey('one')
    installation.engine.start()
    await installation.engine.whenTaken()
  })
  afterAll(async () => {
    await closeServers(servers)
    await installation.engine.stop()
    await closeInstallation(installation)
    rmSync(folder, { recursive: true })
  })

  async function sendWithKey(line: string): Promise<number> {
    const headers = { apikey: installation.keys.ingestionKey, 'idempotency-key': 'key' }
    const payload = { lines: [{ line }] }
    const url = '/logs/ingest?hostname=h'
    return (await servers.api.inject({ method: 'POST', url, headers, payload })).statusCode
  }

  /** Lets the jobs of the engine run until something has come true. */
  async function untilJobs(isTrue: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await isTrue())) {
      await installation.engine.runJobs()
      await setTimeout(10)
    }
  }

  test('judges idempotency keys by the log, and accepts none before the engine has read it', async () => {
    expect(early).toBe(503)
    expect([await sendWithKey('one'), await sendWithKey('one'), await sendWithKey('two')]).toEqual([
      200, 200, 409,
    ])
  })

  test('answers a change once its engine has it', async () => {
    const { keys, configuration, engine } = installation
    const { accountId: id } = keys
    const headers = { authorization: `Token ${keys.accessToken}` }
    const answer = await servers.api.inject({
      method: 'PUT',
      url: '/v1/config/retention',
      headers,
      payload: { days: 365 },
    })
    expect([answer.statusCode, engine.cutVersion(id, 'account', id)]).toEqual([
      200,
      configuration.get(accounts, id)?.version,
    ])
  })

  test('reads records of both topics with the nodes at which they are in quarantine', async () => {
    const { configuration, ingest, keyed } = installation
    const account = installation.keys.accountId
    for (const topic of [ingest, keyed.topic]) {
      const value = encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: 0 } })
      const { offset } = await topic.append(1, { value, producer: null, priority: 'control' })
      const place = { topic: topic.name, partition: 1, offset: Number(offset), node: 'tidy' }
      const quarantine = { ...place, account, sinceMs: 0, by: 'ann@web-1', isComplete: true }
      const author = { subjectId: 'operator', account: '' }
      await configuration.append([create(quarantines, quarantineKey(place), quarantine)], author)
      const [record] = await topic.read(1, offset, 1)
      expect([...(record?.quarantinedNodes ?? [])]).toEqual(['tidy'])
    }
  })

  test('spreads an account over its partitions', async () => {
    const { configuration, clock, keys } = installation
    const account = keys.accountId
    const change = { account, enabled: true, partitions: 2, atMs: clock.wallMs(), subjectId: 'test' }
    await setSpread(configuration, change)
    await untilJobs(() => spreadStatus(configuration, account, 2).phase === 'on')
  })

  test('compares what is stored with the quotas', async () => {
    const { configuration, keys, opening } = installation
    const account = keys.accountId
    await sendWithKey('one')
    const day = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
    await untilJobs(async () => (await opening.store.usageTotals({ account, ...day })).length > 0)
    const monthly = { limit: 0, discard: false, rules: [] }
    const value = { account, daily: { limit: 1, discard: true, rules: [] }, monthly }
    await configuration.append([create(quotas, account, value)], { subjectId: 'test', account })
    await untilJobs(() => configuration.get(quotaStates, account)?.value.inForce.length === 1)
  })
})
