import { Event } from '../../engine/event/event.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import type { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Report } from './figure.ts'
import { ingestedBatch } from './ingested-batch.ts'
import { bodyOf, linesFrom, SAMPLE_START_MS, sampleLineAt } from './load/bodies.ts'
import { pipelineOf, SOURCE, sink, transform } from './pipeline-nodes.ts'

const KEY_COUNTS = [1, 1_000, 100_000, 1_000_000]
const LINES_PER_BATCH = 1000
const BATCHES = 1000
const EVENTS = LINES_PER_BATCH * BATCHES
const ROUNDS = 3
/** Log time between two records: a round takes ten seconds of it. */
const RECORD_STEP_MS = 10
/** Two rounds: each key is met again before it is forgotten. */
const WINDOW_MS = 2 * BATCHES * RECORD_STEP_MS
/** Coprime to the numbers of keys: each key comes up equally often, and never beside its neighbours. */
const STRIDE = 611_953

const PIPELINE = pipelineOf([
  SOURCE,
  transform('t', 'throttle', ['in'], {
    threshold: 1_000_000_000,
    window_ms: WINDOW_MS,
    key_field: '.app',
  }),
  sink('out', 't'),
])

export const summary =
  'The benchmark measures the events per second of one core through a throttle whose limit is never reached. This is the most expensive case: each event adds a pass time, and an old one expires. All keys exist before the clock starts. The floor makes the same events, reads the key and counts in a plain Map, without times.'

export async function run(report: Report): Promise<void> {
  for (const keys of KEY_COUNTS) {
    const batches = Array.from({ length: BATCHES }, (_, number) =>
      batchOf(index => ((number * LINES_PER_BATCH + index) * STRIDE) % keys),
    )
    const name = `${keys.toLocaleString('en')} ${keys === 1 ? 'key' : 'keys'}`
    const counted = countInMap(keys, batches)
    report({
      name,
      unit: 'events/s',
      values: runThroughGraph(keys, batches),
      floor: { name: 'plain Map', values: counted },
    })
  }
}

function runThroughGraph(keys: number, batches: readonly LineBatchView[]): number[] {
  const graph = compileGraph(CATALOGUE, PIPELINE)
  let nowMs = SAMPLE_START_MS
  let delivered = 0
  const context = {
    deliver: (_sink: unknown, events: readonly Event[]) => {
      delivered += events.length
      return undefined
    },
    report: ({ code }: { code: string }) => {
      throw new Error(code)
    },
  }
  const judge = (batch: LineBatchView) => {
    graph.run('ingest', eventsOf(batch), { ...context, nowMs })
  }
  for (const batch of everyKey(keys)) judge(batch)
  const values = rounds(() => {
    for (const batch of batches) {
      nowMs += RECORD_STEP_MS
      judge(batch)
    }
  })
  const buckets = graph.measure().get('t')?.buckets
  if (buckets !== keys) throw new Error(`${buckets} buckets for ${keys} keys`)
  const sent = keys + EVENTS * (ROUNDS + 1)
  if (delivered !== sent) throw new Error(`${delivered} of ${sent} events passed`)
  return values
}

function countInMap(keys: number, batches: readonly LineBatchView[]): number[] {
  const counts = new Map<string, number>()
  const count = (batch: LineBatchView) => {
    for (const event of eventsOf(batch)) {
      const key = String(event.member('app'))
      counts.set(key, (counts.get(key) ?? 0) + 1)
    }
  }
  for (const batch of everyKey(keys)) count(batch)
  return rounds(() => batches.forEach(count))
}

/** Each key once, in order, so that the rounds meet them in another order than they were made in. */
function* everyKey(keys: number): Generator<LineBatchView> {
  for (let first = 0; first < keys; first += LINES_PER_BATCH)
    yield batchOf(index => first + index, Math.min(LINES_PER_BATCH, keys - first))
}

const LINES = linesFrom(sampleLineAt(), 0, LINES_PER_BATCH)

function batchOf(keyAt: (index: number) => number, lines = LINES_PER_BATCH): LineBatchView {
  const sent = LINES.slice(0, lines).map((line, index) => ({ ...line, app: `app-${keyAt(index)}` }))
  return ingestedBatch(bodyOf(sent), SAMPLE_START_MS)
}

function eventsOf(batch: LineBatchView): Event[] {
  return Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
}

/** Events a second of each round, after one that warms up. */
function rounds(work: () => void): number[] {
  work()
  return Array.from({ length: ROUNDS }, () => {
    const startMs = performance.now()
    work()
    return (EVENTS / (performance.now() - startMs)) * 1000
  })
}
