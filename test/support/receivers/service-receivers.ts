import assert from 'node:assert/strict'
import { jsonText, parseJson, textForm } from '../../../engine/json/json-text.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../../schemas/json.ts'
import {
  type DestinationCase,
  expectHeaders,
  expectMembers,
  expectPost,
  type ReceivedRequest,
  utf8Of,
} from './receiver.ts'

/** The logs intake of Datadog, version 2: `HTTPLog` of its published schema. */
const DATADOG: DestinationCase = {
  title: 'datadog-logs',
  type: 'datadog-logs',
  config: { api_key: 'key', site: 'us5', compression: 'gzip' },
  receive: request => {
    expectFrom(request, 'http-intake.logs.us5.datadoghq.com', '/api/v2/logs')
    assert.equal(request.headers['dd-api-key'], 'key')
    assert.ok(request.body.length <= 5_000_000)
    const items = listIn(request)
    assert.ok(items.length <= 1_000)
    return items.map(item => messageIn(item))
  },
  expected: ({ message }) => textForm(message),
  padded: text => text,
  verdicts: { 400: 'halve' },
}

/** The batch endpoint of Honeycomb, version 1. */
const HONEYCOMB: DestinationCase = {
  title: 'honeycomb-logs',
  type: 'honeycomb-logs',
  config: { api_key: 'key', dataset: 'web/logs' },
  receive: request => {
    expectFrom(request, 'api.honeycomb.io', '/1/batch/web%2Flogs')
    assert.equal(request.headers['x-honeycomb-team'], 'key')
    return listIn(request).map(item => {
      const { data } = expectMembers(item, ['data', 'time', 'samplerate'])
      assert.ok(isJsonObject(data))
      return data
    })
  },
  expected: ({ message }) => (isJsonObject(message) ? message : { message }),
  verdicts: { 400: 'halve' },
  accepted: request => JSON.stringify(listIn(request).map(() => ({ status: 202 }))),
}

/** The log API of New Relic, in its detailed form. */
const NEW_RELIC_LOGS: DestinationCase = {
  title: 'new-relic with logs',
  type: 'new-relic',
  config: { account_id: '12', license_key: 'key' },
  receive: request => {
    const [only, ...others] = newRelicList(request, 'log-api.newrelic.com', '/log/v1')
    assert.deepEqual(others, [])
    const { logs } = expectMembers(only, ['common', 'logs'])
    return (logs as JsonValue[]).map(log => messageIn(log))
  },
  expected: ({ message }) => textForm(message),
  padded: text => text,
  verdicts: { 400: 'halve' },
}

/** The event API of New Relic. */
const NEW_RELIC_EVENTS: DestinationCase = {
  title: 'new-relic with events',
  type: 'new-relic',
  config: { account_id: '12', license_key: 'key', api: 'events' },
  messages: [
    { eventType: 'A b:c_1', text: 'ä€😀"\\\n', n: -1.5 },
    { eventType: 'x', nested: { deep: { est: 1 } }, list: [1], yes: true, none: null },
  ],
  receive: request => {
    const events = newRelicList(request, 'insights-collector.newrelic.com', '/v1/accounts/12/events')
    for (const event of events) {
      assert.ok(isJsonObject(event) && /^[\w: ]{1,255}$/.test(String(event.eventType)))
      for (const value of Object.values(event)) assert.match(typeof value, /^(string|number)$/)
    }
    return events
  },
  expected: ({ message }) => {
    const { nested, list, yes, none, ...plain } = message as JsonObject
    return nested === undefined
      ? plain
      : { ...plain, 'nested.deep.est': 1, list: jsonText(list as JsonValue), yes: String(yes) }
  },
  padded: text => ({ eventType: 'x', text }),
  verdicts: { 400: 'halve' },
}

const METRIC_TYPES = ['gauge', 'count', 'summary']
const METRIC_MEMBERS = ['name', 'type', 'value', 'timestamp', 'interval.ms', 'attributes']

