import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { Preview } from '../../engine/replay/preview/preview.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import type { Report } from './figure.ts'
import { ACCOUNT, ingestedRecord } from './ingested-batch.ts'
import { SAMPLE_START_MS, sampleBodies } from './load/bodies.ts'
import { SOURCE, transform } from './pipeline-nodes.ts'

const LINES_PER_RECORD = 1000
const RECORDS = 200
const ROUNDS = 7
const LINES = LINES_PER_RECORD * RECORDS
/** Log time between two records: a hundred thousand lines a second. */
const RECORD_STEP_MS = 10

export const summary =
  "The benchmark measures the lines per second of one core through a preview. Each line passes the deployed revision (filter and throttle into the own store) and a draft with another limit, and the results are compared. The floor is one fold of the same records, like the engine's, with its batches for the store."

export async function run(report: Report): Promise<void> {
  const records = recordsWith(document(1, 600))
  const floor = { name: 'one fold with its batches', values: rounds(() => foldAll(records)) }
  let differing = 0
  const values = rounds(() => {
    differing = previewAll(records, document(2, 300))
  })
  report({ name: `deployed and draft (${differing} lines differ)`, unit: 'lines/s', values, floor })
}

function document(revision: number, threshold: number): PipelineDocument {
  const nodes = [
    SOURCE,
    transform('f', 'filter', ['in'], {
      action: 'drop',
      conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'warn' }] },
    }),
    transform('t', 'throttle', ['f'], { threshold, window: '1s', key_field: '.app' }),
    {
      id: 'out',
      kind: 'sink' as const,
      type: 'log-analysis',
      title: null,
      user_config: { message: { scheme: 'Explicit field selection' }, query: { hostname: 'log-analysis' } },
      inputs: ['t'],
    },
  ]
  return { id: 'p', accountId: ACCOUNT, title: 'bench', revision, nodes }
}

function recordsWith(deployed: PipelineDocument): LogRecord[] {
  const cut = { kind: 'pipeline' as const, entity: 'p', version: 1, payload: JSON.stringify(deployed) }
  const values = [
    controlType.encode({ behaviour: 1, body: { 'weir.Cut': cut } }),
    ...sampleBodies(RECORDS, LINES_PER_RECORD).map(body => ingestedRecord(ACCOUNT, body, SAMPLE_START_MS)),
  ]
  return values.map((value, number) => ({
    offset: BigInt(number),
    appendTimeMs: SAMPLE_START_MS + number * RECORD_STEP_MS,
    value,
    producer: null,
  }))
}

const newFold = (scoped: boolean) =>
  new PartitionFold(
    CATALOGUE,
    { topic: 'weir.ingest', partition: 0, partitions: 1, logId: '0d6c3a52-51cf-4b0e-8d4d-3f9d2b8f3a11' },
    scoped ? { account: ACCOUNT } : undefined,
  )

function foldAll(records: readonly LogRecord[]): void {
  const fold = newFold(false)
  for (const record of records) fold.apply(record)
}

function previewAll([cut, ...lines]: readonly LogRecord[], draft: PipelineDocument): number {
  const folds = { deployed: newFold(true), draft: newFold(true) }
  for (const fold of Object.values(folds)) fold.apply(cut as LogRecord)
  const preview = new Preview([folds], draft, { maxSamples: 20 })
  for (const record of lines) preview.apply(record)
  return preview.result.differing
}

/** Lines a second of each round, after one that warms up. */
function rounds(work: () => void): number[] {
  work()
  return Array.from({ length: ROUNDS }, () => {
    const startMs = performance.now()
    work()
    return (LINES / (performance.now() - startMs)) * 1000
  })
}
