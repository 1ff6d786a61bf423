import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { readSettings } from './settings/settings.ts'

let folder: string

function start(given: Readonly<Record<string, string>> = {}): Promise<Installation> {
  const settings = readSettings({ WEIR_DATA_DIR: folder, WEIR_PARTITIONS: '1', ...given })
  return openInstallation(settings, pino({ level: 'silent' }))
}

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
  })
})
