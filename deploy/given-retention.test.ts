import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { replace } from '../engine/configuration/configuration-log.ts'
import { accounts } from '../engine/configuration/entities.ts'
import { closeInstallation, openInstallation } from './installation.ts'
import { readSettings } from './settings/settings.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-retention-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts, and stops again. @returns retention of the account in days, and the messages about the setting */
async function start(given?: string, changeTo?: number): Promise<{ days: number; said: string[] }> {
  const said: string[] = []
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      said.push(JSON.parse(String(chunk)).msg)
      done()
    },
  })
  const settings = readSettings({
    WEIR_DATA_DIR: folder,
    WEIR_PARTITIONS: '1',
    ...(given !== undefined && { WEIR_RETENTION_DAYS: given }),
  })
  const installation = await openInstallation(settings, pino({ level: 'warn' }, stream))
  try {
    const { configuration, keys } = installation
    const account = configuration.get(accounts, keys.accountId)
    if (account === undefined) throw new Error('no account')
    if (changeTo !== undefined)
      await configuration.append(
        [replace(accounts, account, { ...account.value, retentionDays: changeTo })],
        {
          subjectId: 'test',
          account: keys.accountId,
        },
      )
    return {
      days: account.value.retentionDays,
      said: said.filter(sentence => sentence.includes('WEIR_RETENTION_DAYS')),
    }
  } finally {
    await closeInstallation(installation)
  }
}

test('WEIR_RETENTION_DAYS is the retention of the first account, and later starts report that it has no effect', async () => {
  expect(await start('365')).toEqual({ days: 365, said: [] })
  expect(await start('365')).toEqual({ days: 365, said: [] })
  expect(await start()).toEqual({ days: 365, said: [] })
  const { days, said } = await start('90', 400)
  expect([days, said]).toEqual([
    365,
    [
      expect.stringMatching(
        /^WEIR_RETENTION_DAYS is 90, but applies only to a first start: .* is 365 days\. /,
      ),
    ],
  ])
  expect(said[0]).toContain('"weir retention set 90" changes it')
  expect(await start('400')).toEqual({ days: 400, said: [] })
}, 60_000)

test('without it lines are kept for 30 days', async () => {
  expect(await start()).toEqual({ days: 30, said: [] })
}, 60_000)
