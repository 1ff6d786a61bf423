import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../engine/clock/system-clock.ts'
import { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { seededEntropy } from '../engine/entropy/seeded-entropy.ts'
import { memoryLog } from '../engine/log/memory-log.ts'
import { silentLogger } from '../engine/logger.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'
import { type ClickHouseFront, startFront } from '../test/support/clickhouse-server.ts'
import { lastingPort } from '../test/support/free-port.ts'
import { DataDirectory } from './data-directory.ts'
import { readSettings, SettingsError } from './settings/settings.ts'
import { type OwnLog, StoreOpening, storeUnopened } from './store-opening.ts'

/** The user of the server cannot create databases, and has one. */
const RULES = ['--user', 'weir', '--password', 'right', '--databases-are-given']
const RIGHT = { CLICKHOUSE_USER: 'weir', CLICKHOUSE_PASSWORD: 'right', CLICKHOUSE_DATABASE: 'default' }

let folder: string
let url: string
let port: number
let configuration: ConfigurationLog
let front: ClickHouseFront | undefined
let openings: StoreOpening[]
let logged: string[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-opening-'))
  port = await lastingPort()
  url = `http://127.0.0.1:${port}`
  const [clock, entropy] = [systemClock(), seededEntropy(1)]
  const topic = await memoryLog({ clock, entropy }).topic(CONFIG_TOPIC, 1)
  configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
  })
})
afterAll(async () => {
  await front?.stop()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  openings = []
  logged = []
})
afterEach(() => Promise.all(openings.map(opening => opening.close())))

const serve = async () => {
  front ??= await startFront(join(folder, 'server'), port, RULES)
}

async function begin(
  given: Readonly<Record<string, string>>,
  log: Partial<OwnLog> = {},
): Promise<StoreOpening> {
  const write = (text: string) => {
    const { msg, reason = '' } = JSON.parse(text) as { msg: string; reason?: string }
    logged.push(`${msg} | ${reason}`)
  }
  const opening = await StoreOpening.begin(
    { logId: 'log', wasFilled: false, ...log },
    {
      settings: readSettings({ CLICKHOUSE_URL: url, ...RIGHT, ...given }),
      directory: undefined,
      clock: systemClock(),
      logger: pino({ level: 'info' }, { write }),
      configuration,
    },
  )
  openings.push(opening)
  return opening
}

test('a start does not wait for a server that is away, or for another program in its place; it opens once it answers', async () => {
  await front?.stop()
  front = undefined
  const page = createServer((request, response) => {
    request.resume()
    response.end(`<html>${'hello '.repeat(100)}</html>`)
  })
  await new Promise<void>(resolve => page.listen(port, '127.0.0.1', resolve))
  onTestFinished(() => void page.close())
  const away = await begin({})
  expect(away.isOpen).toBe(false)
  const sentence = `the ClickHouse server at ${url} (CLICKHOUSE_URL) does not answer properly: lines are accepted in the meantime`
  expect(logged).toEqual([expect.stringContaining(sentence)])
  expect(logged[0]).toContain('| the server at this address is not a ClickHouse server')
  page.closeAllConnections()
  await new Promise(resolve => page.close(resolve))
  const refused = await begin({ CLICKHOUSE_PASSWORD: 'wrong' })
  expect(logged.at(-1)).toContain('ECONNREFUSED')
  const refusal = expect(refused.whenOpen()).rejects.toThrow('refuses the user weir')
  await serve()
  await away.whenOpen()
  await refusal
  expect([away.isOpen, refused.isOpen]).toEqual([true, false])
  expect(await away.store.query({ sql: 'SELECT log_id FROM logs' })).toEqual([{ log_id: 'log' }])
  // The first one repeats its warning only now and then.
  expect(logged.filter(text => text.includes('not a ClickHouse server'))).toHaveLength(1)
  expect(logged.at(-1)).toContain('the ClickHouse server answers: the store is open')
})

test.each<[string, Readonly<Record<string, string>>, Partial<OwnLog>, string]>([
  [
    'a wrong password',
    { CLICKHOUSE_PASSWORD: 'wrong' },
    {},
    '(CLICKHOUSE_URL) refuses the user weir: check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD. It says: Authentication failed',
  ],
  [
    'a missing database that the user cannot create',
    { CLICKHOUSE_DATABASE: 'absent' },
    {},
    'has no database absent, and the user weir is not allowed to create it: create it, or use another (CLICKHOUSE_DATABASE)',
  ],
  ['a store of another log', {}, { logId: 'other' }, 'the store was filled from log log, this is log other'],
])('%s ends the start with a sentence', async (_, given, log, sentence) => {
  await serve()
  await (await begin({})).whenOpen()
  await expect(begin(given, log)).rejects.toThrow(sentence)
})

test('an empty store beside a log whose lines were stored is refused, and is not created', async () => {
  const directory = DataDirectory.open(join(folder, 'data'))
  const ports = {
    settings: readSettings({}),
    directory,
    clock: systemClock(),
    logger: pino({ level: 'silent' }),
    configuration,
  }
  await expect(StoreOpening.begin({ logId: 'log', wasFilled: true }, ports)).rejects.toThrow(
    `${directory.storePath} is missing or empty, but the log in ${directory.logPath} shows that lines were stored there: restore it`,
  )
  expect(existsSync(directory.storePath)).toBe(false)
  directory.close()
})

test('an installation without the embedded store is told to set the address of a server', async () => {
  const missing = 'a-package-that-is-not-installed'
  const cause = await import(missing).catch((error: unknown) => error)
  const refusal = storeUnopened({ storePath: folder }, cause)
  expect(refusal).toBeInstanceOf(SettingsError)
  expect(refusal.message).toMatch(/^CLICKHOUSE_URL must be set, because the embedded store is not part/)
  expect(storeUnopened({ storePath: folder }, new Error('Code: 1')).message).toContain(
    'The engine says: Code: 1',
  )
})
