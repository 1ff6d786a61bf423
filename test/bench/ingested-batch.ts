import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { wasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'

export const ACCOUNT = '507f1f77bc'
const RETENTION_DAYS = 30
const TAGS: readonly string[] = ['bench']

const reader = wasmCodec.newReader()
const builder = new LineBatchBuilder()

/** One request's lines as the log keeps them. */
export function ingestedBatch(body: Buffer, receivedAtMs: number): LineBatchView {
  return LineBatchView.decode(ingestedRecord(ACCOUNT, body, receivedAtMs))
}

/** The value of a record, read and encoded by the code of the ingest front. */
export function ingestedRecord(account: string, body: Buffer, receivedAtMs: number): Buffer {
  reader.load([body])
  builder.clear()
  builder.addRequest(batch => {
    reader.readLines(batch, timeBounds(receivedAtMs, RETENTION_DAYS), TAGS, Number.POSITIVE_INFINITY)
    const facts = { hostname: 'bench-1', mac: '', ip: '', remoteAddress: '127.0.0.1', tags: TAGS }
    return { facts: { ...facts, receivedAtMs, driftMs: null, idempotency: null } }
  })
  return builder.encode(account, 'ingest')
}
