import { existsSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { blockFolders } from '../../engine/store/block-file.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import type { StoreError } from '../../engine/store/store.ts'
import { type Child, startChild } from '../support/child.ts'
import { blockOf } from '../support/line-blocks.ts'
import { IS_LONG } from '../support/long-form.ts'
import { sampleLines } from '../support/sample-lines.ts'
import { hasStrace } from '../support/strace.ts'

const SUPPORT = join(import.meta.dirname, '../support')
/** Kills of one store. */
const ROUNDS = IS_LONG ? 6 : 3
const DAY = Date.UTC(2026, 0, 2)
const LINES = { topic: 'weir.ingest', partition: 3, table: 'slotted_lines' } as const
const HAS_STRACE = hasStrace('kills at the very instant of publishing a part')

let folder = ''
let children: Child[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-kill-'))
})
afterEach(async () => {
  await Promise.all(children.map(child => child.kill()))
  children = []
  // A killed engine leaves its last block in RAM; the next start would clear it, and here there is none.
  const path = join(folder, 'store')
  if (existsSync(path))
    for (const blocks of blockFolders(path, 'weir')) rmSync(blocks, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
})

function start(args: readonly string[], program?: string): Child {
  const child = startChild(args, program)
  children.push(child)
  return child
}

const startWorker = (where: string, attempt: number, batches: number, rows: number, ...more: string[]) =>
  start([join(SUPPORT, 'store-child.ts'), where, String(attempt), String(batches), String(rows), ...more])

interface Report {
  readonly perBatch: { offset: string; lines: string; rows: string; highest: number }[]
  readonly counted: { bytes: string; lines: string; filtered: number }
  readonly usage: { bytes: number; lines: number }[]
}

/** Every batch is there once and whole, with its filters, and usage counts just the rows that are there. */
async function expectEachBatchOnce(worker: Child, batches: number, rows: number): Promise<void> {
  const line = await worker.line(/^report /)
  const report = JSON.parse(line?.slice('report '.length) ?? 'null') as Report
  expect(report.perBatch).toEqual(
    Array.from({ length: batches }, (_, offset) => ({
      offset: String(offset),
      lines: String(rows),
      rows: String(rows),
      highest: rows - 1,
    })),
  )
  expect(report.counted.filtered).toBe(batches * rows)
  expect(report.usage.reduce((sum, { lines }) => sum + lines, 0)).toBe(batches * rows)
  expect(report.usage.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(Number(report.counted.bytes))
  expect(await worker.ended()).toBe(0)
}

describe('a worker killed while it inserts into the embedded engine', () => {
  test('at any moment: the next worker continues behind the last whole batch', async () => {
    const batches = 30
    const rows = 3000
    const path = join(folder, 'store')
    for (let round = 0; round < ROUNDS; round++) {
      const worker = startWorker(path, round, batches, rows)
      await worker.line(new RegExp(`^storing ${round * 3 + 2}$`))
      await delay((round * 24) / ROUNDS)
      await worker.kill()
    }
    await expectEachBatchOnce(startWorker(path, ROUNDS, batches, rows), batches, rows)
  })

  /** Has the next rename of a file, which publishes the part that a batch gives to a table, done to as the injection says. */
  async function storeTraced(
    path: string,
    table: 'slotted_lines' | 'word_filters',
    injection: string,
  ): Promise<{ worker: Child; tracer: Child }> {
    const worker = startWorker(path, 0, 2, 2000, table)
    await worker.line(/^ready$/)
    const calls = 'rename,renameat,renameat2'
    const trace = ['-e', `trace=${calls}`, '-e', `inject=${calls}:${injection}`]
    const tracer = start(['-f', '-p', String(worker.process.pid), ...trace], 'strace')
    expect(await tracer.line(/attached/), 'strace may not attach here').not.toBeNull()
    worker.process.kill('SIGUSR2')
    return { worker, tracer }
  }

  async function expectNextToSettleAt(settled: string, path: string): Promise<void> {
    const next = startWorker(path, 1, 2, 2000)
    expect(await next.line(/^settled /)).toBe(`settled ${settled}`)
    await expectEachBatchOnce(next, 2, 2000)
  }

  test.skipIf(!HAS_STRACE).each(['word_filters', 'slotted_lines'] as const)(
    'just before its part of %s becomes visible: the batch is stored again',
    async table => {
      const path = join(folder, 'store')
      const { worker, tracer } = await storeTraced(path, table, 'error=EIO:signal=SIGKILL:when=1')
      expect(await worker.ended()).toBe('SIGKILL')
      await tracer.ended()
      await expectNextToSettleAt('null', path)
    },
  )

  test.skipIf(!HAS_STRACE)('just after its part becomes visible: the batch is not stored again', async () => {
    const path = join(folder, 'store')
    // The call has done its work, but its caller does not learn of it for a minute.
    const { worker, tracer } = await storeTraced(path, 'slotted_lines', 'delay_exit=60000000:when=1')
    while (globSync(join(path, 'store/*/*/20260102_*')).length < 2) await delay(5)
    // The worker is dead from here on, but the system reports its end only when the tracer allows it.
    worker.process.kill('SIGKILL')
    await tracer.kill()
    expect(await worker.ended()).toBe('SIGKILL')
    expect(await worker.line(/^stored/)).toBeNull()
    await expectNextToSettleAt('0/1999', path)
  })
})

describe('an insert over HTTP whose outcome is unknown', () => {
  const rows = 60_000
  const lines = sampleLines({ seed: 1, count: rows, startMs: DAY, stepMs: 0 })
  const epoch = (attempt: number) => ({ offset: 1n, attempt })
  const insert = { ...LINES, rows }

  async function startFront(): Promise<{ front: Child; url: string }> {
    const front = start([join(SUPPORT, 'clickhouse-http-front.ts'), join(folder, 'store')])
    const port = (await front.line(/^port \d+$/))?.slice('port '.length)
    return { front, url: `http://127.0.0.1:${port}` }
  }

  async function openStore(url: string, attempt: number, insertTimeoutMs?: number) {
    const timeout = insertTimeoutMs === undefined ? {} : { insertTimeoutMs }
    const store = openClickHouseStore(serverConnection({ url, ...timeout }))
    await store.open('log-of-the-kill-tests')
    await store.claim({ ...LINES, epoch: epoch(attempt) })
    return store
  }

  /** Next steps of a worker: it settles, and stores the batch unless it is present. */
  async function settleAndStore(url: string): Promise<void> {
    const store = await openStore(url, 1)
    const settled = await store.settle(LINES, { offset: 0n, row: 0, timeMs: DAY })
    if (settled === null)
      await store.insert({ ...insert, block: blockOf(7n, lines, LINES.table), epoch: epoch(1) })
    else expect(settled).toEqual({ offset: 7n, row: rows - 1 })
    const counts = await store.query({
      sql: `SELECT count() AS lines, count(DISTINCT row) AS rows FROM ${LINES.table} WHERE offset = 7`,
    })
    expect(counts).toEqual([{ lines: String(rows), rows: String(rows) }])
    await store.close()
  }

  test.each(IS_LONG ? [0, 40, 120] : [40])(
    'because the engine was killed %i ms after the send: its lines are stored once',
    async ms => {
      const { front, url } = await startFront()
      const store = await openStore(url, 0)
      const outcome = store
        .insert({ ...insert, block: blockOf(7n, lines, LINES.table), epoch: epoch(0) })
        .then(
          () => 'stored',
          (error: StoreError) => error.code,
        )
      await delay(ms)
      await front.kill()
      expect(['stored', 'OUTCOME_UNKNOWN']).toContain(await outcome)
      await store.close()
      await settleAndStore((await startFront()).url)
    },
  )

  test('because the answer took too long: its lines are stored once', async () => {
    const { url } = await startFront()
    const impatient = await openStore(url, 0, 10)
    const inserting = impatient.insert({ ...insert, block: blockOf(7n, lines, LINES.table), epoch: epoch(0) })
    await expect(inserting).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retriable: true })
    await settleAndStore(url)
    await impatient.close()
  })

  test('an unavailable engine gives a known outcome, because nothing was sent', async () => {
    const { front, url } = await startFront()
    const store = await openStore(url, 0)
    await front.kill()
    const inserting = store.insert({ ...insert, block: blockOf(7n, lines, LINES.table), epoch: epoch(0) })
    await expect(inserting).rejects.toMatchObject({ code: 'UNAVAILABLE', retriable: true })
    await store.close()
  })
})
