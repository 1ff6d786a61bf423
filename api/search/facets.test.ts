import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import type { SliceOfCounts, ValueCounts } from '../../engine/store/search/line-counts.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import { timesWithin } from './counting.ts'
import { facetsOf } from './facets.ts'

const SLICE_MS = 100
const PERIOD = { fromMs: 0, toMs: 9, asOfMs: 9 }
const selection: LineSelection = {
  ...{ account: 'a', query: parseQuery(''), filters: { hosts: [], apps: [], levels: [], tags: [] } },
  ...PERIOD,
}

interface FakeField {
  /** Starts of its slices, newest first. Each has one line and takes 100 ms. */
  readonly starts: readonly number[]
  readonly isBrief?: boolean
}

/** Counts lines of fields within a budget. @returns facets, and the names of the fields in the order of their slices */
async function counted(fields: Readonly<Record<string, FakeField>>, budgetMs: number) {
  const clock = manualClock()
  const order: string[] = []
  let left = 0
  async function* countByValue(_: LineSelection, name: string): AsyncGenerator<SliceOfCounts<ValueCounts>> {
    const { starts, isBrief = false } = fields[name] as FakeField
    try {
      let toMs = PERIOD.toMs
      for (const fromMs of starts) {
        order.push(name)
        clock.advance(SLICE_MS)
        const counts = { lines: 1, absent: 0, values: [['x', 1] as const], distinct: 1, valueLines: 1 }
        yield { fromMs, toMs, counts, isNextBrief: isBrief }
        toMs = fromMs - 1
      }
    } finally {
      left++
    }
  }
  const store = { countByValue, countByTime: () => expect.fail('nothing is counted by time') }
  const { signal } = new AbortController()
  const bounds = { limit: 10, ...timesWithin(clock, budgetMs) }
  const facets = await facetsOf({ store, clock, signal }, selection, Object.keys(fields), bounds)
  return { facets, order, left }
}

const TENTHS = [9, 8, 7, 6, 5, 4, 3, 2, 1, 0]

test('fields that cannot be counted as a whole cover the same time, the newest', async () => {
  const { facets, order } = await counted({ app: { starts: TENTHS }, host: { starts: TENTHS } }, 600)
  expect(order).toEqual(['app', 'host', 'app', 'host', 'app', 'host'])
  expect(facets).toMatchObject([
    { field: 'app', complete: false, coveredFromMs: 7, lines: 3, values: [{ value: 'x', lines: 3 }] },
    { field: 'host', complete: false, coveredFromMs: 7, lines: 3, exact: false },
  ])
})

test('time that one field does not need is left for the others, also those before it', async () => {
  const { facets } = await counted({ tag: { starts: TENTHS }, app: { starts: [0] } }, 1_100)
  expect(facets).toMatchObject([
    { field: 'tag', complete: true, lines: 10, exact: true },
    { field: 'app', complete: true, lines: 1 },
  ])
})

test('slices that take little time are counted after the budget, others are not', async () => {
  const { facets } = await counted({ level: { starts: TENTHS, isBrief: true }, tag: { starts: TENTHS } }, 100)
  expect(facets).toMatchObject([
    { field: 'level', complete: true, lines: 10, exact: true },
    { field: 'tag', complete: false, lines: 1, coveredFromMs: 9 },
  ])
})

test('the work of all fields ends with the answer', async () => {
  const { left } = await counted({ app: { starts: TENTHS }, host: { starts: TENTHS } }, 300)
  expect(left).toBe(2)
})

test('slices that take little time are counted for five seconds after the budget at most', async () => {
  const starts = Array.from({ length: 100 }, (_, index) => 9 - index / 100)
  const { facets } = await counted({ level: { starts, isBrief: true } }, 100)
  expect(facets).toMatchObject([{ complete: false, lines: 51, exact: false }])
})

test('a slice that is not counted five seconds after the budget is given up, and the other fields keep their lines', async () => {
  const clock = manualClock()
  async function* countByValue(_: LineSelection, name: string, ended: AbortSignal) {
    if (name === 'slow') await clock.sleep(3_600_000, ended)
    ended.throwIfAborted()
    const counts = { lines: 1, absent: 0, values: [['x', 1] as const], distinct: 1, valueLines: 1 }
    yield { ...PERIOD, fromMs: 5, counts }
  }
  const store = { countByValue, countByTime: () => expect.fail('nothing is counted by time') }
  const { signal } = new AbortController()
  const bounds = { limit: 10, ...timesWithin(clock, 500) }
  const answer = facetsOf({ store, clock, signal }, selection, ['app', 'slow'], bounds)
  expect(await clock.advanceUntil(answer)).toMatchObject([
    { field: 'app', complete: false, exact: false, lines: 1, coveredFromMs: 5 },
    { field: 'slow', complete: false, exact: false, lines: 0, coveredFromMs: PERIOD.toMs + 1 },
  ])
  expect(clock.monotonicMs()).toBe(6_000)
})

test('a failure within the time is thrown', async () => {
  const countByValue = (): AsyncGenerator<SliceOfCounts<ValueCounts>> => {
    throw new Error('the store is damaged')
  }
  const store = { countByValue, countByTime: () => expect.fail('nothing is counted by time') }
  const clock = manualClock()
  const { signal } = new AbortController()
  const bounds = { limit: 10, ...timesWithin(clock, 500) }
  await expect(facetsOf({ store, clock, signal }, selection, ['app'], bounds)).rejects.toThrow('damaged')
})
