import { setTimeout as delay } from 'node:timers/promises'
import type { BenchmarkOptions } from './benchmark.ts'
import { reportEncoding } from './encoding.ts'
import { countText, type Report } from './figure.ts'
import { openDeadLanes } from './installation/dead-lanes.ts'
import { measureIngestion, type Way } from './installation/ingestion.ts'
import { ObservedWeir } from './installation/observed-weir.ts'
import { peakMegabytes, watchMemory } from './installation/process-usage.ts'
import { reportIngestion, reportThreads } from './installation/report-ingestion.ts'
import { untilAtRest } from './installation/rest.ts'
import { type CountingReceiver, countingReceiver } from './load/counting-receiver.ts'
import { prepareLoad } from './load/load.ts'

const EVENTS = 1_000_000
const QUICK_EVENTS = 20_000
/** Events of a round of encoding. */
const ENCODED_EVENTS = 100_000
const QUICK_ENCODED_EVENTS = 2_000
const EVENTS_PER_BODY = 1_000
const CONNECTIONS = 8
const SEED = 1
const BEFORE_MS = 600_000
const LOOK_MS = 50
const DEAD_LANES = 499
const QUICK_DEAD_LANES = 20
/** An attempt comes half a minute after the last that failed, at the latest. */
const DRAINED_WITHIN_MS = 300_000

export const summary =
  'The benchmark runs the whole way of deliveries on the real program. JSON lines of 290 B in bodies of 1,000 on 8 connections are made durable, handed over to the outbox, and sent to an HTTP receiver on the same cores, as lines of JSON. The same pipeline ends in a blackhole for comparison. In the rows of waiting events, the receiver refuses everything until all of them are handed over. The rate is that from its first accepted request to its last. Before that, batches of 1,000 events are encoded, which nobody sends: JSON of 292 B that came through a gateway route, log lines with that text, and metrics with four tags. Those rates are per second of processor time. Dead destinations: half of them refuse connections, and half never answer; the same load beside them is compared with the load before.'

export async function run(report: Report, options: BenchmarkOptions): Promise<void> {
  reportEncoding(report, options.quick ? QUICK_ENCODED_EVENTS : ENCODED_EVENTS)
  const lines = options.lines ?? (options.quick ? QUICK_EVENTS : EVENTS)
  const rounds = options.rounds ?? 1
  for (const sink of ['blackhole', 'http'] as const) {
    const measured = []
    while (measured.length < rounds) measured.push(await withReceiver(measureSink, sink, lines))
    const arrived = sink === 'blackhole' ? 'handled' : 'delivered'
    const title = `${sink}, ${countText(lines)} lines`
    reportIngestion({ title, noun: 'events', arrived }, measured, report)
    reportThreads(title, measured, report)
  }
  const drained = []
  while (drained.length < rounds) drained.push(await withReceiver(measureBacklog, 'http', lines))
  const title = `${countText(lines)} waiting events`
  report({ name: `${title}: sent`, unit: 'events/s', values: drained.map(({ rate }) => rate) })
  const megabytes = drained.map(each => each.megabytes)
  report({ name: `${title}: largest resident memory`, unit: 'MB', values: megabytes })
  await reportDeadLanes(report, lines, { rounds, count: options.quick ? QUICK_DEAD_LANES : DEAD_LANES })
}

/** Speed and memory of a destination beside others whose servers are dead. */
async function reportDeadLanes(
  report: Report,
  lines: number,
  { rounds, count }: { readonly rounds: number; readonly count: number },
): Promise<void> {
  const measured: Awaited<ReturnType<typeof measureBesideDead>>[] = []
  while (measured.length < rounds)
    measured.push(await withReceiver(pipeline => measureBesideDead(pipeline, lines, count), 'http', lines))
  const title = `${countText(lines)} lines beside ${count} dead destinations`
  const alone = measured.map(each => each.alone.rate)
  report({
    ...{ name: `${title}: delivered`, unit: 'events/s', values: measured.map(each => each.beside.rate) },
    floor: { name: 'without them', values: alone },
  })
  const further = measured.map(({ alone, beside }) => beside.megabytes - alone.megabytes)
  report({ name: `${title}: further memory of the process`, unit: 'MB', values: further })
}

type Sink = 'blackhole' | 'http'

