import { Event } from '../../engine/event/event.ts'
import type { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { renderRecord } from '../../engine/lines/stored-line/line-record.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { ACCOUNT, RECEIVED_MS, sentBatch } from '../support/sent-lines.ts'
import type { Report } from './figure.ts'
import { shapeOf } from './lines/shapes.ts'

const LINES_PER_BATCH = 1000
const BATCHES = 20
const ROUNDS = 15
const LINES = LINES_PER_BATCH * BATCHES

export const summary =
  'The benchmark measures the lines per second of one core, from an event to a stored line, and from a row to the record of an answer. The floor is a JSON.parse of the same texts. Text lines are not parsed, so their floor is that of the JSON lines.'

export async function run(report: Report): Promise<void> {
  const json = textsOf('json')
  const parsed = perSecond(() => {
    for (const text of json) JSON.parse(text)
  })
  for (const [kind, texts] of [
    ['text', textsOf('text')],
    ['JSON', json],
  ] as const) {
    const batches = inBatches(texts)
    const rows = texts.map((line, row) => rowOf(line, row))
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / LINES
    const lines = `${kind} lines of ${bytes.toFixed(0)} B`
    const floor = { name: 'JSON.parse of the JSON lines', values: parsed }
    report({
      name: `${lines}, event to stored line`,
      unit: 'lines/s',
      values: perSecond(() => fillAll(batches)),
      floor,
    })
    report({
      name: `${lines}, row to record`,
      unit: 'lines/s',
      values: perSecond(() => {
        for (const row of rows) renderRecord(row)
      }),
      floor,
    })
  }
}

function textsOf(shape: string): string[] {
  const lineAt = shapeOf(shape).lines({ seed: 1, startMs: RECEIVED_MS })
  return Array.from({ length: LINES }, (_, number) => lineAt(number).line)
}

function inBatches(texts: readonly string[]): LineBatchView[] {
  return Array.from({ length: BATCHES }, (_, batch) => {
    const lines = texts.slice(batch * LINES_PER_BATCH, (batch + 1) * LINES_PER_BATCH)
    return sentBatch(
      lines.map((line, index) => ({ line, app: `app-${index % 7}`, level: index % 3 === 0 ? 'info' : '' })),
      { tags: ['prod'], ip: '10.0.0.1' },
    )
  })
}

function fillAll(batches: readonly LineBatchView[]): void {
  const sink = CATALOGUE.defaultOwnStore()
  const line = newStoredLine()
  const context = {
    account: ACCOUNT,
    timeMs: RECEIVED_MS,
    retentionDays: 30,
    poolDays: 0,
    behaviour: BEHAVIOUR,
    fieldNames: new FieldNames(),
  }
  for (const batch of batches) {
    for (let index = 0; index < batch.count; index++) sink.fill(Event.ofLine(batch, index), line, context)
  }
}

/** Lines a second of each round, after one that warms up. */
function perSecond(work: () => void): number[] {
  work()
  return Array.from({ length: ROUNDS }, () => {
    const startMs = performance.now()
    work()
    return (LINES / (performance.now() - startMs)) * 1000
  })
}

function rowOf(line: string, row: number) {
  return {
    account: ACCOUNT,
    t: RECEIVED_MS,
    ts: RECEIVED_MS,
    topic: 0,
    partition: 3,
    offset: '123456',
    row,
    host: 'web-1',
    app: 'nginx',
    level: 'INFO',
    file: '',
    env: '',
    mac: '',
    ip: '10.0.0.1',
    remote: '',
    tags: ['prod'],
    line,
    meta: '',
    extra: '',
    size: line.length,
    retention: 30,
  }
}
