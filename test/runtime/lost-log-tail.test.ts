import { describe, expect, test } from 'vitest'
import { LogError, type LogRecord, type NewRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { acceptLoss, findLostTail } from '../../engine/replay/lost-tail.ts'
import { PartitionReplay } from '../../engine/replay/replay.ts'
import { lossIn } from '../../schemas/log/loss.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { LosableWorld } from '../support/losable-world.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'
import { node, SOURCE, settle } from '../support/world.ts'

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

  test('was created again: even without a store, earlier checkpoints prove the missing records, and new lines follow them', async () => {
    const world = await lostWorld()
    const { next } = await (await world.topics()).topic.bounds(0)
    world.makeAnew()
    const { topic, checkpoints } = await world.topics()
    const lost = { topic: topicName, partition: 0, from: 0n, to: next - 1n }
    expect(await findLostTail({ topic, checkpoints }, 0)).toEqual(lost)
    await expect(world.worker()).rejects.toMatchObject({ code: 'LOG_TAIL_LOST' })

    const accept = (to: bigint) =>
      acceptLoss(CATALOGUE, { topic, checkpoints, store: world.store }, { ...lost, to })
    for (const wrong of [next, next - 2n]) await expect(accept(wrong)).rejects.toThrow('other records')
    expect((await topic.bounds(0)).next).toBe(0n)
    await accept(next - 1n)

    await world.append(...texts('after', 10))
    await world.bringHome(await world.worker())
    expect(world.stored().toSorted()).toEqual([...texts('after', 10), ...texts('before', 10)])
    await world.append('last')
    await world.bringHome(await world.worker())
    expect(world.stored()).toHaveLength(21)
  })

  test('refuses an owner record and names the missing records', async () => {
    const world = await lostWorld()
    const { topic } = await world.topics()
    const { next } = await topic.bounds(0)
    world.loseFrom(6n)
    const start = world.worker()
    await expect(start).rejects.toMatchObject({ code: 'LOG_TAIL_LOST', retriable: false })
    await expect(start).rejects.toThrow(
      `ends before record 6, but records up to ${next - 1n} are known to have existed`,
    )
    expect((await topic.bounds(0)).next).toBe(6n)
  })

  test('is refused where only the store knows of a lost record: it gave the partition to the owner', async () => {
    const world = await lostWorld()
    const { length } = world.records
    const worker = await world.worker()
    worker.close()
    const owner = BigInt(length)
    world.loseFrom(owner)
    const lost = { from: owner, to: owner }
    expect(await findLostTail(await world.topics(), 0)).toMatchObject(lost)
    // An insert of the former owner would count as one of a new owner at the same place.
    await expect(world.worker()).rejects.toMatchObject({ code: 'LOG_TAIL_LOST' })
  })

  test('continues with exactly the reported numbers, and no line is lost', async () => {
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
      await expect(acceptLoss(CATALOGUE, witnesses, { partition: 0, from, to })).rejects.toThrow(
        `--from ${lost.from} --to ${lost.to}`,
      )
    expect((await witnesses.topic.bounds(0)).next).toBe(6n)
    await acceptLoss(CATALOGUE, witnesses, lost)
    await expect(acceptLoss(CATALOGUE, witnesses, lost)).rejects.toThrow('nothing is missing')
    for (const round of ['one', 'two']) {
      const worker = await world.worker()
      await world.append(...texts(round, 20))
      await world.bringHome(worker)
    }
    expect(world.stored()).toEqual([...texts('before', 10), ...texts('one', 20), ...texts('two', 20)])
    const positions = world.store.rows('lines').map(row => `${row.offset}/${row.row}`)
    expect(new Set(positions).size).toBe(50)
  })

  test('continues when its end is lost again, within the accepted gap', async () => {
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

  test('gives the same in a replay from the beginning, except for the lost records', async () => {
    const world = await lostWorld()
    world.loseFrom(6n)
    await world.accept()
    const worker = await world.worker()
    await world.append(...texts('after', 20))
    await world.bringHome(worker)
    const replay = await PartitionReplay.fromOldest({
      catalogue: CATALOGUE,
      ...(await world.topics()),
      partition: 0,
    })
    const replayed: string[] = []
    for await (const { tables } of replay.flushes(1n << 40n, async () => undefined))
      for (const { table, block } of tables)
        if (isLineTable(table)) replayed.push(...rowsOfBlock(table, block).map(row => row.line as string))
    expect(replayed).toEqual([...texts('before', 5), ...texts('after', 20)])
  })

  test('continues after an acceptance that was interrupted', async () => {
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

test('the command for a source with an absurd number ended with "Invalid array length"', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  await world.append('a')
  const knowing = async (beyond: bigint) => {
    const witnesses = { ...(await world.topics()), mark: async () => beyond }
    const lost = await findLostTail(witnesses, 0)
    if (lost === undefined) throw new Error('nothing is lost')
    return acceptLoss(CATALOGUE, witnesses, lost)
  }
  await expect(knowing(2n ** 40n)).rejects.toThrow(
    'partition 0 of weir.ingest cannot have lost 1099511627775 records: find out who knows of record 1099511627775',
  )
  expect(world.records).toHaveLength(1)
  await knowing(2_500n)
  // Each place is filled, and a tick follows.
  expect(world.records.map(({ offset }) => offset)).toEqual(
    Array.from({ length: 2_501 }, (_, at) => BigInt(at)),
  )
})

test('an acceptance whose first record was not taken left a single place to a record without the log time', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  const worker = await world.worker()
  world.configuration.deploy([SOURCE, node('sink', 'store', 'mezmo', ['source'])])
  await settle(worker)
  await world.append(...texts('before', 5))
  await world.bringHome(worker)
  const { topic, ...others } = await world.topics()
  const { next } = await topic.bounds(0)
  world.loseFrom(next - 1n)
  const lost = { partition: 0, from: next - 1n, to: next - 1n }
  const { topic: failing } = await world.topics()
  let appends = 0
  const append = async (partition: number, record: NewRecord) => {
    if (appends++ === 0) throw new LogError('LOG_UNAVAILABLE', 'the broker is away', { retriable: true })
    return topic.append(partition, record)
  }
  Object.assign(failing, { append })
  await expect(acceptLoss(CATALOGUE, { topic: failing, ...others }, lost)).rejects.toThrow('away')
  expect(await findLostTail({ topic, ...others }, 0)).toMatchObject(lost)
  await acceptLoss(CATALOGUE, { topic, ...others }, lost)
  const [place] = await topic.read(0, lost.from, 1)
  const witnessed = { timeMs: expect.any(Number) as number, cuts: [expect.anything()] }
  expect(lossIn(place as LogRecord)).toMatchObject({ witnessed })
  await world.append('after')
  await world.bringHome(await world.worker())
  expect(world.stored()).toEqual([...texts('before', 5), 'after'])
})

test('deployments and sequences of producers survive the loss of their records', async () => {
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

test('without a checkpoint that the log still follows, a start continues behind the lost records', async () => {
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

test('with the log whole before the lost records, a start without a checkpoint lost the counts of the open minute', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  await world.append(...texts('before', 5))
  await world.bringHome(await world.worker())
  expect(world.store.rows('node_metrics')).toEqual([])
  world.loseFrom(5n) // The records behind the lines: each checkpoint includes some of them.
  await world.accept()
  const worker = await world.worker()
  await world.append('after')
  world.clock.advance(120_000)
  await world.bringHome(worker)
  expect(world.stored()).toEqual([...texts('before', 5), 'after'])
  const counted = world.store.rows('node_metrics').map(row => Number(row.events_in))
  expect(counted.reduce((sum, count) => sum + count, 0)).toBe(6)
})

describe('losses over one another, where the first had a minute of counts', () => {
  /** The store has counts behind the first lost record. The checkpoint after the first loss does not know them. */
  async function twiceLost(): Promise<LosableWorld> {
    const world = new LosableWorld(INGEST_TOPIC)
    for (const round of ['one', 'two']) {
      await world.append(...texts(round, 5))
      await world.bringHome(await world.worker())
    }
    const lines = world.records.length
    const worker = await world.worker()
    world.clock.advance(120_000)
    await world.bringHome(worker)
    expect(counted(world)).toBe(10)
    world.loseFrom(BigInt(lines))
    await world.accept()
    const next = await world.worker()
    await world.append(...texts('three', 5))
    await world.bringHome(next)
    expect(counted(world)).toBe(10)
    world.loseFrom(BigInt(lines - 1))
    return world
  }

  function counted(world: LosableWorld): number {
    return world.store.rows('node_metrics').reduce((sum, row) => sum + Number(row.events_in), 0)
  }

  /** Each line is stored once. The counts of the third round were on the lost records alone. */
  async function expectContinued(world: LosableWorld): Promise<void> {
    for (const round of ['four', 'five']) {
      const worker = await world.worker()
      await world.append(...texts(round, 5))
      world.clock.advance(120_000)
      await world.bringHome(worker)
    }
    const rounds = ['one', 'two', 'three', 'four', 'five']
    expect(world.stored()).toEqual(rounds.flatMap(round => texts(round, 5)))
    expect(counted(world)).toBe(20)
  }

  test('the second acceptance knows the counts that the store has', async () => {
    const world = await twiceLost()
    const { from } = await world.accept()
    const place = world.records.find(({ offset }) => offset === from) as LogRecord
    expect(lossIn(place)?.witnessed?.reached).toContain('node_metrics')
    await expectContinued(world)
  })

  test('an acceptance that did not know them stopped the partition', async () => {
    const world = await twiceLost()
    const { topic, checkpoints } = await world.topics()
    const lost = await findLostTail({ topic, checkpoints }, 0)
    if (lost === undefined) throw new Error('nothing is lost')
    await acceptLoss(CATALOGUE, { topic, checkpoints }, lost)
    const place = world.records.find(({ offset }) => offset === lost.from) as LogRecord
    expect(lossIn(place)?.witnessed?.reached).not.toContain('node_metrics')
    await expectContinued(world)
  })
})

test('a request that reached a topic that was just created again is stored when it is repeated under its key', async () => {
  const world = new LosableWorld(INGEST_TOPIC)
  await world.append(...texts('before', 5))
  await world.bringHome(await world.worker())
  world.makeAnew()
  const idempotency = { key: 'k', digest: Buffer.alloc(16) }
  const value = lineBatchValue([{ lines: [{ line: 'repeated', app: 'web' }], idempotency }])
  const send = async () =>
    (await world.topics()).topic.append(0, { value, producer: null, priority: 'ingest' })
  await send() // Answered 503: the sender learned that the partition had stepped back.
  await world.accept()
  const worker = await world.worker()
  await send()
  await world.bringHome(worker)
  expect(world.stored()).toEqual([...texts('before', 5), 'repeated'])
})
