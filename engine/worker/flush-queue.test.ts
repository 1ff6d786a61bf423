import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import type { Flush, TableBatch } from '../fold/flush.ts'
import { silentLogger } from '../logger.ts'
import { bytePool } from '../memory/byte-pool.ts'
import { StoreError } from '../store/store.ts'
import { FlushQueue } from './flush-queue.ts'
import type { KeptCheckpoints } from './kept-checkpoints.ts'
import type { PartitionOwnership } from './partition-ownership.ts'
import { Retries } from './retries.ts'
import { SettledTables } from './settled-tables.ts'

/** A queue, and all its effects on the store and the checkpoints, in order. */
function queue({ fails = 0 } = {}) {
  const clock = manualClock()
  const done: string[] = []
  let failures = fails
  const ownership = {
    epochOffset: 1n,
    insert: async ({ first, block }: TableBatch) => {
      await new Promise(setImmediate)
      for (const column of block) done.push(`bytes ${[...new Set(column)]}`)
      if (failures-- > 0) throw new StoreError('UNAVAILABLE', 'away', { retriable: true })
      done.push(`insert ${first.offset}`)
    },
  }
  const kept = { write: async (_epoch: bigint, next: bigint) => void done.push(`checkpoint ${next}`) }
  const flushes = new FlushQueue({
    kept: kept as Partial<KeptCheckpoints> as KeptCheckpoints,
    ownership: ownership as Partial<PartitionOwnership> as PartitionOwnership,
    retries: new Retries({ partition: 0, clock, logger: silentLogger }),
    markStored: async ({ storedTo }) => void done.push(`mark ${storedTo}`),
  })
  return { clock, done, flushes }
}

function flush(offset: bigint, checkpoint: Buffer | null = null, block: readonly Uint8Array[] = []): Flush {
  const position = { offset, row: 0 }
  const lines = { table: 'lines' as const, block, rows: 2, first: position, last: position, sinceMs: 0 }
  return { nextOffset: offset + 1n, timeMs: 1_000, tables: [lines], checkpoint }
}

test('flushes are stored in order, and a checkpoint is written after everything before it is stored and marked', async () => {
  const { flushes, done } = queue()
  flushes.add(flush(1n))
  flushes.add(flush(2n, Buffer.alloc(1)))
  expect(flushes.isFull).toBe(true)
  await flushes.storeAll()
  expect(done).toEqual(['insert 1', 'insert 2', 'mark 3', 'checkpoint 3'])
  expect(flushes.progress).toEqual({ storedOffset: 3n, settledMs: 1_000 })
  expect(flushes.counts).toEqual({ batches: 2, rows: 4, waitingFlushes: 0 })
})

test('an unavailable store is tried again until it answers', async () => {
  const { flushes, done, clock } = queue({ fails: 3 })
  flushes.add(flush(1n))
  await clock.advanceUntil(flushes.storeNext())
  expect(done).toEqual(['insert 1'])
})

test('a batch that the store had before the start is not stored again', async () => {
  const { flushes, done } = queue()
  const settled = new SettledTables(new Map([['lines', { offset: 1n, row: 0 }]]))
  flushes.begin(settled, { storedOffset: 0n, settledMs: 0 })
  for (const offset of [1n, 2n]) flushes.add(flush(offset))
  await flushes.storeAll()
  expect(done).toEqual(['insert 2'])
})

test('a flush that is added to the empty queue wakes its waiting reader', async () => {
  const { flushes } = queue()
  const waiting = flushes.whenWaiting()
  flushes.add(flush(1n))
  await waiting
  await flushes.whenWaiting()
})

test('the memory of a block is used again once the block is stored, and not before', async () => {
  const { flushes, done } = queue()
  const column = new Uint8Array(bytePool.borrow(5_000)).fill(1)
  flushes.add(flush(1n, null, [column]))
  await flushes.storeAll()
  expect(done).toEqual(['bytes 1', 'insert 1'])
  expect(bytePool.borrow(5_000)).toBe(column.buffer)
})

test('the memory of a block whose insert failed is not used again, because that statement may still read it', async () => {
  const { flushes, done, clock } = queue({ fails: 1 })
  const column = new Uint8Array(bytePool.borrow(5_000)).fill(1)
  flushes.add(flush(1n, null, [column]))
  await clock.advanceUntil(flushes.storeNext())
  expect(done).toEqual(['bytes 1', 'bytes 1', 'insert 1'])
  expect(bytePool.borrow(5_000)).not.toBe(column.buffer)
})
