import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import { openEmbeddedConnection } from '../../engine/store/embedded-connection.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { BenchmarkOptions } from './benchmark.ts'
import type { Report } from './figure.ts'
import { ACCOUNT, ingestedBatch, ingestedRecord } from './ingested-batch.ts'
import { type FilledBlock, LINE_TABLE, LineBlocks } from './line-blocks.ts'
import { SAMPLE_START_MS, sampleBodies } from './load/bodies.ts'
import { prepareLoad, sendLoad } from './load/load.ts'
import { type CpuTime, cpuTimeOf } from './stages/cpu-time.ts'
import { FRONT_KEY, onIngestFront, onSegmentLog } from './stages/ingest-front.ts'
import { formTimer } from './stages/line-forms.ts'

const LINES = 150_000
/** More, so that blocks are as large as those of the program under load. */
const STORED_LINES = 400_000
const QUICK_LINES = 20_000
const ROUNDS = 3
const WRITERS = 8
const BLOCKS = 8
const BODY_LINES = [1_000, 100]
/** Log time of a batch is within one slice. */
const LOG_MS = SAMPLE_START_MS

export const summary =
  'The benchmark shows where the processor time of a JSON line goes, stage by stage. Each stage runs alone in one process with the code of the program. Times of scan, fold and fill are those of their thread; HTTP, log, insert and merges count all threads of the process. HTTP is the ingest front less scan and log, fold is the partition fold less fill. A merge is one of eight parts, per merged row. The collector shows as the time that helpers of V8 took beside scan, fold and fill, while its pauses are part of the stages.'

export async function run(report: Report, { lines = LINES, quick }: BenchmarkOptions): Promise<void> {
  const count = quick ? QUICK_LINES : lines
  for (const linesPerBody of BODY_LINES) await measureFront(count, linesPerBody, report)
  await measureForms(count, report)
  await measureStore(quick ? QUICK_LINES : STORED_LINES, report)
}

async function measureFront(lines: number, linesPerBody: number, report: Report): Promise<void> {
  const bodies = sampleBodies(lines / linesPerBody, linesPerBody)
  const stages = { front: [], scan: [], log: [], fold: [], fill: [] } as Record<Stage, CpuTime[]>
  for (let round = 0; round <= ROUNDS; round++) {
    const measured = await frontRound(bodies, lines, linesPerBody)
    if (round === 0) continue // It has made the code hot.
    for (const [stage, time] of Object.entries(measured)) stages[stage as Stage].push(time)
  }
  const rounds = stages.scan.map((_, round) => {
    const at = (stage: Stage) => stages[stage][round] as CpuTime
    const helpers = ({ threadNs, processNs }: CpuTime) => Math.max(0, processNs - threadNs)
    return {
      HTTP: Math.max(0, at('front').processNs - at('scan').processNs - at('log').processNs),
      scan: at('scan').threadNs,
      log: at('log').processNs,
      fold: Math.max(0, at('fold').threadNs - at('fill').threadNs),
      fill: at('fill').threadNs,
      'collector beside scan and fold': helpers(at('scan')) + helpers(at('fold')),
    }
  })
  const title = `${linesPerBody.toLocaleString('en')}-line bodies`
  for (const stage of Object.keys(rounds[0] ?? {}) as (keyof (typeof rounds)[0])[])
    report({ name: `${title}: ${stage}`, unit: 'ns a line', values: rounds.map(each => each[stage] / lines) })
}

/** Stage from texts to a block, in both forms in which lines are stored, in turn. */
async function measureForms(lines: number, report: Report): Promise<void> {
  const timeOf = formTimer(sampleBodies(lines / 1_000, 1_000), LOG_MS)
  const times = { lines: [] as number[], slotted_lines: [] as number[] }
  const tables = ['lines', 'slotted_lines'] as const
  for (let round = 0; round <= ROUNDS; round++)
    for (const table of tables) {
      const { threadNs } = await timeOf(table)
      if (round > 0) times[table].push(threadNs / lines)
    }
  for (const table of tables)
    report({ name: `texts to a block of ${table}`, unit: 'ns a line', values: times[table] })
}

type Stage = 'front' | 'scan' | 'log' | 'fold' | 'fill'

async function frontRound(
  bodies: readonly Buffer[],
  lines: number,
  linesPerBody: number,
): Promise<Record<Stage, CpuTime>> {
  const records: Buffer[] = []
  const scan = await cpuTimeOf(() => {
    for (const body of bodies) records.push(ingestedRecord(ACCOUNT, body, LOG_MS))
  })
  return {
    scan,
    log: await logTime(records),
    front: await frontTime(lines, linesPerBody),
    fold: await foldTime(records),
    fill: await fillTime(lines),
  }
}

