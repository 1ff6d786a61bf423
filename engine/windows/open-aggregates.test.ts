import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { sentEvent } from '../../test/support/sent-lines.ts'
import { Event } from '../event/event.ts'
import { UNMETERED } from '../expressions/cost-meter.ts'
import { finish } from '../steps.ts'
import type { Aggregated } from './aggregated.ts'
import { Aggregation, type AggregationOptions } from './aggregation.ts'
import { OpenAggregates } from './open-aggregates.ts'

const TIME = '2031-03-09T08:15:30.250Z'

/** An aggregate with its windows. */
function running(options: Partial<AggregationOptions> = {}, windows = new OpenAggregates()) {
  const aggregation = new Aggregation(
    { window: { type: 'tumbling', interval: 60 }, operation: 'DEFAULT', ...options },
    { report: () => {}, meter: UNMETERED },
  )
  return {
    windows,
    take: (message: JsonObject, nowMs = 0) =>
      aggregation.add(windows, Event.of(message, {}, TIME), nowMs) as Aggregated,
    aggregation,
  }
}

const set = (name: string, size: number, from = 0): JsonObject => ({
  name,
  kind: 'incremental',
  value: {
    type: 'set',
    value: { values: Array.from({ length: size }, (_, n) => `${from + n}`.padStart(98, 'x')) },
  },
})
const namesOf = ({ emitted }: Aggregated) =>
  emitted.map(({ event, cause }) => [(event.message as JsonObject).name, cause])

test('a window beyond 100 KiB is emitted at once, and its group begins again', () => {
  const { take, windows } = running()
  for (let n = 0; n < 10; n++) expect(namesOf(take(set('a', 100, 100 * n)))).toEqual([])
  expect(namesOf(take(set('a', 100, 1_000)))).toEqual([['a', 'bound']])
  expect([windows.count, windows.bytes, windows.groups]).toEqual([0, 0, 0])
  expect(namesOf(take(set('b', 1_100)))).toEqual([['b', 'bound']])
})

test('windows beyond 64 MiB in total are emitted, the one that was opened first first', () => {
  const { take, windows } = running()
  const emitted: unknown[] = []
  for (let n = 0; n < 800; n++) emitted.push(...namesOf(take(set(`m${n}`, 900))))
  expect(emitted.length).toBeGreaterThan(10)
  expect(emitted).toEqual(Array.from({ length: emitted.length }, (_, n) => [`m${n}`, 'bound']))
  expect(windows.bytes).toBeLessThanOrEqual(64 * 1024 * 1024)
})

test('of more than 200 windows of a group the oldest are emitted', () => {
  const { take } = running({
    window: { type: 'sliding', interval: 1_000, window_min: 1 },
    group_by: [],
    event_timestamp: '.at',
  })
  const event = (second: number) => ({
    name: 'a',
    kind: 'incremental',
    value: { type: 'gauge', value: 1 },
    at: second * 1_000,
  })
  for (let second = 0; second < 200; second++) expect(namesOf(take(event(second)))).toEqual([])
  const { emitted, merged } = take(event(200))
  expect(merged).toBe(200)
  expect(emitted.map(({ startMs, merged: events, cause }) => [startMs, events, cause])).toEqual([
    [0, 201, 'bound'],
  ])
})

test('the twenty thousand and first group fails, and known ones go on', () => {
  const { take, windows } = running()
  const gauge = (name: string) => ({ name, kind: 'absolute', value: { type: 'gauge', value: 1 } })
  for (let n = 0; n < 20_000; n++) take(gauge(`g${n}`))
  expect(take(gauge('more'))).toMatchObject({ code: 'E_CARDINALITY_LIMIT' })
  expect(take(gauge('g7')).merged).toBe(1)
  expect(windows.groups).toBe(20_000)
})

test('a line that is alone in its window leaves as it was sent, but for its time and its metadata', () => {
  const windows = new OpenAggregates()
  const aggregation = new Aggregation(
    { window: { type: 'tumbling', interval: 60 }, operation: 'CUSTOM', group_by: ['.app'] },
    { report: () => {}, meter: UNMETERED, script: total => total },
  )
  const line = sentEvent({ line: '{"b":1,  "a":2}', app: 'x' })
  aggregation.add(windows, line, 1_000)
  const restored = finish(OpenAggregates.restore(finish(windows.snapshot())))
  const [emission] = aggregation.emitDue(restored, Number.POSITIVE_INFINITY, 90_500)
  expect(emission?.event).toMatchObject({
    untouched: true,
    message: line.message,
    timestamp: '1970-01-01T00:01:30.500Z',
  })
  expect(emission?.event.metadata).toMatchObject({ ...line.metadata, aggregate: { event_count: 1 } })
})

test.each([
  '',
  '7\n',
  '1\n[',
  '1\n{}\n',
  '1\n["window",1]\n',
  '1\n["window",["a",0,1,1,"none",{},1,1,1,null]]\n',
])('no windows are read from %j', text => {
  expect(() => finish(OpenAggregates.restore(Buffer.from(text)))).toThrow(RangeError)
})
