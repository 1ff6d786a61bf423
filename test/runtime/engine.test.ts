import { afterEach, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { wholeAssignment } from '../../engine/log/assignment.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import { Engine } from '../../engine/worker/engine.ts'
import { INGEST_TOPIC, KEYED_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { node, SampleConfiguration, SOURCE } from '../support/world.ts'

const PARTITIONS = 2
const PARTITION = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)

interface Running {
  readonly clock: ManualClock
  readonly log: Log
  readonly ingest: Topic
  readonly keyed: Topic
  readonly store: MemoryStore
  readonly engine: Engine
}

let running: Running | undefined

afterEach(async () => {
  if (running !== undefined) await running.clock.advanceUntil(running.engine.stop())
  running = undefined
})

interface StartOptions {
  readonly maxBytes?: number
  readonly store?: MemoryStore
  readonly configuration?: SampleConfiguration
  readonly partitions?: number
}

async function start(options: StartOptions = {}): Promise<Running> {
  const { partitions = PARTITIONS } = options
  const clock = manualClock()
  const log = memoryLog({
    clock,
    entropy: seededEntropy(3),
    ...(options.maxBytes && { maxBytes: options.maxBytes }),
  })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, partitions)
  const store = options.store ?? new MemoryStore()
  const engine = new Engine({
    catalogue: CATALOGUE,
    log,
    ingest,
    checkpoints,
    keyed: { ...keyed, reports: { reported: () => 1, report: async () => {} } },
    store,
    clock,
    configuration: options.configuration ?? new SampleConfiguration(),
    logger: silentLogger,
    workerName: 'test',
    logRetentionMs: 3_600_000,
    assignment: wholeAssignment(partitions),
  })
  engine.start()
  running = { clock, log, ingest, keyed: keyed.topic, store, engine }
  return running
}

/** Lets time pass in small steps until a condition holds. */
async function passUntil({ clock }: Running, holds: () => boolean): Promise<void> {
  for (let round = 0; round < 2_000 && !holds(); round++) {
    await new Promise(resolve => setImmediate(resolve))
    if (round % 4 === 3) clock.advance(250)
  }
  expect(holds()).toBe(true)
}

function append({ ingest }: Running, text: string) {
  const value = lineBatchValue([{ lines: [{ line: text }] }])
  return ingest.append(PARTITION, { value, producer: null, priority: 'ingest' })
}

const storedLines = ({ store }: Running) => store.rows('lines').map(row => row.line)

test('a log that is full of stored records is emptied and accepts lines again', async () => {
  const world = await start({ maxBytes: 400_000 })
  const text = 'x'.repeat(20_000)
  let sent = 0
  for (; sent < 100; sent++) {
    try {
      await append(world, text)
    } catch (error) {
      expect(error).toMatchObject({ code: 'LOG_FULL', retriable: true })
      break
    }
  }
  expect(sent).toBeLessThan(100)
  await passUntil(world, () => world.log.space().takesIngest)
  await append(world, 'after')
  await passUntil(world, () => storedLines(world).length === sent + 1)
  expect(storedLines(world).at(-1)).toBe('after')
})

test('a log with large checkpoints is emptied, too', async () => {
  const configuration = new SampleConfiguration()
  configuration.deploy([
    SOURCE,
    node('transform', 'limit', 'throttle', ['source'], {
      threshold: 1,
      window_ms: DAY_MS,
      key_field: '.app',
    }),
    node('sink', 'store', 'mezmo', ['limit']),
  ])
  const world = await start({ maxBytes: 3_000_000, configuration })
  let keys = 0
  for (let record = 0; record < 200; record++) {
    const sample = Array.from({ length: 100 }, () => ({
      line: 'x'.repeat(300),
      app: `app-${keys++ % 5_000}`,
    }))
    const value = lineBatchValue([{ lines: sample }])
    const taken = async () => {
      try {
        await world.ingest.append(PARTITION, { value, producer: null, priority: 'ingest' })
        return true
      } catch {
        return false
      }
    }
    if (await taken()) continue
    await passUntil(world, () => world.log.space().takesIngest)
    expect(await taken()).toBe(true)
  }
})

test('with many partitions slices are longer, so that the store does not get too many inserts', async () => {
  const world = await start({ partitions: 64 })
  await passUntil(world, () => world.engine.status.workers.length === 64)
  await passUntil(world, () => world.engine.cutVersion(SAMPLE_ACCOUNT, 'slice', INGEST_TOPIC) === 64)
})

