import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { BEHAVIOUR, EIGHTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { CostlyPartition } from '../support/costly-partition.ts'
import { SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../support/line-batches.ts'
import { node, SOURCE } from '../support/world.ts'

const DOOR: NodeDocument = { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE }
const many = (count: number, entry: (index: number) => JsonValue) =>
  Array.from({ length: count }, (_, index) => entry(index))
const members = (count: number): JsonObject =>
  Object.fromEntries(many(count, index => index).map((value, index) => [`m${index}`, value]))

function partitionWith(
  behaviour: number,
  type: string,
  config: JsonObject,
  sink: JsonObject = {},
): CostlyPartition {
  const partition = new CostlyPartition(behaviour)
  partition.publish(
    DOOR,
    node('transform', 'work', type, ['door'], config),
    node('sink', 'store', 'mezmo', [type === 'route' ? 'work._unmatched' : 'work'], sink),
  )
  return partition
}

/** Options and an event that were accepted, and that kept all accounts of a process waiting. */
const OVERWORK: readonly (readonly [type: string, config: JsonObject, event: JsonObject])[] = [
  ['unroll', { field: '.list', values_only: false }, { ...members(200), list: many(500, () => 1) }],
  ['drop-fields', { fields: many(2_000, () => '.list[0]') }, { list: many(5_000, () => 1) }],
  ['drop-fields', { fields: many(400, index => `.deep.m${index}`) }, { deep: members(400) }],
  [
    'set-timestamp',
    { parsers: many(10_000, () => ({ field: '.text', options: { format: '%F %T' } })) },
    { text: 'now' },
  ],
  ['reduce', { group_by: many(500, () => '.') }, { text: 'x'.repeat(4_000) }],
]

test.each(OVERWORK)(
  'events that take %s more work than the account has saved up fail there',
  (type, config, event) => {
    const partition = partitionWith(BEHAVIOUR, type, config)
    partition.push(...many(10, () => event))
    const { failed = 0 } = partition.nodeCounts('work')
    expect(failed).toBeGreaterThan(0)
    const errors = partition.rows('pipeline_errors').filter(({ code }) => code === 'E_EXPRESSION_COST')
    expect(errors).toEqual([
      expect.objectContaining({
        node: 'work',
        message: expect.stringContaining('use shorter lists, or send smaller events'),
      }),
    ])
  },
)

test.each(OVERWORK)(
  'before the ninth behaviour no event failed because of the work of %s',
  (type, config, event) => {
    const partition = partitionWith(EIGHTH_BEHAVIOUR, type, config)
    partition.push(...many(10, () => event))
    expect(partition.nodeCounts('work')).toMatchObject({ events_in: 10, failed: 0 })
  },
)

test('many outputs of a route cost as much as comparisons of one conditional', () => {
  const conditional = { expressions: [{ field: '.text', str_operator: 'exists' }] }
  const conditionals = many(5_000, index => ({ label: 'a', _output_name: `a${index}`, conditional }))
  const partition = partitionWith(BEHAVIOUR, 'route', { conditionals })
  partition.push(...many(1_000, index => index))
  const { failed = 0, events_out: passed = 0 } = partition.nodeCounts('work')
  expect([failed + passed, failed > 100, passed > 100]).toEqual([1_000, true, true])
})

test('tags of a destination count, and an event that costs too much is not stored', () => {
  const partition = partitionWith(BEHAVIOUR, 'filter', PASSING, {
    query: { tags: many(200_000, index => `${index}`) },
  })
  partition.push({ text: 'a' })
  expect(partition.nodeCounts('store')).toMatchObject({ events_in: 1, events_out: 0, failed: 1 })
  expect(partition.rows('pipeline_errors')).toEqual([
    expect.objectContaining({
      node: 'store',
      code: 'E_EXPRESSION_COST',
      message: expect.stringContaining('use fewer tags'),
    }),
  ])
})

const PASSING = { action: 'drop', conditional: { expressions: [{ field: '.none', str_operator: 'exists' }] } }
const FILES = {
  message: { scheme: 'Explicit field selection', line: '{{.text}}{{.text}}', file: '{{.text}}'.repeat(20) },
  query: { hostname: '{{.text}}', tags: ['{{.text}}'] },
}

test('a destination renders no more of a text than a line may have', () => {
  const fileOf = (behaviour: number, text: string) => {
    const partition = partitionWith(behaviour, 'filter', PASSING, FILES)
    partition.push({ text })
    return partition.rows('lines').map(({ file, ...others }) => ({ length: String(file).length, others }))
  }
  const long = 'abcdefgh'.repeat(2_000)
  const [now] = fileOf(BEHAVIOUR, long)
  const [before] = fileOf(EIGHTH_BEHAVIOUR, long)
  expect([now?.length, before?.length]).toEqual([16_385, 320_000])
  expect(now?.others).toEqual(before?.others)
  expect(fileOf(BEHAVIOUR, 'short')).toEqual(fileOf(EIGHTH_BEHAVIOUR, 'short'))
})

test('what a template renders cannot be longer than a text of the runtime', () => {
  const tags = ['{{.text}}'.repeat(600)]
  const partition = partitionWith(BEHAVIOUR, 'filter', PASSING, { query: { tags } })
  partition.push({ text: 'x'.repeat(1_000_000) })
  expect(partition.rows('lines')).toHaveLength(1)
})

test('the parts of a split event are made in many short stretches', () => {
  const partition = partitionWith(BEHAVIOUR, 'unroll', { field: '.list', values_only: false })
  partition.push({ ...members(50), list: many(10_000, index => index) })
  expect(partition.nodeCounts('work')).toMatchObject({ events_out: 10_000, failed: 0 })
  partition.push({ ...members(50), list: many(1_000, index => index) })
  // Each part costs 200 units and its bytes.
  expect(partition.stretches).toBeGreaterThan(10)
})

test('the keys of an account are spread over partitions in many short stretches', () => {
  const partition = new CostlyPartition(BEHAVIOUR)
  partition.publish(
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window: '1h', key_field: '.line' }),
    node('sink', 'store', 'mezmo', ['limit']),
  )
  partition.send(...Array.from({ length: 20_000 }, (_, index) => `key ${index}`))
  const payload = JSON.stringify({ isSpread: true })
  partition.control({ 'weir.Cut': { kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload } })
  expect(partition.stretches).toBeGreaterThan(10)
})

test('a key that costs too much is not sent to its partition: its event fails where it came in', () => {
  const partition = partitionWith(BEHAVIOUR, 'reduce', { group_by: many(500, () => '.') })
  const payload = JSON.stringify({ isSpread: true })
  partition.control({ 'weir.Cut': { kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload } })
  const event = { text: 'x'.repeat(4_000) }
  partition.push(...many(10, () => event))
  const errors = partition.rows('pipeline_errors')
  expect(errors).toEqual([expect.objectContaining({ node: 'work', code: 'E_EXPRESSION_COST' })])
  expect(partition.failedSinceRestart).toBeGreaterThan(0)
})
