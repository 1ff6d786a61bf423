import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LogRecord, Topic } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { acceptLoss, findLostTail } from '../../engine/replay/lost-tail.ts'
import { PartitionReplay } from '../../engine/replay/replay.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { readNativeBlock } from '../support/native-reader.ts'
import { node, SampleConfiguration, SOURCE, settle } from '../support/world.ts'

const CHECKPOINTS = 'weir.some-checkpoints'

/** One partition of a topic, whose log can lose its end between two openings. */
class LosableWorld {
  readonly clock = manualClock()
  readonly store = new MemoryStore()
  readonly configuration = new SampleConfiguration()
  readonly #storage: MemoryStorage = new Map()
  readonly #name: string
  #workers = 0

  constructor(name: string) {
    this.#name = name
  }

  async topics(): Promise<{ topic: Topic; checkpoints: Topic; store: MemoryStore }> {
    const log = memoryLog({ clock: this.clock, entropy: seededEntropy(7), storage: this.#storage })
    return {
      topic: await log.topic(this.#name, 1),
      checkpoints: await log.topic(CHECKPOINTS, 1),
      store: this.store,
    }
  }

  async worker(): Promise<PartitionWorker> {
    const { clock, configuration } = this
    const worker = new PartitionWorker({
      ...(await this.topics()),
      partition: 0,
      clock,
      configuration,
      logger: silentLogger,
      workerName: `worker-${++this.#workers}`,
    })
    await worker.start()
    return worker
  }

  async append(...texts: readonly string[]): Promise<void> {
    const { topic } = await this.topics()
    for (const line of texts) {
      const value = lineBatchValue([{ lines: [{ line, app: 'web' }] }])
      await topic.append(0, { value, producer: null, priority: 'ingest' })
    }
  }

  /** Stores what is there; at the end a checkpoint is written. */
  async bringHome(worker: PartitionWorker): Promise<void> {
    await settle(worker)
    this.clock.advance(1_100)
    await settle(worker)
    await worker.finish()
  }

  get records(): LogRecord[] {
    return this.#storage.get(this.#name)?.partitions[0]?.records ?? []
  }

  loseFrom(offset: bigint): void {
    const { records } = this
    records.splice(records.findIndex(record => record.offset === offset))
  }

  stored(): string[] {
    return this.store.rows('lines').map(row => row.line as string)
  }

  async accept(): Promise<void> {
    const witnesses = await this.topics()
    const lost = await findLostTail(witnesses, 0)
    if (lost === undefined) throw new Error('nothing is lost')
    await acceptLoss(witnesses, lost)
  }
}

const texts = (name: string, count: number) => Array.from({ length: count }, (_, index) => `${name} ${index}`)

describe.each([INGEST_TOPIC, KEYED_TOPIC])('a partition of %s that lost its end', topicName => {
  async function lostWorld(): Promise<LosableWorld> {
    const world = new LosableWorld(topicName)
    const worker = await world.worker()
    await world.append(...texts('before', 10))
    await world.bringHome(worker)
    expect(world.stored()).toHaveLength(10)
    return world
  }

  test('takes no owner record, and says which records are missing', async () => {
    const world = await lostWorld()
    const { topic } = await world.topics()
    const { next } = await topic.bounds(0)
    world.loseFrom(6n)
    const start = world.worker()
    await expect(start).rejects.toMatchObject({ code: 'LOG_TAIL_LOST', retriable: false })
    await expect(start).rejects.toThrow(`ends before record 6, but records up to ${next - 1n} are known of`)
    expect((await topic.bounds(0)).next).toBe(6n)
  })

  test('goes on with the very numbers that were told, and no line is swallowed', async () => {
    const world = await lostWorld()
    world.loseFrom(6n)
    const witnesses = await world.topics()
    const lost = await findLostTail(witnesses, 0)
    if (lost === undefined) throw new Error('nothing is lost')
    for (const [from, to] of [
      [lost.from - 1n, lost.to],
      [lost.from + 1n, lost.to],
      [lost.from, lost.to + 1n],
    ] as const)
      await expect(acceptLoss(witnesses, { partition: 0, from, to })).rejects.toThrow(
        `--from ${lost.from} --to ${lost.to}`,
      )
    expect((await witnesses.topic.bounds(0)).next).toBe(6n)
    await acceptLoss(witnesses, lost)
    await expect(acceptLoss(witnesses, lost)).rejects.toThrow('nothing is missing')
    for (const round of ['one', 'two']) {
      const worker = await world.worker()
      await world.append(...texts(round, 20))
      await world.bringHome(worker)
    }
    expect(world.stored()).toEqual([...texts('before', 10), ...texts('one', 20), ...texts('two', 20)])
    const positions = world.store.rows('lines').map(row => `${row.offset}/${row.row}`)
    expect(new Set(positions).size).toBe(50)
  })

  test('goes on when its end is lost once more, inside of the gap that was accepted', async () => {
    const world = await lostWorld()
    world.loseFrom(6n)
    await world.accept()
    for (const round of ['one', 'two']) {
      const worker = await world.worker()
      await world.append(...texts(round, 20))
      await world.bringHome(worker)
      if (round === 'two') break
      world.loseFrom(8n)
      await world.accept()
    }
    expect(world.stored()).toEqual([...texts('before', 10), ...texts('one', 20), ...texts('two', 20)])
  })

  test('gives the same in a replay from the beginning, but for the lost records', async () => {
    const world = await lostWorld()
    world.loseFrom(6n)
    await world.accept()
    const worker = await world.worker()
    await world.append(...texts('after', 20))
    await world.bringHome(worker)
    const replay = await PartitionReplay.fromOldest({ ...(await world.topics()), partition: 0 })
    const replayed: string[] = []
    for await (const { tables } of replay.flushes(1n << 40n, async () => undefined))
      for (const { table, block } of tables)
        if (table === 'lines') replayed.push(...readNativeBlock(block).rows.map(row => row.line as string))
    expect(replayed).toEqual([...texts('before', 5), ...texts('after', 20)])
  })

  test('goes on after an acceptance that was interrupted', async () => {
    const world = await lostWorld()
    world.loseFrom(4n)
    await world.accept()
    world.loseFrom(8n)
    await expect(world.worker()).rejects.toThrow('ends before record 8')
    await world.accept()
    const worker = await world.worker()
    await world.append(...texts('after', 5))
    await world.bringHome(worker)
    expect(world.stored()).toEqual([...texts('before', 10), ...texts('after', 5)])
  })
})

test('what runs, and how far producers are, is not lost with the records that said it', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  let worker = await world.worker()
  await world.append('a')
  await world.bringHome(worker)
  const { topic } = await world.topics()
  const { next } = await topic.bounds(0)
  worker = await world.worker()
  const level = { expressions: [{ field: '.app', str_operator: 'equal', value: 'web' }] }
  world.configuration.deploy([
    SOURCE,
    node('transform', 'filter', 'filter', ['source'], { action: 'drop', conditional: level }),
    node('sink', 'store', 'mezmo', ['filter']),
  ])
  const value = lineBatchValue([{ lines: [{ line: 'sent once', app: 'other' }] }])
  const record = { value, producer: { id: 'p', sequence: 5 }, priority: 'ingest' } as const
  await settle(worker)
  await topic.append(0, record)
  await world.bringHome(worker)
  expect(world.stored()).toEqual(['a', 'sent once'])
  world.loseFrom(next)
  await world.accept()
  await topic.append(0, record)
  await world.append('is dropped')
  worker = await world.worker()
  await world.bringHome(worker)
  expect(world.stored()).toEqual(['a', 'sent once'])
  expect(worker.cutVersion('pipeline', 'pipeline-1')).toBe(1)
  expect(worker.judgeKey(SAMPLE_ACCOUNT, { key: 'k', digest: Buffer.alloc(16) })).toBe('new')
})

test('when no checkpoint is left that the log still follows, a start goes on behind the lost records', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  for (const round of ['one', 'two']) {
    const worker = await world.worker()
    await world.append(...texts(round, 5))
    await world.bringHome(worker)
  }
  const { topic } = await world.topics()
  await topic.trim(0, 2n)
  world.loseFrom(4n)
  await world.accept()
  const worker = await world.worker()
  await world.append('after')
  await world.bringHome(worker)
  expect(world.stored()).toEqual([...texts('one', 5), ...texts('two', 5), 'after'])
})
