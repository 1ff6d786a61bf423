import { Event } from '../../engine/event.ts'
import { compileGraph } from '../../engine/graph/compile-graph.ts'
import type { JsonObject } from '../../schemas/json.ts'
import type { LineBatchView } from '../../schemas/line-batch.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { sentBatch } from '../support/sent-lines.ts'

const START_MS = 1_795_000_000_000
const LINES_PER_BATCH = 1000
const BATCHES = 50
const ROUNDS = 7
const EVENTS = LINES_PER_BATCH * BATCHES
const APPS = 40

const SOURCE = node('in', 'source', 'log-analysis-ingestion', [])
const FILTER = node('f', 'transform', 'filter', ['in'], {
  action: 'drop',
  conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
})
const THROTTLE = node('t', 'transform', 'throttle', ['f'], {
  threshold: 600,
  window: '1s',
  key_field: '.app',
  exclude: { expressions: [{ field: '.host', str_operator: 'equal', value: 'canary' }] },
})
const DROP_FIELDS = node('d', 'transform', 'drop-fields', ['t'], { fields: ['.meta', '.env'] })

const PIPELINES: Readonly<Record<string, readonly NodeDocument[]>> = {
  'source, sink': [SOURCE, sink('in')],
  'filter, throttle': [SOURCE, FILTER, THROTTLE, sink('t')],
  'filter, throttle, drop-fields': [SOURCE, FILTER, THROTTLE, DROP_FIELDS, sink('d')],
}

/**
 * Events a second through a graph, batch decoded, delivered ones counted. The floor is making the events and
 * reading the three fields that the filter and the throttle read, in the same run.
 */
export async function run(print: (line: string) => void): Promise<void> {
  const batches = Array.from({ length: BATCHES }, (_, number) => lineBatch(number))
  const floorNs = medianNs(() => readFields(batches))
  print(`floor, three fields read: ${floorNs.toFixed(0)} ns an event, ${perSecond(floorNs)}`)
  for (const [title, nodes] of Object.entries(PIPELINES)) {
    let delivered = 0
    const ns = medianNs(() => {
      delivered = runAll(nodes, batches)
    })
    print(
      `${title}: ${ns.toFixed(0)} ns an event, ${perSecond(ns)}, ${(ns / floorNs).toFixed(1)} x the floor; ` +
        `${((delivered / EVENTS) * 100).toFixed(0)} % delivered`,
    )
  }
}

function runAll(nodes: readonly NodeDocument[], batches: readonly LineBatchView[]): number {
  const graph = compileGraph({ id: 'p', accountId: 'a', title: 'bench', revision: 1, nodes })
  let delivered = 0
  for (const [number, batch] of batches.entries()) {
    graph.run('ingest', eventsOf(batch), {
      nowMs: START_MS + number * 10,
      deliver: (_sink, events) => {
        delivered += events.length
      },
      report: ({ code }) => {
        throw new Error(code)
      },
    })
  }
  return delivered
}

function readFields(batches: readonly LineBatchView[]): void {
  let units = 0
  for (const batch of batches) {
    for (const event of eventsOf(batch)) {
      for (const key of ['level', 'host', 'app']) units += String(event.member(key)).length
    }
  }
  if (units === 0) throw new Error('nothing was read')
}

function eventsOf(batch: LineBatchView): Event[] {
  return Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
}

function lineBatch(number: number): LineBatchView {
  return sentBatch(
    Array.from({ length: LINES_PER_BATCH }, (_, index) => ({
      line: `10.0.${number}.${index % 250} - - "GET /api/v1/orders?n=${index} HTTP/1.1" 200 ${index * 7} "-" "Mozilla/5.0"`,
      app: `app-${(index * 7) % APPS}`,
      level: index % 6 === 0 ? 'debug' : 'info',
      meta: '{"region":"eu-1","pod":"pod-7"}',
    })),
  )
}

function node(
  id: string,
  kind: NodeDocument['kind'],
  type: string,
  inputs: readonly string[],
  config: JsonObject = {},
): NodeDocument {
  return { id, kind, type, title: null, user_config: config, inputs }
}

function sink(input: string): NodeDocument {
  return node('out', 'sink', 'blackhole', [input])
}

function medianNs(work: () => void): number {
  const rounds = Array.from({ length: ROUNDS }, () => {
    const start = performance.now()
    work()
    return ((performance.now() - start) * 1e6) / EVENTS
  }).sort((a, b) => a - b)
  return rounds[ROUNDS >> 1] as number
}

function perSecond(ns: number): string {
  return `${(1000 / ns).toFixed(1)} M/s`
}
