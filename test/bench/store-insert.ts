import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { newLineBlock } from '../../engine/store/line-block.ts'
import type { Store } from '../../engine/store/store.ts'
import type { StoredLine } from '../../engine/store/stored-line.ts'
import { sampleLines } from '../support/sample-lines.ts'

const ROWS = 150_000
const BATCHES = 6
const START_MS = Date.UTC(2026, 0, 2)
const PARTITION = { topic: 'weir.ingest', partition: 0 } as const
const EPOCH = { offset: 0n, attempt: 0 }

/**
 * Rows a second into the embedded engine, blocks built on the way, beside the same insert of blocks that were
 * built before: the difference is what building costs.
 */
export async function run(print: (line: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-store-'))
  const store = openClickHouseStore(await openEmbeddedConnection({ path: join(folder, 'store') }))
  try {
    await store.open('bench')
    await store.claim({ ...PARTITION, epoch: EPOCH })
    const lines = sampleLines({ seed: 1, count: 10_000, startMs: START_MS })
    for (let round = 0; round < 3; round++) build(lines, 0)
    const before = process.cpuUsage()
    const built = build(lines, 0)
    const { user, system } = process.cpuUsage(before)
    const cpuMs = (user + system) / 1000
    print(`block building: ${rate(ROWS, cpuMs)} rows/s of CPU, ${Math.round(size(built) / ROWS)} bytes a row`)

    const prebuilt = Array.from({ length: BATCHES }, (_, batch) => build(lines, batch))
    const raw = await timed(async () => {
      for (const block of prebuilt) await insert(store, block)
    })
    print(`insert of prebuilt blocks: ${rate(ROWS * BATCHES, raw.ms)} rows/s`)

    const whole = await timed(async () => {
      let inFlight: Promise<void> = Promise.resolve()
      for (let batch = 0; batch < BATCHES; batch++) {
        const block = build(lines, BATCHES + batch)
        await inFlight
        inFlight = insert(store, block)
      }
      await inFlight
    })
    print(
      `insert with building: ${rate(ROWS * BATCHES, whole.ms)} rows/s, ${(raw.ms / whole.ms).toFixed(2)} of the above`,
    )

    const settled = await timed(() =>
      store.settle({ ...PARTITION, table: 'lines' }, { offset: BigInt(BATCHES), row: 0, timeMs: START_MS }),
    )
    print(`settle at ${(ROWS * BATCHES * 2) / 1e6}M rows: ${settled.ms.toFixed(1)} ms`)
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** One builder for all batches, as a worker has. */
const block = newLineBlock()

function build(lines: readonly StoredLine[], batch: number): Uint8Array[] {
  for (let row = 0; row < ROWS; row++)
    block.append(BigInt(batch), row, lines[row % lines.length] as StoredLine)
  return block.take()
}

function insert(store: Store, block: Uint8Array[]): Promise<void> {
  return store.insert({ ...PARTITION, table: 'lines', epoch: EPOCH, block, rows: ROWS })
}

async function timed<T>(task: () => Promise<T>): Promise<{ value: T; ms: number }> {
  const startMs = performance.now()
  const value = await task()
  return { value, ms: performance.now() - startMs }
}

function rate(rows: number, ms: number): string {
  return Math.round((rows / ms) * 1000).toLocaleString('en')
}

function size(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, chunk) => sum + chunk.length, 0)
}
