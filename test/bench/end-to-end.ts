import type { BenchmarkOptions } from './benchmark.ts'
import { deployThrottle } from './deploy-throttle.ts'
import { countText, type Report } from './figure.ts'
import { type MeasuredIngestion, measureIngestion, wayIntoStore } from './installation/ingestion.ts'
import { ObservedWeir } from './installation/observed-weir.ts'
import { reportContents, reportIngestion, reportThreads } from './installation/report-ingestion.ts'
import { storeContents } from './installation/store-contents.ts'
import { shapeOf } from './lines/shapes.ts'
import { reportSearches } from './searches/report-searches.ts'
import type { SearchedLines } from './searches/searched-lines.ts'

const LINES = 2_000_000
const QUICK_LINES = 50_000
const SEED = 1
/** The lines lie before the time at which they are sent. */
const BEFORE_MS = 600_000

interface Size {
  readonly linesPerBody: number
  readonly connections: number
  /** Part of the lines: small bodies take longer. */
  readonly share: number
}

const SIZES: readonly Size[] = [
  { linesPerBody: 10, connections: 8, share: 1 / 8 },
  { linesPerBody: 100, connections: 32, share: 1 },
  { linesPerBody: 1_000, connections: 8, share: 1 },
]

export const summary =
  'The benchmark runs the whole way on the real program, as a user meets it. An empty installation gets JSON lines of 290 B with nine members over HTTP, each of them once. A run lasts until all are stored, and then until merges rest. Processor time is that of the whole program until then. The floor is a bare JSON.parse of the same lines in the same minutes. Searches run over HTTP on the folder of the bodies of 1,000 lines, at rest and while 50,000 lines a second are offered. Each asks for something else, and the cache of conditions is off. At rest the program indexes words after a minute, which may come in the middle of the searches.'

export async function run(report: Report, options: BenchmarkOptions): Promise<void> {
  const lines = options.lines ?? (options.quick ? QUICK_LINES : LINES)
  const rounds = options.rounds ?? 1
  const sizes = SIZES.filter(({ linesPerBody }) => linesPerBody === (options.linesPerBody ?? linesPerBody))
  if (sizes.length === 0) throw new Error(`there are no bodies of ${options.linesPerBody} lines`)
  for (const size of sizes) {
    const isSearched = size === sizes.at(-1)
    const measured: MeasuredIngestion[] = []
    while (measured.length < rounds) {
      const isLast = measured.length === rounds - 1
      measured.push(
        await measureSize(size, Math.round(lines * size.share), isLast && isSearched, report, options.quick),
      )
    }
    const title = titleOf(size, lines)
    reportIngestion({ title, noun: 'lines', arrived: 'stored' }, measured, report)
    reportThreads(title, measured, report)
  }
  if (sizes.length === SIZES.length) await measureThrottled(Math.round(lines / 4), report)
}

function titleOf({ linesPerBody, connections, share }: Size, lines: number): string {
  const bodies = `bodies of ${linesPerBody.toLocaleString('en')}`
  return `${countText(lines * share)} lines, ${bodies}, ${connections} connections`
}

/** @param isSearched whether sizes and searches are reported, too */
async function measureSize(
  { linesPerBody, connections }: Size,
  lines: number,
  isSearched: boolean,
  report: Report,
  quick: boolean,
): Promise<MeasuredIngestion> {
  const weir = await ObservedWeir.start()
  try {
    const series = { seed: SEED, startMs: Date.now() - BEFORE_MS }
    const ingestion = { shape: 'json', lines, linesPerBody, connections, ...series }
    const measured = await measureIngestion(weir, wayIntoStore(weir), ingestion)
    if (isSearched) {
      await weir.program.end('SIGTERM')
      reportContents('at rest', await storeContents(weir.storeFolder), lines, report)
      await weir.program.start()
      const searched: SearchedLines = { count: lines, lineAt: shapeOf('json').lines(series) }
      await reportSearches(weir, searched, quick, report)
    }
    return measured
  } finally {
    await weir.program.dispose()
  }
}

/** Sends the same bodies through a graph, as far as it can be measured separately. */
async function measureThrottled(lines: number, report: Report): Promise<void> {
  const weir = await ObservedWeir.start()
  try {
    await deployThrottle(weir.program)
    const series = { seed: SEED, startMs: Date.now() - BEFORE_MS }
    const ingestion = { shape: 'json', lines, linesPerBody: 1_000, connections: 8, ...series }
    const measured = await measureIngestion(weir, wayIntoStore(weir), ingestion)
    const title = `filter and throttle by app, ${countText(lines)} lines, bodies of 1,000, 8 connections`
    reportIngestion({ title, noun: 'lines', arrived: 'stored' }, [measured], report)
  } finally {
    await weir.program.dispose()
  }
}
