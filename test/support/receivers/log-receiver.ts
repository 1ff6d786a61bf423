import assert from 'node:assert/strict'
import { parseJson, textForm } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import {
  type DestinationCase,
  expectBatchId,
  expectMembers,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from './receiver.ts'

const CONFIG = {
  ingestion_key: 'a1b2c3d4e5f6a1b2c3d4e5f6a1b2c3d4',
  query: { hostname: 'gate way', tags: ['a b', '["c","d&e"]'], ip: '10.0.0.1', mac: 'c0:ff:ee:c0:ff:ee' },
}
const MEMBERS = ['line', 'timestamp', 'app', 'level', 'env', 'file', 'meta', 'label', 'annotation']
const MAX_BYTES = 2_097_152
const MAX_LINE_BYTES = 16_384

/** Log ingestion: ingestion, section 1. */
export const LOG_CASES: readonly DestinationCase[] = [
  {
    title: 'log-analysis elsewhere',
    type: 'log-analysis-elsewhere',
    config: { ...CONFIG, host: 'logs.example.com' },
    receive: request => linesIn(request),
    expected: ({ message, timestampMs }) => [textForm(message), timestampMs],
    verdicts: { 400: 'halve' },
    at: origin => ({ ...CONFIG, host: origin }),
    longest: MAX_LINE_BYTES,
  },
]

function linesIn(request: ReceivedRequest): readonly JsonValue[] {
  const query = expectPost(request, '/logs/ingest', 'application/json')
  assert.deepEqual(Object.fromEntries(query), {
    ...{ hostname: 'gate way', tags: 'a b,c,d&e', ip: '10.0.0.1', mac: 'c0:ff:ee:c0:ff:ee' },
    now: '1930810532000',
  })
  assert.equal(request.headers.apikey, CONFIG.ingestion_key)
  expectBatchId(request.headers['idempotency-key'])
  assert.ok(request.body.length <= MAX_BYTES)
  const { lines } = expectMembers(parseJson(utf8Of(request.body)), ['lines'])
  assert.ok(Array.isArray(lines) && lines.length > 0)
  return lines.map(item => {
    const { line, timestamp, app, env } = expectMembers(item, MEMBERS) as JsonObject
    assert.ok(typeof line === 'string' && Buffer.byteLength(line) <= MAX_LINE_BYTES)
    assert.ok(Number.isInteger(timestamp))
    assert.deepEqual([app, env], ['mezmo-pipeline', 'production'])
    return [line, timestamp as number]
  })
}
