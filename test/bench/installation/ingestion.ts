import { setTimeout as delay } from 'node:timers/promises'
import { countedLines } from '../../support/exported-lines.ts'
import type { BodyForm } from '../load/bodies.ts'
import { type LoadReport, prepareLoad } from '../load/load.ts'
import { type CollectorTotals, collectorDifference } from './collector-totals.ts'
import { fallenBackRows } from './fallen-back.ts'
import type { ObservedWeir } from './observed-weir.ts'
import { parseRate } from './parse-rate.ts'
import { PartWatch } from './part-watch.ts'
import { cpuSeconds, peakMegabytes, threadSeconds } from './process-usage.ts'
import { untilAtRest } from './rest.ts'

/** Lines that come into an installation as fast as it takes them. */
export interface Ingestion {
  readonly shape: string
  readonly lines: number
  readonly linesPerBody: number
  readonly connections: number
  /** Absent: as log ingestion takes them. */
  readonly form?: BodyForm
  /** Lines of another seed do not repeat those of a former load. */
  readonly seed: number
  readonly startMs: number
}

/** Way through an installation. */
export interface Way {
  /** Place to send bodies to. */
  readonly url: string
  readonly key: string
  /** Counts about the lines that have come to its end since the program began. */
  arrived(): Promise<number>
  /** Counts exactly those that it has kept, once it is at rest. Absent: it keeps none. */
  kept?(): Promise<number>
}

/** The way of log ingestion into the store. */
export function wayIntoStore(weir: ObservedWeir): Way {
  const { ingestUrl, ingestionKey } = weir.program.credentials
  return { url: `${ingestUrl}/logs/ingest`, key: ingestionKey, ...storeOf(weir) }
}

/** The end of a way in the store. */
export function storeOf(weir: ObservedWeir): Pick<Way, 'arrived' | 'kept'> {
  return {
    // Rows of other tables are among them, a few per minute.
    arrived: async () => (await weir.metric('weir_rows_stored_total')) ?? 0,
    kept: () => countedLines(weir.program),
  }
}

export interface MeasuredIngestion {
  readonly load: LoadReport
  /** Time from the first body until all lines have arrived. */
  readonly arrivedSeconds: number
  /** Processor time of the program until its merges have come to rest. */
  readonly cpuSeconds: number
  /** Processor time by the name of the thread, without threads that have ended in the meantime. */
  readonly threadSeconds: ReadonlyMap<string, number>
  readonly collector: CollectorTotals
  /** Lines per CPU-second of a bare JSON.parse. */
  readonly parse: { readonly before: number; readonly after: number }
  /** Rows that merges and mutations wrote again. */
  readonly rewrittenRows: number
  readonly peakMegabytes: number
  /** Undefined: the program does not count them. */
  readonly fallenBackRows: number | undefined
}

const ARRIVED_WITHIN_MS = 600_000
const LOOK_MS = 50

export async function measureIngestion(
  weir: ObservedWeir,
  way: Way,
  ingestion: Ingestion,
): Promise<MeasuredIngestion> {
  const { shape, lines } = ingestion
  const load = await prepareLoad({ url: way.url, ingestionKey: way.key, ...ingestion })
  const watch = new PartWatch(weir.tableFolder('slotted_lines'))
  try {
    const parseBefore = parseRate(shape)
    const before = await readingsOf(weir, watch)
    const arrivedBefore = await way.arrived()
    const keptBefore = await way.kept?.()
    const startedMs = performance.now()
    const sent = await load.send()
    if (sent.statuses['200'] !== sent.requests)
      throw new Error(`not every body was taken: ${JSON.stringify(sent.statuses)}`)
    await untilArrived(way, arrivedBefore + lines)
    const arrivedSeconds = (performance.now() - startedMs) / 1000
    await untilAtRest(weir.pid, () => watch.isBusy)
    const after = await readingsOf(weir, watch)
    const kept = await way.kept?.()
    if (kept !== undefined && kept !== (keptBefore ?? 0) + lines)
      throw new Error(`of ${lines} lines ${kept - (keptBefore ?? 0)} are kept`)
    return {
      load: sent,
      arrivedSeconds,
      cpuSeconds: after.cpuSeconds - before.cpuSeconds,
      threadSeconds: difference(before.threadSeconds, after.threadSeconds),
      collector: collectorDifference(before.collector, after.collector),
      parse: { before: parseBefore, after: parseRate(shape) },
      rewrittenRows: after.rewrittenRows - before.rewrittenRows,
      peakMegabytes: peakMegabytes(weir.pid),
      fallenBackRows: after.fallenBack && after.fallenBack - (before.fallenBack ?? 0),
    }
  } finally {
    watch.close()
    load.close()
  }
}

async function readingsOf(weir: ObservedWeir, watch: PartWatch) {
  return {
    fallenBack: await fallenBackRows(weir),
    collector: weir.collector(),
    rewrittenRows: watch.rewrittenRows(),
    threadSeconds: threadSeconds(weir.pid),
    cpuSeconds: cpuSeconds(weir.pid),
  }
}

async function untilArrived(way: Way, lines: number): Promise<void> {
  const untilMs = performance.now() + ARRIVED_WITHIN_MS
  let arrived = 0
  while (arrived < lines) {
    if (performance.now() > untilMs) throw new Error(`${arrived} of ${lines} lines have arrived`)
    await delay(LOOK_MS)
    arrived = await way.arrived()
  }
}

function difference(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>) {
  return new Map([...after].map(([name, seconds]) => [name, seconds - (before.get(name) ?? 0)]))
}
