import { Event } from '../../engine/event/event.ts'
import { type CompiledGraph, compileGraph } from '../../engine/graph/compile-graph.ts'
import type { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import type { Report } from './figure.ts'
import { ingestedBatch } from './ingested-batch.ts'
import { SAMPLE_START_MS, sampleBodies } from './load/bodies.ts'
import { pipelineOf, SOURCE, sink, transform } from './pipeline-nodes.ts'

const LINES_PER_BATCH = 1000
const BATCHES = 50
const ROUNDS = 25
const EVENTS = LINES_PER_BATCH * BATCHES
/** Log time between two records: a hundred thousand lines a second. */
const RECORD_STEP_MS = 10

const FILTER = transform('f', 'filter', ['in'], {
  action: 'drop',
  conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'warn' }] },
})
const ROUTE = transform('r', 'route', ['in'], {
  conditionals: [
    {
      label: 'errors',
      _output_name: 'aaaaaaaa',
      conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'error' }] },
    },
    {
      label: 'failures',
      _output_name: 'bbbbbbbb',
      conditional: { expressions: [{ field: '.line', str_operator: 'contains', value: 'failed' }] },
    },
  ],
})
const THROTTLE = transform('t', 'throttle', ['f'], {
  threshold: 600,
  window: '1s',
  key_field: '.app',
  exclude: { expressions: [{ field: '.host', str_operator: 'equal', value: 'canary' }] },
})
const DROP_FIELDS = transform('d', 'drop-fields', ['t'], { fields: ['.host', '.level'] })

const PIPELINES: Readonly<Record<string, readonly NodeDocument[]>> = {
  'pass-through': [SOURCE, sink('out', 'in')],
  'filter by level': [SOURCE, FILTER, sink('out', 'f')],
  'route by level and text, three ways': [
    SOURCE,
    ROUTE,
    sink('a', 'r.aaaaaaaa'),
    sink('b', 'r.bbbbbbbb'),
    sink('c', 'r._unmatched'),
  ],
  'filter, throttle by app': [SOURCE, FILTER, THROTTLE, sink('out', 't')],
  'filter, throttle by app, drop-fields': [SOURCE, FILTER, THROTTLE, DROP_FIELDS, sink('out', 'd')],
}

export const summary =
  'The benchmark measures the events per second of one core through a graph. Records of 1,000 decoded lines enter, and delivered events are counted. The floor makes the same events and reads three fields of each.'

export async function run(report: Report): Promise<void> {
  const batches = sampleBodies(BATCHES, LINES_PER_BATCH).map(body => ingestedBatch(body, SAMPLE_START_MS))
  const floor = { name: 'three fields read', values: rounds(() => readFields(batches)) }
  for (const [title, nodes] of Object.entries(PIPELINES)) {
    let delivered = 0
    const values = rounds(() => {
      delivered = runAll(compileGraph(CATALOGUE, pipelineOf(nodes)), batches)
    })
    const share = Math.round((delivered / EVENTS) * 100)
    report({ name: `${title} (${share} % delivered)`, unit: 'events/s', values, floor })
  }
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

function runAll(graph: CompiledGraph, batches: readonly LineBatchView[]): number {
  let delivered = 0
  for (const [number, batch] of batches.entries()) {
    graph.run('ingest', eventsOf(batch), {
      nowMs: SAMPLE_START_MS + number * RECORD_STEP_MS,
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
