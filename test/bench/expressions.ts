import { RunningWeir } from '../support/running-weir.ts'
import { dearestUnit } from './expression-units.ts'
import type { Report } from './figure.ts'
import { cpuSeconds } from './installation/process-usage.ts'
import { sendLoad } from './load/load.ts'

const ORDINARY_LINES = 2_000_000
const SECONDS = 20
const ACKNOWLEDGED_PER_SECOND = 50
const LONG = 16_000
const LINES_PER_BODY = 3
const BODIES_AT_ONCE = 4
const ROUNDS = 3
/** Time of the search for the most expensive unit, in each round. */
const SEARCH_SECONDS = 20

/** Expressions of the documented examples, of whatever processor. */
const DOCUMENTED = ['(?P<door>[a-z]+)-(?P<number>\\d{2})', '(?<staff_no>S-\\d{4})', 'st.tus=5\\d\\d']
/** Each is looked for from each character of the line on, in many ways at once, and found nowhere. */
const DEAR = Array.from(
  { length: 10 },
  (_, index) => `[^x]{0,${999 - index}}[ab][^y]{0,${990 + index}}[^a-d0-9][^0]`,
)
const LONG_LINES = [0, 1, 2].map(index => `abcd012${index}`.repeat(LONG / 8))

export const summary = `The benchmark measures the costs that expressions of users cause for others, in the real program. First, random expressions meet random texts; the figure is the longest time of a charged unit. Then documented expressions run in a chain of filters while ${ORDINARY_LINES.toLocaleString('en')} lines are sent as fast as they are accepted; no event must fail because of its cost. At last, ten expressions of one account are sought from every character of lines of ${LONG.toLocaleString('en')} characters, at full budget. The figure is the time that another account waits until its lines are accepted; the floor is the same without the expressions.`

export async function run(report: Report): Promise<void> {
  reportUnits(report)
  const weir = await RunningWeir.start()
  try {
    await reportOrdinary(report, weir)
  } finally {
    await weir.dispose()
  }
  const busy = await RunningWeir.start()
  try {
    await reportNeighbour(report, busy)
  } finally {
    await busy.dispose()
  }
}

function reportUnits(report: Report): void {
  const dearest = Array.from({ length: ROUNDS }, (_, round) => dearestUnit(round + 1, SEARCH_SECONDS))
  const { title } = dearest.reduce((left, right) => (left.ns > right.ns ? left : right))
  report({ name: `dearest unit found: ${title}`, unit: 'ns', values: dearest.map(({ ns }) => ns) })
}

async function reportOrdinary(report: Report, weir: RunningWeir): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  await publish(weir, DOCUMENTED)
  const { seconds } = await sendLoad({
    url: `${ingestUrl}/logs/ingest?hostname=bench-1`,
    ingestionKey,
    lines: ORDINARY_LINES,
    linesPerBody: 1_000,
    connections: 8,
  })
  const counts = await whenHandled(weir, ORDINARY_LINES)
  if (counts.failed > 0) throw new Error(`${counts.failed} events failed for what expressions cost`)
  report({ name: 'documented expressions: lines sent', unit: 'lines/s', values: [ORDINARY_LINES / seconds] })
  report({ name: 'documented expressions: events that failed', unit: 'events', values: [counts.failed] })
}

async function reportNeighbour(report: Report, weir: RunningWeir): Promise<void> {
  const neighbour = await otherAccount(weir)
  const alone: number[][] = []
  const beside: number[][] = []
  const cores: number[] = []
  for (let round = 0; round < ROUNDS; round++)
    alone.push(await acknowledgements(weir, neighbour, SECONDS / 2))
  await publish(weir, DEAR)
  for (let round = 0; round < ROUNDS; round++) {
    const ended = new AbortController()
    const flood = Promise.all(Array.from({ length: BODIES_AT_ONCE }, () => sendLong(weir, ended.signal)))
    const cpuBefore = cpuSeconds(weir.pid as number)
    const startedMs = performance.now()
    beside.push(await acknowledgements(weir, neighbour, SECONDS))
    cores.push(((cpuSeconds(weir.pid as number) - cpuBefore) * 1_000) / (performance.now() - startedMs))
    ended.abort()
    await flood
  }
  for (const [what, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
    ['longest', 1],
  ] as const)
    report({
      name: `another account's acknowledgement: ${what}`,
      unit: 'ms',
      values: beside.map(values => percentile(values, share)),
      floor: { name: 'without the expressions', values: alone.map(values => percentile(values, share)) },
    })
  report({ name: 'processor time of the program', unit: 's per s', values: cores })
}

