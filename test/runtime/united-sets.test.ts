import { expect, test } from 'vitest'
import { BEHAVIOUR, THIRTEENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ROUTE } from '../support/line-batches.ts'
import { node } from '../support/world.ts'

const WINDOW = { window: { type: 'tumbling', interval: 60 }, evaluate: { operation: 'DEFAULT' } }
const visitors = (...values: readonly string[]) => ({
  ...{ name: 'visitors', kind: 'absolute' },
  value: { type: 'set', value: { values: [...values] } },
})

/** Sets that a partition of a behaviour unites, with a restart in between. */
function unionOf(behaviour: number, ...sets: readonly (readonly string[])[]): unknown[] {
  const partition = new CostlyPartition(behaviour)
  partition.publish(
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'unite', 'aggregate', ['door'], WINDOW),
    node('sink', 'store', 'mezmo', ['unite'], { message: { scheme: 'Message pass-through' } }),
  )
  for (const values of sets) {
    partition.push(visitors(...values))
    partition.pass(2_000)
    partition.restart()
  }
  partition.pass(120_000)
  return partition.rows('lines').map(({ line }) => JSON.parse(String(line)).value.value.values)
}

test('a union of sets has each value once, also those that its first event repeats', () => {
  const sets = [
    ['ida', 'ben', 'ida'],
    ['eva', 'ben', 'eva'],
  ]
  expect(unionOf(BEHAVIOUR, ...sets)).toEqual([['ida', 'ben', 'eva']])
  expect(unionOf(THIRTEENTH_BEHAVIOUR, ...sets)).toEqual([['ida', 'ben', 'ida', 'eva']])
})

test('the set of a window with one event stays as it was sent', () => {
  expect(unionOf(BEHAVIOUR, ['ida', 'ben', 'ida'])).toEqual([['ida', 'ben', 'ida']])
})
