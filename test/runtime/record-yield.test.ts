import { expect, test } from 'vitest'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ROUTE } from '../support/line-batches.ts'
import { node } from '../support/world.ts'

const MAX_EVENTS = 2 ** 20
const LISTS = 1_100
const ELEMENTS = 1_000

/** Lists within a list, which two nodes take apart. */
function unrolling(behaviour: number): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  partition.publish(
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'outer', 'unroll', ['door'], { field: '.' }),
    node('transform', 'inner', 'unroll', ['outer'], { field: '.' }),
    node('sink', 'nowhere', 'blackhole', ['inner']),
  )
  partition.push(Array.from({ length: LISTS }, () => Array(ELEMENTS).fill(0)))
  return partition
}

test('one request becomes at most 1,048,576 events at all nodes, and the events whose parts would be more fail', () => {
  const partition = unrolling(BEHAVIOUR)
  const whole = Math.floor((MAX_EVENTS - LISTS) / ELEMENTS)
  const inner = () => [...partition.fold.nodeTotals].find(({ node: id }) => id === 'inner')?.activity
  expect(inner()).toMatchObject({ eventsOut: whole * ELEMENTS, failed: LISTS - whole })
  partition.push([[1, 2]])
  expect(inner()).toMatchObject({ eventsOut: whole * ELEMENTS + 2, failed: LISTS - whole })
})

test('a log of an earlier behaviour is handled as it was', () => {
  const [inner] = [...unrolling(TENTH_BEHAVIOUR).fold.nodeTotals].filter(({ node: id }) => id === 'inner')
  expect(inner?.activity).toMatchObject({ eventsOut: LISTS * ELEMENTS, failed: 0 })
})
