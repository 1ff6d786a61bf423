import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import type { Store } from '../../engine/store/store.ts'
import type { Report } from './figure.ts'
import { ingestedBatch } from './ingested-batch.ts'
import { type FilledBlock, LINE_TABLE, LineBlocks } from './line-blocks.ts'
import { SAMPLE_START_MS, sampleBodies } from './load/bodies.ts'

const ROWS = 150_000
const BATCHES = 6
const ROUNDS = 3
const LINES_PER_BODY = 1_000
const SAMPLE_LINES = 10_000
const RECORDS = ROWS / LINES_PER_BODY
const START_MS = SAMPLE_START_MS
const PARTITION = { topic: 'weir.ingest', partition: 0 } as const
const EPOCH = { offset: 0n, attempt: 0 }

export const summary =
  'The benchmark measures the rows per second into the embedded engine in blocks of 150,000 rows, which are built during the measurement. The floor is the same insert of blocks that were built before.'

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-store-'))
  const store = openClickHouseStore(await openEmbeddedConnection({ path: join(folder, 'store') }))
  try {
    await store.open('bench')
    await store.claim({ ...PARTITION, epoch: EPOCH })
    const lines = sampleBodies(SAMPLE_LINES / LINES_PER_BODY, LINES_PER_BODY).map(body =>
      ingestedBatch(body, START_MS),
    )
    for (let round = 0; round < ROUNDS; round++) build(lines, 0)
    const building = Array.from({ length: ROUNDS }, () => cpuMsOf(() => build(lines, 0)))
    report({
      name: 'blocks built, nothing inserted',
      unit: 'rows per CPU-s',
      values: building.map(perSecond(ROWS)),
    })
    report({
      name: 'size of a block, without filters',
      unit: 'B a row',
      values: [size(build(lines, 0).block) / ROWS],
      floor: { name: 'text of the line', values: [textBytes(lines) / SAMPLE_LINES] },
    })
    await reportInserts(store, lines, report)
    const settled = await timed(() =>
      store.settle(
        { ...PARTITION, table: LINE_TABLE },
        { offset: BigInt(BATCHES * RECORDS), row: 0, timeMs: START_MS },
      ),
    )
    report({
      name: `highest position of ${((ROWS * BATCHES * 2 * ROUNDS) / 1e6).toFixed(1)} M rows`,
      unit: 'ms',
      values: [settled],
    })
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function reportInserts(store: Store, lines: readonly LineBatchView[], report: Report): Promise<void> {
  const prebuilt: number[] = []
  const built: number[] = []
  let offset = 0
  for (let round = 0; round < ROUNDS; round++) {
    const blocks = Array.from({ length: BATCHES }, () => build(lines, offset++))
    prebuilt.push(
      await timed(async () => {
        for (const block of blocks) await insert(store, block)
      }),
    )
    built.push(
      await timed(async () => {
        let inFlight: Promise<void> = Promise.resolve()
        for (let batch = 0; batch < BATCHES; batch++) {
          const block = build(lines, offset++)
          await inFlight
          inFlight = insert(store, block)
        }
        await inFlight
      }),
    )
  }
  const rate = perSecond(ROWS * BATCHES)
  report({
    name: 'inserted, built on the way',
    unit: 'rows/s',
    values: built.map(rate),
    floor: { name: 'blocks built before', values: prebuilt.map(rate) },
  })
}

/** One builder for all batches, as a worker has. */
const blocks = new LineBlocks()

function build(lines: readonly LineBatchView[], batch: number): FilledBlock {
  for (let record = 0; record < RECORDS; record++)
    blocks.append(BigInt(batch * RECORDS + record), lines[record % lines.length] as LineBatchView, START_MS)
  return blocks.take()
}

function insert(store: Store, filled: FilledBlock): Promise<void> {
  return store.insert({ ...PARTITION, table: LINE_TABLE, epoch: EPOCH, ...filled, rows: ROWS })
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now()
  await task()
  return performance.now() - startMs
}

function cpuMsOf(task: () => void): number {
  const before = process.cpuUsage()
  task()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

function perSecond(rows: number): (ms: number) => number {
  return ms => (rows / ms) * 1000
}

function textBytes(lines: readonly LineBatchView[]): number {
  return lines.reduce((sum, { lineBytes }) => sum + lineBytes.length, 0)
}

function size(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
}
