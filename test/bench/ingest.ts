import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { wasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import type { Report } from './figure.ts'
import { sampleBodies } from './load/bodies.ts'
import type { LoadReport } from './load/load.ts'
import { sendLoad } from './load/load.ts'
import { FRONT_KEY, onIngestFront } from './stages/ingest-front.ts'

const ACCOUNT = '507f1f77bc'
const ROUNDS = 3
/** Nothing is stored here, so lines may come again. */
const DISTINCT_LINES = 100_000
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
  'The benchmark measures the durable lines per second of the HTTP front on a segment log, and the time from a body to its 200. The floor is a bare node:http server that collects the same bodies and stores nothing. Reading bodies alone is measured beside a bare JSON.parse of them. The load generator is a process of its own on the same cores.'

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
  const reader = wasmCodec.newReader()
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
  const send = (lines: number) =>
    sendLoad({ url, ingestionKey: FRONT_KEY, ...load, lines, distinctLines: DISTINCT_LINES })
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
