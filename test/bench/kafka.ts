import { setTimeout as delay } from 'node:timers/promises'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { kafkaForTests } from '../support/kafka/kafka-support.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import { countText, type Report } from './figure.ts'
import { parseRate } from './installation/parse-rate.ts'
import { cpuSeconds } from './installation/process-usage.ts'
import { untilAtRest } from './installation/rest.ts'
import { type LoadReport, prepareLoad, type ReadyLoad } from './load/load.ts'

const LINES = 1_000_000
const QUICK_LINES = 20_000
/** Brokers and roles run for long, so the compilers of both are given something to do first. */
const WARM_UP_LINES = 200_000
const SHAPE = 'json'
const SEED = 1
const WARM_UP_SEED = 2
const LOOK_MS = 100
const STORED_WITHIN_MS = 600_000
const MILLION = 1_000_000
const CPU_UNIT = 'CPU-s a million lines'
const PARSED = 'bare JSON.parse'

interface Size {
  readonly linesPerBody: number
  readonly connections: number
}

const SIZES: readonly Size[] = [
  { linesPerBody: 100, connections: 32 },
  { linesPerBody: 1_000, connections: 8 },
]

export const summary =
  'The benchmark runs the whole way through Kafka, with one process of each role and one broker with one partition. JSON lines of 290 B with nine members come over HTTP to the ingest role, until all of them are stored. Each round has new topics and an empty store, which take 200,000 other lines first. Processor time is that of all threads of a process until then; the store has a second figure, until its merges rest. The floor is a bare JSON.parse of the same lines in the same minutes. The load generator is a process of its own on the same cores.'

export async function run(report: Report, options: BenchmarkOptions): Promise<void> {
  const lines = options.lines ?? (options.quick ? QUICK_LINES : LINES)
  const sizes = SIZES.filter(({ linesPerBody }) => linesPerBody === (options.linesPerBody ?? linesPerBody))
  if (sizes.length === 0) throw new Error(`there are no bodies of ${options.linesPerBody} lines`)
  const kafka = await kafkaForTests({ faults: true })
  if (kafka === undefined) throw new Error('there is no Kafka here: CONTRIBUTING.md says what it takes')
  try {
    for (const size of sizes) {
      const rounds: Round[] = []
      while (rounds.length < (options.rounds ?? 1)) rounds.push(await round(kafka, size, lines))
      reportRounds(titleOf(size, lines), rounds, report)
    }
  } finally {
    await kafka.stop()
  }
}

function titleOf({ linesPerBody, connections }: Size, lines: number): string {
  const bodies = `bodies of ${linesPerBody.toLocaleString('en')}`
  return `${countText(lines)} lines, ${bodies}, ${connections} connections`
}

/** Processor time of each process since it began, in seconds. */
interface Usage {
  readonly ingest: number
  readonly engine: number
  readonly store: number
  /** Zero for a broker whose process is not to be seen. */
  readonly broker: number
}

interface Round {
  readonly load: LoadReport
  /** Time from the first body until all lines are stored. */
  readonly storedSeconds: number
  readonly used: Usage
  /** Processor time of the store until its merges have come to rest. */
  readonly storeRestSeconds: number
  /** Lines per CPU-second of a bare JSON.parse. */
  readonly parseRate: number
}

async function round(kafka: KafkaCluster, size: Size, lines: number): Promise<Round> {
  const cluster = await RoleCluster.open(kafka, { partitions: 1, engines: 1 })
  try {
    const ingest = await cluster.startIngest()
    const ingestionKey = cluster.accounts[0]?.credentials.ingestionKey as string
    const load = { url: `${ingest.url}/logs/ingest`, ingestionKey, shape: SHAPE, ...size }
    const warmUp = await prepareLoad({ ...load, lines: Math.min(lines, WARM_UP_LINES), seed: WARM_UP_SEED })
    const measured = await prepareLoad({ ...load, lines, seed: SEED })
    const pids = {
      ingest: ingest.pid,
      engine: cluster.engines[0]?.pid as number,
      store: cluster.store.pid,
      broker: kafka.brokers[0]?.pid,
    }
    try {
      await sendAll(warmUp, cluster)
      await untilAtRest(pids.store, () => false)
      return await measure(measured, cluster, pids)
    } finally {
      warmUp.close()
      measured.close()
    }
  } finally {
    await cluster.close()
  }
}

