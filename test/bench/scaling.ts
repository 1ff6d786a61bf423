import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { encodeControl } from '../../engine/fold/control-record.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { kafkaForTests } from '../support/kafka/kafka-support.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import { deployThrottle } from './deploy-throttle.ts'
import type { Report } from './figure.ts'
import { ingestedRecord } from './ingested-batch.ts'
import { cpuSeconds } from './installation/process-usage.ts'
import { sampleBodies } from './load/bodies.ts'

const PARTITIONS = [1, 2, 4]
const ENGINES = [1, 2]
const LINES = 1_000_000
const ROUNDS = 2
const LINES_PER_RECORD = 1_000
const DISTINCT_BODIES = 24
const WARM_UP_LINES = 200_000
const READ_BYTES = 8 * 1024 * 1024
/** Longer than a slice of log time: records appended after it end every batch. */
const SLICE_OVER_MS = 1_100
const MILLION = 1_000_000
const CPU_UNIT = 'CPU-s a million lines'

const STORED = 'default graph'
const THROTTLED = 'filter and throttle'
const SPREAD = 'filter and throttle, one spread account'

export const summary =
  'The benchmark handles lines on a real Kafka, until the last of them is stored. Engines are processes of their own, beside `weir store` and one broker on the same cores. While the engines are stopped, the topic is filled with records like those of ingestion, the same number on each partition. The floor of the rates is one partition with one engine. Processor time is that of all threads, including merges of the store that ran until then.'

export async function run(report: Report, { lines = LINES }: BenchmarkOptions): Promise<void> {
  const kafka = await kafkaForTests({ faults: true })
  if (kafka === undefined) throw new Error('there is no Kafka here: CONTRIBUTING.md says what it takes')
  const measurements: Measurement[] = []
  const note = (measurement: Measurement) => {
    measurements.push(measurement)
    reportOne(report, measurement, measurements)
  }
  try {
    for (const partitions of PARTITIONS) {
      for (const engines of ENGINES) await measureCluster(kafka, { partitions, engines, lines }, note)
    }
  } finally {
    await kafka.stop()
  }
}

interface Measurement {
  /** Work of the engines per line. */
  readonly work: typeof STORED | typeof THROTTLED | typeof SPREAD
  readonly partitions: number
  readonly engines: number
  readonly rounds: readonly Round[]
}

interface Size {
  readonly partitions: number
  readonly engines: number
  readonly lines: number
}

async function measureCluster(
  kafka: KafkaCluster,
  size: Size,
  note: (measurement: Measurement) => void,
): Promise<void> {
  const { partitions, engines, lines } = size
  const cluster = await RoleCluster.open(kafka, size)
  const broker = kafka.brokers[0]?.pid
  const ids = cluster.accounts.map(({ credentials }) => credentials.accountId)
  const measure = async (work: Measurement['work'], accounts: readonly string[]) => {
    const rounds: Round[] = []
    while (rounds.length < ROUNDS) rounds.push(await round(cluster, broker, accounts, lines))
    note({ work, partitions, engines, rounds })
  }
  try {
    await round(cluster, broker, ids, WARM_UP_LINES)
    await measure(STORED, ids)
    for (const account of cluster.accounts) await deployThrottle(account)
    await measure(THROTTLED, ids)
    const [spread] = cluster.accounts
    if (spread === undefined || partitions === 1) return
    await cluster.spread(spread)
    // The lines of one account on every partition: each event goes to the partition of its key.
    await measure(
      SPREAD,
      ids.map(() => spread.credentials.accountId),
    )
  } finally {
    await cluster.close()
  }
}

interface Round {
  readonly lines: number
  readonly seconds: number
  readonly engineSeconds: number
  readonly storeSeconds: number
  /** Zero for a broker whose process is not to be seen, as are the next two. */
  readonly brokerSeconds: number
  readonly brokerFillSeconds: number
  /** Bytes that the broker wrote while the topic was filled. */
  readonly brokerBytes: number
  /** Processor time of the process that appends the records, which were encoded before. */
  readonly appendSeconds: number
  /** Size of the records before compression. */
  readonly recordBytes: number
  /** Time in which one process reads the records without any further work. */
  readonly readSeconds: number
}

