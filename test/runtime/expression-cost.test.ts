import { expect, test } from 'vitest'
import {
  BEHAVIOUR,
  FIFTH_BEHAVIOUR,
  FOURTH_BEHAVIOUR,
  SEVENTH_BEHAVIOUR,
  SIXTH_BEHAVIOUR,
} from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { node, SOURCE } from '../support/world.ts'

/** Each is looked for from each character of a line on, and found nowhere. */
const DEAR = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'
const LONG_LINE = 'abcd0123'.repeat(2_000)

const filterBy = (...expressions: readonly string[]): NodeDocument =>
  filterNode('filter', 'source', ...expressions)
const filterNode = (id: string, input: string, ...expressions: readonly string[]): NodeDocument =>
  node('transform', id, 'filter', [input], {
    action: 'drop',
    conditional: {
      logical_operation: 'OR',
      expressions: expressions.map(value => ({ field: '.line', str_operator: 'regex_match', value })),
    },
  })
const storing = (...expressions: readonly string[]): NodeDocument[] => [
  SOURCE,
  filterBy(...expressions),
  node('sink', 'store', 'mezmo', ['filter']),
]

function dearPartition(behaviour = FIFTH_BEHAVIOUR): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  partition.publish(...storing(DEAR))
  return partition
}

test('an event whose expressions cost more than the saved units of the account fails at their node', () => {
  const partition = dearPartition()
  partition.send(LONG_LINE, 'short', LONG_LINE)
  expect(partition.nodeCounts('filter')).toEqual({ events_in: 3, events_out: 1, dropped: 0, failed: 2 })
  expect(partition.rows('lines').map(({ line }) => line)).toEqual(['short'])
  expect(partition.rows('pipeline_errors')).toEqual([
    expect.objectContaining({ node: 'filter', code: 'E_EXPRESSION_COST' }),
  ])
})

test('before its behaviour is in force, no event fails because of its cost', () => {
  const partition = dearPartition(FOURTH_BEHAVIOUR)
  partition.send(LONG_LINE.slice(0, 1_000), 'short')
  expect(partition.nodeCounts('filter')).toEqual({ events_in: 2, events_out: 2, dropped: 0, failed: 0 })
})

test('saved units of an account refill by log time, with or without a restart', () => {
  // Some four million units.
  const line = LONG_LINE.slice(0, 1_320)
  const failedIn = (isRestarted: boolean) => {
    const partition = dearPartition()
    return [1_000, 1_000, 1_000, 30_000, 1_000].flatMap(passedMs => {
      partition.pass(passedMs)
      if (isRestarted) partition.restart()
      return [0, 1, 2].map(() => {
        const before = partition.failedSinceRestart
        partition.send(line)
        return partition.failedSinceRestart - before
      })
    })
  }
  const failed = failedIn(false)
  // The units of two seconds are available at the beginning and after a long pause. Each second adds the units of one
  // second.
  expect(failed).toEqual([0, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 1, 0, 1, 1])
  expect(failedIn(true)).toEqual(failed)
})

test('a record with slow expressions is applied in many short stretches', () => {
  const partition = dearPartition()
  partition.send(...Array.from({ length: 20 }, () => LONG_LINE))
  expect(partition.stretches).toBeGreaterThan(40)
})

test('a rule that costs too much does not match: the line is kept and counted', () => {
  const partition = new CostlyPartition(FIFTH_BEHAVIOUR)
  const word = 'a'.repeat(1_600)
  partition.exclude(Array.from({ length: 5 }, (_, index) => `${word}${index}`).join(' OR '))
  const line = `b${'a'.repeat(9_000)} ${[0, 1, 2, 3, 4].map(index => `b${word}${index}`).join(' ')}`
  partition.send(line.slice(0, 16_000), 'short')
  expect(partition.rows('lines')).toHaveLength(2)
  expect(partition.nodeCounts('rules-not-judged')).toEqual({
    events_in: 1,
    events_out: 1,
    dropped: 0,
    failed: 0,
  })
})

/** Sends many lines through filters that each look for one plain word. */
function manyWords(behaviour: number): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  const filters = Array.from({ length: 40 }, (_, index) =>
    filterNode(`filter-${index}`, index === 0 ? 'source' : `filter-${index - 1}`, `timeout${index}`),
  )
  partition.publish(SOURCE, ...filters, node('sink', 'store', 'mezmo', ['filter-39']))
  partition.send(...Array.from({ length: 5_000 }, (_, index) => `${index} `.padEnd(90, 'ordinary text ')))
  return partition
}

test('every line of a large body is stored behind forty filters that each look for a plain word', () => {
  const partition = manyWords(SEVENTH_BEHAVIOUR)
  expect(partition.rows('pipeline_errors')).toEqual([])
  expect(partition.rows('lines')).toHaveLength(5_000)
})

test.each([FIFTH_BEHAVIOUR, SIXTH_BEHAVIOUR])('by behaviour %i such lines fail as they did', behaviour => {
  const partition = manyWords(behaviour)
  expect(partition.rows('lines')).toEqual([])
  const codes = new Set(partition.rows('pipeline_errors').map(({ code }) => code))
  expect(codes).toEqual(new Set(['E_EXPRESSION_COST']))
})

test('lines of one character cannot keep a partition busy with expressions that are matched step by step', () => {
  const branches = Array.from({ length: 300 }, (_, index) => `[^b]x${index}`)
  const partition = new CostlyPartition(BEHAVIOUR)
  const filters = Array.from({ length: 40 }, (_, index) =>
    filterNode(
      `filter-${index}`,
      index === 0 ? 'source' : `filter-${index - 1}`,
      `${branches.join('|')}|${index}`,
    ),
  )
  partition.publish(SOURCE, ...filters, node('sink', 'store', 'mezmo', ['filter-39']))
  for (let record = 0; record < 4; record++) partition.send(...Array.from({ length: 2_000 }, () => 'a'))
  expect(partition.failedSinceRestart).toBeGreaterThan(3_000)
})
