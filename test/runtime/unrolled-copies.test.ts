import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { BEHAVIOUR, THIRTEENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ROUTE } from '../support/line-batches.ts'
import { node } from '../support/world.ts'

const UNITS_PER_MS = 4_000
const LARGE = parcel(5_000, 4_000)
/** Milliseconds in which log time pays for more than its copies cost. */
const PAID_MS = Math.ceil((5_000 * 4_100) / 2 / UNITS_PER_MS)
const SMALL = parcel(10, 100)

function parcel(elements: number, characters: number): JsonObject {
  return { text: 'x'.repeat(characters), items: Array(elements).fill(1) }
}

/** A partition whose account unrolls the items of pushed events. @param field of the list */
function unrolling(behaviour: number, field = '.items'): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  partition.publish(
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'unroll', 'unroll', ['door'], { field, values_only: false }),
    node('sink', 'nowhere', 'blackhole', ['unroll']),
  )
  return partition
}

/** Numbers of parts and of failed events since the last call or restart. */
function outcomesIn(partition: CostlyPartition) {
  let [parts, failed] = [0, 0]
  return () => {
    const [activity] = [...partition.fold.nodeTotals].filter(each => each.node === 'unroll')
    const { eventsOut = 0, failed: all = 0 } = activity?.activity ?? {}
    const since = { parts: eventsOut - parts, failed: all - failed }
    parts = eventsOut
    failed = all
    return since
  }
}

test('an event of 4 kB with 5,000 elements becomes 5,000 events; before the fourteenth behaviour it failed', () => {
  for (const [behaviour, expected] of [
    [BEHAVIOUR, { parts: 5_000, failed: 0 }],
    [THIRTEENTH_BEHAVIOUR, { parts: 0, failed: 1 }],
  ] as const) {
    const partition = unrolling(behaviour)
    partition.push(LARGE)
    expect(outcomesIn(partition)()).toEqual(expected)
  }
})

test('while the account owes for copies, such events fail and small ones pass, until log time has paid', () => {
  const partition = unrolling(BEHAVIOUR)
  const outcomes = outcomesIn(partition)
  partition.push(LARGE, LARGE, SMALL)
  expect(outcomes()).toEqual({ parts: 5_010, failed: 1 })
  partition.timeMs += 1_000
  partition.push(SMALL, LARGE, SMALL)
  expect(outcomes()).toEqual({ parts: 20, failed: 1 })
  partition.timeMs += PAID_MS
  partition.push(LARGE)
  expect(outcomes()).toEqual({ parts: 5_000, failed: 0 })
  const errors = partition.rows('pipeline_errors').map(({ code, message }) => `${code} ${message}`)
  expect(new Set(errors)).toEqual(
    new Set([
      expect.stringMatching(/^E_EXPRESSION_COST The parts of the event .* still owes for earlier parts/),
    ]),
  )
})

test('a restart from a checkpoint changes nothing about the copies that an account owes for', () => {
  const runs = [true, false].map(restarts => {
    const partition = unrolling(BEHAVIOUR)
    partition.push(LARGE)
    const outcomes = []
    for (let second = 0; second < 4; second++) {
      partition.pass(1_000)
      if (restarts) partition.restart()
      const since = outcomesIn(partition)
      since()
      partition.push(LARGE, SMALL)
      outcomes.push(since())
    }
    return outcomes
  })
  const refused = { parts: 10, failed: 1 }
  expect(runs[0]).toEqual([refused, refused, { parts: 5_010, failed: 0 }, refused])
  expect(runs[0]).toEqual(runs[1])
})

test('an event whose parts would have more than 256 MiB fails, makes none of them and owes nothing', () => {
  const partition = unrolling(BEHAVIOUR)
  const outcomes = outcomesIn(partition)
  const elements = 10_000
  const around = JSON.stringify({ ...parcel(0, 0), items: 0 }).length
  const characters = Math.floor((256 * 1024 * 1024) / elements) - around
  partition.push(parcel(elements, characters + 1), LARGE)
  expect(outcomes()).toEqual({ parts: 5_000, failed: 1 })
  partition.timeMs += PAID_MS
  // The rest of what a record may yield is less than the second event needs.
  partition.push(parcel(elements, characters), parcel(60, 100))
  expect(outcomes()).toEqual({ parts: 10_000, failed: 1 })
})

test('copies that a list in the metadata multiplies are owed by the bytes of the metadata', () => {
  const partition = new CostlyPartition(BEHAVIOUR)
  partition.publish(
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'move', 'map-fields', ['door'], {
      mappings: [{ source_field: '.', target_field: 'metadata.sent', drop_source: true }],
    }),
    node('transform', 'unroll', 'unroll', ['move'], { field: 'metadata.sent.items', values_only: false }),
    node('sink', 'nowhere', 'blackhole', ['unroll']),
  )
  const outcomes = outcomesIn(partition)
  partition.push(parcel(10_000, 27_000), LARGE, LARGE)
  expect(outcomes()).toEqual({ parts: 5_000, failed: 2 })
})
