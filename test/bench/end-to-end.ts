import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'
import { deployThrottle } from './deploy-throttle.ts'
import type { Report } from './figure.ts'
import { sendLoad } from './load.ts'
import { cpuSeconds } from './process-usage.ts'
import type { LoadReport } from './send-load.ts'

const LINES = 1_500_000
const LINES_PER_BODY = 1_000
const CONNECTIONS = 8
const COUNTED_WITHIN_MS = 120_000

const ROUNDS = 3
const BODIES = `${LINES_PER_BODY.toLocaleString('en')}-line bodies, ${CONNECTIONS} connections`

export const summary =
  'the whole way on the real program: HTTP bodies in, durable, through a graph, stored, and counted by its own usage. The floor is a bare node:http server that collects the same bodies and keeps nothing.'

export async function run(report: Report): Promise<void> {
  for (const [title, deploy] of [
    ['default graph', async () => {}],
    ['filter and throttle by app', deployThrottle],
  ] as const) {
    const floor: LoadReport[] = []
    const whole: Measured[] = []
    for (let round = 0; round < ROUNDS; round++) {
      floor.push(await bareServer())
      whole.push(await onRunningWeir(deploy))
    }
    const name = (what: string) => `${title}, ${BODIES}: ${what}`
    const rates = { name: 'bare node:http', values: floor.map(({ lines, seconds }) => lines / seconds) }
    report({
      name: name('counted'),
      unit: 'lines/s',
      values: whole.map(({ load, countedSeconds }) => load.lines / countedSeconds),
      floor: rates,
    })
    report({
      name: name('counted, of one core'),
      unit: 'lines per CPU-s',
      values: whole.map(({ load, cpuSeconds }) => load.lines / cpuSeconds),
    })
    report({
      name: name('counted'),
      unit: 'MB/s',
      values: whole.map(({ load, countedSeconds }) => load.bodyBytes / countedSeconds / 1e6),
      floor: {
        name: rates.name,
        values: floor.map(({ bodyBytes, seconds }) => bodyBytes / seconds / 1e6),
      },
    })
    report({
      name: name('acknowledged'),
      unit: 'lines/s',
      values: whole.map(({ load }) => load.lines / load.seconds),
      floor: rates,
    })
    for (const [what, member] of [
      ['p50', 'p50Ms'],
      ['p99', 'p99Ms'],
    ] as const)
      report({
        name: name(what),
        unit: 'ms',
        values: whole.map(({ load }) => load[member]),
        floor: { name: rates.name, values: floor.map(load => load[member]) },
      })
  }
}

interface Measured {
  readonly load: LoadReport
  /** From the first body until all lines are counted. */
  readonly countedSeconds: number
  /** Of the program alone, its merges as far as they have come included. */
  readonly cpuSeconds: number
}

async function onRunningWeir(deploy: (weir: RunningWeir) => Promise<void>): Promise<Measured> {
  const weir = await RunningWeir.start()
  try {
    await deploy(weir)
    return await measure(weir)
  } finally {
    await weir.dispose()
  }
}

async function measure(weir: RunningWeir): Promise<Measured> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const pid = weir.pid as number
  const cpuBefore = cpuSeconds(pid)
  const startedMs = performance.now()
  const load = await sendLoad({
    url: `${ingestUrl}/logs/ingest`,
    ingestionKey,
    lines: LINES,
    linesPerBody: LINES_PER_BODY,
    connections: CONNECTIONS,
  })
  if (load.statuses['200'] !== LINES / LINES_PER_BODY)
    throw new Error(`not every body was taken: ${JSON.stringify(load.statuses)}`)
  const counted = await eventually(
    () => countedLines(weir),
    lines => lines >= load.lines,
    COUNTED_WITHIN_MS,
  )
  const countedSeconds = (performance.now() - startedMs) / 1000
  if (counted !== load.lines) throw new Error(`sent ${load.lines} lines, counted ${counted}`)
  return { load, countedSeconds, cpuSeconds: cpuSeconds(pid) - cpuBefore }
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
