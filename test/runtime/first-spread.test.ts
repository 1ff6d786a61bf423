import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { type CheckpointedTopic, openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { pushedValue, SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { node, SampleConfiguration } from '../support/world.ts'

// Workers of keyed partitions start when the first account of an installation is spread, while the others already send to them.

const PARTITIONS = 2
const HOME = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
const EVERY = Array.from({ length: PARTITIONS }, (_, partition) => partition)

/** A spread account whose events are limited by app, and workers that start when a test wants it. */
async function newSpread(behaviour?: number) {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(3) })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, PARTITIONS)
  const store = new MemoryStore()
  const configuration = new SampleConfiguration()
  configuration.everywhere = true
  configuration.deploy([
    { ...node('source', 'pushed', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('transform', 'limit', 'throttle', ['pushed'], {
      threshold: 1_000,
      window_ms: 1_000,
      key_field: '.app',
    }),
    node('sink', 'store', 'log-analysis', ['limit'], {
      message: { scheme: 'Explicit field selection', app: 'limited' },
    }),
  ])
  const payload = JSON.stringify({ isSpread: true })
  configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload })
  const workers: PartitionWorker[] = []
  /** Lets all workers work, and a second pass, until nothing is left to do. */
  const rest = async () => {
    for (let second = 0; second < 2; second++) {
      for (let isBusy = true; isBusy; ) {
        isBusy = false
        for (const worker of workers) while (await worker.step()) isBusy = true
      }
      clock.advance(1_100)
    }
  }
  const start = async (each: CheckpointedTopic) => {
    for (const partition of EVERY) {
      const targets = { ingest, keyed: keyed.topic }
      const ports = { catalogue: CATALOGUE, store, clock, configuration, logger: silentLogger }
      const worker = new PartitionWorker({
        ...{ ...each, ...ports, partition, targets, behaviour },
        workerName: `worker of ${each.topic.name}`,
      })
      await worker.start()
      workers.push(worker)
    }
    // The pipeline and the spread are in effect from here on.
    await rest()
  }
  return {
    store,
    startLines: () => start({ topic: ingest, checkpoints }),
    startKeyed: () => start(keyed),
    /** Appends events of a gateway route, whose messages are given as JSON. */
    push: (texts: readonly string[]) => {
      const value = pushedValue([{ messages: texts.map(parseExactJson) }])
      return ingest.append(HOME, { value, producer: null, priority: 'ingest' })
    },
    rest,
    /** Ends the workers as a kill does. */
    kill: () => {
      for (const worker of workers.splice(0)) worker.close()
    },
    /** Tables that have lines. */
    tablesOfLines: () => [
      ...new Set(store.parts.map(({ target }) => target.table).filter(table => isLineTable(table))),
    ],
    /** Behaviour numbers of the control records of a keyed partition, by offset; undefined: another record. */
    behavioursOf: async (partition: number) => {
      const records = await keyed.topic.read(partition, 0n, 1_000_000)
      return records.map(({ value }) =>
        schemaIdOf(value) === controlType.id ? controlType.decode(value).behaviour : undefined,
      )
    },
  }
}

const TEXTS = Array.from({ length: 8 }, (_, index) => `{"app":"app-${index}","2":"two","1":1e400}`)

test('events that came just after an account was first spread lost the order of their keys and large numbers, and were stored in the old form', async () => {
  const spread = await newSpread()
  await spread.startLines()
  await spread.push(TEXTS)
  await spread.rest()
  expect(spread.store.rows('lines')).toEqual([])
  await spread.startKeyed()
  await spread.rest()
  const lines = spread.store.rows('lines').map(row => row.line as string)
  expect(lines.toSorted()).toEqual(TEXTS)
  expect(spread.tablesOfLines()).toEqual(['slotted_lines'])
})

test('with an engine of an older program, its rules hold in keyed partitions from their first record on', async () => {
  const spread = await newSpread(TENTH_BEHAVIOUR)
  await spread.startLines()
  await spread.push(TEXTS)
  await spread.rest()
  for (const partition of EVERY) {
    const [first, ...others] = await spread.behavioursOf(partition)
    expect([first, others.length > 0]).toEqual([TENTH_BEHAVIOUR, true])
  }
  await spread.startKeyed()
  await spread.rest()
  expect(spread.store.rows('lines')).toHaveLength(TEXTS.length)
  expect(spread.tablesOfLines()).toEqual(['lines'])
})

test('only a partition without records gets a record for this, whoever sends to it later', async () => {
  const spread = await newSpread()
  await spread.startLines()
  await spread.push(TEXTS)
  await spread.rest()
  const before = await Promise.all(EVERY.map(spread.behavioursOf))
  expect(before.map(([first, ...others]) => [first, others.includes(BEHAVIOUR)])).toEqual(
    EVERY.map(() => [BEHAVIOUR, false]),
  )
  spread.kill()
  await spread.startLines()
  await spread.push(TEXTS)
  await spread.rest()
  const after = await Promise.all(EVERY.map(spread.behavioursOf))
  for (const [partition, { length }] of before.entries()) {
    expect(after[partition]?.length).toBeGreaterThan(length)
    expect(after[partition]?.slice(1)).not.toContain(BEHAVIOUR)
  }
})

test('a partition that has an owner already gets none', async () => {
  const spread = await newSpread()
  await spread.startKeyed()
  await spread.startLines()
  await spread.push(TEXTS)
  await spread.rest()
  expect(spread.store.rows('lines')).toHaveLength(TEXTS.length)
  for (const partition of EVERY) {
    const [first, ...others] = await spread.behavioursOf(partition)
    expect([first, others.includes(BEHAVIOUR)]).toEqual([BEHAVIOUR, false])
  }
})
