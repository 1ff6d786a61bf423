import { setImmediate } from 'node:timers/promises'
import Type from 'typebox'
import { beforeEach, describe, expect, test } from 'vitest'
import { CHECKPOINT_TOPIC, CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { catalogueWith } from '../../test/support/catalogue-with.ts'
import { SAMPLE_ACCOUNT } from '../../test/support/line-batches.ts'
import {
  expectConservation,
  newWorld,
  node,
  passSecond,
  SOURCE,
  type World,
} from '../../test/support/world.ts'
import { ConfigurationLog, create } from '../configuration/configuration-log.ts'
import {
  begunQuarantine,
  newestQuarantines,
  quarantinedNodes,
  quarantineKey,
  quarantines,
} from '../configuration/kinds/quarantine.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import { GuardedTopic } from '../log/guarded-topic.ts'
import type { Topic } from '../log/log.ts'
import { silentLogger } from '../logger.ts'
import { defineProcessor } from '../nodes/contract/define-processor.ts'
import { PartitionWorker } from './partition-worker.ts'
import { type QuarantinePorts, quarantineRecord } from './record-quarantine.ts'

/** Cannot process one text: a stand-in, within one process, for a node that does not come to an end. */
const stubborn = defineProcessor({
  type: 'stubborn',
  summary: 'Pass every event but one.',
  config: Type.Object({}, { additionalProperties: false }),
  errors: [],
  compile: () => event => {
    if (event.member('line') === 'stuck') throw new Error('it does not end')
    return event
  },
  configs: [{ sent: {} }],
  examples: [],
})
const CATALOGUE = catalogueWith({ processors: [stubborn] })

const OPERATOR = 'ann@web-1'

let world: World
let topic: Topic
/** Configuration of the command, which is a separate process. */
let configuration: ConfigurationLog
/** Configuration of the workers. It reads only when a worker asks it to. */
let workersConfiguration: ConfigurationLog
let ports: QuarantinePorts

beforeEach(async () => {
  world = await newWorld()
  const { log, ingest, partition, store, clock } = world
  configuration = await openConfiguration()
  workersConfiguration = await openConfiguration()
  world.configuration.begunQuarantine = async (name, number) => {
    await workersConfiguration.catchUp()
    return begunQuarantine(workersConfiguration, name, number)?.node
  }
  topic = new GuardedTopic(ingest, {
    look: async () => undefined,
    monotonicMs: () => clock.monotonicMs(),
    quarantinedNodes: number => quarantinedNodes(workersConfiguration, ingest.name, number),
  })
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, ingest.partitions)
  ports = { catalogue: CATALOGUE, topic, checkpoints, store, configuration, clock, logger: silentLogger }
  world.configuration.deploy([
    SOURCE,
    node('transform', 'tidy', 'stubborn', ['source']),
    node('sink', 'store', 'mezmo', ['tidy']),
  ])
  await world.append([{ line: 'before' }])
  await passSecond(world, await worker())
  expect(partition).toBeLessThan(topic.partitions)
})

async function openConfiguration(): Promise<ConfigurationLog> {
  return ConfigurationLog.open({
    topic: await world.log.topic(CONFIG_TOPIC, 1),
    clock: world.clock,
    entropy: seededEntropy(3),
    secretKey: Buffer.alloc(32, 1),
    logger: silentLogger,
    snapshotEveryEvents: 1,
  })
}

async function worker(): Promise<PartitionWorker> {
  const { partition, store, clock, configuration: deployed } = world
  const made = new PartitionWorker({
    ...{ catalogue: CATALOGUE, partition, topic, checkpoints: ports.checkpoints, store, clock },
    ...{ configuration: deployed, logger: silentLogger, workerName: 'worker' },
  })
  await made.start()
  return made
}

/** Appends a record at which every worker stops, and lets one stop there. */
async function stuckRecord(): Promise<{ readonly offset: number }> {
  const offset = await world.append([{ line: 'stuck' }, { line: 'beside' }])
  await world.append([{ line: 'after' }])
  await expect(passSecond(world, await worker())).rejects.toThrow('it does not end')
  return { offset: Number(offset) }
}

