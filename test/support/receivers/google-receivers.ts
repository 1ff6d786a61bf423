import assert from 'node:assert/strict'
import { parseJson, textForm } from '../../../engine/json/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import { serviceAccountKey } from './google-account.ts'
import { type DestinationCase, expectMembers, expectPost, type ReceivedRequest, utf8Of } from './receiver.ts'

const RESOURCE = {
  ...{ project_id: 'example', resource_type: 'generic_node' },
  resource_labels: [{ label_name: 'node_id', label_value: 'gate-7' }],
  credentials_json: serviceAccountKey(),
}
/** Timestamps of RFC 3339 with up to nine digits. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/
const ENTRY_MEMBERS = ['insertId', 'timestamp', 'jsonPayload', 'textPayload', 'severity', 'labels']

/** `entries.write` of Cloud Logging, version 2, as its reference page describes it. */
const OPERATIONS: DestinationCase = {
  title: 'gcp-cloud-operations',
  type: 'gcp-cloud-operations',
  config: { ...RESOURCE, log_id: 'web logs/a' },
  receive: request => {
    const body = bodyOf(request, 'logging', '/v2/entries:write')
    const { logName, resource, entries, partialSuccess } = expectMembers(body, [
      ...['logName', 'resource', 'labels', 'entries', 'partialSuccess', 'dryRun'],
    ])
    assert.equal(logName, 'projects/example/logs/web%20logs%2Fa')
    assert.equal(partialSuccess, true)
    expectResource(resource)
    assert.ok(Array.isArray(entries) && entries.length > 0)
    const ids = new Set<unknown>()
    return entries.map(entry => {
      const { insertId, timestamp, jsonPayload, textPayload } = expectMembers(entry, ENTRY_MEMBERS)
      assert.ok(typeof insertId === 'string' && ids.size !== ids.add(insertId).size, 'an id of its own')
      assert.match(String(timestamp), TIME)
      assert.ok((jsonPayload === undefined) !== (textPayload === undefined), 'one payload')
      assert.ok(jsonPayload === undefined ? typeof textPayload === 'string' : isJsonObject(jsonPayload))
      return [insertId, timestamp as string, jsonPayload ?? (textPayload as string)]
    })
  },
  expected: ({ message, timestamp }, id) => [
    id,
    timestamp,
    isJsonObject(message) ? message : textForm(message),
  ],
  padded: text => text,
  verdicts: { 400: 'halve' },
  accepted: () => '{}',
}

const metric = (name: string, kind: string, type: string, value: JsonValue, more = {}): JsonValue => ({
  ...{ name, kind, value: { type, value } },
  ...more,
})

/** Type, labels, kind, value and length of the interval of each metric of the case, as they have to arrive. */
const ARRIVING: Readonly<Record<string, JsonValue>> = {
  depth: ['custom.googleapis.com/bakery/depth', { tag_1st: 'ä', a_b: 'c' }, 'GAUGE', 17.5, null],
  opened: ['custom.googleapis.com/opened', {}, 'CUMULATIVE', 3, 59_999],
  sold: ['custom.googleapis.com/sold', {}, 'CUMULATIVE', 2, 999],
  short: ['custom.googleapis.com/short', {}, 'CUMULATIVE', 5, 1],
  total: ['custom.googleapis.com/total', {}, 'GAUGE', 12345678901234567000, null],
  users: ['custom.googleapis.com/users', {}, 'GAUGE', 2, null],
  'odd-name/ä.b': ['custom.googleapis.com/odd_name/_.b', {}, 'GAUGE', -1, null],
}

