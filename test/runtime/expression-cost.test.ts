import { expect, test } from 'vitest'
import type { Flush } from '../../engine/fold/flush.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import {
  BEHAVIOUR,
  FIFTH_BEHAVIOUR,
  FOURTH_BEHAVIOUR,
  SEVENTH_BEHAVIOUR,
  SIXTH_BEHAVIOUR,
} from '../../schemas/log/behaviour-numbers.ts'
import type { Control } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { type NativeValue, readNativeBlock } from '../support/native-reader.ts'
import { exclusion, node, SOURCE } from '../support/world.ts'

const START_MS = 1_700_000_000_000
const IDENTITY = {
  topic: INGEST_TOPIC,
  partition: 0,
  partitions: 1,
  logId: '00000000-0000-4000-8000-000000000000',
}
/** Each is looked for from each character of a line on, and found nowhere. */
const DEAR = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'
const LONG_LINE = 'abcd0123'.repeat(2_000)

/** A partition whose records a test writes one after the other. */
class Partition {
  fold = new PartitionFold(CATALOGUE, IDENTITY)
  timeMs = START_MS
  /** Number of stretches of the last record that was applied in stretches. */
  stretches = 0
  readonly #behaviour: number
  readonly #flushes: Flush[] = []
  #offset = 0n
  #version = 0

  constructor(behaviour: number) {
    this.#behaviour = behaviour
    this.control({ 'weir.Tick': { deadlineMs: START_MS } })
  }

  control(body: Control['body']): void {
    this.#apply(controlType.encode({ behaviour: this.#behaviour, body }))
  }

  publish(...nodes: readonly NodeDocument[]): void {
    const version = ++this.#version
    const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: '', revision: version, nodes }
    const payload = JSON.stringify(document)
    this.control({ 'weir.Cut': { kind: 'pipeline', entity: 'p', version, payload } })
  }

  exclude(query: string): void {
    const rule = exclusion('1234567890', { query })
    const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, exclusions: [rule], retentionRules: [] })
    this.control({ 'weir.Cut': { kind: 'line-rules', entity: SAMPLE_ACCOUNT, version: 1, payload } })
  }

  send(...lines: readonly string[]): void {
    this.#apply(lineBatchValue([{ lines: lines.map(line => ({ line })) }]))
  }

  /** Lets time pass: open batches are stored. */
  pass(ms: number): void {
    this.timeMs += ms
    this.control({ 'weir.Tick': { deadlineMs: this.timeMs } })
  }

  get failedSinceRestart(): number {
    return [...this.fold.nodeTotals].reduce((sum, { activity }) => sum + activity.failed, 0)
  }

  /** Goes on in another process, from a checkpoint. */
  restart(): void {
    const checkpoint = this.fold.checkpointAtRest().checkpoint
    this.fold = new PartitionFold(CATALOGUE, IDENTITY, checkpoint ?? undefined)
  }

  /** All rows of a table so far. */
  rows(table: 'lines' | 'node_metrics' | 'pipeline_errors'): Readonly<Record<string, NativeValue>>[] {
    this.pass(60_000)
    return this.#flushes.flatMap(({ tables }) =>
      tables.filter(each => each.table === table).flatMap(({ block }) => readNativeBlock(block).rows),
    )
  }

  nodeCounts(name: string): Record<string, number> {
    const counts: Record<string, number> = {}
    for (const row of this.rows('node_metrics')) {
      if (row.node !== name) continue
      for (const column of ['events_in', 'events_out', 'dropped', 'failed'])
        counts[column] = (counts[column] ?? 0) + Number(row[column])
    }
    return counts
  }

  #apply(value: Buffer): void {
    const record = { offset: this.#offset++, appendTimeMs: this.timeMs, producer: null, value }
    const steps = this.fold.applying(record)
    this.stretches = 1
    const counted = (function* (partition) {
      for (;;) {
        const { done, value: flushes } = steps.next()
        if (done) return flushes
        partition.stretches++
        yield
      }
    })(this)
    this.#flushes.push(...finish(counted))
  }
}

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

function dearPartition(behaviour = FIFTH_BEHAVIOUR): Partition {
  const partition = new Partition(behaviour)
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
  const partition = new Partition(FIFTH_BEHAVIOUR)
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
function manyWords(behaviour: number): Partition {
  const partition = new Partition(behaviour)
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
  const partition = new Partition(BEHAVIOUR)
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
