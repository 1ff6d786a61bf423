import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RunningWeir } from '../support/running-weir.ts'
import { sendLoad } from './load.ts'
import type { LoadReport } from './send-load.ts'

const LINES = 1_500_000
const LINES_PER_BODY = 1_000
const CONNECTIONS = 8
const COUNTED_WITHIN_MS = 120_000

/**
 * The whole way on the real program: HTTP bodies of 1,000 lines, durable, a pipeline with a filter and a keyed
 * throttle, counted in the store. The floor is a bare HTTP server that collects the same bodies.
 */
export async function run(print: (line: string) => void): Promise<void> {
  const floor = await bareServer()
  print(`bare node:http, bodies collected: ${rate(floor.lines, floor.seconds)}`)
  for (const [name, deploy] of [
    ['default graph', async () => {}],
    ['filter and throttle', deployPipeline],
  ] as const) {
    const weir = await RunningWeir.start()
    try {
      await deploy(weir)
      const { report, countedSeconds } = await measure(weir)
      const ratio = (report.lines / countedSeconds / (floor.lines / floor.seconds)).toFixed(3)
      print(
        `${name}: acknowledged ${rate(report.lines, report.seconds)} (p50 ${report.p50Ms.toFixed(1)} ms, p99 ${report.p99Ms.toFixed(1)} ms), counted ${rate(report.lines, countedSeconds)}, ratio to the floor ${ratio}`,
      )
    } finally {
      await weir.dispose()
    }
  }
}

async function measure(weir: RunningWeir): Promise<{ report: LoadReport; countedSeconds: number }> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const startedMs = performance.now()
  const report = await sendLoad({
    url: `${ingestUrl}/logs/ingest`,
    ingestionKey,
    lines: LINES,
    linesPerBody: LINES_PER_BODY,
    connections: CONNECTIONS,
  })
  if (report.statuses['200'] !== LINES / LINES_PER_BODY) {
    throw new Error(`not every body was taken: ${JSON.stringify(report.statuses)}`)
  }
  while ((await storedLines(weir)) < report.lines) {
    if (performance.now() - startedMs > COUNTED_WITHIN_MS)
      throw new Error('the lines were not counted in time')
    await new Promise(resolve => setTimeout(resolve, 100))
  }
  const counted = await storedLines(weir)
  if (counted !== report.lines) throw new Error(`sent ${report.lines} lines, counted ${counted}`)
  return { report, countedSeconds: (performance.now() - startedMs) / 1000 }
}

/** Lines of all apps of today and the days beside it, by the second of reception. */
async function storedLines(weir: RunningWeir): Promise<number> {
  const nowS = Math.floor(Date.now() / 1000)
  const apps = await weir.get<{ current_total: number }[]>(
    `/v1/usage/apps?from=${nowS - 86_400}&to=${nowS + 60}`,
  )
  return apps.reduce((sum, app) => sum + app.current_total, 0)
}

/** ingest → filter (lets all of the sample through) → throttle by app, limit never reached → own store. */
async function deployPipeline(weir: RunningWeir): Promise<void> {
  const create = async (path: string, body: unknown) =>
    (await weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'bench' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const expressions = [
    { field: '.app', str_operator: 'exists', negate: false },
    { field: '.line', str_operator: 'contains', value: 'no such text', negate: true },
  ]
  const filter = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: { action: 'allow', conditional: { logical_operation: 'AND', expressions } },
  })
  const throttle = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [filter],
    user_config: { threshold: 100_000_000, window_ms: 1000, key_field: '.app' },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'log-analysis', inputs: [throttle], user_config: {} })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
}

async function bareServer(): Promise<LoadReport> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      Buffer.concat(chunks)
      response.end('{"status":"ok"}')
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  try {
    const url = `http://127.0.0.1:${port}/logs/ingest`
    return await sendLoad({
      url,
      ingestionKey: '0'.repeat(32),
      lines: LINES,
      linesPerBody: LINES_PER_BODY,
      connections: CONNECTIONS,
    })
  } finally {
    server.close()
  }
}

function rate(lines: number, seconds: number): string {
  return `${Math.round(lines / seconds / 1000)}k lines/s`
}
