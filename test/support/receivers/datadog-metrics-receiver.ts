import assert from 'node:assert/strict'
import { parseJson } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { type DestinationCase, expectMembers, expectPost, type ReceivedRequest, utf8Of } from './receiver.ts'

const SERIES_MEMBERS = [
  ...['metric', 'type', 'points', 'interval', 'tags'],
  ...['metadata', 'resources', 'source_type_name', 'unit'],
]
/** Values of `MetricIntakeType`: a count and a gauge. */
const [COUNT, GAUGE] = [1, 3]
/** Longest payload that is not compressed. */
const MAX_BYTES = 512_000
const NAME = /^[A-Za-z][A-Za-z0-9_.]{0,199}$/

const metric = (name: string, kind: string, type: string, value: JsonValue, more = {}): JsonValue => ({
  ...{ name, kind, value: { type, value } },
  ...more,
})

/** Name, class, value and interval of each metric of the case, as they have to arrive. */
const ARRIVING: Readonly<Record<string, readonly JsonValue[]>> = {
  depth: ['bakery.depth', GAUGE, 17.5, null],
  opened: ['opened', COUNT, 3, 60],
  sold: ['sold', COUNT, 2, 1],
  short: ['short', COUNT, 5, 1],
  total: ['total', GAUGE, 12345678901234567890n, null],
  users: ['users', GAUGE, 2, null],
  'odd-name/ä': ['odd_name__', GAUGE, -1, null],
}

/** The intake of series of Datadog, version 2: `MetricPayload` of its published schema. */
export const DATADOG_METRICS_CASES: readonly DestinationCase[] = [
  {
    title: 'datadog-metrics',
    type: 'datadog-metrics',
    config: { api_key: 'key', site: 'eu1' },
    messages: [
      metric('depth', 'absolute', 'gauge', 17.5, { namespace: 'bakery', tags: { oven: '4', ä: 'ö:ü' } }),
      metric('opened', 'incremental', 'counter', 3, { time: { interval_ms: 60_000 } }),
      metric('sold', 'incremental', 'sum', 2),
      metric('short', 'incremental', 'counter', 5, { time: { interval_ms: 50 } }),
      metric('total', 'absolute', 'counter', 12345678901234567890n),
      metric('users', 'absolute', 'set', { values: ['x', 'y', 'x'] }),
      metric('odd-name/ä', 'absolute', 'gauge', -1),
    ],
    receive: seriesIn,
    expected: ({ message, timestampMs }) => {
      const { name, tags = {} } = message as unknown as { readonly name: string; readonly tags?: JsonObject }
      const labels = Object.entries(tags).map(([tag, text]) => `${tag}:${String(text)}`)
      return [Math.floor(timestampMs / 1_000), ...(ARRIVING[name] as JsonValue[]), labels]
    },
    padded: text => metric('depth', 'absolute', 'gauge', 17.5, { namespace: 'bakery', tags: { oven: text } }),
    verdicts: { 400: 'halve' },
  },
]

function seriesIn(request: ReceivedRequest): readonly JsonValue[] {
  expectPost(request, '/api/v2/series', 'application/json')
  assert.equal(new URL(request.url).origin, 'https://api.datadoghq.eu')
  assert.equal(request.headers['dd-api-key'], 'key')
  assert.ok(request.body.length <= MAX_BYTES)
  const { series } = expectMembers(parseJson(utf8Of(request.body)), ['series'])
  assert.ok(Array.isArray(series))
  return series.map(each => {
    const { metric: name, type, points, interval, tags } = expectMembers(each, SERIES_MEMBERS)
    assert.match(String(name), NAME)
    assert.ok(type === COUNT || type === GAUGE)
    assert.ok(Array.isArray(points) && points.length === 1)
    const { timestamp, value } = expectMembers(points[0], ['timestamp', 'value'])
    assert.ok(Number.isInteger(timestamp))
    assert.match(typeof value, /^(number|bigint)$/)
    if (type === COUNT) assert.ok(Number.isInteger(interval) && Number(interval) > 0)
    else assert.equal(interval, undefined, 'only a count has an interval')
    assert.ok(Array.isArray(tags ?? []))
    for (const tag of (tags ?? []) as JsonValue[]) assert.match(String(tag), /^.*:/s)
    return [timestamp, name, type, value, interval ?? null, tags ?? []] as JsonValue[]
  })
}