/** `timeSeries.create` of Cloud Monitoring, version 3, as its reference page describes it. */
const MONITORING: DestinationCase = {
  title: 'gcp-cloud-monitoring',
  type: 'gcp-cloud-monitoring',
  config: RESOURCE,
  messages: [
    metric('depth', 'absolute', 'gauge', 17.5, { namespace: 'bakery', tags: { '1st': 'ä', 'a-b': 'c' } }),
    metric('opened', 'incremental', 'counter', 3, { time: { interval_ms: 60_000 } }),
    metric('sold', 'incremental', 'sum', 2),
    metric('short', 'incremental', 'counter', 5, { time: { interval_ms: 1 } }),
    metric('total', 'absolute', 'counter', 12345678901234567890n),
    metric('users', 'absolute', 'set', { values: ['x', 'y', 'x'] }),
    metric('odd-name/ä.b', 'absolute', 'gauge', -1),
  ],
  receive: request => {
    const body = bodyOf(request, 'monitoring', '/v3/projects/example/timeSeries')
    const { timeSeries } = expectMembers(body, ['timeSeries'])
    assert.ok(Array.isArray(timeSeries) && timeSeries.length > 0 && timeSeries.length <= 200)
    const known = new Set<string>()
    return timeSeries.map(item => pointIn(item, known))
  },
  expected: ({ message }) => {
    const { name } = message as { readonly name: string }
    return (
      ARRIVING[name] ?? [
        `custom.googleapis.com/${name}`,
        (message as JsonObject).tags as JsonValue,
        'GAUGE',
        1,
        null,
      ]
    )
  },
  padded: (text, index = 0) => metric(`n${index}`, 'absolute', 'gauge', 1, { tags: { text } }),
  verdicts: { 400: 'halve', 409: 'delivered' },
  accepted: () => '{}',
}

/** Services of Google Cloud whose addresses are fixed. */
export const GOOGLE_CASES: readonly DestinationCase[] = [OPERATIONS, MONITORING]

function bodyOf(request: ReceivedRequest, service: string, path: string): JsonValue {
  expectPost(request, path, 'application/json')
  assert.equal(new URL(request.url).origin, `https://${service}.googleapis.com`)
  assert.equal(request.headers.authorization, undefined, 'the sender adds the token')
  assert.ok(request.body.length <= 10_000_000)
  return parseJson(utf8Of(request.body))
}

function expectResource(resource: JsonValue | undefined): void {
  assert.deepEqual(expectMembers(resource, ['type', 'labels']), {
    type: 'generic_node',
    labels: { node_id: 'gate-7' },
  })
}

function pointIn(item: JsonValue, known: Set<string>): JsonValue {
  const members = ['metric', 'resource', 'metadata', 'metricKind', 'valueType', 'points', 'unit']
  const { metric: described, resource, metricKind, valueType, points } = expectMembers(item, members)
  expectResource(resource)
  const { type, labels } = expectMembers(described, ['type', 'labels'])
  assert.match(String(type), /^custom\.googleapis\.com\/[A-Za-z0-9_./]+$/)
  for (const name of Object.keys(labels as JsonObject)) assert.match(name, /^[A-Za-z][A-Za-z0-9_]{0,99}$/)
  const series = JSON.stringify([type, labels])
  assert.ok(known.size !== known.add(series).size, 'one point of a series in a request')
  assert.equal(valueType, 'DOUBLE')
  assert.ok(Array.isArray(points) && points.length === 1, 'exactly one point')
  const { interval, value } = expectMembers(points[0], ['interval', 'value'])
  const { startTime, endTime } = expectMembers(interval, ['startTime', 'endTime'])
  const { doubleValue } = expectMembers(value, ['doubleValue'])
  assert.match(typeof doubleValue, /^(number|bigint)$/)
  assert.match(String(endTime), TIME)
  const lengthMs =
    startTime === undefined ? null : Date.parse(String(endTime)) - Date.parse(String(startTime))
  assert.equal(metricKind, lengthMs === null ? 'GAUGE' : 'CUMULATIVE')
  assert.ok(lengthMs === null || lengthMs > 0, 'a cumulative point has an interval')
  return [type as string, labels as JsonObject, metricKind as string, Number(doubleValue), lengthMs]
}
