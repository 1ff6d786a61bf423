import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { startFront } from '../support/clickhouse-server.ts'
import { runHere } from '../support/command-world.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { runWeir, startProgram } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LINES_PER_BATCH = 50
/** Pause of a sender between two batches: a load that lasts as long as a test needs, without a hundred thousand lines. */
const PAUSE_MS = 50

let folder: string
/** The program that most tests share, and the number of batches sent to it. */
let source: RunningWeir
let sent = 0
/** The program of the test. */
let weir: RunningWeir
/** Programs of one test. */
const own: RunningWeir[] = []

beforeAll(async () => {
  source = await RunningWeir.start()
})
afterAll(() => source.dispose())

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-backup-'))
  weir = source
})

afterEach(async () => {
  for (const program of own.splice(0)) await program.dispose()
  rmSync(folder, { recursive: true, force: true })
})

async function startOwn(settings: Readonly<Record<string, string>> = {}): Promise<void> {
  weir = await RunningWeir.start(settings)
  own.push(weir)
}

/** The program on a folder that was restored, not yet started. */
function prepareRestored(directory: string): RunningWeir {
  const restored = RunningWeir.prepare({}, directory)
  own.push(restored)
  return restored
}

function batch(number: number): string[] {
  return Array.from(
    { length: LINES_PER_BATCH },
    (_, line) => `batch ${number} line ${line} ${'ü'.repeat(line)}`,
  )
}

