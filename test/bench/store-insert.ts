import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Event } from '../../engine/event/event.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import type { Store } from '../../engine/store/store.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Report } from './figure.ts'
import { ACCOUNT, ingestedBatch } from './ingested-batch.ts'
import { SAMPLE_START_MS, sampleBodies } from './load/bodies.ts'

const ROWS = 150_000
const BATCHES = 6
const ROUNDS = 3
const LINES_PER_BODY = 1_000
const START_MS = SAMPLE_START_MS
const PARTITION = { topic: 'weir.ingest', partition: 0 } as const
const EPOCH = { offset: 0n, attempt: 0 }

export const summary =
  'Rows per second into the embedded engine in blocks of 150,000 rows, which are built during the measurement. The floor is the same insert of blocks that were built before.'

export async function run(report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-store-'))
  const store = openClickHouseStore(await openEmbeddedConnection({ path: join(folder, 'store') }))
  try {
    await store.open('bench')
    await store.claim({ ...PARTITION, epoch: EPOCH })
    const lines = sampleStoredLines(10_000)
    for (let round = 0; round < ROUNDS; round++) build(lines, 0)
    const building = Array.from({ length: ROUNDS }, () => cpuMsOf(() => build(lines, 0)))
    report({
      name: 'blocks built, nothing inserted',
      unit: 'rows per CPU-s',
      values: building.map(perSecond(ROWS)),
    })
    report({
      name: 'size of a block',
      unit: 'B a row',
      values: [size(build(lines, 0)) / ROWS],
      floor: { name: 'text of the line', values: [textBytes(lines) / lines.length] },
    })
    await reportInserts(store, lines, report)
    const settled = await timed(() =>
      store.settle({ ...PARTITION, table: 'lines' }, { offset: BigInt(BATCHES), row: 0, timeMs: START_MS }),
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

async function reportInserts(store: Store, lines: readonly StoredLine[], report: Report): Promise<void> {
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
const block = newLineBlock()

function build(lines: readonly StoredLine[], batch: number): Uint8Array[] {
  for (let row = 0; row < ROWS; row++)
    block.append(BigInt(batch), row, lines[row % lines.length] as StoredLine)
  return block.take()
}

/** JSON lines as the own store gets them. */
function sampleStoredLines(count: number): StoredLine[] {
  const ownStore = CATALOGUE.defaultOwnStore()
  const facts = { account: ACCOUNT, timeMs: START_MS, retentionDays: 30, poolDays: 0, behaviour: BEHAVIOUR }
  const context = { ...facts, fieldNames: new FieldNames() }
  return sampleBodies(count / LINES_PER_BODY, LINES_PER_BODY).flatMap(body => {
    const batch = ingestedBatch(body, START_MS)
    return Array.from({ length: batch.count }, (_, row) => {
      const line = newStoredLine()
      const failure = ownStore.fill(Event.ofLine(batch, row), line, context)
      if (failure !== undefined) throw new Error(failure.message)
      return line
    })
  })
}

function insert(store: Store, block: Uint8Array[]): Promise<void> {
  return store.insert({ ...PARTITION, table: 'lines', epoch: EPOCH, block, rows: ROWS })
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

function textBytes(lines: readonly StoredLine[]): number {
  return lines.reduce((sum, { textStart, textEnd }) => sum + textEnd - textStart, 0)
}

function size(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
}
