import { describe, expect, test } from 'vitest'
import { encodeControl } from '../../engine/fold/control-record.ts'
import type { AcceptedGap } from '../../engine/fold/flush.ts'
import type { LogRecord, NewRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { CheckpointLog } from '../../engine/replay/checkpoint-log.ts'
import { PartitionReplay } from '../../engine/replay/replay.ts'
import { lossIn } from '../../schemas/log/loss.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { LosableWorld } from '../support/losable-world.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'

const WENT_BACK = 'went back'

interface Sent {
  readonly line: string
  readonly key?: string
  readonly producer?: NewRecord['producer']
}

function recordOf({ line, key, producer = null }: Sent): NewRecord {
  const idempotency = key === undefined ? {} : { idempotency: { key, digest: Buffer.alloc(16, line) } }
  const value = lineBatchValue([{ lines: [{ line, app: 'web' }], ...idempotency }])
  return { value, producer, priority: 'ingest' }
}

const judged = ({ line, key = '' }: Sent) =>
  [SAMPLE_ACCOUNT, { key, digest: Buffer.alloc(16, line) }] as const

/** Ten lines are stored, and a process that ingests has received their offsets. */
async function ingestedWorld(topic = INGEST_TOPIC) {
  const world = new LosableWorld(topic)
  const worker = await world.worker()
  const ingest = await world.guarded()
  for (let line = 0; line < 10; line++) await ingest.append(0, recordOf({ line: `before ${line}` }))
  await world.bringHome(worker)
  expect(world.stored()).toHaveLength(10)
  return { world, ingest, worker }
}

const BEFORE = Array.from({ length: 10 }, (_, line) => `before ${line}`)

describe('a request in flight while a partition loses its end', () => {
  test.each([
    [INGEST_TOPIC, 'k'],
    [INGEST_TOPIC, 'stream/7'],
    [KEYED_TOPIC, 'k'],
  ])('was refused, and never stored when it was repeated: %s, key %s', async (topic, key) => {
    const { world, ingest } = await ingestedWorld(topic)
    const sent = { line: 'repeated', key }
    // Offsets 1 to 10 are those of the lines.
    world.loseFrom(6n)
    await expect(ingest.append(0, recordOf(sent))).rejects.toThrow(WENT_BACK)
    expect(world.records.at(-1)?.offset).toBe(6n)
    await world.accept()
    const worker = await world.worker()
    expect(worker.judgeKey(...judged(sent))).toBe('new')
    await (await world.guarded()).append(0, recordOf(sent))
    await world.bringHome(worker)
    expect(world.stored()).toEqual([...BEFORE, 'repeated'])
    expect(worker.judgeKey(...judged(sent))).toBe('repeat')
  })

  test('is repeated by its producer under the same sequence, and stored', async () => {
    const { world, ingest } = await ingestedWorld()
    const sent = { line: 'repeated', producer: { id: 'p', sequence: 3 } }
    world.loseFrom(6n)
    await expect(ingest.append(0, recordOf(sent))).rejects.toThrow(WENT_BACK)
    await world.accept()
    await (await world.guarded()).append(0, recordOf(sent))
    await world.bringHome(await world.worker())
    expect(world.stored()).toEqual([...BEFORE, 'repeated'])
  })

  test('may fill all lost places with others: none of them is stored before it is repeated', async () => {
    const { world, ingest } = await ingestedWorld()
    // The progress of the engine, which the process has read: ticks follow the lines.
    const { next } = await ingest.bounds(0)
    await ingest.noteMark(0, next)
    world.loseFrom(9n)
    const names = ['a', 'b', 'c', 'd']
    const sent = await Promise.allSettled(
      names.map(line => ingest.append(0, recordOf({ line, key: line, producer: { id: line, sequence: 0 } }))),
    )
    expect(next).toBe(12n)
    expect(sent.map(({ status }) => status)).toEqual([...Array(3).fill('rejected'), 'fulfilled'])
    // Nothing is missing, so nobody accepts a loss.
    const worker = await world.worker()
    await world.bringHome(worker)
    expect(world.stored()).toEqual([...BEFORE, 'd'])
    for (const line of names.slice(0, 3)) {
      expect(worker.judgeKey(...judged({ line, key: line }))).toBe('new')
      await ingest.append(0, recordOf({ line, key: line, producer: { id: line, sequence: 0 } }))
    }
    await world.bringHome(await world.worker())
    expect(world.stored()).toEqual([...BEFORE, 'd', 'a', 'b', 'c'])
  })

  test('arrives between the places of an acceptance that was interrupted', async () => {
    const { world, ingest } = await ingestedWorld()
    world.loseFrom(6n)
    await expect(ingest.append(0, recordOf({ line: 'first', key: 'k' }))).rejects.toThrow(WENT_BACK)
    await world.accept()
    world.loseFrom(9n)
    const { topic } = await world.topics()
    // An append that was sent before, and that the brokers take only now.
    await topic.append(0, { ...recordOf({ line: 'second', key: 'l' }), knownEnd: () => 11n })
    const lost = await world.accept()
    expect(lost).toMatchObject({ from: 10n })
    const [place] = await topic.read(0, 10n, 1)
    expect(lossIn(place as LogRecord)).toMatchObject({ from: 6 })
    const worker = await world.worker()
    for (const [line, key] of [
      ['first', 'k'],
      ['second', 'l'],
    ] as const)
      expect(worker.judgeKey(...judged({ line, key }))).toBe('new')
    await world.append('after')
    await world.bringHome(worker)
    expect(world.stored()).toEqual([...BEFORE, 'after'])
  })

  test('may be that of an engine: a change in it is not in effect', async () => {
    const { world, ingest } = await ingestedWorld()
    world.loseFrom(6n)
    const payload = JSON.stringify({ accountId: 'unknown000', retentionDays: 7 })
    const body = { 'weir.Cut': { kind: 'account', entity: 'unknown000', version: 5, payload } } as const
    const record = { value: encodeControl(CATALOGUE, body), producer: null, priority: 'control' } as const
    await expect(ingest.append(0, record)).rejects.toThrow(WENT_BACK)
    await world.accept()
    const worker = await world.worker()
    await world.bringHome(worker)
    expect(worker.cutVersion('account', 'unknown000')).toBe(0)
  })
})

test('a checkpoint that includes the lost record in the place of a refused one is passed over', async () => {
  const { world, ingest, worker } = await ingestedWorld()
  await ingest.append(0, recordOf({ line: 'counted', key: 'counted' }))
  await world.bringHome(worker)
  const { topic, checkpoints } = await world.topics()
  const log = new CheckpointLog(checkpoints, { topic, partition: 0 })
  const newest = await log.newest()
  if (newest === undefined) throw new Error('there is no checkpoint')
  world.loseFrom(newest.nextOffset - 1n)
  await ingest.noteMark(0, newest.nextOffset)
  // Its own mark is what shows that it was refused.
  await topic.append(0, { ...recordOf({ line: 'refused' }), knownEnd: () => newest.nextOffset })
  expect((await log.newest())?.nextOffset).toBeLessThan(newest.nextOffset)
})

test('a replay gives what was stored, but for the places of lost records', async () => {
  const { world, ingest } = await ingestedWorld()
  world.loseFrom(6n)
  await expect(ingest.append(0, recordOf({ line: 'refused' }))).rejects.toThrow(WENT_BACK)
  await world.accept()
  await world.append('after')
  await world.bringHome(await world.worker())
  const replay = await PartitionReplay.fromOldest({
    catalogue: CATALOGUE,
    ...(await world.topics()),
    partition: 0,
  })
  const lines: string[] = []
  const gaps: AcceptedGap[] = []
  for await (const { tables, gap } of replay.flushes(1n << 40n, async () => undefined)) {
    if (gap !== undefined) gaps.push(gap)
    for (const { table, block } of tables)
      if (isLineTable(table)) lines.push(...rowsOfBlock(table, block).map(row => row.line as string))
  }
  expect(lines).toEqual([...BEFORE.slice(0, 5), 'after'])
  expect(gaps).toMatchObject([{ from: 6n, to: 12n }])
})
