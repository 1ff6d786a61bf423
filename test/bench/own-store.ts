import { Event } from '../../engine/event/event.ts'
import type { LineBatchView } from '../../engine/lines/line-batch-view.ts'
import { FieldNames } from '../../engine/lines/line-fields.ts'
import { renderRecord } from '../../engine/lines/line-record.ts'
import { defaultOwnStore, newStoredLine } from '../../engine/nodes/destinations/log-analysis/own-store.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { ACCOUNT, RECEIVED_MS, sentBatch } from '../support/sent-lines.ts'
import type { Report } from './figure.ts'

const LINES_PER_BATCH = 1000
const BATCHES = 20
const ROUNDS = 15
const LINES = LINES_PER_BATCH * BATCHES

export const summary =
  'from an event to a stored line, and from a row to the record of an answer, lines a second of one core. The floor is a JSON.parse of the same texts; text lines have no parse to compare with, so theirs is the one of the JSON lines.'

export async function run(report: Report): Promise<void> {
  const json = Array.from({ length: LINES }, (_, index) => jsonLine(index))
  const parsed = perSecond(() => {
    for (const text of json) JSON.parse(text)
  })
  for (const [kind, textOf] of [
    ['text', textLine],
    ['JSON', jsonLine],
  ] as const) {
    const texts = Array.from({ length: LINES }, (_, index) => textOf(index))
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
  const sink = defaultOwnStore()
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

function textLine(index: number): string {
  return (
    `10.0.${index % 256}.7 - user${index % 1000} [04/Mar/2026:05:06:${String(index % 60).padStart(2, '0')} +0000] ` +
    `"GET /api/v2/orders/${index}?page=${index % 40} HTTP/1.1" ${index % 20 === 0 ? 500 : 200} ${index * 7} ` +
    '"https://shop.example/cart" "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0"'
  )
}

/** Twelve leaves, three levels. */
function jsonLine(index: number): string {
  return JSON.stringify({
    time: '2026-03-04T05:06:07.089Z',
    level: index % 20 === 0 ? 'error' : 'info',
    message: `order ${index} was charged after ${index % 300} ms`,
    service: 'checkout',
    trace_id: `4bf92f3577b34da6a3ce929d0e0e${String(index % 10_000).padStart(4, '0')}`,
    http: {
      method: 'POST',
      path: '/api/v2/orders',
      status: index % 20 === 0 ? 500 : 201,
      duration_ms: index % 300,
    },
    user: { id: index, plan: 'pro' },
    region: 'eu-west-1',
  })
}
