import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'
import type { Report } from './figure.ts'
import { sendLoad } from './load.ts'
import { cpuSeconds } from './process-usage.ts'
import type { BodyForm } from './sample-bodies.ts'
import type { LoadReport } from './send-load.ts'

const LINES = 1_500_000
const LINES_PER_BODY = 1_000
const CONNECTIONS = 8
const COUNTED_WITHIN_MS = 120_000

const ROUNDS = 3

/** One way through the real program. */
export interface Way {
  readonly title: string
  readonly form: BodyForm
  /** What goes this way, in figures. */
  readonly noun: 'lines' | 'events'
  /** Makes the way; every line that goes it must be stored. */
  open(weir: RunningWeir): Promise<Entrance>
}

/** Where bodies are sent. */
export interface Entrance {
  readonly url: string
  readonly key: string
}

/** From HTTP bodies to lines that are counted by the program's own usage, beside a server that keeps nothing. */
export async function measureWholeWay({ title, form, noun, open }: Way, report: Report): Promise<void> {
  const floor: LoadReport[] = []
  const whole: Measured[] = []
  for (let round = 0; round < ROUNDS; round++) {
    floor.push(await bareServer(form))
    whole.push(await onRunningWeir(form, open))
  }
  const bodies = `${LINES_PER_BODY.toLocaleString('en')}-${noun.slice(0, -1)} bodies, ${CONNECTIONS} connections`
  const name = (what: string) => `${title}, ${bodies}: ${what}`
  const rates = { name: 'bare node:http', values: floor.map(({ lines, seconds }) => lines / seconds) }
  report({
    name: name('counted'),
    unit: `${noun}/s`,
    values: whole.map(({ load, countedSeconds }) => load.lines / countedSeconds),
    floor: rates,
  })
  report({
    name: name('counted, of one core'),
    unit: `${noun} per CPU-s`,
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
    unit: `${noun}/s`,
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

interface Measured {
  readonly load: LoadReport
  /** From the first body until all lines are counted. */
  readonly countedSeconds: number
  /** Of the program alone, its merges as far as they have come included. */
  readonly cpuSeconds: number
}

async function onRunningWeir(form: BodyForm, open: Way['open']): Promise<Measured> {
  const weir = await RunningWeir.start()
  try {
    return await measure(weir, await open(weir), form)
  } finally {
    await weir.dispose()
  }
}

async function measure(weir: RunningWeir, { url, key }: Entrance, form: BodyForm): Promise<Measured> {
  const pid = weir.pid as number
  const cpuBefore = cpuSeconds(pid)
  const startedMs = performance.now()
  const load = await send(url, key, form)
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

function send(url: string, ingestionKey: string, form: BodyForm): Promise<LoadReport> {
  const load = { lines: LINES, linesPerBody: LINES_PER_BODY, connections: CONNECTIONS }
  return sendLoad({ url, ingestionKey, form, ...load })
}

async function bareServer(form: BodyForm): Promise<LoadReport> {
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
    return await send(`http://127.0.0.1:${port}/logs/ingest`, '0'.repeat(32), form)
  } finally {
    server.close()
  }
}