/** ingest -> a filter for each expression -> own store. @returns when lines meet it */
async function publish(weir: RunningWeir, expressions: readonly string[]): Promise<void> {
  const add = async (path: string, body: object) =>
    (await weir.send<{ data: { id: string } }>('POST', path, body)).data.id
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'expressions' })}`
  let last = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  for (const value of expressions)
    last = await add(`${path}/transform`, {
      type: 'filter',
      inputs: [last],
      user_config: {
        action: 'drop',
        conditional: { expressions: [{ field: '.line', str_operator: 'regex_match', value }] },
      },
    })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [last], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
}

/** @returns its ingestion key */
async function otherAccount({ credentials }: RunningWeir): Promise<string> {
  const response = await fetch(`${credentials.apiUrl}/v3/enterprise/account`, {
    method: 'POST',
    headers: {
      authorization: `Token ${credentials.enterpriseAccessToken}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ company: 'Neighbour', owneremail: 'ann@acme.example' }),
  })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return ((await response.json()) as { data: { ingestion_key: string } }).data.ingestion_key
}

/** Results of the filters. */
interface Handled {
  readonly taken: number
  readonly failed: number
}

async function whenHandled(weir: RunningWeir, lines: number): Promise<Handled> {
  for (;;) {
    const handled = await handledBy(weir)
    if (handled.taken >= lines) return handled
    await new Promise(resolve => setTimeout(resolve, 200))
  }
}

async function handledBy({ credentials }: RunningWeir): Promise<Handled> {
  const response = await fetch(`${credentials.apiUrl}/metrics`, {
    headers: { authorization: `Token ${credentials.accessToken}` },
  })
  const text = await response.text()
  let taken = 0
  let failed = 0
  for (const [, labels = '', value] of text.matchAll(/^weir_node_events_total\{(.*)\} (\d+)$/gm)) {
    if (labels.includes('outcome="in"')) taken = Math.max(taken, Number(value))
    if (labels.includes('outcome="failed"')) failed += Number(value)
  }
  return { taken, failed }
}

/** Sends one line after the other at a fixed pace. @returns how long each waited for its answer, in ms */
async function acknowledgements(weir: RunningWeir, apikey: string, seconds: number): Promise<number[]> {
  const waitedMs: number[] = []
  const answers: Promise<void>[] = []
  const startedMs = performance.now()
  for (let sent = 0; sent < seconds * ACKNOWLEDGED_PER_SECOND; sent++) {
    const untilDueMs = startedMs + (sent * 1_000) / ACKNOWLEDGED_PER_SECOND - performance.now()
    if (untilDueMs > 0) await new Promise(resolve => setTimeout(resolve, untilDueMs))
    const sentMs = performance.now()
    answers.push(
      post(weir, apikey, [`neighbour ${sent}`]).then(() => void waitedMs.push(performance.now() - sentMs)),
    )
  }
  await Promise.all(answers)
  return waitedMs
}

async function sendLong(weir: RunningWeir, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) await post(weir, weir.credentials.ingestionKey, LONG_LINES.slice(0, LINES_PER_BODY))
}

async function post({ credentials }: RunningWeir, apikey: string, lines: readonly string[]): Promise<void> {
  const response = await fetch(`${credentials.ingestUrl}/logs/ingest?hostname=bench-1`, {
    method: 'POST',
    headers: { apikey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines: lines.map(line => ({ line, app: 'bench' })) }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

function percentile(values: readonly number[], share: number): number {
  const index = Math.min(values.length - 1, Math.floor(values.length * share))
  return values.toSorted((a, b) => a - b)[index] ?? Number.NaN
}