/** The metric API of New Relic, version 1. */
const NEW_RELIC_METRICS: DestinationCase = {
  title: 'new-relic with metrics',
  type: 'new-relic',
  config: { account_id: '12', license_key: 'key', api: 'metrics' },
  messages: [
    { name: 'a', kind: 'absolute', value: { type: 'gauge', value: 1 }, tags: { t: 'ä' } },
    {
      name: 'b',
      namespace: 'n',
      kind: 'incremental',
      value: { type: 'sum', value: 2 },
      time: { interval_ms: 50 },
    },
    { name: 'c', kind: 'absolute', value: { type: 'counter', value: 3 } },
    { name: 'd', kind: 'absolute', value: { type: 'set', value: { values: ['x', 'y', 'x'] } } },
    {
      ...{ name: 'e', kind: 'absolute' },
      value: { type: 'summary', value: { quantiles: [{ quantile: 1, value: 9 }], count: 2, sum: 10 } },
    },
    { name: 'f', kind: 'absolute', value: { type: 'histogram', value: { buckets: [], count: 4, sum: 5 } } },
    {
      ...{ name: 'g', kind: 'absolute' },
      value: {
        type: 'distribution',
        value: {
          samples: [
            { value: 2, rate: 3 },
            { value: 5, rate: 1 },
          ],
          statistic: 'summary',
        },
      },
    },
  ],
  receive: request => {
    const [only, ...others] = newRelicList(request, 'metric-api.newrelic.com', '/metric/v1')
    assert.deepEqual(others, [])
    const { metrics } = expectMembers(only, ['common', 'metrics'])
    return (metrics as JsonValue[]).map(metric => {
      const {
        name,
        type,
        value,
        timestamp,
        'interval.ms': intervalMs,
      } = expectMembers(metric, METRIC_MEMBERS)
      assert.ok(typeof name === 'string' && METRIC_TYPES.includes(String(type)))
      assert.ok(Number.isInteger(timestamp))
      assert.equal(type === 'gauge', intervalMs === undefined, 'only counts and summaries have an interval')
      if (type === 'summary') expectMembers(value, ['count', 'sum', 'min', 'max'])
      else assert.equal(typeof value, 'number')
      return [name, type as string, value as JsonValue, intervalMs ?? 0]
    })
  },
  expected: ({ message }) => {
    const { name, namespace } = message as { readonly name: string; readonly namespace?: string }
    return [namespace === undefined ? name : `${namespace}.${name}`, ...(METRICS[name] as JsonValue[])]
  },
  padded: text => ({ name: 'a', kind: 'absolute', value: { type: 'gauge', value: 1 }, tags: { text } }),
  verdicts: { 400: 'halve' },
}

/** Type, value and interval of each metric of the case. */
const METRICS: Readonly<Record<string, readonly JsonValue[]>> = {
  a: ['gauge', 1, 0],
  b: ['count', 2, 50],
  c: ['gauge', 3, 0],
  d: ['gauge', 2, 0],
  e: ['summary', { count: 2, sum: 10, min: 9, max: 9 }, 1_000],
  f: ['summary', { count: 4, sum: 5, min: null, max: null }, 1_000],
  g: ['summary', { count: 4, sum: 11, min: 2, max: 5 }, 1_000],
}

/** Services whose addresses are fixed, as their published documentation describes them. */
export const SERVICE_CASES: readonly DestinationCase[] = [
  ...[DATADOG, HONEYCOMB],
  ...[NEW_RELIC_LOGS, NEW_RELIC_EVENTS, NEW_RELIC_METRICS],
]

function newRelicList(request: ReceivedRequest, host: string, path: string): readonly JsonValue[] {
  expectFrom(request, host, path)
  assert.equal(request.headers['api-key'], 'key')
  return listIn(request)
}

function expectFrom(request: ReceivedRequest, host: string, path: string): void {
  expectPost(request, path, 'application/json')
  expectHeaders(request.headers)
  assert.equal(new URL(request.url).origin, `https://${host}`)
}

function listIn({ body }: ReceivedRequest): readonly JsonValue[] {
  const list = parseJson(utf8Of(body))
  assert.ok(Array.isArray(list))
  return list
}

function messageIn(log: JsonValue): string {
  const { message } = expectMembers(log, ['message', 'timestamp', 'attributes'])
  assert.ok(typeof message === 'string')
  return message
}