/** Sends a batch under a key of its own: however often it is sent, it is stored once. */
async function send(to: RunningWeir, number: number): Promise<number> {
  const { ingestUrl, ingestionKey } = to.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-${number % 7}`, {
    method: 'POST',
    headers: {
      apikey: ingestionKey,
      'content-type': 'application/json',
      'idempotency-key': `batch-${number}`,
    },
    body: JSON.stringify({ lines: batch(number).map(line => ({ line })) }),
  })
  return response.status
}

async function sendAll(to: RunningWeir, batches: number): Promise<void> {
  for (let number = 0; number < batches; number++) expect(await send(to, number)).toBe(200)
  await expectStored(to, batches)
}

/** Sends further batches to the shared program. */
async function sendMore(batches: number): Promise<void> {
  for (const end = sent + batches; sent < end; sent++) expect(await send(source, sent)).toBe(200)
  await expectStored(source, sent)
}

async function expectStored(to: RunningWeir, batches: number): Promise<void> {
  expect(
    await eventually(
      () => countedLines(to),
      count => count >= batches * LINES_PER_BATCH,
    ),
  ).toBe(batches * LINES_PER_BATCH)
}

/** Verifies by the running server; with `runWeir`, by a process that opens the data folder itself. */
async function verified(env: Readonly<Record<string, string>>, run = runHere) {
  const { code, out, err } = await run(['verify', '--json'], env)
  expect(err).toBe('')
  return { code, ...(JSON.parse(out) as VerificationReport & { lines: number }) }
}

const environmentOf = (directory: string) => ({ ...weir.environment, WEIR_DATA_DIR: directory })

/** Changes a store that is not open by SQL, without Weir. */
async function byHand(directory: string, sql: string): Promise<void> {
  const connection = await openEmbeddedConnection({ path: join(directory, 'store'), searches: 1 })
  await connection.command(sql)
  await connection.close()
}

test('a backup under load is restored, verified, and goes on: every line is there exactly once', async () => {
  let isSending = true
  const sending = Promise.all(
    [0, 1, 2].map(async () => {
      while (isSending) {
        expect(await send(weir, sent++)).toBe(200)
        await delay(PAUSE_MS)
      }
    }),
  )
  await eventually(
    () => countedLines(weir),
    count => count > 0,
  )
  const backup = join(folder, 'new', 'backup')
  const made = await runWeir(['backup', backup, '--json'], weir.environment)
  const sentWithin = sent
  await eventually(
    async () => sent,
    count => count > sentWithin + 10,
  )
  isSending = false
  await sending
  expect(made).toMatchObject({ code: 0, err: '' })
  expect(JSON.parse(made.out)).toMatchObject({ directory: backup, hasSecretKey: true })
  expect(statSync(backup).mode & 0o777).toBe(0o700)
  // The links that held the files are removed.
  expect(existsSync(join(weir.directory, 'held'))).toBe(false)
  expect(readdirSync(join(weir.directory, 'store', 'shadow'))).not.toContain('weir_copy')

  const target = join(folder, 'data')
  const restoring = await runHere(['restore', backup], environmentOf(target))
  expect(restoring.err).toBe('')
  expect(restoring.out).toMatch(/^Restored the backup of .* to /)
  const beforeStart = await verified(environmentOf(target), runWeir)
  expect(beforeStart).toMatchObject({ code: 0, mismatch: null })
  expect(beforeStart.lines).toBeGreaterThan(0)

  const restored = prepareRestored(target)
  await restored.start()
  const kept = await eventually(
    () => countedLines(restored),
    count => count >= beforeStart.lines,
  )
  expect(kept).toBeLessThan(sent * LINES_PER_BATCH)
  await sendAll(restored, sent)
  const lines = (await exportedLines(restored)).map(line => line._line)
  const expected = Array.from({ length: sent }, (_, number) => batch(number)).flat()
  expect(lines.toSorted()).toEqual(expected.toSorted())
  expect(await verified(restored.environment)).toMatchObject({ code: 0, lines: expected.length })
})

test('verify and backup name a lost folder of the log, and neither they nor a start make another', async () => {
  await startOwn()
  await sendAll(weir, 1)
  await weir.end('SIGTERM')
  const ingest = join(weir.directory, 'log', 'weir.ingest')
  renameSync(ingest, join(folder, 'moved'))
  const sentence = `${ingest} is missing, and so is the log that was there: move it back to its place, or restore a backup`
  for (const args of [['verify'], ['backup', join(folder, 'backup')]]) {
    const { code, out, err } = await runWeir(args, weir.environment)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(`weir: ${sentence}`)
  }
  await expect(weir.start()).rejects.toThrow(sentence)
  expect(existsSync(ingest)).toBe(false)
  renameSync(join(folder, 'moved'), ingest)
  expect(await verified(weir.environment, runWeir)).toMatchObject({ code: 0, lines: LINES_PER_BATCH })
})

describe('a restore refuses, with a sentence and nothing changed,', () => {
  let backup: string

  beforeAll(async () => {
    await sendMore(3)
    backup = join(mkdtempSync(join(tmpdir(), 'weir-backup-')), 'backup')
    expect(await runHere(['backup', backup], source.environment)).toMatchObject({ code: 0, err: '' })
  })
  afterAll(() => rmSync(dirname(backup), { recursive: true, force: true }))

  test('what is damaged, of another moment, of a newer program, or no backup; and a folder in use', async () => {
    const target = join(folder, 'data')
    const refused = async (from: string, to = target) => {
      const { code, out, err } = await runHere(['restore', from], environmentOf(to))
      expect([code, out]).toEqual([2, ''])
      return err
    }
    const damaged = (name: string, damage: (copy: string) => void) => {
      const copy = join(folder, name)
      cpSync(backup, copy, { recursive: true })
      damage(copy)
      return copy
    }
    const segment = 'log/weir.config/0/00000000000000000000.segment'
    const flipped = damaged('flipped', copy => {
      const bytes = readFileSync(join(copy, segment))
      bytes[100] = (bytes[100] as number) ^ 1
      writeFileSync(join(copy, segment), bytes)
    })
    expect(await refused(flipped)).toBe(
      `weir: The backup ${flipped} is damaged (${segment} has another content): nothing was restored. Restore from another backup.\n`,
    )
    const cut = damaged('cut', copy => writeFileSync(join(copy, segment), ''))
    expect(await refused(cut)).toContain(`${segment} has 0 bytes instead of `)
    const missing = damaged('missing', copy => rmSync(join(copy, 'secret.key')))
    expect(await refused(missing)).toContain('secret.key is missing')
    const half = damaged('half', copy => rmSync(join(copy, 'backup.json')))
    expect(await refused(half)).toContain('is not a complete backup: it has no backup.json')
    const manifest = readFileSync(join(backup, 'backup.json'), 'utf8')
    const newer = damaged('newer', copy =>
      writeFileSync(join(copy, 'backup.json'), manifest.replace('"format":1', '"format":2')),
    )
    expect(await refused(newer)).toContain('restore with the newer program')
    const unreadable = damaged('unreadable', copy =>
      writeFileSync(join(copy, 'backup.json'), manifest.slice(0, -9)),
    )
    expect(await refused(unreadable)).toContain('backup.json is damaged')
    const outside = damaged('outside', copy =>
      writeFileSync(join(copy, 'backup.json'), manifest.replace('"secret.key"', '"../secret.key"')),
    )
    expect(await refused(outside)).toContain('is outside of the backup')
    expect(existsSync(target) ? readdirSync(target) : []).toEqual([])

    expect(await refused(backup, weir.directory)).toMatch(/is in use by process \d+ since .*: stop it first/)
    const other = join(folder, 'other')
    mkdirSync(other)
    writeFileSync(join(other, 'notes.txt'), 'mine')
    expect(await refused(backup, other)).toContain('is not empty (it has notes.txt)')
    expect(readdirSync(other)).toEqual(['notes.txt'])
    expect(await runHere(['restore', backup], environmentOf(target))).toMatchObject({ code: 0 })
    expect(await refused(backup)).toContain('is not empty')
  }, 60_000)

  test('and a start refuses a folder that a killed restore has left half full', async () => {
    const target = join(folder, 'data')
    const half = join(folder, 'half')
    cpSync(backup, half, { recursive: true })
    // A pipe is a file that is never read to its end: the restore stands still there.
    rmSync(join(half, 'credentials.json'))
    spawnSync('mkfifo', [join(half, 'credentials.json')])
    const manifest = JSON.parse(readFileSync(join(half, 'backup.json'), 'utf8'))
    const files = manifest.files.map((file: { path: string }) =>
      file.path === 'credentials.json' ? { ...file, bytes: 0 } : file,
    )
    writeFileSync(join(half, 'backup.json'), JSON.stringify({ ...manifest, files }))
    const restoring = startProgram(['restore', half], environmentOf(target))
    await eventually(
      async () => existsSync(join(target, 'restoring.json')),
      isThere => isThere,
    )
    restoring.process.kill('SIGKILL')
    await restoring.ended
    await expect(prepareRestored(target).start()).rejects.toThrow(
      /is partly restored: empty it and run "weir restore" again/,
    )
    const again = await runHere(['restore', backup], environmentOf(target))
    expect(again.err).toContain('is partly restored: empty it and run "weir restore" again')
    rmSync(target, { recursive: true })
    expect((await runHere(['restore', backup], environmentOf(target))).code).toBe(0)
  })
})

test('kill -9 in the middle of a backup leaves a folder that neither restore nor backup takes, and nothing in the data folder', async () => {
  await sendMore(3)
  const backup = join(folder, 'backup')
  // A pipe is a file that is never read to its end: the backup stands still there.
  const pipe = join(weir.directory, 'ship-positions.json')
  spawnSync('mkfifo', [pipe])
  const backingUp = startProgram(['backup', backup], weir.environment)
  const logOf = (directory: string) => join(directory, 'log', 'weir.ingest', '0')
  await eventually(
    async () => existsSync(logOf(backup)),
    isThere => isThere,
  )
  const another = await runHere(['verify'], weir.environment)
  expect(another).toMatchObject({
    code: 2,
    err: 'weir: Another operator command is running: wait for its end.\n',
  })
  expect(existsSync(join(weir.directory, 'held'))).toBe(true)
  await weir.end('SIGKILL')
  const ended = await backingUp.ended
  expect([ended.code, ended.err]).toEqual([2, expect.stringContaining('The server stopped in the meantime')])
  const restoring = await runHere(['restore', backup], environmentOf(join(folder, 'data')))
  expect([restoring.code, restoring.err]).toEqual([2, expect.stringContaining('is not a complete backup')])
  rmSync(pipe)
  await weir.start()
  expect(existsSync(join(weir.directory, 'held'))).toBe(false)
  expect(readdirSync(join(weir.directory, 'store', 'shadow'))).not.toContain('weir_copy')
  const refused = await runHere(['backup', backup], weir.environment)
  expect([refused.code, refused.err]).toEqual([
    2,
    `weir: ${backup} is not empty: use a new or empty folder.\n`,
  ])
  const inside = await runHere(['backup', join(weir.directory, 'backup')], weir.environment)
  expect(inside.err).toContain('is inside the data folder')
  const nowhere = await runHere(['backup', '/proc/none/backup'], weir.environment)
  expect([nowhere.code, nowhere.err]).toEqual([
    2,
    expect.stringMatching(
      /^weir: \/proc\/none\/backup cannot be created \(ENOENT.*\): use a folder elsewhere/,
    ),
  ])
})

test('with a ClickHouse server verify asks it, and backup says what to do instead', async () => {
  const front = await startFront(join(folder, 'store'))
  await startOwn({ CLICKHOUSE_URL: front.url })
  await sendAll(weir, 4)
  expect(await verified(weir.environment)).toMatchObject({
    code: 0,
    lines: 4 * LINES_PER_BATCH,
    mismatch: null,
  })
  const connection = serverConnection({ url: front.url })
  await connection.command(
    "ALTER TABLE slotted_lines DELETE WHERE whole_line LIKE 'batch 2 line 9 %' SETTINGS mutations_sync = 2",
  )
  await connection.close()
  const found = await verified(weir.environment)
  expect(found).toMatchObject({ code: 1, mismatch: { kind: 'rows', table: 'slotted_lines' } })
  const refused = await runHere(['backup', join(folder, 'backup')], weir.environment)
  expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('BACKUP DATABASE')])
  expect(existsSync(join(folder, 'backup'))).toBe(false)
  await weir.end('SIGTERM')
  await front.stop()
})

/** It comes last: its store no longer equals the log. */
test('verify says OK while lines come in, and finds one changed row, with the program stopped and at work', async () => {
  const before = sent
  let isSending = true
  const sending = (async () => {
    while (isSending) {
      expect(await send(weir, sent++)).toBe(200)
      await delay(PAUSE_MS)
    }
  })()
  await eventually(
    () => countedLines(weir),
    count => count > before * LINES_PER_BATCH,
  )
  const during = await verified(weir.environment)
  isSending = false
  await sending
  expect(during).toMatchObject({ code: 0, mismatch: null })
  expect(during.lines).toBeGreaterThan(0)
  await eventually(
    () => countedLines(weir),
    count => count === sent * LINES_PER_BATCH,
  )
  expect(await verified(weir.environment)).toMatchObject({ code: 0, lines: sent * LINES_PER_BATCH })

  await weir.end('SIGTERM')
  await byHand(
    weir.directory,
    `ALTER TABLE slotted_lines UPDATE whole_line = concat(whole_line, '.') WHERE whole_line LIKE 'batch ${before} line 7 %' SETTINGS mutations_sync = 2`,
  )
  const stopped = await runWeir(['verify'], weir.environment)
  expect(stopped.code).toBe(1)
  expect(stopped.out).toMatch(
    /^MISMATCH: rows of slotted_lines differ from the log \(partition \d, offset \d+, hour of .* UTC\)/m,
  )
  expect(stopped.out).toContain('Columns that differ: whole_line\n')
  await weir.start()
  const found = await verified(weir.environment)
  expect(found).toMatchObject({
    code: 1,
    mismatch: { kind: 'rows', table: 'slotted_lines', columns: ['whole_line'] },
  })
  expect(found.mismatch?.expected.rows).toBe(found.mismatch?.found.rows)
})
