import { expect, test } from 'vitest'
import {
  BEHAVIOUR,
  FIFTH_BEHAVIOUR,
  FOURTH_BEHAVIOUR,
  NINTH_BEHAVIOUR,
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

/** Lines that ten filters compare with an expensive expression, and fail. */
const FAILING = Array.from({ length: 2_000 }, () => 'a1'.repeat(250))
const tenFilters = (expression = DEAR): NodeDocument[] => [
  SOURCE,
  ...Array.from({ length: 10 }, (_, index) =>
    filterNode(`filter-${index}`, index === 0 ? 'source' : `filter-${index - 1}`, expression),
  ),
  node('sink', 'store', 'mezmo', ['filter-9']),
]

/** Stretches of work on the last of some records whose lines fail, and the number of these lines. */
function failingFor(behaviour: number, expression: string, lines = FAILING) {
  const partition = new CostlyPartition(behaviour)
  partition.publish(...tenFilters(expression))
  for (let record = 0; record < 3; record++) partition.send(...lines)
  const failedBefore = partition.failedSinceRestart
  partition.send(...lines)
  return { stretches: partition.stretches, failed: partition.failedSinceRestart - failedBefore }
}

/** The second one stays within the free units of a line, but ten of them do not. */
const FAILED_BY = [DEAR, '[^x]{0,60}[ab][^y]{0,60}[^a-d0-9][^0]']

test.each(FAILED_BY)(
  'a partition with lines that fail because of their cost does not fall minutes behind: %s',
  expression => {
    const { stretches, failed } = failingFor(BEHAVIOUR, expression)
    expect(failed).toBe(FAILING.length)
    // Each failed event counts 200 units beside its expressions.
    expect(stretches).toBeLessThan(20)
  },
)

test.each(FAILED_BY)(
  'before the tenth behaviour each of these lines used up its free units first: %s',
  expression => {
    const lines = FAILING.slice(0, 200)
    const { stretches, failed } = failingFor(NINTH_BEHAVIOUR, expression, lines)
    expect(failed).toBe(lines.length)
    expect(stretches).toBeGreaterThan(lines.length / 2)
  },
)

test('work on lines that fail is at most what the account has and may owe, and four million units a second', () => {
  const partition = new CostlyPartition(BEHAVIOUR)
  partition.publish(...tenFilters())
  const stretchesIn = (records: number) => {
    let sum = 0
    for (let record = 0; record < records; record++) {
      partition.send(...FAILING)
      sum += partition.stretches
    }
    return sum
  }
  // 16 million units, the free units of some twenty events that passed the first filter, and 200 units for each event.
  expect(stretchesIn(6)).toBeLessThan((16_000_000 + 20 * 230_000 + 12_000 * 200) / 50_000 + 6)
  expect(stretchesIn(1)).toBeLessThan(12)
  partition.pass(1_000)
  const afterOneSecond = stretchesIn(1)
  expect(afterOneSecond).toBeGreaterThan(50)
  expect(afterOneSecond).toBeLessThan(100)
})

/** Ordinary expressions on short and long lines: examples of the reference, and others of many states or of a large automaton. */
const ORDINARY = [
  '(?P<door>[a-z]+)-(?P<number>\\d{2})',
  '(?<staff_no>S-\\d{4})',
  Array.from(
    { length: 150 },
    (_, index) => `${'bcdefghijklmnopqrstuvwxyz'[index % 25]}${index}-[0-9]{3}`,
  ).join('|'),
]
const ORDINARY_LINES = ['short', 'a'.repeat(16_000), 'GET /index.html user=alice '.repeat(100)]

test('lines of an account with expensive expressions pass the ordinary expressions of its other pipeline', () => {
  const partition = new CostlyPartition(BEHAVIOUR)
  partition.publish(...tenFilters())
  const isLong = { field: '.line', str_operator: 'starts_with', value: 'a1a1' }
  const others = node('transform', 'others', 'filter', ['source'], {
    action: 'drop',
    conditional: { expressions: [isLong] },
  })
  partition.publishAs(
    'ordinary',
    SOURCE,
    others,
    filterNode('filter', 'others', ...ORDINARY),
    node('sink', 'kept', 'mezmo', ['filter']),
  )
  for (let record = 0; record < 5; record++) {
    // Some of the lines fail, so the account owes units all the time.
    partition.send(...FAILING.slice(0, 100), ...ORDINARY_LINES)
    partition.pass(100)
  }
  expect(partition.failedSinceRestart).toBeGreaterThan(400)
  expect(partition.nodeCounts('filter')).toEqual({ events_in: 15, events_out: 15, dropped: 0, failed: 0 })
})

test('what an account owes is paid by log time, with or without a restart', () => {
  const failedIn = (isRestarted: boolean) => {
    const partition = dearPartition(BEHAVIOUR)
    partition.send(...FAILING)
    partition.send(...FAILING)
    return [1_000, 1_000, 1_000, 1_000].map(passedMs => {
      partition.pass(passedMs)
      if (isRestarted) partition.restart()
      const before = partition.failedSinceRestart
      partition.send(LONG_LINE.slice(0, 500))
      return partition.failedSinceRestart - before
    })
  }
  // Two seconds pay for eight million units that are owed, and the next ones are saved up.
  const failed = failedIn(false)
  expect(failed).toEqual([1, 1, 0, 0])
  expect(failedIn(true)).toEqual(failed)
})
