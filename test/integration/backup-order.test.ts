import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { closeInstallation, type Installation, openInstallation } from '../../deploy/installation.ts'
import { backUp } from '../../deploy/operator/backup-installation.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { lineBatchValue } from '../support/line-batches.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

let folder: string
let installation: Installation
let restored: RunningWeir | undefined

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-order-'))
  const settings = readSettings({ WEIR_DATA_DIR: join(folder, 'data'), WEIR_PARTITIONS: '1' })
  installation = await openInstallation(settings, pino({ level: 'silent' }))
  installation.engine.start()
  await installation.engine.whenTaken()
})

afterEach(async () => {
  await installation.engine.stop()
  await closeInstallation(installation)
  await restored?.dispose()
  restored = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function append(lines: number): Promise<void> {
  const { ingest, keys } = installation
  const value = lineBatchValue(
    [{ lines: Array.from({ length: lines }, (_, line) => ({ line: `line ${line}` })) }],
    keys.accountId,
  )
  const partition = partitionOfAccount(keys.accountId, ingest.partitions)
  await ingest.append(partition, { value, producer: null, priority: 'ingest' })
}

async function storedLines(): Promise<number> {
  const [row] = await installation.opening.connection.read<{ lines: string }>(
    'SELECT count() AS lines FROM slotted_lines',
  )
  return Number(row?.lines)
}

/** Appends lines and waits until the store has them all. */
async function store(lines: number): Promise<void> {
  const expected = (await storedLines()) + lines
  await append(lines)
  expect(await eventually(storedLines, count => count >= expected)).toBe(expected)
}

/** Does something just before and just after the lines are held by the store. */
function around(before: () => Promise<void>, after: () => Promise<void>): void {
  const { connection } = installation.opening
  const command = connection.command.bind(connection)
  connection.command = async sql => {
    const isHeld = sql.startsWith('ALTER TABLE slotted_lines FREEZE')
    if (isHeld) await before()
    await command(sql)
    if (isHeld) await after()
  }
}

test('lines and a checkpoint that arrive between the steps of a backup are neither lost nor doubled by it', async () => {
  await store(5)
  around(
    () => store(7),
    async () => {
      await store(11)
      // A graceful end writes a checkpoint that says that all of them are stored.
      await installation.engine.stop()
    },
  )
  const backup = join(folder, 'backup')
  await backUp(installation, backup, { signal: new AbortController().signal, report: () => {} })

  restored = RunningWeir.prepare({ WEIR_PARTITIONS: '1' }, join(folder, 'restored'))
  const { environment } = restored
  expect(await runHere(['restore', backup], environment)).toMatchObject({ code: 0 })
  const verified = await runWeir(['verify', '--json'], environment)
  expect([verified.code, JSON.parse(verified.out).lines]).toEqual([0, 12])
  await restored.start()
  const counted = await eventually(
    () => countedLines(restored as RunningWeir),
    count => count >= 23,
  )
  expect(counted).toBe(23)
  expect(await runHere(['verify'], environment)).toMatchObject({ code: 0 })
}, 60_000)
