import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { collectorDifference, collectorTotals } from './collector-totals.ts'
import { measureIngestion, wayIntoStore } from './ingestion.ts'
import { metricSum, ObservedWeir } from './observed-weir.ts'
import { PartWatch } from './part-watch.ts'
import { storeContents } from './store-contents.ts'
import { threadGroups } from './thread-groups.ts'

const COLLECTOR_PRELOAD = new URL('./collector-preload.ts', import.meta.url).pathname

test('an empty installation takes lines, stores each of them once, and comes to rest', async () => {
  const weir = await ObservedWeir.start()
  try {
    const ingestion = { shape: 'json', lines: 5_000, linesPerBody: 100, connections: 4, seed: 1 }
    const measured = await measureIngestion(weir, wayIntoStore(weir), { ...ingestion, startMs: Date.now() })
    expect(measured.load).toMatchObject({ lines: 5_000, requests: 50, statuses: { 200: 50 } })
    expect(measured.parse.before).toBeGreaterThan(10_000)
    expect(measured.peakMegabytes).toBeGreaterThan(100)
    const sum = Object.values(threadGroups(measured)).reduce((total, seconds) => total + seconds, 0)
    // The system counts ticks of each thread.
    expect(sum).toBeCloseTo(measured.cpuSeconds, 1)
    expect(threadGroups(measured)['main thread']).toBeGreaterThan(0)
    await weir.program.end('SIGTERM')
    const { tables, columns } = await storeContents(weir.storeFolder)
    const lines = tables.find(({ table }) => table === 'slotted_lines')
    expect(lines?.rows).toBe(5_000)
    expect(lines?.bytes).toBeGreaterThan(5_000)
    expect(columns.map(({ name }) => name)).toContain('projection usage')
  } finally {
    await weir.program.dispose()
  }
})

/** Ends once both kinds of collection are in the file. */
const COLLECTS = `
gc({ type: 'minor' })
gc()
const isCounted = () => {
  const { young, full } = JSON.parse(require('node:fs').readFileSync(process.env.COLLECTOR_TOTALS, 'utf8'))
  return young > 0 && full > 0
}
const waiting = setInterval(() => isCounted() && clearInterval(waiting), 20)
`

test('young and full collections of the main thread are counted, with their time', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-collector-'))
  const file = join(folder, 'totals.json')
  try {
    const args = ['--expose-gc', `--import=${COLLECTOR_PRELOAD}`, '-e', COLLECTS]
    const env = { ...process.env, COLLECTOR_TOTALS: file }
    await promisify(execFile)(process.execPath, args, { env, timeout: 50_000 })
    const totals = collectorTotals(file)
    expect(totals.youngMs).toBeGreaterThan(0)
    expect(totals.fullMs).toBeGreaterThan(0)
    expect(collectorDifference(totals, totals)).toEqual({ full: 0, fullMs: 0, young: 0, youngMs: 0 })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('rows that merges and mutations write again are counted, also after their parts have gone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-parts-'))
  const part = (name: string, rows: number) => {
    mkdirSync(join(folder, name))
    writeFileSync(join(folder, name, 'count.txt'), String(rows))
  }
  const watch = new PartWatch(folder)
  try {
    part('20261123_1_1_0', 10)
    part('20261123_2_2_0', 20)
    part('tmp_merge_20261123_1_2_1', 30)
    expect([watch.rewrittenRows(), watch.isBusy]).toEqual([0, true])
    rmSync(join(folder, 'tmp_merge_20261123_1_2_1'), { recursive: true })
    part('20261123_1_2_1', 30)
    part('20261123_1_2_1_3', 30)
    expect([watch.rewrittenRows(), watch.isBusy]).toEqual([60, false])
    rmSync(join(folder, '20261123_1_2_1'), { recursive: true })
    expect(watch.rewrittenRows()).toBe(60)
  } finally {
    watch.close()
    rmSync(folder, { recursive: true })
  }
})

test('a metric is summed over its labels, and none is not zero', () => {
  const text = '# TYPE a counter\na{x="1"} 2\na{x="2"} 3.5\nab 7\n'
  expect([metricSum(text, 'a'), metricSum(text, 'ab'), metricSum(text, 'b')]).toEqual([5.5, 7, undefined])
})
