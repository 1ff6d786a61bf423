import { expect, test } from 'vitest'
import { THIRTEENTH_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import { readNativeBlock } from '../../test/support/native-reader.ts'
import { node, SOURCE } from '../../test/support/world.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { encodeControl } from './control-record.ts'
import { PartitionFold } from './partition-fold.ts'

const IDENTITY = { topic: INGEST_TOPIC, partition: 0, partitions: 1, logId: 'log' }
const START_MS = Date.UTC(2031, 2, 9, 8)

/** A partition whose records arrive half a second after each other. */
function partition(from?: PartitionFold) {
  const checkpoint = from?.checkpointAtRest().checkpoint ?? undefined
  const fold = PartitionFold.restored(CATALOGUE, IDENTITY, checkpoint)
  const begin = Number(fold.nextOffset)
  let records = begin
  const append = (value: Buffer) => {
    const offset = BigInt(records)
    return fold.apply({ offset, appendTimeMs: START_MS + 500 * records++, producer: null, value })
  }
  const lines = (...texts: string[]) => append(lineBatchValue([{ lines: texts.map(line => ({ line })) }]))
  let version = 0
  const publish = (...nodes: Parameters<typeof node>[]) => {
    const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1 }
    const payload = JSON.stringify({ ...document, nodes: [SOURCE, ...nodes.map(each => node(...each))] })
    return append(
      encodeControl(CATALOGUE, {
        'weir.Cut': { kind: 'pipeline', entity: 'p', version: ++version, payload },
      }),
    )
  }
  const tick = (deadlineMs: number) => append(encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs } }))
  const raise = (behaviour: number) =>
    append(controlType.encode({ behaviour, body: { 'weir.Tick': { deadlineMs: 0 } } }))
  return { fold, lines, publish, tick, raise }
}

type Flushes = ReturnType<PartitionFold['apply']>

function rows(flushes: Flushes, table: string, ...columns: string[]): unknown[][] {
  return flushes
    .flatMap(({ tables }) => tables)
    .filter(each => each.table === table)
    .flatMap(({ block }) => readNativeBlock(block).rows)
    .map(row => columns.map(column => row[column]))
}

test('lines of a second are one batch, which the first record of the next second releases', () => {
  const { lines } = partition()
  expect(lines('a', 'b')).toEqual([])
  expect(lines('c')).toEqual([])
  const flushes = lines('d')
  expect(flushes.map(({ nextOffset }) => nextOffset)).toEqual([2n])
  expect(rows(flushes, 'lines', 'offset', 'row', 'line')).toEqual([
    [0n, 0, 'a'],
    [0n, 1, 'b'],
    [1n, 0, 'c'],
  ])
})

test('a tick ends everything before its time: the batch, and the counts of the minute', () => {
  const { lines, tick, fold } = partition()
  lines('a', 'b')
  expect(fold.deadlineMs).toBe(START_MS + 1_000)
  expect(rows(tick(fold.deadlineMs), 'lines', 'line')).toEqual([['a'], ['b']])
  expect(fold.deadlineMs).toBe(START_MS + 60_000)
  const flushes = tick(fold.deadlineMs)
  expect(rows(flushes, 'node_metrics', 'node', 'events_in', 'events_out')).toEqual([['own-store', 2n, 2n]])
})

test('outputs with names are counted on their own since the twelfth behaviour', () => {
  const { fold, lines, publish, tick, raise } = partition()
  const met = { expressions: [{ field: '.line', str_operator: 'equal', value: 'a' }] }
  const conditionals = [{ label: 'met', conditional: met, _output_name: 'met' }]
  publish(
    ['transform', 'r', 'route', ['source'], { conditionals }],
    ['sink', 'hole', 'blackhole', ['r.met']],
    ['sink', 'rest', 'blackhole', ['r._unmatched']],
    ['sink', 'second', 'blackhole', ['r._unmatched']],
  )
  const counted = () =>
    rows(tick(fold.timeMs + 60_000), 'node_metrics', 'node', 'output', 'events_in', 'events_out', 'copied')
  lines('a', 'b', 'c')
  // The block has no column of outputs at all.
  expect(counted().filter(([node]) => node === 'r')).toEqual([['r', undefined, 3n, 5n, 2n]])
  raise(TWELFTH_BEHAVIOUR)
  lines('a', 'b', 'c')
  expect(counted().filter(([node]) => ['r', 'hole', 'rest'].includes(node as string))).toEqual([
    ['hole', '', 1n, 1n, 0n],
    ['r', '', 3n, 0n, 0n],
    ['r', '_unmatched', 0n, 4n, 2n],
    ['r', 'met', 0n, 1n, 0n],
    ['rest', '', 2n, 2n, 0n],
  ])
  lines('x')
  publish(['sink', 'hole', 'blackhole', ['source']])
  expect(counted().filter(([node]) => node === 'r')).toEqual([
    ['r', '', 1n, 0n, 0n],
    ['r', '_unmatched', 0n, 2n, 1n],
  ])
})

test('scripts pay for comparing equal texts since the thirteenth behaviour', () => {
  const { fold, lines, publish, tick, raise } = partition()
  const times = JSON.stringify(Array.from({ length: 40 }, (_, index) => index))
  const script = `function f(message) {
  const long = 'x'.repeat(100000)
  for (const time of ${times}) { if (long == long) { message.last = time } }
  return message
}`
  raise(TWELFTH_BEHAVIOUR)
  publish(['transform', 's', 'js-script', ['source'], { script }])
  const counted = () =>
    rows(tick(fold.timeMs + 60_000), 'node_metrics', 'node', 'events_in', 'failed').filter(
      ([id]) => id === 's',
    )
  lines('a')
  expect(counted()).toEqual([['s', 1n, 0n]])
  raise(THIRTEENTH_BEHAVIOUR)
  lines('b')
  expect(counted()).toEqual([['s', 1n, 1n]])
})

test('lines pass through the pipeline that is published before them', () => {
  const { lines, publish, tick } = partition()
  lines('stored as it is')
  publish(['transform', 'none', 'filter', ['source'], { action: 'drop', conditional: ANY }])
  const flushes = [...lines('dropped'), ...tick(START_MS + 60_000)]
  expect(rows(flushes, 'lines', 'line')).toEqual([['stored as it is']])
})

const ANY = { expressions: [{ field: '.line', str_operator: 'exists' }] }

test('a fold from a checkpoint continues like the one that wrote it', () => {
  const { fold, lines, tick } = partition()
  lines('a')
  tick(START_MS + 2_000)
  const restarted = partition(fold)
  expect(restarted.fold.nextOffset).toBe(2n)
  restarted.lines('b')
  const flushes = restarted.tick(START_MS + 60_000)
  expect(rows(flushes, 'lines', 'offset', 'line')).toEqual([[2n, 'b']])
  expect(rows(flushes, 'node_metrics', 'node', 'events_in')).toEqual([['own-store', 2n]])
})

test('a record is never applied twice', () => {
  const { fold, lines } = partition()
  lines('a')
  const again = { offset: 0n, appendTimeMs: START_MS, producer: null, value: Buffer.alloc(0) }
  expect(() => fold.apply(again)).toThrow('record 0 was read again: 1 is next')
})
