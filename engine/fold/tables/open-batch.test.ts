import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  BEHAVIOUR,
  ELEVENTH_BEHAVIOUR,
  FIRST_BEHAVIOUR,
  FOURTH_BEHAVIOUR,
  TENTH_BEHAVIOUR,
} from '../../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../../schemas/log/checkpoint.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { lineBatchValue } from '../../../test/support/line-batches.ts'
import { newStoredLine } from '../../lines/stored-line/stored-line.ts'
import type { LogRecord } from '../../log/log.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { encodeControl } from '../control-record.ts'
import { PartitionFold } from '../partition-fold.ts'
import { OpenBatch } from './open-batch.ts'

const MAX_BYTES = 32 * 1024 * 1024
const ROW_BYTES = 64

test('a batch ends with the record that brings it to 32 MiB of the log, including its rows, and not a byte earlier', () => {
  const batch = batchOfRows(3)
  batch.addRecord(MAX_BYTES - 3 * ROW_BYTES - 1)
  expect(batch.isFull(BEHAVIOUR)).toBe(false)
  batch.addRecord(1)
  expect(batch.isFull(BEHAVIOUR)).toBe(true)
})

test('a batch ends with its 150,000th row, with any behaviour', () => {
  const batch = batchOfRows(149_999)
  for (const behaviour of [FOURTH_BEHAVIOUR, BEHAVIOUR]) expect(batch.isFull(behaviour)).toBe(false)
  batch.append({ offset: 1n, row: 149_999 }, newStoredLine())
  for (const behaviour of [FOURTH_BEHAVIOUR, BEHAVIOUR]) expect(batch.isFull(behaviour)).toBe(true)
})

test('records before the start of a batch do not count, nor do those of the previous batch', () => {
  const batch = new OpenBatch()
  batch.addRecord(MAX_BYTES)
  expect(batch.isFull(BEHAVIOUR)).toBe(false)
  batch.begin(0, BEHAVIOUR)
  batch.addRecord(MAX_BYTES)
  expect(batch.isFull(BEHAVIOUR)).toBe(true)
  batch.take()
  batch.begin(1, BEHAVIOUR)
  expect(batch.isFull(BEHAVIOUR)).toBe(false)
})

test('parsed fields do not move the end of a batch: lines of JSON end it like texts of the same size', () => {
  const json = (n: number) => JSON.stringify({ n, name: 'x'.repeat(4000), other: 'y'.repeat(4000) })
  const text = (n: number) => `#${json(n).slice(1)}`
  expect(recordsUntilFull(BEHAVIOUR, json)).toBe(recordsUntilFull(BEHAVIOUR, text))
  // The block holds parsed fields beside the text, which used to decide.
  expect(recordsUntilFull(FOURTH_BEHAVIOUR, json)).toBeLessThan(recordsUntilFull(FOURTH_BEHAVIOUR, text))
})

test('the behaviour at its first record decides the table of a batch', () => {
  const line = newStoredLine()
  const tableOf = (...behaviours: number[]) => {
    const batch = new OpenBatch()
    for (const [row, behaviour] of behaviours.entries()) {
      batch.begin(0, behaviour)
      batch.append({ offset: 1n, row }, line)
    }
    return batch.take()?.table
  }
  expect(tableOf(TENTH_BEHAVIOUR, ELEVENTH_BEHAVIOUR)).toBe('lines')
  expect(tableOf(ELEVENTH_BEHAVIOUR)).toBe('slotted_lines')
})

function batchOfRows(count: number): OpenBatch {
  const batch = new OpenBatch()
  batch.begin(0, BEHAVIOUR)
  const line = newStoredLine()
  for (let row = 0; row < count; row++) batch.append({ offset: 1n, row }, line)
  return batch
}

/** Number of records of one instant that a fold reads before it ends their batch. */
function recordsUntilFull(behaviour: number, lineOf: (n: number) => string): number {
  const logId = '00000000-0000-4000-8000-000000000000'
  const fold = new PartitionFold(CATALOGUE, { topic: 'weir.ingest', partition: 0, partitions: 1, logId })
  let offset = 0n
  const record = (value: Buffer): LogRecord => ({
    offset: offset++,
    appendTimeMs: 1000,
    value,
    producer: null,
  })
  fold.apply(record(controlType.encode({ behaviour, body: { 'weir.Owner': { worker: 'w' } } })))
  const value = lineBatchValue([{ lines: Array.from({ length: 100 }, (_, n) => ({ line: lineOf(n) })) }])
  for (let count = 1; ; count++) if (fold.apply(record(value)).length > 0) return count
}

test('an owner record puts the behaviour of its program into force, also after a checkpoint', () => {
  const identity = { topic: 'weir.ingest', partition: 0, partitions: 1, logId: randomUUID() }
  const record = (offset: bigint, value: Buffer): LogRecord => ({
    offset,
    appendTimeMs: 1,
    value,
    producer: null,
  })
  const behaviourOf = (fold: PartitionFold) =>
    checkpointType.decode(fold.checkpointAtRest().checkpoint as Buffer).behaviour
  const fold = new PartitionFold(CATALOGUE, identity)
  expect(behaviourOf(fold)).toBe(FIRST_BEHAVIOUR)
  fold.apply(record(0n, encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: 1 } })))
  expect(behaviourOf(fold)).toBe(FIRST_BEHAVIOUR)
  fold.apply(record(1n, encodeControl(CATALOGUE, { 'weir.Owner': { worker: 'w' } })))
  expect(behaviourOf(fold)).toBe(BEHAVIOUR)
  const restored = PartitionFold.restored(CATALOGUE, identity, fold.checkpointAtRest().checkpoint as Buffer)
  restored.apply(record(2n, encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs: 2 } })))
  expect(behaviourOf(restored)).toBe(BEHAVIOUR)
})
