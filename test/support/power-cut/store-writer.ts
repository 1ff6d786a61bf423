import { globSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EndMark } from '../../../engine/configuration/end-mark.ts'
import { fullFieldDaysBlock } from '../../../engine/fold/tables/full-field-days.ts'
import { nodeMetricsBlock } from '../../../engine/fold/tables/node-metrics-block.ts'
import { pipelineErrorsBlock } from '../../../engine/fold/tables/pipeline-errors-block.ts'
import { openClickHouseStore } from '../../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../../engine/store/embedded-connection.ts'
import { endMarkTable } from '../../../engine/store/end-mark-table.ts'
import { DAY_MS } from '../../../engine/times/duration.ts'
import { LINE_TABLES, type LineTable, type StoreTable } from '../../../schemas/log/tables.ts'
import { blockOf } from '../line-blocks.ts'
import { sampleLines } from '../sample-lines.ts'
import {
  DAY,
  EPOCHS,
  EXPIRED_DAYS,
  LOG_ID,
  OFFSETS,
  PARTITION,
  type Promised,
  ROWS,
  seal,
} from './promised.ts'

/**
 * Performs every operation of the program on the tables of a store. It inserts and removes lines, merges every table,
 * closes a day, and makes a word index. After each step it waits until the engine has removed the replaced parts. Then
 * it prints as JSON the data that must exist from then on.
 *
 * usage: node store-writer.ts FOLDER [TABLE…] It creates the engine's folder in FOLDER. Merges of the named tables are
 * not flushed, as in stores of earlier programs.
 */
const [root = '', ...unflushed] = process.argv.slice(2)
const folder = join(root, 'store')
const connection = await openEmbeddedConnection({ path: folder })
const store = openClickHouseStore(connection)
await store.open(LOG_ID)
const tables = (await connection.read<{ name: string }>('SHOW TABLES')).map(({ name }) => name)
for (const table of unflushed)
  await connection.command(
    `ALTER TABLE ${table} RESET SETTING min_rows_to_fsync_after_merge, min_compressed_bytes_to_fsync_after_merge`,
  )

const partition = PARTITION
const ends = endMarkTable({ connection, seal, isOpen: () => true })
let promised: Promised = { step: 'opened', stored: 0, epochs: 0, closedLines: 0, isExpired: false }
const promise = (more: Partial<Promised>) => {
  promised = { ...promised, ...more }
  console.log(JSON.stringify(promised))
}
promise({})

for (let attempt = 0; attempt < EPOCHS; attempt++)
  await store.claim({ ...partition, epoch: epochOf(attempt) })
promise({ step: 'claimed', epochs: EPOCHS })

for (let offset = 0; offset < OFFSETS; offset++) {
  const minute = { offset: BigInt(offset), minuteMs: DAY }
  const blocks = {
    lines: linesOf(offset, 'lines'),
    slotted_lines: linesOf(offset, 'slotted_lines'),
    node_metrics: metricsOf(minute),
    pipeline_errors: errorsOf(minute),
    full_field_days: fullDaysOf(minute),
  }
  for (const [table, block] of Object.entries(blocks) as [StoreTable, Uint8Array[]][])
    await store.insert({ ...partition, table, epoch: epochOf(EPOCHS - 1), block, rows: ROWS })
  const next = BigInt(offset + 1)
  await store.markStored(partition, { storedTo: next, settledMs: DAY + offset })
  await ends.write(endMarkAt(next))
  promise({ step: `stored ${offset}`, stored: offset + 1 })
}
for (const table of tables) await connection.command(`OPTIMIZE TABLE ${table} FINAL`)
await untilReplacedIsGone()
promise({ step: 'merged' })

await store.closeDay('2026-01-02')
await untilReplacedIsGone()
promise({ step: 'closed', closedLines: OFFSETS * ROWS * LINE_TABLES.length })

await connection.command('ALTER TABLE lines MATERIALIZE INDEX marked_words SETTINGS mutations_sync = 2')
await untilReplacedIsGone()
promise({ step: 'indexed' })

promise({ step: 'removing', isExpired: true })
const settled = [{ ...partition, checkpointOffset: BigInt(OFFSETS) }]
await store.removeExpired(DAY + (EXPIRED_DAYS + 2) * DAY_MS, settled)
await untilReplacedIsGone()
promise({ step: 'removed' })
await store.close()

function epochOf(attempt: number) {
  return { offset: 1n, attempt }
}

/** Lines of the first offset are kept for fewer days than the others. */
function linesOf(offset: number, table: LineTable): Uint8Array[] {
  const retentionDays = offset === 0 ? EXPIRED_DAYS : 365
  const lines = sampleLines({ seed: offset + 1, count: ROWS, startMs: DAY + offset * 1000, retentionDays })
  return blockOf(BigInt(offset), lines, table)
}

function metricsOf(minute: { offset: bigint; minuteMs: number }): Uint8Array[] {
  const activity = { eventsIn: 1, bytesIn: 1, eventsOut: 1, bytesOut: 1, copied: 0, created: 0, dropped: 0 }
  const others = { droppedBytes: 0, failed: 0, merged: 0, held: 0 }
  const row = (node: number) => ({
    account: 'a',
    pipeline: 'p',
    node: `n${node}`,
    activity: { ...activity, ...others },
  })
  return nodeMetricsBlock(
    minute,
    Array.from({ length: ROWS }, (_, node) => row(node)),
  )
}

function errorsOf(minute: { offset: bigint; minuteMs: number }): Uint8Array[] {
  const row = { account: 'a', pipeline: 'p', nodeKind: 'script', code: 'E', field: null, captured: '{}' }
  const others = { message: 'failed', count: 1, lastMs: DAY }
  return pipelineErrorsBlock(
    minute,
    Array.from({ length: ROWS }, (_, node) => ({ ...row, ...others, node: `n${node}` })),
  )
}

function fullDaysOf({ offset, minuteMs }: { offset: bigint; minuteMs: number }): Uint8Array[] {
  const days = Array.from({ length: ROWS }, (_, row) => ({
    account: `a${row}`,
    timeMs: minuteMs,
    offset,
    row,
  }))
  return fullFieldDaysBlock(days)
}

function endMarkAt(next: bigint): EndMark {
  return { logId: LOG_ID, losses: 0, next, version: 1, digest: 'ab'.repeat(32) }
}

/** The engine removes replaced parts in its own time, and at once when a partition is dropped, unless one is in use. */
async function untilReplacedIsGone(): Promise<void> {
  const dated = [...LINE_TABLES, 'usage_days', 'node_metrics', 'pipeline_errors']
  const active = async () =>
    Number((await connection.read<{ n: string }>('SELECT count() AS n FROM system.parts WHERE active'))[0]?.n)
  const onDisk = () =>
    globSync(join(folder, 'store/*/*/*_*_*')).filter(path => /\/(?:all|\d{6}|\d{8})_[\d_]+$/.test(path))
      .length
  for (;;) {
    for (const table of tables)
      await connection.command(
        `ALTER TABLE ${table} DROP PARTITION ${dated.includes(table) ? '19990101' : "ID 'none'"}`,
      )
    if (onDisk() <= (await active())) return
    await delay(50)
  }
}
