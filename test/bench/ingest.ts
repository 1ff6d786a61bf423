import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { ingestRoutes } from '../../api/ingest/ingest-routes.ts'
import { IngestWriter } from '../../api/ingest/ingest-writer.ts'
import { RecentKeys } from '../../api/ingest/recent-keys.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { LineBatchBuilder } from '../../engine/lines/line-batch-builder.ts'
import { LineReader } from '../../engine/lines/scan/line-reader.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { Producer } from '../../engine/log/producer.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { Report } from './figure.ts'
import { sendLoad } from './load.ts'
import { sampleBodies } from './sample-bodies.ts'
import type { LoadReport } from './send-load.ts'

const KEY = '7b273eb8adc962f2711ad760730debb0'
const ACCOUNT = '507f1f77bc'
const ROUNDS = 3
const LIMIT_BYTES = 2_097_152
const LOADS: readonly Load[] = [
  { linesPerBody: 1000, lines: 1_200_000, connections: 16 },
  { linesPerBody: 100, lines: 1_000_000, connections: 32 },
  { linesPerBody: 10, lines: 240_000, connections: 128 },
]

interface Load {
  readonly linesPerBody: number
  readonly lines: number
  readonly connections: number
}

export const summary =
  'durable lines a second of the HTTP front on a segment log, and how long a body waits for its 200, beside a bare node:http server that collects the same bodies and keeps nothing; and reading bodies alone, beside a bare JSON.parse of them. The load generator is a process of its own on the same cores.'

export async function run(report: Report): Promise<void> {
  for (const { linesPerBody } of LOADS) readingAgainstJsonParse(linesPerBody, report)
  for (const load of LOADS) {
    const floor: LoadFigures[] = []
    const front: LoadFigures[] = []
    for (let round = 0; round < ROUNDS; round++) {
      floor.push(await onBareServer(url => measure(url, load)))
      front.push(await onIngestFront(url => measure(url, load)))
    }
    for (const [what, unit, read] of FIGURES) {
      report({
        name: `${load.linesPerBody.toLocaleString('en')}-line bodies, ${load.connections} connections: ${what}`,
        unit,
        values: front.map(read),
        floor: { name: 'bare node:http, nothing kept', values: floor.map(read) },
      })
    }
  }
}

interface LoadFigures extends LoadReport {
  readonly cpuSeconds: number
}

const FIGURES: readonly (readonly [string, string, (figures: LoadFigures) => number])[] = [
  ['lines', 'lines/s', ({ lines, seconds }) => lines / seconds],
  ['bodies', 'MB/s', ({ bodyBytes, seconds }) => bodyBytes / seconds / 1e6],
  ['lines of one core', 'lines per CPU-s', ({ lines, cpuSeconds }) => lines / cpuSeconds],
  ['p50', 'ms', ({ p50Ms }) => p50Ms],
  ['p99', 'ms', ({ p99Ms }) => p99Ms],
]

function readingAgainstJsonParse(linesPerBody: number, report: Report): void {
  const bodies = sampleBodies(Math.ceil(3000 / linesPerBody), linesPerBody)
  const reader = new LineReader()
  const batch = new LineBatchBuilder()
  const bounds = timeBounds(Date.now(), 30)
  const read: number[] = []
  const parsed: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    read.push(
      megabytesPerSecond(bodies, body => {
        reader.load([body])
        reader.readLines(batch, bounds, [], LIMIT_BYTES)
        if (batch.count >= 3000) {
          batch.encode(ACCOUNT, 'ingest')
          batch.clear()
        }
      }),
    )
    parsed.push(megabytesPerSecond(bodies, body => JSON.parse(body.toString())))
  }
  report({
    name: `${linesPerBody.toLocaleString('en')}-line bodies, read into an encoded batch`,
    unit: 'MB/s',
    values: read,
    floor: { name: 'bare JSON.parse', values: parsed },
  })
}

function megabytesPerSecond(bodies: readonly Buffer[], work: (body: Buffer) => void): number {
  const forMs = (ms: number) => {
    const startedMs = performance.now()
    let bytes = 0
    while (performance.now() - startedMs < ms) {
      for (const body of bodies) {
        work(body)
        bytes += body.length
      }
    }
    return bytes / 1e3 / (performance.now() - startedMs)
  }
  forMs(200)
  return forMs(400)
}

/** The CPU time is that of this process, which is the one that is measured. */
async function measure(url: string, load: Load): Promise<LoadFigures> {
  const send = (lines: number) => sendLoad({ url, ingestionKey: KEY, ...load, lines })
  await send(load.lines / 5)
  const before = process.cpuUsage()
  const report = await send(load.lines)
  const { user, system } = process.cpuUsage(before)
  if (report.statuses['200'] !== report.lines / load.linesPerBody)
    throw new Error(`answers were ${JSON.stringify(report.statuses)}`)
  return { ...report, cpuSeconds: (user + system) / 1e6 }
}

async function onBareServer<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => response.end('{"status":"ok","batchID":""}'))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/logs/ingest`)
  } finally {
    server.closeAllConnections()
    await new Promise(resolve => server.close(resolve))
  }
}

async function onIngestFront<Result>(use: (url: string) => Promise<Result>): Promise<Result> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-bench-ingest-'))
  const clock = systemClock()
  const entropy = systemEntropy()
  const log = await openSegmentLog({ directory: join(directory, 'log'), clock, entropy, maxBytes: 2 ** 33 })
  const topic = await log.topic(INGEST_TOPIC, 1)
  const app = fastify()
  await app.register(ingestRoutes, {
    writer: new IngestWriter({
      topic,
      producer: new Producer({ topic, clock, entropy }),
    }),
    keys: new RecentKeys({ clock }),
    partitionOf: () => 0,
    authenticator: {
      ingest: ({ apikeyHeader }) =>
        apikeyHeader === KEY
          ? {
              caller: {
                subjectId: 'bench',
                credential: { id: 'k', scope: null, expiresAtMs: null },
                accessType: 'ingestion',
                role: 'ingest',
                delegated: false,
                account: { shortId: ACCOUNT, id: 'bench', retentionDays: 30, ingestionSuspended: false },
              },
            }
          : { failure: { status: 401, message: 'Not Authorized' } },
    },
    clock,
    bodyLimitBytes: 2_097_152,
    corsOrigins: [],
  })
  try {
    return await use(`${await app.listen({ host: '127.0.0.1', port: 0 })}/logs/ingest`)
  } finally {
    await app.close()
    await log.close()
    await rm(directory, { recursive: true, force: true })
  }
}