/**
 * Fills the topic, then lets the engines work until everything is stored.
 *
 * @param accounts whose lines lie on each partition
 * @param lines    rounded up to whole records, the same number on each partition
 */
async function round(
  cluster: RoleCluster,
  broker: number | undefined,
  accounts: readonly string[],
  lines: number,
): Promise<Round> {
  const records = Math.ceil(lines / LINES_PER_RECORD / accounts.length)
  const filled = records * LINES_PER_RECORD * accounts.length
  const expected = (await cluster.storedLines()) + filled
  cluster.pause()
  const fillBefore = brokerUsage(broker)
  const from = await nextOffsets(cluster)
  const { recordBytes, appendSeconds } = await fill(cluster, accounts, records)
  const fillAfter = brokerUsage(broker)
  const readSeconds = await readAll(cluster, from)
  const enginePids = cluster.engines.map(({ pid }) => pid)
  const engineBefore = sum(enginePids.map(cpuSeconds))
  const storeBefore = cpuSeconds(cluster.store.pid)
  const brokerBefore = brokerUsage(broker)
  const startedMs = performance.now()
  cluster.resume()
  let stored = 0
  while (stored < expected) {
    await delay(50)
    stored = await cluster.storedLines()
  }
  if (stored > expected) throw new Error(`${stored} lines are stored in place of ${expected}`)
  return {
    lines: filled,
    seconds: (performance.now() - startedMs) / 1000,
    engineSeconds: sum(enginePids.map(cpuSeconds)) - engineBefore,
    storeSeconds: cpuSeconds(cluster.store.pid) - storeBefore,
    brokerSeconds: brokerUsage(broker).seconds - brokerBefore.seconds,
    brokerFillSeconds: fillAfter.seconds - fillBefore.seconds,
    brokerBytes: fillAfter.writtenBytes - fillBefore.writtenBytes,
    appendSeconds,
    recordBytes,
    readSeconds,
  }
}

/** @param records for each partition */
async function fill(
  cluster: RoleCluster,
  accounts: readonly string[],
  records: number,
): Promise<Pick<Round, 'recordBytes' | 'appendSeconds'>> {
  const { ingest, clock } = cluster.base
  const bodies = sampleBodies(DISTINCT_BODIES, LINES_PER_RECORD)
  const valuesOf = accounts.map(account => bodies.map(body => ingestedRecord(account, body, clock.wallMs())))
  let recordBytes = 0
  const fillPartition = async (values: readonly Buffer[], partition: number) => {
    for (let done = 0; done < records; done += values.length) {
      const some = values.slice(0, records - done)
      recordBytes += sum(some.map(({ length }) => length))
      await Promise.all(
        some.map(value => ingest.append(partition, { value, producer: null, priority: 'ingest' })),
      )
    }
  }
  const before = process.cpuUsage()
  await Promise.all(valuesOf.map(fillPartition))
  const { user, system } = process.cpuUsage(before)
  await delay(SLICE_OVER_MS)
  const over = encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: 0 } })
  for (let partition = 0; partition < ingest.partitions; partition++)
    await ingest.append(partition, { value: over, producer: null, priority: 'control' })
  return { recordBytes, appendSeconds: (user + system) / MILLION }
}

async function readAll({ base: { ingest } }: RoleCluster, from: readonly bigint[]): Promise<number> {
  const ends = await Promise.all(from.map(async (_, partition) => (await ingest.bounds(partition)).next))
  const startedMs = performance.now()
  const readPartition = async (offset: bigint, partition: number) => {
    for (let next = offset; next < (ends[partition] as bigint); ) {
      const records = await ingest.read(partition, next, READ_BYTES)
      next = (records.at(-1)?.offset ?? next - 1n) + 1n
    }
  }
  await Promise.all(from.map(readPartition))
  return (performance.now() - startedMs) / 1000
}

