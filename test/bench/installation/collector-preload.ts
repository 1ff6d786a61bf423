import { renameSync, writeFileSync } from 'node:fs'
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'
import type { CollectorTotals } from './collector-totals.ts'

/**
 * Loaded into the measured program before the program itself (`--import`): counts the collections of its main thread.
 * COLLECTOR_TOTALS names the file that always has the totals so far.
 */
const file = process.env.COLLECTOR_TOTALS
const WRITTEN_EVERY_MS = 100

type GcEntry = PerformanceEntry & { readonly detail: { readonly kind: number } }

if (file !== undefined && isMainThread) {
  const totals = { full: 0, fullMs: 0, young: 0, youngMs: 0 }
  let written = ''
  const write = () => {
    const text = JSON.stringify(totals satisfies CollectorTotals)
    if (text === written) return
    writeFileSync(`${file}.new`, text)
    renameSync(`${file}.new`, file)
    written = text
  }
  const observer = new PerformanceObserver(list => {
    for (const { duration, detail } of list.getEntries() as GcEntry[]) {
      const isYoung = detail.kind === constants.NODE_PERFORMANCE_GC_MINOR
      totals[isYoung ? 'young' : 'full'] += 1
      totals[isYoung ? 'youngMs' : 'fullMs'] += duration
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  write()
  setInterval(write, WRITTEN_EVERY_MS).unref()
}
