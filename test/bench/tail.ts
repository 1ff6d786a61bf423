import { connect } from 'node:net'
import { RunningWeir } from '../support/running-weir.ts'
import type { Report } from './figure.ts'
import { cpuSeconds } from './installation/process-usage.ts'

const LINES_PER_SECOND = 10_000
const LINES_PER_BODY = 100
const SECONDS = 15
const ROUNDS = 3
const SETTLED_WITHIN_MS = 10_000

export const summary = `The benchmark measures the time from the answer to a body until its last line is at the socket of a live tail, in the real program. It receives ${LINES_PER_SECOND.toLocaleString('en')} lines per second in bodies of ${LINES_PER_BODY}, for ${SECONDS} s. The floor is the time from the body to that answer. Every line must arrive, or be reported as left out.`

const TAILS: readonly { readonly name: string; readonly queries: readonly string[] }[] = [
  { name: 'no tail', queries: [] },
  { name: '1 tail, every line', queries: [''] },
  { name: '1 tail, words and a number', queries: ['q=GET%20status:>=500%20-absent'] },
  { name: '10 tails, every line', queries: Array.from({ length: 10 }, () => '') },
  {
    name: '10 tails, nine of them for an app that is not there',
    queries: ['', ...Array.from({ length: 9 }, () => 'apps=absent')],
  },
  {
    name: '10 tails, words and a number',
    queries: Array.from({ length: 10 }, () => 'q=GET%20status:>=500%20-absent'),
  },
]

export async function run(report: Report): Promise<void> {
  const weir = await RunningWeir.start()
  try {
    for (const { name, queries } of TAILS) {
      const rounds: Measured[] = []
      for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(weir, queries))
      reportRounds(report, name, rounds)
    }
  } finally {
    await weir.dispose()
  }
}

function reportRounds(report: Report, name: string, rounds: readonly Measured[]): void {
  for (const [what, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const) {
    if (rounds.some(({ shownMs }) => shownMs.length > 0))
      report({
        name: `${name}: ${what}`,
        unit: 'ms',
        values: rounds.map(({ shownMs }) => percentile(shownMs, share)),
        floor: {
          name: 'answer of the ingestion',
          values: rounds.map(({ answerMs }) => percentile(answerMs, share)),
        },
      })
  }
  if (rounds.some(({ shownMs }) => shownMs.length > 0))
    report({
      name: `${name}: left out of the first tail`,
      unit: '%',
      values: rounds.map(({ droppedPercent }) => droppedPercent),
    })
  report({
    name: `${name}: processor time of the program`,
    unit: 's per s',
    values: rounds.map(round => round.cores),
  })
}

interface Measured {
  /** Time of each body from its answer to its last line at the first tail; below 0: the line came before. */
  readonly shownMs: readonly number[]
  readonly answerMs: readonly number[]
  readonly droppedPercent: number
  readonly cores: number
}

let bodies = 0

async function measure(weir: RunningWeir, queries: readonly string[]): Promise<Measured> {
  const shownAtMs = new Map<number, number>()
  let dropped = 0
  const tails = await Promise.all(
    queries.map((query, index) =>
      watch(weir, query, text => {
        if (index > 0) return
        const nowMs = performance.now()
        for (const [, body] of text.matchAll(/last=(\d+);/g)) shownAtMs.set(Number(body), nowMs)
        for (const [, lines] of text.matchAll(/"dropped":(\d+)/g)) dropped += Number(lines)
      }),
    ),
  )
  const answeredAtMs = new Map<number, number>()
  const answerMs: number[] = []
  const cpuBefore = cpuSeconds(weir.pid as number)
  const startedMs = performance.now()
  const answers: Promise<void>[] = []
  const count = (LINES_PER_SECOND / LINES_PER_BODY) * SECONDS
  for (let sent = 0; sent < count; sent++) {
    const dueMs = startedMs + (sent * 1_000 * LINES_PER_BODY) / LINES_PER_SECOND
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await new Promise(resolve => setTimeout(resolve, waitMs))
    const body = bodies++
    const sentMs = performance.now()
    answers.push(
      post(weir, body).then(() => {
        answeredAtMs.set(body, performance.now())
        answerMs.push(performance.now() - sentMs)
      }),
    )
  }
  await Promise.all(answers)
  const cores = (cpuSeconds(weir.pid as number) - cpuBefore) / ((performance.now() - startedMs) / 1_000)
  const isSettled = () => tails.length === 0 || shownAtMs.has(bodies - 1) || dropped > 0
  for (const untilMs = performance.now() + SETTLED_WITHIN_MS; !isSettled() && performance.now() < untilMs; )
    await new Promise(resolve => setTimeout(resolve, 50))
  for (const close of tails) close()
  if (tails.length > 0 && dropped === 0 && shownAtMs.size !== count)
    throw new Error(`of ${count} last lines ${shownAtMs.size} came, and none was reported as left out`)
  return {
    shownMs: [...shownAtMs].map(([body, atMs]) => atMs - (answeredAtMs.get(body) as number)),
    answerMs,
    droppedPercent: (dropped * 100) / (count * LINES_PER_BODY),
    cores,
  }
}

async function post(weir: RunningWeir, body: number): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = Array.from({ length: LINES_PER_BODY }, (_, index) => ({
    app: `app-${index % 10}`,
    line: JSON.stringify({
      message: `GET /orders/${index} answered`,
      status: 500,
      duration: index / 7,
      mark: index === LINES_PER_BODY - 1 ? `last=${body};` : 'on',
    }),
  }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=bench-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
  await response.arrayBuffer()
}

/** A reader that costs little: it only looks for marks in its input. @returns ends it */
async function watch(
  { credentials }: RunningWeir,
  query: string,
  look: (text: string) => void,
): Promise<() => void> {
  const url = new URL(credentials.apiUrl)
  const socket = connect({ host: url.hostname, port: Number(url.port) })
  const head = {
    host: url.host,
    authorization: `Token ${credentials.accessToken}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  }
  socket.write(
    `GET /ws/tail?${query} HTTP/1.1\r\n${Object.entries(head)
      .map(([name, value]) => `${name}: ${value}\r\n`)
      .join('')}\r\n`,
  )
  await new Promise<void>((resolve, reject) => {
    socket.once('data', piece => {
      if (piece.toString('latin1').startsWith('HTTP/1.1 101')) resolve()
      else reject(new Error(piece.toString('latin1')))
    })
    socket.once('error', reject)
  })
  let rest = ''
  socket.on('data', piece => {
    const text = rest + piece.toString('latin1')
    const end = text.lastIndexOf(',') // A mark that is cut in two is looked for once more.
    rest = text.slice(Math.max(end, text.length - 64))
    look(text.slice(0, text.length - rest.length))
  })
  return () => {
    look(rest)
    socket.destroy()
  }
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN
}