test('records that are not stored are never trimmed, however full the log is', async () => {
  const store = new MemoryStore()
  store.decideInserts(() => 'refused')
  const world = await start({ maxBytes: 400_000, store })
  let sent = 0
  for (; sent < 100; sent++) {
    try {
      await append(world, `${sent} ${'x'.repeat(20_000)}`)
    } catch {
      break
    }
  }
  for (let round = 0; round < 400; round++) {
    await new Promise(resolve => setImmediate(resolve))
    world.clock.advance(100)
  }
  expect(world.log.space().takesIngest).toBe(false)
  store.decideInserts(() => 'stored')
  await passUntil(world, () => storedLines(world).length === sent)
  expect(storedLines(world).map(line => Number((line as string).split(' ')[0]))).toEqual([
    ...Array(sent).keys(),
  ])
})

test('a worker that fails starts again from its checkpoint, and the reason is visible until then', async () => {
  const world = await start()
  await passUntil(world, () => world.engine.status.workers.length === PARTITIONS)
  const settle = world.store.settle.bind(world.store)
  world.store.insert = async () => {
    throw new Error('the disk is on fire')
  }
  await append(world, 'a')
  await passUntil(world, () => world.engine.status.troubles.get(PARTITION) === 'the disk is on fire')
  world.store.insert = MemoryStore.prototype.insert
  await passUntil(world, () => storedLines(world).length === 1)
  expect(world.engine.status.troubles.size).toBe(0)
  expect(
    await settle(
      { topic: INGEST_TOPIC, partition: PARTITION, table: 'slotted_lines' },
      { offset: 0n, row: 0, timeMs: 0 },
    ),
  ).not.toBeNull()
})

test('days are closed once every partition has passed them, and not earlier', async () => {
  const world = await start()
  const closed: string[] = []
  const day = utcDay(world.clock.wallMs())
  world.store.openDays = async () => (closed.includes(day) ? [] : [day])
  world.store.closeDay = async (each?: string) => {
    closed.push(each as string)
  }
  await append(world, 'a')
  await passUntil(world, () => storedLines(world).length === 1)
  await world.engine.runJobs()
  expect(closed).toEqual([])
  world.clock.advance(DAY_MS)
  await passUntil(world, () => closed.length > 0)
  expect(closed).toEqual([day])
})

test('pinned records of lines and of events between partitions stay on the log', async () => {
  const configuration = new SampleConfiguration()
  configuration.everywhere = true
  const payload = JSON.stringify({ isSpread: true })
  configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload })
  const world = await start({ configuration })
  const { engine, ingest, keyed, clock } = world
  await passUntil(world, () => engine.status.keyedWorkers.length === PARTITIONS)
  const pins = [{ topic: KEYED_TOPIC, partition: 0 } as const, { topic: INGEST_TOPIC, partition: 1 } as const]
  const unpins = pins.map(partition => engine.pin(partition, 1n))
  const firsts = async () => {
    await engine.runJobs()
    const bounds = [keyed.bounds(0), keyed.bounds(1), ingest.bounds(0), ingest.bounds(1)]
    return (await Promise.all(bounds)).map(({ first }) => first)
  }
  for (let day = 0; day < 3; day++) {
    const { timeMs } = engine.status.keyedWorkers[0] as { timeMs: number }
    clock.advance(DAY_MS)
    const isLater = (status: { timeMs: number }) => status.timeMs > timeMs
    const all = () => [...engine.status.workers, ...engine.status.keyedWorkers]
    await passUntil(world, () => all().every(isLater))
  }
  const [pinned, ...others] = await firsts()
  expect([pinned, others.pop()]).toEqual([1n, 1n])
  expect(others.every(first => first > 1n)).toBe(true)
  for (const unpin of unpins) unpin()
  expect((await firsts()).every(first => first > 1n)).toBe(true)
})

test('trimming waits for a task that needs the log unchanged', async () => {
  const { engine } = await start()
  const order: string[] = []
  const held = Promise.withResolvers<void>()
  const task = engine.withoutTrimming(() => held.promise.then(() => order.push('task')))
  const trimming = engine.runJobs().then(() => order.push('trimmed'))
  for (let round = 0; round < 100; round++) await new Promise(resolve => setImmediate(resolve))
  expect(order).toEqual([])
  held.resolve()
  await Promise.all([task, trimming])
  expect(order).toEqual(['task', 'trimmed'])
})

test('lines that retention removes are counted', async () => {
  const removals = [5, 0, 2]
  const store = Object.assign(new MemoryStore(), { removeExpired: async () => removals.shift() ?? 0 })
  const weir = await start({ store })
  const reported = () => weir.engine.status.workers.length === PARTITIONS
  await passUntil(weir, reported)
  for (let round = 0; round < 4; round++) await weir.clock.advanceUntil(weir.engine.runJobs())
  expect([removals, weir.engine.status.expiredLines]).toEqual([[], 7])
})
