import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { bootstrap } from '../../engine/configuration/bootstrap.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { accessTokens, secretHash } from '../../engine/configuration/entities.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import type { Credentials } from '../data-directory.ts'
import { readSettings, SettingsError } from '../settings/settings.ts'
import { foundAccount } from './found-account.ts'

const ADDRESSES = { apiUrl: 'http://127.0.0.1:1', ingestUrl: 'http://127.0.0.1:2' }

let folder: string
let file: string
let printed: string[]
const { isTTY } = process.stdout
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-founding-'))
  file = join(folder, 'data', 'credentials.json')
  printed = []
  process.stdout.isTTY = false
  vi.spyOn(console, 'log').mockImplementation(text => void printed.push(text))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.stdout.isTTY = isTTY
  rmSync(folder, { recursive: true })
})

/** A log without a founded account. */
async function newPorts(environment: Record<string, string> = {}) {
  const [clock, entropy] = [manualClock(), seededEntropy(1)]
  const topic = await memoryLog({ clock, entropy }).topic(CONFIG_TOPIC, 1)
  const secretKey = Buffer.alloc(32, 1)
  const configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey,
    logger: silentLogger,
  })
  const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), ...environment })
  return { configuration, clock, entropy, settings }
}
type Ports = Awaited<ReturnType<typeof newPorts>>

const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Credentials
const isKnown = ({ configuration }: Ports, { accountId, accessToken }: Credentials) =>
  configuration.list(accessTokens, accountId).some(({ value }) => value.hash === secretHash(accessToken))
const secretsOf = ({ accessToken, enterpriseAccessToken, ingestionKey, serviceKey }: Credentials) => [
  accessToken,
  enterpriseAccessToken,
  ingestionKey,
  serviceKey,
]

test('without a terminal, the credentials of a cluster are written to the data folder and not printed', async () => {
  const token = `sts_${'a'.repeat(40)}`
  const ports = await newPorts({ WEIR_BOOTSTRAP_ACCESS_TOKEN: token })
  await foundAccount(ports, ADDRESSES)
  const credentials = kept()
  expect(credentials).toMatchObject({ ...ADDRESSES, accessToken: token })
  expect(credentials.isNew).toBeUndefined()
  expect(isKnown(ports, credentials)).toBe(true)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(printed.join()).toContain(`${file}.`)
  expect(printed.join()).toContain('weir credentials')
  for (const secret of secretsOf(credentials)) expect(printed.join()).not.toContain(secret)
  printed = []
  await foundAccount(ports, ADDRESSES)
  expect([kept(), printed]).toEqual([credentials, []])
})

test('at a terminal they are printed and not stored', async () => {
  process.stdout.isTTY = true
  await foundAccount(await newPorts(), ADDRESSES)
  expect(printed.join()).toMatch(/access token +sts_[0-9a-f]{40}/)
  expect(existsSync(file)).toBe(false)
})

test('after a kill before the log has them, the next start uses them again', async () => {
  const first = await newPorts()
  vi.spyOn(first.configuration, 'append').mockRejectedValue(new Error('killed'))
  await expect(foundAccount(first, ADDRESSES)).rejects.toThrow('killed')
  const attempt = kept()
  const second = await newPorts()
  await foundAccount(second, ADDRESSES)
  const { isNew: _, ...credentials } = attempt
  expect(kept()).toEqual(credentials)
  expect(isKnown(second, credentials)).toBe(true)
})

test('after a kill once the log has them, the next start finishes', async () => {
  const ports = await newPorts()
  await foundAccount(ports, ADDRESSES)
  const credentials = kept()
  writeFileSync(file, JSON.stringify({ ...credentials, isNew: true }))
  printed = []
  await foundAccount(ports, ADDRESSES)
  expect(kept()).toEqual(credentials)
  expect(printed.join()).toContain('weir credentials')
})

test('credentials that did not become the installation are not left behind', async () => {
  const ports = await newPorts()
  // Another process is first, between the read of the log and the own attempt.
  const { append } = ports.configuration
  vi.spyOn(ports.configuration, 'append').mockImplementationOnce(async (...given) => {
    await bootstrap(ports.configuration, { ...ports, entropy: seededEntropy(2) })
    return append.apply(ports.configuration, given)
  })
  await foundAccount(ports, ADDRESSES)
  expect([existsSync(file), printed]).toEqual([false, []])
})

test('if they cannot be stored, no account is created, and a sentence contains the remedy', async () => {
  const refusals: string[] = []
  mkdirSync(join(folder, 'data'))
  writeFileSync(file, '{"accessToken":"of another installation"}')
  writeFileSync(join(folder, 'file'), '')
  for (const directory of [join(folder, 'data'), join(folder, 'file')]) {
    const ports = await newPorts({ WEIR_DATA_DIR: directory })
    const error: unknown = await foundAccount(ports, ADDRESSES).catch((cause: unknown) => cause)
    expect(error).toBeInstanceOf(SettingsError)
    refusals.push((error as Error).message)
    expect(ports.configuration.nextOffset).toBe(0n)
  }
  expect(refusals[0]).toContain(`${file} has the credentials of another installation: set WEIR_DATA_DIR`)
  expect(refusals[1]).toContain('cannot be written (')
  expect(readFileSync(file, 'utf8')).toBe('{"accessToken":"of another installation"}')
})