const place = (offset: number, at: Partial<{ partition: number; node: string }> = {}) => ({
  ...{ partition: world.partition, offset, node: 'tidy' },
  ...at,
})

test('a worker passes a record in quarantine: its events fail at the node, and later ones do not', async () => {
  const { offset } = await stuckRecord()
  await expect(passSecond(world, await worker())).rejects.toThrow('it does not end')
  await quarantineRecord(ports, place(offset), OPERATOR)
  const passing = await worker()
  await passSecond(world, passing)
  expect(world.storedLines()).toEqual(['before', 'after'])
  const [totals] = [...passing.nodeTotals].filter(each => each.node === 'tidy')
  expect(totals?.activity).toMatchObject({ failed: 2 })
  world.clock.advance(120_000)
  await passSecond(world, passing)
  expect(world.store.rows('pipeline_errors')).toEqual([
    expect.objectContaining({ node: 'tidy', code: 'E_EXPRESSION_COST', count: 2n }),
  ])
  expectConservation()
})

test('a quarantine at another node does not help', async () => {
  const { offset } = await stuckRecord()
  await quarantineRecord(ports, place(offset, { node: 'store' }), OPERATOR)
  await expect(passSecond(world, await worker())).rejects.toThrow('it does not end')
})

test('every replay of the log gives the same as the worker', async () => {
  const { offset } = await stuckRecord()
  await quarantineRecord(ports, place(offset), OPERATOR)
  await passSecond(world, await worker())
  const { partition } = world
  const fold = new PartitionFold(CATALOGUE, foldIdentity(topic, partition))
  const rows: unknown[] = []
  const { next } = await topic.bounds(partition)
  for (let from = 0n; from < next; ) {
    const records = await topic.read(partition, from, 1_000_000)
    for (const record of records) {
      for (const { tables } of fold.apply(record))
        rows.push(...tables.map(({ table, rows }) => [table, rows]))
      from = record.offset + 1n
    }
  }
  expect(rows).toEqual([
    ['lines', 1],
    ['slotted_lines', 1],
  ])
})

test('a record that a checkpoint includes is refused, and nothing changes', async () => {
  const offset = await world.append([{ line: 'x' }])
  const done = await worker()
  await passSecond(world, done)
  await done.finish()
  const { next } = await topic.bounds(world.partition)
  await expect(quarantineRecord(ports, place(Number(offset)), OPERATOR)).rejects.toThrow(
    `record weir.ingest/${world.partition}/${offset} was processed already (the newest checkpoint continues with record`,
  )
  expect((await topic.bounds(world.partition)).next).toBe(next)
  expect(configuration.list(quarantines)).toEqual([])
})

test('a record whose rows are stored is refused without a checkpoint, too', async () => {
  const offset = await world.append([{ line: 'x' }])
  await passSecond(world, await worker())
  await expect(quarantineRecord(ports, place(Number(offset)), OPERATOR)).rejects.toThrow(
    `(the store has rows up to record ${offset})`,
  )
  expect(configuration.list(quarantines)).toEqual([])
})

test('a worker that runs is replaced, so it stores nothing of the record any more', async () => {
  const running = await worker()
  const offset = await world.append([{ line: 'x' }])
  while (running.fold.nextOffset <= offset) await running.step()
  await quarantineRecord(ports, place(Number(offset)), OPERATOR)
  world.clock.advance(1_100)
  await expect(passSecond(world, running)).rejects.toMatchObject({ name: 'ReplacedError' })
  await passSecond(world, await worker())
  expect(world.storedLines()).toEqual(['before'])
})

test('a worker that takes the partition meanwhile waits until the quarantine is complete', async () => {
  const { offset } = await stuckRecord()
  const { append } = topic
  let waiting: unknown
  topic.append = async function (...given) {
    topic.append = append
    waiting = await worker().catch(error => error)
    return append.apply(this, given)
  }
  await quarantineRecord(ports, place(offset), OPERATOR)
  expect(waiting).toMatchObject({ message: expect.stringContaining('waits for the end of "tidy"') })
  await passSecond(world, await worker())
  expect(world.storedLines()).toEqual(['before', 'after'])
})

