import { expect, test } from 'vitest'
import type { JsonValue } from '../../../../schemas/json.ts'
import { seriesOf } from '../../../../test/support/receivers/prometheus-receiver.ts'
import { Event } from '../../../event/event.ts'
import { remoteWriteRequests } from './write-request.ts'

const AT_MS = 1_930_810_530_250

function sent(...messages: readonly (readonly [message: JsonValue, atMs?: number])[]) {
  const events = messages.map(([message, atMs = AT_MS]) =>
    Event.of(message, {}, new Date(atMs).toISOString()),
  )
  const batch = { id: 'b', events, eventIds: events.map((_, index) => String(index)), closedMs: AT_MS }
  return [...remoteWriteRequests(batch, { endpoint: 'https://a.example/write' })].flatMap(({ request }) =>
    seriesOf(request.body).map(({ labels, samples }) => [
      Object.entries(labels)
        .map(([name, value]) => `${name}=${value}`)
        .join(),
      ...samples.map(([value, at]) => [value, at - AT_MS]),
    ]),
  )
}

const metric = (value: JsonValue, more = {}): JsonValue => ({ name: 'm', kind: 'absolute', value, ...more })

test('a histogram has cumulative buckets, a sum and a count', () => {
  const buckets = [
    { upper_limit: 10, count: 2 },
    { upper_limit: 0.5, count: 1 },
  ]
  expect(sent([metric({ type: 'histogram', value: { buckets, count: 4, sum: 21.5 } })])).toEqual([
    ['__name__=m_bucket,le=0.5', [1, 0]],
    ['__name__=m_bucket,le=10', [3, 0]],
    ['__name__=m_bucket,le=+Inf', [4, 0]],
    ['__name__=m_sum', [21.5, 0]],
    ['__name__=m_count', [4, 0]],
  ])
})

test('a summary has its quantiles, a sum and a count', () => {
  const quantiles = [{ quantile: 0.99, value: 7 }]
  expect(sent([metric({ type: 'summary', value: { quantiles, count: 2, sum: 8 } })])).toEqual([
    ['__name__=m,quantile=0.99', [7, 0]],
    ['__name__=m_sum', [8, 0]],
    ['__name__=m_count', [2, 0]],
  ])
})

test('a distribution has a sum and a count, and a set its size', () => {
  const samples = [
    { value: 2, rate: 3 },
    { value: 5, rate: 1 },
  ]
  expect(sent([metric({ type: 'distribution', value: { samples, statistic: 'summary' } })])).toEqual([
    ['__name__=m_sum', [11, 0]],
    ['__name__=m_count', [4, 0]],
  ])
  expect(sent([metric({ type: 'set', value: { values: ['a', 'b', 'a'] } })])).toEqual([
    ['__name__=m', [2, 0]],
  ])
})

test('a value without a class is a gauge, and a number beyond 2^53 is rounded', () => {
  expect(
    sent([metric({ value: 5 })], [metric({ type: 'counter', value: 2n ** 60n }, { name: 'c' })]),
  ).toEqual([
    ['__name__=m', [5, 0]],
    ['__name__=c', [2 ** 60, 0]],
  ])
})

test('samples of a series are in the order of time, and the last one of a time counts', () => {
  const gauge = (value: number) => metric({ type: 'gauge', value })
  expect(sent([gauge(1), AT_MS + 5], [gauge(2), AT_MS - 5], [gauge(3), AT_MS + 5], [gauge(0), -1])).toEqual([
    ['__name__=m', [0, -1 - AT_MS], [2, -5], [3, 5]],
  ])
})

test('a tag cannot replace the name of the series, and empty tags are left out', () => {
  const tags = { __name__: 'other', empty: '', '9th-floor': 'x' }
  expect(sent([metric({ type: 'gauge', value: 1 }, { tags })])).toEqual([['_9th_floor=x,__name__=m', [1, 0]]])
})

test('a tag without a name gets one', () => {
  expect(sent([metric({ type: 'gauge', value: 1 }, { tags: { '': 'x' } })])).toEqual([
    ['_=x,__name__=m', [1, 0]],
  ])
})

test('metrics of one time have series of their own unless all labels are equal', () => {
  const gauge = (name: string, tags: Record<string, string>, namespace?: string) =>
    metric({ type: 'gauge', value: 1 }, { name, tags, ...(namespace !== undefined && { namespace }) })
  const names = sent(
    [gauge('c', {}, 'a_b')],
    [gauge('b_c', {}, 'a')],
    [gauge('a_b_c', {})],
    [gauge('m', { a: 'b', c: 'd' })],
    [gauge('m', { c: 'd', a: 'b' })],
    [gauge('m', { a: 'b;1:c1:d' })],
    [gauge('m', { a: 'b', 'c-': 'd' })],
    [gauge('m', { a: 'b', c_: 'd' })],
  ).map(([name]) => name)
  expect(names).toEqual([
    '__name__=a_b_c',
    '__name__=m,a=b,c=d',
    '__name__=m,a=b;1:c1:d',
    '__name__=m,a=b,c_=d',
  ])
})

test('a series has its labels also after thousands of others', () => {
  const gauge = (host: number) => metric({ type: 'gauge', value: host }, { tags: { host: String(host) } })
  const hosts = [...Array.from({ length: 12_000 }, (_, host) => host), 0]
  for (let first = 0; first < hosts.length; first += 1_000) {
    const some = hosts.slice(first, first + 1_000)
    expect(sent(...some.map(host => [gauge(host)] as const))).toEqual(
      some.map(host => [`__name__=m,host=${host}`, [host, 0]]),
    )
  }
})
