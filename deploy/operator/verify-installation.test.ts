import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { eventually } from '../../test/support/exported-lines.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { closeInstallation, type Installation, openInstallation } from '../installation.ts'
import { readSettings } from '../settings/settings.ts'
import { verifyInstallation } from './verify-installation.ts'

let folder: string
let installation: Installation

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-verified-'))
  const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1' })
  installation = await openInstallation(settings, pino({ level: 'silent' }))
  installation.engine.start()
  await installation.engine.whenTaken()
})
afterEach(async () => {
  await installation.engine.stop()
  await closeInstallation(installation)
  rmSync(folder, { recursive: true })
})

async function send(line: string): Promise<void> {
  const { ingest, keys } = installation
  const value = lineBatchValue([{ lines: [{ line }] }], keys.accountId)
  await ingest.append(0, { value, producer: null, priority: 'ingest' })
}

const verify = () =>
  verifyInstallation(installation, { signal: new AbortController().signal, report: () => {} })

test('a partition that an error has stopped is named until it moves, although the store agrees', async () => {
  const { engine, opening } = installation
  const { store } = opening
  const insert = store.insert.bind(store)
  store.insert = () => Promise.reject(new Error('the rows stay outside'))
  await send('first')
  await eventually(
    async () => engine.status.troubles,
    troubles => troubles.size > 0,
  )
  expect(await verify()).toMatchObject({
    mismatch: null,
    damaged: [],
    partitions: [{ lines: 0 }],
    stopped: [{ partition: 0, sentence: 'the rows stay outside' }],
  })
  store.insert = insert
  await eventually(
    async () => engine.status.troubles,
    troubles => troubles.size === 0,
  )
  const report = await eventually(
    verify,
    ({ partitions: [first] }) => first?.lines === 1 && first.unstoredRecords === 0,
  )
  expect(report).toMatchObject({ mismatch: null, partitions: [{ lines: 1, unstoredRecords: 0 }] })
  expect(report).not.toHaveProperty('stopped')
})
