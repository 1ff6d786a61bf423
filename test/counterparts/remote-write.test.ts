import { afterAll, beforeAll, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  type CounterpartClient,
  counterpartClient,
  type TestEvent,
} from '../support/counterparts/counterpart-client.ts'
import { describeCounterpart } from '../support/counterparts/describe-counterpart.ts'
import { prometheusServer } from '../support/counterparts/prometheus-server.ts'

const FAILED = (reason: string) => `The server answered 400 (${reason})`
const HOUR_MS = 3_600_000

describeCounterpart(prometheusServer, url => {
  // A server takes samples of the present only, and other tests may have sent some before.
  const nowMs = Date.now()
  let client: CounterpartClient
  beforeAll(() => {
    client = counterpartClient('prometheus-remote-write', { endpoint: `${url()}/api/v1/write` })
  })
  afterAll(() => client.close())

  /** Namespace of the metrics of a test. */
  const unique = (name: string) => `weir_${name}_${nowMs}`

  const metricAt =
    (namespace: string) =>
    (timeMs: number, name: string, value: JsonObject, tags: JsonObject = {}): TestEvent => ({
      message: { name, namespace, kind: 'absolute', tags, value },
      timeMs,
    })
  const gaugeAt =
    (namespace: string) =>
    (timeMs: number, name: string, value: number, tags: JsonObject = {}): TestEvent =>
      metricAt(namespace)(timeMs, name, { type: 'gauge', value }, tags)

  /** Stored samples of a namespace: value and time relative to `nowMs`, by labels. */
  async function samples(namespace: string): Promise<Record<string, readonly (readonly [number, number])[]>> {
    const query = new URLSearchParams({
      query: `{__name__=~"${namespace}_.*"}[2h]`,
      time: `${nowMs / 1_000 + 60}`,
    })
    const reply = await fetch(`${url()}/api/v1/query?${query}`)
    const { data } = (await reply.json()) as { data: { result: readonly StoredSeries[] } }
    return Object.fromEntries(
      data.result.map(({ metric: { __name__: name = '', ...labels }, values }) => [
        `${name.slice(namespace.length + 1)} ${JSON.stringify(labels)}`,
        values.map(([timeS, value]) => [Number(value), Math.round(timeS * 1_000) - nowMs]),
      ]),
    )
  }

  test('metrics of all classes arrive as series', async () => {
    const namespace = unique('classes')
    const metric = metricAt(namespace)
    const of = (type: string, value: JsonValue) => ({ type, value })
    const buckets = [
      { upper_limit: 5, count: 3 },
      { upper_limit: 1, count: 2 },
    ]
    const rates = [
      { value: 1, rate: 2 },
      { value: 4, rate: 1 },
    ]
    const events = [
      metric(nowMs - 5, 'depth', of('gauge', -0.5), { oven: '4', zone: 'ä€😀' }),
      metric(nowMs, 'depth', of('gauge', 1e300), { oven: '4', zone: 'ä€😀' }),
      metric(nowMs, 'baked', of('counter', 2n ** 60n)),
      metric(nowMs, '0dd.näme', of('sum', 7), { 'a-b': 'x', '': 'y', none: '' }),
      metric(nowMs, 'kinds', of('set', { values: ['rye', 'oat', 'rye'] })),
      metric(nowMs, 'wait', of('histogram', { buckets, count: 6, sum: 20 })),
      metric(nowMs, 'size', of('summary', { quantiles: [{ quantile: 0.5, value: 3 }], count: 1, sum: 3 })),
      metric(nowMs, 'weight', of('distribution', { samples: rates, statistic: 'summary' })),
    ]
    expect(await client.deliver(events)).toEqual(Array(events.length).fill('delivered'))
    expect(await samples(namespace)).toEqual({
      'depth {"oven":"4","zone":"ä€😀"}': [
        [-0.5, -5],
        [1e300, 0],
      ],
      'baked {}': [[2 ** 60, 0]],
      '0dd_n_me {"_":"y","a_b":"x"}': [[7, 0]],
      'kinds {}': [[2, 0]],
      ...{ 'wait_bucket {"le":"1"}': [[2, 0]], 'wait_bucket {"le":"5"}': [[5, 0]] },
      ...{ 'wait_bucket {"le":"+Inf"}': [[6, 0]], 'wait_sum {}': [[20, 0]], 'wait_count {}': [[6, 0]] },
      ...{ 'size {"quantile":"0.5"}': [[3, 0]], 'size_sum {}': [[3, 0]], 'size_count {}': [[1, 0]] },
      ...{ 'weight_sum {}': [[6, 0]], 'weight_count {}': [[3, 0]] },
    })
  })

  test('a repeat of the newest samples is accepted, and changes nothing', async () => {
    const namespace = unique('repeat')
    const gauge = gaugeAt(namespace)
    const events = [gauge(nowMs, 'a', 1), gauge(nowMs, 'b', 2), gauge(nowMs - 1, 'c', 3)]
    for (const _ of ['first', 'repeat'])
      expect((await client.exchange(events)).verdicts).toEqual(Array(3).fill('delivered'))
    expect(await samples(namespace)).toEqual({ 'a {}': [[1, 0]], 'b {}': [[2, 0]], 'c {}': [[3, -1]] })
  })

  test('a repeat of older samples is refused with a reason, and changes nothing', async () => {
    const namespace = unique('older')
    const gauge = gaugeAt(namespace)
    const events = [gauge(nowMs - 2, 'a', 1), gauge(nowMs - 1, 'a', 2), gauge(nowMs, 'a', 3)]
    expect(await client.deliver(events)).toEqual(Array(3).fill('delivered'))
    const outOfOrder = FAILED('out of order sample')
    expect(await client.deliver(events)).toEqual([outOfOrder, outOfOrder, 'delivered'])
    expect(await samples(namespace)).toEqual({
      'a {}': [
        [1, -2],
        [2, -1],
        [3, 0],
      ],
    })
  })

  test('a sample that is refused fails alone', async () => {
    const namespace = unique('refused')
    const gauge = gaugeAt(namespace)
    expect(await client.deliver([gauge(nowMs, 'a', 1)])).toEqual(['delivered'])
    const events = [
      gauge(nowMs + 1, 'b', 1),
      gauge(nowMs - 1, 'a', 0),
      gauge(nowMs + 1, 'a', 2),
      gauge(nowMs - 100 * HOUR_MS, 'c', 1),
      gauge(nowMs, 'd', 1),
    ]
    expect((await client.exchange(events)).verdicts).toEqual(Array(5).fill('halve'))
    const [outOfOrder, outOfBounds] = [FAILED('out of order sample'), FAILED('out of bounds')]
    expect(await client.deliver(events)).toEqual([
      'delivered',
      outOfOrder,
      'delivered',
      outOfBounds,
      'delivered',
    ])
    expect(await client.deliver([gauge(nowMs + 1, 'a', 9)])).toEqual([
      FAILED('duplicate sample for timestamp'),
    ])
    expect(await samples(namespace)).toEqual({
      'a {}': [
        [1, 0],
        [2, 1],
      ],
      'b {}': [[1, 1]],
      'd {}': [[1, 0]],
    })
  })

  test('a full batch arrives', async () => {
    const namespace = unique('full')
    const events = Array.from({ length: 1_000 }, (_, row) =>
      gaugeAt(namespace)(nowMs + row, 'a', row, { series: String(row % 50), text: 'x'.repeat(700) }),
    )
    const { outcomes, verdicts } = await client.exchange(events)
    expect([outcomes.length, new Set(verdicts)]).toEqual([1, new Set(['delivered'])])
    const stored = Object.values(await samples(namespace))
    expect([stored.length, stored.flat().length]).toEqual([50, 1_000])
  })

  test('a check is answered', async () => {
    expect(await client.check()).toMatchObject({ kind: 'accepted', status: 204 })
  })

  test('a check of a path that the server does not have says so', async () => {
    const elsewhere = counterpartClient('prometheus-remote-write', { endpoint: `${url()}/api/v1/none` })
    expect(await elsewhere.check()).toMatchObject({ kind: 'answered', status: 404 })
    await elsewhere.close()
  })

  test('a path that the server does not have fails', async () => {
    const elsewhere = counterpartClient('prometheus-remote-write', { endpoint: `${url()}/api/v1/none` })
    expect(await elsewhere.deliver([gaugeAt(unique('none'))(nowMs, 'a', 1)])).toEqual([
      'The server answered 404',
    ])
    await elsewhere.close()
  })
})

interface StoredSeries {
  readonly metric: Readonly<Record<string, string>>
  readonly values: readonly (readonly [timeS: number, value: string])[]
}
