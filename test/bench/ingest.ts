import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { ingestRoutes } from '../../api/ingest/ingest-routes.ts'
import { IngestWriter } from '../../api/ingest/ingest-writer.ts'
import { LineBatchBuilder } from '../../api/ingest/line-batch-builder.ts'
import { LineReader } from '../../api/ingest/line-reader.ts'
import { timeBounds } from '../../api/ingest/timestamp.ts'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { Producer } from '../../engine/log/producer.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../engine/log/topics.ts'
import { sendLoad } from './load.ts'
import { sampleBodies } from './sample-bodies.ts'

const KEY = '7b273eb8adc962f2711ad760730debb0'
const ACCOUNT = '507f1f77bc'
const LOADS = [
  { linesPerBody: 1000, lines: 1_500_000, connections: 16 },
  { linesPerBody: 10, lines: 300_000, connections: 128 },
]

interface Figures {
  readonly linesPerSecond: number
  readonly text: string
}

/**
 * Durable lines a second of the HTTP front on a segment log, beside the floor: the same load on a bare `node:http`
 * server that collects bodies and keeps nothing. And the reading of bodies, beside a bare `JSON.parse` of them.
 * The load generator is a process of its own on the same cores.
 */
export async function run(print: (line: string) => void): Promise<void> {
  for (const linesPerBody of [1000, 10]) readingAgainstJsonParse(linesPerBody, print)
  for (const load of LOADS) {
    const floor = await onBareServer(url => measure(url, load))
    const front = await onIngestFront(url => measure(url, load))
    const ratio = (front.linesPerSecond / floor.linesPerSecond).toFixed(2)
    print(`${load.linesPerBody}-line bodies, durable: ${front.text}; ${ratio} of bare node:http`)
    print(`${load.linesPerBody}-line bodies, bare node:http, nothing kept: ${floor.text}`)
  }
}

function readingAgainstJsonParse(linesPerBody: number, print: (line: string) => void): void {
  const bodies = sampleBodies(Math.ceil(3000 / linesPerBody), linesPerBody)
  const reader = new LineReader()
  const batch = new LineBatchBuilder()
  const bounds = timeBounds(Date.now(), 30)
  const read = megabytesPerSecond(bodies, body => {
    reader.load([body])
    reader.readLines(batch, bounds, [])
    if (batch.count >= 3000) {
      batch.encode(ACCOUNT, 'ingest')
      batch.clear()
    }
  })
  const parsed = megabytesPerSecond(bodies, body => JSON.parse(body.toString()))
  const ratio = (read / parsed).toFixed(2)
  print(
    `${linesPerBody}-line bodies, read into an encoded batch: ${read.toFixed(0)} MB/s; ${ratio} of bare JSON.parse`,
  )
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
  forMs(300)
  return forMs(700)
}

async function measure(url: string, load: (typeof LOADS)[number]): Promise<Figures> {
  const send = (lines: number) => sendLoad({ url, ingestionKey: KEY, ...load, lines })
  await send(load.lines / 5)
  const cpuBefore = process.cpuUsage()
  const report = await send(load.lines)
  const { user, system } = process.cpuUsage(cpuBefore)
  if (report.statuses['200'] !== report.lines / load.linesPerBody)
    throw new Error(`answers were ${JSON.stringify(report.statuses)}`)
  const linesPerSecond = report.lines / report.seconds
  const perCpuSecond = report.lines / ((user + system) / 1e6)
  return {
    linesPerSecond,
    text:
      `${thousands(linesPerSecond)} lines/s (${(report.bodyBytes / report.seconds / 1e6).toFixed(0)} MB/s), ` +
      `${thousands(perCpuSecond)} per CPU-s, p50 ${report.p50Ms.toFixed(1)} ms, p99 ${report.p99Ms.toFixed(1)} ms`,
  }
}

function thousands(value: number): string {
  return `${Math.round(value / 1000)}k`
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
      partitionOfAccount: account => partitionOfAccount(account, 1),
    }),
    authenticator: {
      ingest: ({ apikeyHeader }) =>
        apikeyHeader === KEY
          ? {
              caller: {
                subjectId: 'bench',
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
