import { expect, test } from 'vitest'
import { BEHAVIOUR, NINTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { node, SOURCE } from '../support/world.ts'

/** Far more than an account can pay for, and little work. */
const MANY_EVENTS = 500_000

/** A chain of forks whose branches are joined: each doubles the copies of an event. */
function forks(count: number, input: string): NodeDocument[] {
  const config = { fields: ['.nope'] }
  const chain = Array.from({ length: count }, (_, index) => [
    node('transform', `left-${index}`, 'drop-fields', [`join-${index}`], config),
    node('transform', `right-${index}`, 'drop-fields', [`join-${index}`], config),
    node('transform', `join-${index + 1}`, 'drop-fields', [`left-${index}`, `right-${index}`], config),
  ])
  return [node('transform', 'join-0', 'drop-fields', [input], config), ...chain.flat()]
}

function partitionWith(behaviour: number, ...nodes: NodeDocument[]): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  partition.publish(SOURCE, ...nodes)
  return partition
}

/** Events that reached the nodes of a chain of forks. */
function eventsIn(partition: CostlyPartition, count: number): number {
  return forks(count, '').reduce((sum, { id }) => sum + (partition.nodeCounts(id).events_in ?? 0), 0)
}

test('a line whose copies doubled at thirty joins kept all accounts waiting, and fails once they cost too much', () => {
  const partition = partitionWith(BEHAVIOUR, ...forks(30, 'source'))
  partition.send('x')
  partition.send('x', 'x')
  expect(eventsIn(partition, 30)).toBeLessThan(MANY_EVENTS)
  const messages = partition.rows('pipeline_errors').map(({ code, message }) => `${code} ${message}`)
  expect(messages).toContainEqual(
    expect.stringContaining('E_EXPRESSION_COST The pipeline made more copies of one event than are free'),
  )
})

test('an event of a window pays for its copies, too', () => {
  const gather = node('transform', 'gather', 'reduce', ['source'], { duration_ms: 1_000 })
  const partition = partitionWith(BEHAVIOUR, gather, ...forks(30, 'gather'))
  partition.send('x')
  partition.pass(60_000)
  expect(eventsIn(partition, 30)).toBeGreaterThan(1_000)
  expect(eventsIn(partition, 30)).toBeLessThan(MANY_EVENTS)
})

test('copies of ordinary pipelines cost nothing, and none did before the tenth behaviour', () => {
  for (const [behaviour, count] of [
    [BEHAVIOUR, 7],
    [NINTH_BEHAVIOUR, 12],
  ] as const) {
    const partition = partitionWith(behaviour, ...forks(count, 'source'))
    for (let part = 0; part < 20; part++) partition.send(...Array<string>(10).fill('x'))
    expect(partition.nodeCounts(`join-${count}`)).toMatchObject({ events_in: 200 * 2 ** count, failed: 0 })
  }
})