function nextOffsets({ base: { ingest } }: RoleCluster): Promise<bigint[]> {
  const partitions = Array.from({ length: ingest.partitions }, (_, partition) => partition)
  return Promise.all(partitions.map(async partition => (await ingest.bounds(partition)).next))
}

function brokerUsage(pid: number | undefined): { readonly seconds: number; readonly writtenBytes: number } {
  if (pid === undefined) return { seconds: 0, writtenBytes: 0 }
  const io = readFileSync(`/proc/${pid}/io`, 'utf8')
  return { seconds: cpuSeconds(pid), writtenBytes: Number(/^write_bytes: (\d+)$/m.exec(io)?.[1]) }
}

function reportOne(report: Report, measurement: Measurement, all: readonly Measurement[]): void {
  const { work, partitions, engines, rounds } = measurement
  const title = `${work}, ${plural(partitions, 'partition')}, ${plural(engines, 'engine')}`
  const floor = floorOf(measurement, all)
  const figure = (what: string, unit: string, value: (round: Round) => number) =>
    report({
      name: `${title}: ${what}`,
      unit,
      values: rounds.map(value),
      floor: { name: floor.name, values: floor.rounds.map(value) },
    })
  figure('stored', 'lines/s', rateOf)
  figure('engines', CPU_UNIT, ({ engineSeconds, lines }) => perMillion(engineSeconds, lines))
  figure('store', CPU_UNIT, ({ storeSeconds, lines }) => perMillion(storeSeconds, lines))
  if (rounds.every(({ brokerSeconds }) => brokerSeconds > 0))
    figure('broker', CPU_UNIT, ({ brokerSeconds, lines }) => perMillion(brokerSeconds, lines))
  if (work === STORED && engines === 1) reportTopic(report, plural(partitions, 'partition'), measurement)
}

/** One partition and one engine; a spread account stands beside accounts that are not. */
function floorOf(
  { work, partitions, engines }: Measurement,
  all: readonly Measurement[],
): { readonly name: string; readonly rounds: readonly Round[] } {
  const [name, same] =
    work === SPREAD
      ? ['accounts that are not spread', { work: THROTTLED, partitions, engines }]
      : ['one partition, one engine', { work, partitions: 1, engines: 1 }]
  const found = all.find(
    each => each.work === same.work && each.partitions === same.partitions && each.engines === same.engines,
  )
  return { name, rounds: found?.rounds ?? [] }
}

/** Costs of the same records that do not depend on the work of the engines. */
function reportTopic(report: Report, title: string, { rounds }: Measurement): void {
  report({
    name: `${title}: read, and nothing done with them`,
    unit: 'lines/s',
    values: rounds.map(({ lines, readSeconds }) => lines / readSeconds),
    floor: { name: 'the same, stored by one engine', values: rounds.map(rateOf) },
  })
  report({
    name: `${title}: appended, records encoded before`,
    unit: CPU_UNIT,
    values: rounds.map(({ lines, appendSeconds }) => perMillion(appendSeconds, lines)),
  })
  if (rounds.some(({ brokerFillSeconds }) => brokerFillSeconds === 0)) return
  report({
    name: `${title}: broker, while it takes the lines`,
    unit: CPU_UNIT,
    values: rounds.map(({ lines, brokerFillSeconds }) => perMillion(brokerFillSeconds, lines)),
  })
  report({
    name: `${title}: written by the broker`,
    unit: 'B a line',
    values: rounds.map(({ lines, brokerBytes }) => brokerBytes / lines),
    floor: { name: 'the records', values: rounds.map(({ lines, recordBytes }) => recordBytes / lines) },
  })
}

function rateOf({ lines, seconds }: Round): number {
  return lines / seconds
}

function perMillion(seconds: number, lines: number): number {
  return (seconds / lines) * MILLION
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
