import type { BenchmarkOptions } from './benchmark.ts'
import { countText, type Report } from './figure.ts'
import { measureIngestion, storeOf, type Way } from './installation/ingestion.ts'
import { ObservedWeir } from './installation/observed-weir.ts'
import { reportIngestion } from './installation/report-ingestion.ts'
import type { BodyForm } from './load/bodies.ts'

const EVENTS = 500_000
const QUICK_EVENTS = 20_000
const EVENTS_PER_BODY = 1_000
const CONNECTIONS = 8

interface Door {
  readonly title: string
  readonly form: BodyForm
  readonly decoding: 'json' | 'ndjson'
  readonly end: 'own store' | 'blackhole'
}

const DOORS: readonly Door[] = [
  { title: 'NDJSON, filter, blackhole', form: 'ndjson', decoding: 'ndjson', end: 'blackhole' },
  { title: 'NDJSON, filter, own store', form: 'ndjson', decoding: 'ndjson', end: 'own store' },
  { title: 'JSON array, filter, own store', form: 'array', decoding: 'json', end: 'own store' },
  { title: 'JSON array, gzip, filter, own store', form: 'array-gzip', decoding: 'json', end: 'own store' },
]

export const summary =
  'The benchmark runs the whole way of pushed events on the real program. Bodies of 1,000 events to a gateway route on 8 connections are decoded, made durable, passed through a filter that accepts all of them, and stored or discarded. The events are the JSON lines of end-to-end. The floor is a bare JSON.parse of them.'

export async function run(report: Report, options: BenchmarkOptions): Promise<void> {
  const lines = options.lines ?? (options.quick ? QUICK_EVENTS : EVENTS)
  const rounds = options.rounds ?? 1
  for (const door of DOORS) {
    const measured = []
    while (measured.length < rounds) measured.push(await measureDoor(door, lines))
    const arrived = door.end === 'blackhole' ? 'handled' : 'stored'
    const title = `${door.title}, ${countText(lines)} events`
    reportIngestion({ title, noun: 'events', arrived }, measured, report)
  }
}

async function measureDoor(door: Door, lines: number) {
  const weir = await ObservedWeir.start()
  try {
    const series = { seed: 1, startMs: Date.now() - 600_000, shape: 'json', form: door.form }
    const size = { lines, linesPerBody: EVENTS_PER_BODY, connections: CONNECTIONS }
    return await measureIngestion(weir, await openDoor(weir, door), { ...series, ...size })
  } finally {
    await weir.program.dispose()
  }
}

const OWN_STORE = {
  type: 'log-analysis',
  user_config: { message: { scheme: 'Message pass-through' }, query: { hostname: 'bench-1' } },
}

/** Publishes: gateway route → filter (lets all of the events through) → own store or blackhole. */
async function openDoor(weir: ObservedWeir, { decoding, end }: Door): Promise<Way> {
  const { program } = weir
  const create = async (path: string, body: unknown) =>
    (await program.send<{ data: { id: string; key: string } }>('POST', path, body)).data
  const { id: pipeline } = await create('/v3/pipeline', { title: 'bench' })
  const { id: source } = await create(`/v3/pipeline/${pipeline}/source`, {
    type: 'http',
    user_config: { decoding },
  })
  const { id: filter } = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: {
      action: 'drop',
      conditional: { expressions: [{ field: '.app', str_operator: 'equal', value: 'no such app' }] },
    },
  })
  const sink = end === 'blackhole' ? { type: 'blackhole', user_config: {} } : OWN_STORE
  await create(`/v3/pipeline/${pipeline}/sink`, { ...sink, inputs: [filter] })
  await program.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  // A source that names no route brings one with its own id.
  const { key } = await create(`/v3/pipeline/gateway-route/${source}/access-key`, {
    title: 'bench',
    type: 'generated',
  })
  const count = end === 'blackhole' ? { arrived: () => handledEvents(weir) } : storeOf(weir)
  return { url: `${program.credentials.ingestUrl}/v1/${source}`, key, ...count }
}

/** Events that were pushed, once the engine has read all records; 0 before. */
async function handledEvents(weir: ObservedWeir): Promise<number> {
  const pushed = await weir.metric('weir_push_events_total')
  return (await weir.metric('weir_lag_records')) === 0 ? (pushed ?? 0) : 0
}
