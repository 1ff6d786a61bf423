import { beforeEach, expect, test } from 'vitest'
import { LooseFold } from '../../test/support/loose-fold.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import { manualClock } from '../clock/manual-clock.ts'
import type { TableBatch } from '../fold/flush.ts'
import { silentLogger } from '../logger.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import { PartitionOwnership, ReplacedError } from './partition-ownership.ts'

let store: MemoryStore
beforeEach(() => {
  store = new MemoryStore()
})

const ownership = () =>
  new PartitionOwnership({
    store,
    topic: 'weir.ingest',
    partition: 0,
    logger: silentLogger,
    turns: new LoopTurns(manualClock()),
  })

/** A batch with one line. */
function batch(): TableBatch {
  const fold = new LooseFold()
  fold.run(['x'])
  return fold.parts.tables.lines.take() as TableBatch
}

test('a newer owner ends the inserts of an older one', async () => {
  const [older, newer] = [ownership(), ownership()]
  await older.take(5n)
  await older.insert(batch())
  await newer.take(6n)
  expect([older.epochOffset, newer.epochOffset]).toEqual([5n, 6n])
  await expect(older.insert(batch())).rejects.toThrow(ReplacedError)
  await expect(older.take(5n)).rejects.toThrow('partition 0 is owned by a newer worker')
  await newer.insert(batch())
  expect(store.rows('lines')).toHaveLength(2)
})

test.each(['stored, answer lost', 'lost'] as const)(
  'an insert of unknown outcome (%s) is stored once when it is repeated',
  async fate => {
    const owner = ownership()
    await owner.take(5n)
    store.decideInserts(() => fate)
    const unknown = batch()
    await expect(owner.insert(unknown)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN', retriable: true })
    store.decideInserts(() => 'stored')
    await owner.insert(unknown)
    expect(store.rows('lines')).toHaveLength(1)
  },
)

test('a late statement of the own insert is fenced once the doubt is settled', async () => {
  const owner = ownership()
  await owner.take(5n)
  store.decideInserts(() => 'lost')
  const unknown = batch()
  await expect(owner.insert(unknown)).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' })
  store.decideInserts(() => 'stored')
  await owner.insert(unknown)
  const late = { topic: 'weir.ingest', partition: 0, epoch: { offset: 5n, attempt: 0 }, ...unknown }
  await expect(store.insert(late)).rejects.toMatchObject({ code: 'FENCED' })
})
