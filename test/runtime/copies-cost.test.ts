import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { BEHAVIOUR, ELEVENTH_BEHAVIOUR, NINTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ACCOUNT } from '../support/line-batches.ts'
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

/** Sinks of the own store that all read one output. */
function sinks(count: number, input: string, config: JsonObject = {}): NodeDocument[] {
  return Array.from({ length: count }, (_, index) => node('sink', `sink-${index}`, 'mezmo', [input], config))
}

function sources(count: number): NodeDocument[] {
  return Array.from({ length: count }, (_, index) => node('source', `source-${index}`, SOURCE.type, []))
}

/** Bytes of the stored lines. */
function storedBytes(partition: CostlyPartition): number {
  return partition.rows('lines').reduce((sum, { line }) => sum + String(line).length, 0)
}

/** Matching it takes more units than an event of a long line may cost. */
const COSTLY = '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'

const LONG_LINES = Array.from({ length: 20 }, (_, index) => `${index} ${'y'.repeat(10_000)}`)

test('a line that many sources give to many destinations filled the memory, and fails where its copies cost too much', () => {
  const inputs = sources(60)
  const join = node(
    'transform',
    'join',
    'drop-fields',
    inputs.map(({ id }) => id),
    { fields: ['.nope'] },
  )
  const partition = partitionWith(BEHAVIOUR, ...inputs, join, ...sinks(60, 'join'))
  partition.send('x'.repeat(1_000))
  expect(partition.nodeCounts('join')).toMatchObject({ events_in: 60, failed: 0 })
  const stored = partition.rows('lines').length
  expect(stored).toBeGreaterThan(16)
  expect(stored).toBeLessThan(2_100)
  const messages = partition.rows('pipeline_errors').map(({ code, message }) => `${code} ${message}`)
  expect(messages).toContainEqual(
    expect.stringMatching(/^E_EXPRESSION_COST The pipelines of the account keep more copies of one event/),
  )
})

test('four hundred destinations of one source store few of their copies of long lines', () => {
  const partition = partitionWith(BEHAVIOUR, ...sinks(400, 'source'))
  partition.send(...LONG_LINES)
  const bytes = storedBytes(partition)
  expect(bytes).toBeGreaterThan(500_000)
  expect(bytes).toBeLessThan(20_000_000)
})

test('destinations of many pipelines count together', () => {
  const partition = new CostlyPartition(BEHAVIOUR)
  for (let index = 0; index < 40; index++) partition.publishAs(`p-${index}`, SOURCE, ...sinks(10, 'source'))
  partition.send(...LONG_LINES)
  expect(storedBytes(partition)).toBeLessThan(20_000_000)
})

/** Filters that all read one output, and whose expressions cost more than an event may. */
function costlyFilters(count: number, input: string): NodeDocument[] {
  const expression = { field: '.line', str_operator: 'regex_match', value: COSTLY }
  const config = { action: 'drop', conditional: { expressions: [expression] } }
  return Array.from({ length: count }, (_, index) =>
    node('transform', `filter-${index}`, 'filter', [input], config),
  )
}

describe('an event that fails at very many nodes is a dead letter, and not at all of them', () => {
  const unknownHost = { query: { hostname: '{{ .nope }}' } }
  for (const [title, nodes] of [
    ['destinations that cannot send it', sinks(400, 'source', unknownHost)],
    ['destinations that it has too many copies for', sinks(400, 'source')],
    ['expressions that cost too much', costlyFilters(400, 'source')],
  ] as const) {
    test(title, () => {
      const partition = partitionWith(BEHAVIOUR, ...nodes)
      const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, isEnabled: true })
      partition.control({ 'weir.Cut': { kind: 'dead-letter', entity: 'p', version: 100, payload } })
      partition.send(...LONG_LINES)
      const letters = partition.fold.mail.take().flat()
      const bytes = letters.reduce((sum, { value }) => sum + value.length, 0)
      expect(bytes).toBeGreaterThan(20 * 10_000)
      expect(bytes).toBeLessThan(10_000_000)
    })
  }
})

describe('an event that many throttles send to other partitions', () => {
  /** Throttles by the field `key` of an account whose lines are on all partitions. */
  const sentBytes = (behaviour: number, count: number, inputs: (index: number) => string) => {
    const partition = new CostlyPartition(behaviour, 4)
    const throttles = Array.from({ length: count }, (_, index) =>
      node('transform', `calm-${index}`, 'throttle', [inputs(index)], {
        threshold: 5,
        window: '1s',
        key_field: '.key',
      }),
    )
    const spread = { isSpread: true }
    partition.control({
      'weir.Cut': { kind: 'spread', entity: SAMPLE_ACCOUNT, version: 100, payload: JSON.stringify(spread) },
    })
    partition.publish(SOURCE, ...throttles)
    partition.fold.mail.take()
    for (let part = 0; part < 20; part++) partition.send(...LONG_LINES)
    const sent = partition.fold.mail.take().flat()
    return sent.reduce((sum, { value }) => sum + value.length, 0)
  }
  const LINES_BYTES = 20 * 20 * 10_000

  test('each throttle got every line through the log, and few get it once that costs too much', () => {
    const side = sentBytes(BEHAVIOUR, 400, () => 'source')
    expect(side).toBeGreaterThan(2 * LINES_BYTES)
    expect(side).toBeLessThan(40 * LINES_BYTES)
  })

  test('sixteen throttles get every line, and any number did before the twelfth behaviour', () => {
    expect(sentBytes(BEHAVIOUR, 16, () => 'source')).toBeGreaterThan(8 * LINES_BYTES)
    expect(sentBytes(ELEVENTH_BEHAVIOUR, 60, () => 'source')).toBeGreaterThan(30 * LINES_BYTES)
  })
})

test('ordinary lines may have sixteen copies, or thirty short ones, and any number before the tenth behaviour', () => {
  for (const [behaviour, count, length] of [
    [BEHAVIOUR, 16, 16_000],
    [BEHAVIOUR, 30, 1_000],
    [NINTH_BEHAVIOUR, 200, 1_000],
  ] as const) {
    const partition = partitionWith(behaviour, ...sinks(count, 'source'))
    for (let part = 0; part < 10; part++) partition.send(...Array<string>(100).fill('x'.repeat(length)))
    expect(partition.nodeCounts(`sink-${count - 1}`)).toMatchObject({ events_in: 1_000, failed: 0 })
  }
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
