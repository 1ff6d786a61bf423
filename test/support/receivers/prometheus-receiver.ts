import assert from 'node:assert/strict'
import protobuf from 'protobufjs'
import type { JsonValue } from '../../../schemas/json.ts'
import { type DestinationCase, expectPost, type ReceivedRequest } from './receiver.ts'

/** Parts of `prometheus/prompb/remote.proto` and `types.proto` that remote write 1.0 requires. */
const { root } = protobuf.parse(`
  syntax = "proto3";
  package prometheus;
  message WriteRequest { repeated TimeSeries timeseries = 1; }
  message TimeSeries { repeated Label labels = 1; repeated Sample samples = 2; }
  message Label { string name = 1; string value = 2; }
  message Sample { double value = 1; int64 timestamp = 2; }
`)
export const WRITE_REQUEST = root.lookupType('prometheus.WriteRequest')
const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/

export interface ReceivedSeries {
  readonly labels: Readonly<Record<string, string>>
  readonly samples: readonly (readonly [value: number, timestampMs: number])[]
}

interface WriteRequest {
  readonly timeseries?: readonly {
    readonly labels?: readonly { readonly name: string; readonly value: string }[]
    readonly samples?: readonly { readonly value?: number; readonly timestamp?: string }[]
  }[]
}

/** Decodes a request by remote write 1.0, and refuses whatever its text forbids. */
export function seriesOf(body: Buffer): readonly ReceivedSeries[] {
  const decoded = WRITE_REQUEST.toObject(WRITE_REQUEST.decode(body), { longs: String }) as WriteRequest
  const seen = new Set<string>()
  return (decoded.timeseries ?? []).map(({ labels = [], samples = [] }) => {
    const names = labels.map(({ name }) => name)
    assert.deepEqual(names, [...new Set(names)].toSorted(), 'labels are sorted, and each is there once')
    assert.ok(names.includes('__name__'))
    for (const { name, value } of labels) {
      assert.match(name, LABEL_NAME)
      assert.notEqual(value, '', 'an empty label is left out')
      if (name === '__name__') assert.match(value, METRIC_NAME)
    }
    const key = JSON.stringify(labels)
    assert.ok(!seen.has(key), 'a series is there once')
    seen.add(key)
    assert.ok(samples.length > 0, 'a series has a sample')
    const times = samples.map(({ timestamp = '0' }) => Number(timestamp))
    assert.deepEqual(
      times,
      [...new Set(times)].toSorted((one, other) => one - other),
      'samples are sorted',
    )
    return {
      labels: Object.fromEntries(labels.map(({ name, value }) => [name, value])),
      samples: samples.map(({ value = 0 }, index) => [value, times[index] as number] as const),
    }
  })
}

const gauge = (name: string, value: number, tags = {}): JsonValue => ({
  ...{ name, namespace: 'bakery', kind: 'absolute', tags },
  value: { type: 'gauge', value },
})

/** Remote write 1.0 as its specification describes it. */
export const PROMETHEUS_CASES: readonly DestinationCase[] = [
  {
    title: 'prometheus-remote-write',
    type: 'prometheus-remote-write',
    config: {
      endpoint: 'https://metrics.example.com/api/v1/write',
      auth: { strategy: 'bearer', token: 'secret' },
    },
    messages: [
      gauge('depth', 17, { oven: '4' }),
      gauge('0odd.näme', -0.5),
      gauge('depth', 1e300, { 'a-b': 'ä' }),
    ],
    receive: request =>
      writtenSeriesOf(request).flatMap(({ labels, samples }) =>
        samples.map(([value, at]) => ({ labels, value, at })),
      ),
    expected: ({ message, timestampMs }) => {
      const { name, tags, value } = message as unknown as {
        readonly name: string
        readonly tags: Readonly<Record<string, string>>
        readonly value: { readonly value: number }
      }
      const labels = Object.entries({
        ...tags,
        __name__: `bakery_${name.replaceAll(/[^A-Za-z0-9_:]/g, '_')}`,
      })
      const sorted = labels
        .map(([tag, text]) => [tag.replace('-', '_'), text])
        .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))
      return { labels: Object.fromEntries(sorted), value: value.value, at: timestampMs }
    },
    padded: text => gauge('depth', 1, { text: `x${text}` }),
    verdicts: { 400: 'halve' },
    at: origin => ({ endpoint: `${origin}/api/v1/write`, auth: { strategy: 'bearer', token: 'secret' } }),
  },
]

/** Series of a whole request by remote write 1.0, whose headers are checked as well. */
export function writtenSeriesOf(request: ReceivedRequest): readonly ReceivedSeries[] {
  expectPost(request, '/api/v1/write', 'application/x-protobuf')
  const { headers } = request
  assert.equal(headers['content-encoding'], 'snappy')
  assert.equal(headers['x-prometheus-remote-write-version'], '0.1.0')
  assert.match(headers['user-agent'] ?? '', /./)
  return seriesOf(request.body)
}
