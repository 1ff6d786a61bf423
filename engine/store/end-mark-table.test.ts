import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { freePort } from '../../test/support/free-port.ts'
import { type EndMark, type MarkKeeper, MarkUnreadableError } from '../configuration/end-mark.ts'
import { Seal } from '../configuration/seal.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { openClickHouseStore } from './clickhouse-store.ts'
import type { StoreConnection } from './connection.ts'
import { openEmbeddedConnection } from './embedded-connection.ts'
import { endMarkTable, type MarkWaiver } from './end-mark-table.ts'
import { serverConnection } from './server-connection.ts'

const SEAL = new Seal(Buffer.alloc(32, 1), seededEntropy(1))
const DIGEST = 'ab'.repeat(32)
const LOST = 'the store has lost its mark of the end of the configuration'

let folder: string
let connection: StoreConnection

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'weir-end-marks-'))
  connection = await openEmbeddedConnection({ path: folder })
  await openClickHouseStore(connection).open('log')
})
afterAll(async () => {
  await connection.close()
  rmSync(folder, { recursive: true })
})

/** A store as it is before its first mark. */
beforeEach(async () => {
  await loseMarks()
  await connection.command('ALTER TABLE migrations DELETE WHERE number = 0 SETTINGS mutations_sync = 2')
})

function table(waiver?: MarkWaiver, seal = SEAL) {
  return endMarkTable({ connection, seal, isOpen: () => true, ...(waiver && { waiver }) })
}

function mark(next: bigint, losses = 0): EndMark {
  return { logId: 'log', losses, next, version: 3, digest: DIGEST }
}

/** Removes all marks, as a damaged disk or an older copy of one table can. */
async function loseMarks(): Promise<void> {
  await connection.command('TRUNCATE TABLE end_marks')
}

/** Reads a mark that must be refused for good. @returns the refusal */
async function refusalOf(keeper: MarkKeeper): Promise<MarkUnreadableError> {
  const outcome = await keeper.read().catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(MarkUnreadableError)
  return outcome as MarkUnreadableError
}

test('the mark that covers most is read, and an older one has no effect', async () => {
  expect(await table().read()).toBeUndefined()
  for (const written of [mark(7n), mark(5n), mark(2n, 1), mark(9n)]) await table().write(written)
  expect(await table().read()).toEqual(mark(2n, 1))
})

test('revoked tokens worked again after the store had lost its mark: it is refused with the remedy', async () => {
  await table().write(mark(7n))
  await loseMarks()
  const refusal = await refusalOf(table())
  expect(refusal.message).toContain(`${LOST}: its table end_marks is empty, and it was not.`)
  const [, remedy = ''] = /run "(.+)" on its database/.exec(refusal.message) ?? []
  await connection.command(`${remedy} SETTINGS mutations_sync = 2`)
  expect(await table().read()).toBeUndefined()
})

test('the permission of an operator counts until the store has a mark again', async () => {
  let isGiven = false
  const waiver: MarkWaiver = {
    remedy: 'say so',
    isGiven: () => isGiven,
    use: () => {
      isGiven = false
    },
  }
  await table(waiver).write(mark(7n))
  await loseMarks()
  await expect(table(waiver).read()).rejects.toThrow(/the log is known to be complete: say so, then start/)
  isGiven = true
  expect(await table(waiver).read()).toBeUndefined()
  await table(waiver).write(mark(8n))
  expect(isGiven).toBe(false)
  await loseMarks()
  await expect(table(waiver).read()).rejects.toThrow(LOST)
})

test('a mark that another key has signed is refused', async () => {
  await table().write(mark(7n))
  const other = new Seal(Buffer.alloc(32, 2), seededEntropy(1))
  await expect(table(undefined, other).read()).rejects.toThrow(
    'that the secret key of this installation has not signed',
  )
})

test('a damaged mark is refused with the name of its part, because it does not get better by waiting', async () => {
  await table().write(mark(7n))
  const parts = realpathSync(join(folder, 'data', 'weir', 'end_marks'))
  // Parts that this one replaced are still on the disk.
  const active = "SELECT name FROM system.parts WHERE active AND table = 'end_marks'"
  const [{ name: part = '' } = {}] = await connection.read<{ name: string }>(active)
  const file = join(parts, part, 'data.bin')
  writeFileSync(
    file,
    readFileSync(file).map(byte => byte ^ 0x10),
  )
  expect((await refusalOf(table())).message).toMatch(
    new RegExp(
      `^the store cannot read its mark .* revoked tokens could work again: Part ${part} of the table end_marks`,
    ),
  )
})

test('an unavailable store is asked again later, and is not taken for a damaged one', async () => {
  const isLater = { code: 'UNAVAILABLE', retriable: true }
  const closed = endMarkTable({ connection, seal: SEAL, isOpen: () => false })
  for (const attempt of [closed.read(), closed.write(mark(7n))])
    await expect(attempt).rejects.toMatchObject(isLater)
  const unreachable = serverConnection({ url: `http://127.0.0.1:${await freePort()}` })
  const away = endMarkTable({ connection: unreachable, seal: SEAL, isOpen: () => true })
  for (const attempt of [away.read(), away.write(mark(7n))])
    await expect(attempt).rejects.toMatchObject(isLater)
  await unreachable.close()
})

test('a store that was never opened has no mark', async () => {
  await connection.command('DROP TABLE end_marks SYNC')
  await connection.command('DROP TABLE migrations SYNC')
  expect(await table().read()).toBeUndefined()
})