async function measure(load: ReadyLoad, cluster: RoleCluster, pids: Pids): Promise<Round> {
  const parseBefore = parseRate(SHAPE)
  const before = usageOf(pids)
  const startedMs = performance.now()
  const sent = await sendAll(load, cluster)
  const storedSeconds = (performance.now() - startedMs) / 1000
  const after = usageOf(pids)
  await untilAtRest(pids.store, () => false)
  return {
    load: sent,
    storedSeconds,
    used: difference(before, after),
    storeRestSeconds: cpuSeconds(pids.store) - before.store,
    parseRate: (parseBefore + parseRate(SHAPE)) / 2,
  }
}

/** Sends the lines, and waits until all of them are stored. */
async function sendAll(load: ReadyLoad, cluster: RoleCluster): Promise<LoadReport> {
  const before = await cluster.storedLines()
  const sent = await load.send()
  if (sent.statuses['200'] !== sent.requests)
    throw new Error(`not every body was taken: ${JSON.stringify(sent.statuses)}`)
  const untilMs = performance.now() + STORED_WITHIN_MS
  for (;;) {
    const stored = (await cluster.storedLines()) - before
    if (stored === sent.lines) return sent
    if (stored > sent.lines) throw new Error(`${stored} lines are stored in place of ${sent.lines}`)
    if (performance.now() > untilMs) throw new Error(`${stored} of ${sent.lines} lines are stored`)
    await delay(LOOK_MS)
  }
}

interface Pids extends Readonly<Record<Exclude<keyof Usage, 'broker'>, number>> {
  readonly broker: number | undefined
}

function usageOf({ ingest, engine, store, broker }: Pids): Usage {
  return {
    ingest: cpuSeconds(ingest),
    engine: cpuSeconds(engine),
    store: cpuSeconds(store),
    broker: broker === undefined ? 0 : cpuSeconds(broker),
  }
}

function difference(before: Usage, after: Usage): Usage {
  return {
    ingest: after.ingest - before.ingest,
    engine: after.engine - before.engine,
    store: after.store - before.store,
    broker: after.broker - before.broker,
  }
}

function reportRounds(title: string, rounds: readonly Round[], report: Report): void {
  const rate = (what: string, unit: string, value: (round: Round) => number) =>
    report({ name: `${title}: ${what}`, unit, values: rounds.map(value) })
  const cost = (what: string, seconds: (round: Round) => number) =>
    report({
      name: `${title}: ${what}`,
      unit: CPU_UNIT,
      values: rounds.map(round => (seconds(round) / round.load.lines) * MILLION),
      floor: { name: PARSED, values: rounds.map(round => MILLION / round.parseRate) },
    })
  rate('acknowledged', 'lines/s', ({ load }) => load.lines / load.seconds)
  rate('stored', 'lines/s', ({ load, storedSeconds }) => load.lines / storedSeconds)
  report({
    name: `${title}: stored, of one core`,
    unit: 'lines per CPU-s',
    values: rounds.map(({ load, used }) => load.lines / sumOf(used)),
    floor: { name: PARSED, values: rounds.map(round => round.parseRate) },
  })
  cost('ingest', ({ used }) => used.ingest)
  cost('engine', ({ used }) => used.engine)
  cost('store', ({ used }) => used.store)
  cost('store, until its merges rest', ({ storeRestSeconds }) => storeRestSeconds)
  if (rounds.every(({ used }) => used.broker > 0)) cost('broker', ({ used }) => used.broker)
  rate('acknowledged: p50', 'ms', ({ load }) => load.p50Ms)
  rate('acknowledged: p99', 'ms', ({ load }) => load.p99Ms)
}

function sumOf({ ingest, engine, store, broker }: Usage): number {
  return ingest + engine + store + broker
}
