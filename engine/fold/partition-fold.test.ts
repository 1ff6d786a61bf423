import { expect, test } from 'vitest'
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
  const publish = (...nodes: Parameters<typeof node>[]) => {
    const document = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1 }
    const payload = JSON.stringify({ ...document, nodes: [SOURCE, ...nodes.map(each => node(...each))] })
    return append(
      encodeControl(CATALOGUE, { 'weir.Cut': { kind: 'pipeline', entity: 'p', version: 1, payload } }),
    )
  }
  const tick = (deadlineMs: number) => append(encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs } }))
  return { fold, lines, publish, tick }
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
