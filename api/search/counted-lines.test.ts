import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import type {
  BucketCounts,
  Buckets,
  SliceOfCounts,
  ValueCounts,
} from '../../engine/store/search/line-counts.ts'
import { histogramOf } from './counted-lines.ts'

const filters = { hosts: [], apps: [], levels: [], tags: [] }
const selection = { account: 'a', query: parseQuery(''), filters, fromMs: 0, toMs: 2, asOfMs: 2 }

test.each([
  ['whole', true, { lines: 3, complete: true, coveredFromMs: 0 }],
  ['of its newest part', false, { lines: 1, complete: false, coveredFromMs: 2 }],
])(
  'a histogram is %s after its budget, if its slices take little time: %s',
  async (_, isNextBrief, expected) => {
    const clock = manualClock()
    async function* countByTime(): AsyncGenerator<SliceOfCounts<BucketCounts>> {
      for (const at of [2, 1, 0]) {
        clock.advance(100)
        const counts = { lines: 1, buckets: [{ startMs: at, value: -1, lines: 1 }] }
        yield { fromMs: at, toMs: at, counts, isNextBrief }
      }
    }
    const store = { countByTime, countByValue: () => expect.fail('no values are counted') }
    const buckets = { starts: [0, 1, 2], intervalMs: 1 }
    const asked = { selection, buckets, by: undefined, budgetMs: 100 }
    const { signal } = new AbortController()
    expect(await histogramOf({ store, clock, signal }, asked)).toMatchObject(expected)
  },
)

test('a histogram whose slices take too long is answered five seconds after its budget, with the slices that were counted', async () => {
  const clock = manualClock()
  const stop = new AbortController()
  const slow = async (ended: AbortSignal) => {
    await clock.sleep(3_600_000, ended)
    ended.throwIfAborted()
  }
  async function* countByTime(_: unknown, __: unknown, ended: AbortSignal) {
    const counts = { lines: 1, buckets: [{ startMs: 2, value: -1, lines: 1 }] }
    yield { fromMs: 2, toMs: 2, counts, isNextBrief: true }
    await slow(ended)
  }
  async function* countByValue(_: unknown, __: unknown, ended: AbortSignal): AsyncGenerator<never> {
    await slow(ended)
    yield* []
  }
  const buckets = { starts: [0, 1, 2], intervalMs: 1 }
  const asked = { selection, buckets, by: 'app', budgetMs: 1_000 }
  const answer = histogramOf({ store: { countByTime, countByValue }, clock, signal: stop.signal }, asked)
  expect(await clock.advanceUntil(answer)).toEqual({
    ...{ series: [], other: [0, 0, 1], lines: 1 },
    ...{ complete: false, coveredFromMs: 2 },
  })
  expect(clock.monotonicMs()).toBe(6_000)
})

test('levels are told apart even if the newest part of the period has none of them', async () => {
  const clock = manualClock()
  async function* countByTime(_: unknown, { by }: Buckets): AsyncGenerator<SliceOfCounts<BucketCounts>> {
    const bucket = (startMs: number, level: string, lines: number) => ({
      ...{ startMs, value: by?.values.indexOf(level) ?? -1, lines },
    })
    const buckets = [bucket(0, 'ERROR', 7), bucket(1, 'INFO', 3), bucket(2, 'NOTICE', 1)]
    yield { fromMs: 0, toMs: 2, counts: { lines: 11, buckets }, isNextBrief: true }
  }
  async function* countByValue(): AsyncGenerator<SliceOfCounts<ValueCounts>> {
    const counts = { lines: 3, absent: 0, values: [['INFO', 3]] as const, distinct: 1, valueLines: 3 }
    clock.advance(100)
    yield { fromMs: 1, toMs: 2, counts, isNextBrief: false }
  }
  const buckets = { starts: [0, 1, 2], intervalMs: 1 }
  const asked = { selection, buckets, by: 'level', budgetMs: 100 }
  const { signal } = new AbortController()
  const { series, other } = await histogramOf({ store: { countByTime, countByValue }, clock, signal }, asked)
  expect(series).toEqual([
    { name: 'INFO', lines: [0, 3, 0] },
    { name: 'ERROR', lines: [7, 0, 0] },
  ])
  expect(other).toEqual([0, 0, 1])
})

test('a histogram ends with an error when its client leaves', async () => {
  const clock = manualClock()
  const gone = new AbortController()
  async function* countByTime(_: unknown, __: unknown, ended: AbortSignal): AsyncGenerator<never> {
    await clock.sleep(3_600_000, ended)
    ended.throwIfAborted()
    yield* []
  }
  const store = { countByTime, countByValue: () => expect.fail('no values are counted') }
  const buckets = { starts: [0, 1, 2], intervalMs: 1 }
  const asked = { selection, buckets, by: undefined, budgetMs: 1_000 }
  const answer = histogramOf({ store, clock, signal: gone.signal }, asked)
  gone.abort(new Error('the client left'))
  await expect(answer).rejects.toThrow('the client left')
})