/** Durable appends by writers that wait, as connections do. */
function logTime(records: readonly Buffer[]): Promise<CpuTime> {
  return onSegmentLog(topic => {
    let next = 0
    const writer = async () => {
      for (let value = records[next++]; value !== undefined; value = records[next++])
        await topic.append(0, { value, producer: null, priority: 'ingest' })
    }
    return cpuTimeOf(() => Promise.all(Array.from({ length: WRITERS }, writer)))
  })
}

function frontTime(lines: number, linesPerBody: number): Promise<CpuTime> {
  return onIngestFront(async url => {
    const all = { url, ingestionKey: FRONT_KEY, lines, linesPerBody, connections: WRITERS }
    const load = await prepareLoad(all)
    try {
      await sendLoad({ ...all, lines: lines / 4 })
      return await cpuTimeOf(() => load.send())
    } finally {
      load.close()
    }
  })
}

/** Stage from records to blocks of the store, by the default graph. */
function foldTime(records: readonly Buffer[]): Promise<CpuTime> {
  const identity = { topic: INGEST_TOPIC, partition: 0, partitions: 1, logId: 'bench' }
  const fold = new PartitionFold(CATALOGUE, identity)
  const tick = controlType.encode({
    behaviour: BEHAVIOUR,
    body: { 'weir.Tick': { deadlineMs: LOG_MS } },
  })
  return cpuTimeOf(() => {
    for (const [number, value] of [tick, ...records].entries())
      fold.apply({ offset: BigInt(number), appendTimeMs: LOG_MS, value, producer: null })
  })
}

/** Stage from lines to a block of the store. Decoding of records comes before the clock starts, a body at a time. */
async function fillTime(lines: number): Promise<CpuTime> {
  const blocks = new LineBlocks()
  let [threadNs, processNs] = [0, 0]
  for (const [offset, body] of sampleBodies(lines / 1_000, 1_000).entries()) {
    const batch = ingestedBatch(body, LOG_MS)
    const time = await cpuTimeOf(() => blocks.append(BigInt(offset), batch, LOG_MS))
    threadNs += time.threadNs
    processNs += time.processNs
  }
  return { threadNs, processNs }
}

async function measureStore(lines: number, report: Report): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-bench-stages-'))
  const connection = await openEmbeddedConnection({ path: join(folder, 'store') })
  const store = openClickHouseStore(connection)
  const target = {
    topic: INGEST_TOPIC,
    partition: 0,
    table: LINE_TABLE,
    epoch: { offset: 0n, attempt: 0 },
  } as const
  try {
    await store.open('bench')
    await store.claim(target)
    const linesPerBlock = Math.floor(lines / BLOCKS / 1_000) * 1_000
    const inserts: number[] = []
    const merges: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      await connection.command(`SYSTEM STOP MERGES ${LINE_TABLE}`)
      const { insert, merge } = await storeRound()
      inserts.push(insert)
      merges.push(merge)
      await connection.command(`TRUNCATE TABLE ${LINE_TABLE}`)
    }
    const blocks = `blocks of ${linesPerBlock.toLocaleString('en')} lines`
    report({ name: `${blocks}: insert`, unit: 'ns a line', values: inserts })
    report({ name: `${blocks}: merge`, unit: 'ns a merged row', values: merges })

    async function storeRound() {
      let insertNs = 0
      const bodies = sampleBodies((BLOCKS * linesPerBlock) / 1_000, 1_000)
      const perBlock = linesPerBlock / 1_000
      for (let number = 0; number < BLOCKS; number++) {
        const filled = blockOf(bodies.slice(number * perBlock, (number + 1) * perBlock), number)
        const time = await cpuTimeOf(() => store.insert({ ...target, ...filled, rows: linesPerBlock }))
        insertNs += time.processNs
      }
      await connection.command(`SYSTEM START MERGES ${LINE_TABLE}`)
      const merged = await cpuTimeOf(() => connection.command(`OPTIMIZE TABLE ${LINE_TABLE} FINAL`))
      const rows = BLOCKS * linesPerBlock
      return { insert: insertNs / rows, merge: merged.processNs / rows }
    }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The block of one batch. @param number of the batch: no two have a position in common */
function blockOf(bodies: readonly Buffer[], number: number): FilledBlock {
  const blocks = new LineBlocks()
  for (const [index, body] of bodies.entries())
    blocks.append(BigInt(number * bodies.length + index), ingestedBatch(body, LOG_MS), LOG_MS)
  return blocks.take()
}