test('a worker that stores the record before the partition is taken makes the command take everything back', async () => {
  const running = await worker()
  const offset = await world.append([{ line: 'x' }])
  const { append } = configuration
  configuration.append = async function (...given) {
    configuration.append = append
    await append.apply(this, given)
    await passSecond(world, running)
  }
  await expect(quarantineRecord(ports, place(Number(offset)), OPERATOR)).rejects.toThrow(
    'the store has rows up to',
  )
  expect(configuration.list(quarantines)).toEqual([])
  await passSecond(world, await worker())
  expect(world.storedLines()).toEqual(['before', 'x'])
})

test('an interrupted command is completed by its repetition', async () => {
  const { offset } = await stuckRecord()
  const { append } = topic
  topic.append = () => new Promise(() => undefined)
  void quarantineRecord(ports, place(offset), OPERATOR)
  while (configuration.list(quarantines).length === 0) await setImmediate()
  // The quarantine has no effect yet: a replay, or a worker that took the partition earlier, may have passed the record.
  expect(quarantinedNodes(configuration, topic.name, world.partition).size).toBe(0)
  topic.append = append
  await expect(worker()).rejects.toThrow('if it was interrupted, run it again')
  await quarantineRecord(ports, place(offset), OPERATOR)
  await passSecond(world, await worker())
  expect(world.storedLines()).toEqual(['before', 'after'])
})

test('an interrupted command for a record that was passed before is taken back by its repetition', async () => {
  const offset = Number(await world.append([{ line: 'x' }]))
  const done = await worker()
  await passSecond(world, done)
  await done.finish()
  const begun = {
    ...{ account: 'a', topic: topic.name, ...place(offset) },
    ...{ sinceMs: 0, by: OPERATOR, isComplete: false },
  }
  await configuration.append([create(quarantines, quarantineKey(begun), begun)], {
    subjectId: 'x',
    account: '',
  })
  await expect(worker()).rejects.toThrow('run it again')
  await expect(quarantineRecord(ports, place(offset), OPERATOR)).rejects.toThrow('was processed already')
  await worker()
})

describe('refused with a sentence:', () => {
  test.each([
    [{ offset: 99 }, 'does not exist'],
    [{ partition: 7 }, 'there is no partition 7: partitions are numbered 0 to 1'],
    [{ offset: 1 }, 'record 1 has no events: it is a record of the program itself'],
  ])('%j', async (at, sentence) => {
    await expect(quarantineRecord(ports, { ...place(0), ...at }, OPERATOR)).rejects.toThrow(sentence)
  })
})

test('a list has the newest first, with the time and the operator', async () => {
  const { offset } = await stuckRecord()
  const beganMs = world.clock.wallMs()
  await quarantineRecord(ports, place(offset), OPERATOR)
  world.clock.advance(1_000)
  await quarantineRecord(ports, place(offset, { node: 'store' }), 'bea@web-2')
  const common = { account: SAMPLE_ACCOUNT, topic: topic.name, ...place(offset), isComplete: true }
  expect(newestQuarantines(configuration)).toEqual([
    { ...common, node: 'store', sinceMs: beganMs + 1_000, by: 'bea@web-2' },
    { ...common, sinceMs: beganMs, by: OPERATOR },
  ])
})

test('a repetition of the command changes nothing', async () => {
  const { offset } = await stuckRecord()
  await quarantineRecord(ports, place(offset), OPERATOR)
  const { next } = await topic.bounds(world.partition)
  await quarantineRecord(ports, place(offset), OPERATOR)
  expect((await topic.bounds(world.partition)).next).toBe(next)
})

test('a program that does not know quarantines refuses the event and the snapshot; this one reads both', async () => {
  const { offset } = await stuckRecord()
  await quarantineRecord(ports, place(offset), OPERATOR)
  const log = await world.log.topic(CONFIG_TOPIC, 1)
  const records = await log.read(0, 0n, 1_000_000)
  const ids = records.map(({ value }) => schemaIdOf(value))
  expect(ids).toEqual([1_000_000_010, 1_000_000_011, 1_000_000_010, 1_000_000_011])
  const again = await openConfiguration()
  expect(again.list(quarantines).map(({ value }) => [value.offset, value.node])).toEqual([[offset, 'tidy']])
})
