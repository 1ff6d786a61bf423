import { wordFilters } from '../../engine/lines/word-filter/word-filters.ts'
import { finish } from '../../engine/steps.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { blockOf } from './line-blocks.ts'
import { withReplaced } from './replaced-methods.ts'
import { sampleLines } from './sample-lines.ts'

/**
 * A worker that stores batches until it is killed, and continues from the position in the store. Batch n is one record
 * with offset n, the same in each run.
 *
 * usage: node store-child.ts WHERE ATTEMPT BATCHES ROWS [TABLE] WHERE is a folder for the embedded engine or the address of
 * a server. Before its first insert into TABLE it prints "ready" and waits for SIGUSR2. It prints "storing n" and "stored n", at the end
 * "report {…}".
 */
const [where = '', attempt = '0', batches = '0', rows = '0', waitingTable] = process.argv.slice(2)
const DAY = Date.UTC(2026, 0, 2)
const LINES = { topic: 'weir.ingest', partition: 3, table: 'slotted_lines' } as const
const epoch = { offset: 1n, attempt: Number(attempt) }

const connection = where.startsWith('http')
  ? serverConnection({ url: where })
  : await openEmbeddedConnection({ path: where })
let isWaiting = waitingTable !== undefined
const waiting = withReplaced<StoreConnection>(connection, {
  insertBlock: async insert => {
    if (isWaiting && insert.sql('source').startsWith(`INSERT INTO ${waitingTable} `)) await begin()
    return connection.insertBlock(insert)
  },
})
const store = openClickHouseStore(waiting)
await store.open('log-of-the-kill-tests')
await store.claim({ ...LINES, epoch })
const settled = await store.settle(LINES, { offset: 0n, row: 0, timeMs: DAY })
console.log(`settled ${settled === null ? 'null' : `${settled.offset}/${settled.row}`}`)
for (let offset = settled === null ? 0n : settled.offset + 1n; offset < BigInt(batches); offset++) {
  const count = Number(rows)
  const lines = sampleLines({
    seed: Number(offset) + 1,
    count,
    startMs: DAY + Number(offset) * 1000,
    stepMs: 0,
  })
  const block = blockOf(offset, lines, LINES.table)
  const { block: filters } = finish(wordFilters(block, LINES.table))
  console.log(`storing ${offset}`)
  await store.insert({ ...LINES, epoch, block, rows: count, filters })
  console.log(`stored ${offset}`)
}

const perBatch = await store.query({
  sql: `SELECT offset, count() AS lines, count(DISTINCT row) AS rows, max(row) AS highest FROM ${LINES.table} GROUP BY offset ORDER BY offset`,
})
await store.indexWords(0) // Removes the marks of lines without a filter.
const [counted] = await store.query({
  sql: `SELECT sum(size) AS bytes, count() AS lines, toUInt32(countIf(filtered = 1)) AS filtered FROM ${LINES.table} SETTINGS optimize_use_projections = 0`,
})
const day = { account: '507f1f77bc', fromMs: DAY, toMs: DAY + DAY_MS - 1 }
console.log(`report ${JSON.stringify({ perBatch, counted, usage: await store.usageTotals(day) })}`)
await store.close()

async function begin(): Promise<void> {
  isWaiting = false
  const begun = new Promise(resolve => process.once('SIGUSR2', resolve))
  const awake = setInterval(() => {}, 60_000)
  console.log('ready')
  await begun
  clearInterval(awake)
}