interface Pipeline {
  readonly weir: ObservedWeir
  readonly receiver: CountingReceiver
  readonly way: Way
}

async function withReceiver<T>(
  measure: (pipeline: Pipeline, lines: number) => Promise<T>,
  sink: Sink,
  lines: number,
): Promise<T> {
  const weir = await ObservedWeir.start()
  const receiver = await countingReceiver()
  try {
    return await measure({ weir, receiver, way: await openWay(weir, receiver, sink) }, lines)
  } finally {
    receiver.close()
    await weir.program.dispose()
  }
}

function measureSink({ weir, way }: Pipeline, lines: number) {
  return measureIngestion(weir, way, loadOf(lines))
}

/** Lets events wait for a receiver that refuses them, until it accepts. */
async function measureBacklog({ weir, receiver, way }: Pipeline, lines: number) {
  receiver.accept(false)
  const load = await prepareLoad({ url: way.url, ingestionKey: way.key, ...loadOf(lines) })
  await load.send()
  load.close()
  await until(async () => ((await weir.metric('weir_delivery_waiting_events')) ?? 0) >= lines)
  receiver.accept(true)
  await until(async () => (await receiver.received()).lines >= lines)
  const { firstMs, lastMs } = await receiver.received()
  return { rate: (lines / (lastMs - firstMs)) * 1000, megabytes: peakMegabytes(weir.pid) }
}

/** Measures the same load before and after other destinations have events that nobody takes. */
async function measureBesideDead(pipeline: Pipeline, lines: number, count: number) {
  const alone = await measureDelivered(pipeline, lines)
  const dead = await openDeadLanes(pipeline.weir, count)
  try {
    return { alone, beside: await measureDelivered(pipeline, lines) }
  } finally {
    dead.close()
  }
}

/** Measures a program that has just started, so memory and warmth are those of its deliveries alone. The first load warms it up. */
async function measureDelivered(pipeline: Pipeline, lines: number) {
  const { program } = pipeline.weir
  program.keepPort()
  await program.end('SIGTERM')
  await program.start()
  const memory = watchMemory(pipeline.weir.pid)
  await measureRate(pipeline, lines)
  // The first attempts of all destinations are over.
  await untilAtRest(pipeline.weir.pid, () => false)
  const rate = await measureRate(pipeline, lines)
  return { rate, megabytes: memory.stop().anonymousMegabytes }
}

async function measureRate({ receiver, way }: Pipeline, lines: number): Promise<number> {
  const load = await prepareLoad({ url: way.url, ingestionKey: way.key, ...loadOf(lines) })
  const before = (await receiver.received()).lines
  const startedMs = performance.now()
  await load.send()
  load.close()
  await until(async () => (await receiver.received()).lines >= before + lines)
  return (lines / (performance.now() - startedMs)) * 1000
}

function loadOf(lines: number) {
  const size = { lines, linesPerBody: EVENTS_PER_BODY, connections: CONNECTIONS }
  return { shape: 'json', seed: SEED, startMs: Date.now() - BEFORE_MS, ...size }
}

/** Publishes: ingestion → blackhole, or the receiver. */
async function openWay(weir: ObservedWeir, receiver: CountingReceiver, sink: Sink): Promise<Way> {
  const { program } = weir
  const pipeline = await program.create('/v3/pipeline', { title: 'bench' })
  const source = await program.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const user_config = sink === 'http' ? { uri: receiver.url, encoding: 'ndjson' } : {}
  await program.create(`/v3/pipeline/${pipeline}/sink`, { type: sink, inputs: [source], user_config })
  await program.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  const { ingestUrl, ingestionKey } = program.credentials
  const arrived = async () => (sink === 'http' ? (await receiver.received()).lines : handledLines(weir))
  return { url: `${ingestUrl}/logs/ingest`, key: ingestionKey, arrived }
}

/** Lines that were accepted, once the engine has read all records; 0 before. */
async function handledLines(weir: ObservedWeir): Promise<number> {
  const accepted = await weir.metric('weir_ingest_lines_total')
  return (await weir.metric('weir_lag_records')) === 0 ? (accepted ?? 0) : 0
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + DRAINED_WITHIN_MS
  while (!(await holds())) {
    if (performance.now() > untilMs) throw new Error('the events have not arrived in time')
    await delay(LOOK_MS)
  }
}
