import { afterEach, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { encodeControl } from '../../engine/fold/control-record.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PresentMemory } from '../../engine/replay/present-memory.ts'
import { ThrottleBuckets } from '../../engine/replay/throttle-buckets.ts'
import { HOUR_MS, MINUTE_MS } from '../../engine/times/duration.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import {
  expectConservation,
  newestCheckpoint,
  newWorld,
  node,
  passSecond,
  SampleConfiguration,
  SOURCE,
  settle,
  type World,
} from '../support/world.ts'

afterEach(expectConservation)

/** One line per hour and app. */
const limiting = (threshold = 1): NodeDocument[] => [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], {
    threshold,
    window_ms: HOUR_MS,
    key_field: '.app',
  }),
  node('sink', 'store', 'mezmo', ['limit']),
]

/** Sends one line of each app, behind everything that the configuration says. */
async function sendEach(world: World, worker: PartitionWorker, line: string): Promise<void> {
  await settle(worker)
  await world.append(['a', 'b', ''].map(app => ({ line: `${line} ${app}`, app })))
  await passSecond(world, worker)
}

async function appendCut({ ingest, partition }: World, cut: Cut): Promise<void> {
  const value = encodeControl(CATALOGUE, { 'weir.Cut': cut })
  await ingest.append(partition, { value, producer: null, priority: 'control' })
}

async function exemptWorld() {
  const world = await newWorld()
  world.configuration.deploy(limiting())
  const worker = await world.worker()
  const startMs = world.clock.wallMs()
  await sendEach(world, worker, '1')
  const untilMs = world.clock.wallMs() + 10 * MINUTE_MS
  return { world, worker, startMs, untilMs }
}

test('events of an exempt key pass uncounted, and other events are judged as before', async () => {
  const { world, worker, startMs, untilMs } = await exemptWorld()
  world.configuration.exempt('a', 7, { untilMs })
  world.configuration.exempt(null, 8, { untilMs })
  for (const line of ['2', '3']) await sendEach(world, worker, line)
  expect(world.storedLines()).toEqual(['1 a', '1 b', '1 ', '2 a', '2 ', '3 a', '3 '])
  world.clock.advance(untilMs - world.clock.wallMs())
  await sendEach(world, worker, '4')
  expect(world.storedLines().slice(7)).toEqual([])
  // The window of the counted events is over; that of the exempt lines would not be.
  world.clock.advance(startMs + HOUR_MS - world.clock.wallMs())
  await sendEach(world, worker, '5')
  expect(world.storedLines().slice(7)).toEqual(['5 a', '5 b', '5 '])
})

test('an exemption ends in the millisecond of its end time', async () => {
  const { world, worker, untilMs } = await exemptWorld()
  world.configuration.exempt('a', 7, { untilMs })
  await settle(worker)
  world.clock.advance(untilMs - 1 - world.clock.wallMs())
  await world.append([{ line: 'just before', app: 'a' }])
  world.clock.advance(1)
  await world.append([{ line: 'just then', app: 'a' }])
  await passSecond(world, worker)
  expect(world.storedLines().slice(3)).toEqual(['just before'])
})

test('an exemption survives kills, restarts and new revisions, and is forgotten when it is over', async () => {
  const { world, untilMs } = await exemptWorld()
  let worker = await world.worker()
  world.configuration.exempt('a', 7, { untilMs })
  await settle(worker)
  worker = await world.worker() // A kill.
  await sendEach(world, worker, '2')
  await worker.finish()
  expect((await newestCheckpoint(world)).cuts.map(({ kind }) => kind)).toContain('exemption')
  worker = await world.worker()
  world.configuration.deploy([...limiting(1), node('sink', 'beside', 'blackhole', ['limit'])], 2)
  await sendEach(world, worker, '3')
  world.configuration.set({ kind: 'pipeline', entity: 'pipeline-1', version: 3, payload: '' })
  await settle(worker)
  world.configuration.deploy(limiting(), 4)
  await sendEach(world, worker, '4') // The throttle itself has forgotten all.
  await sendEach(world, worker, '5')
  expect(world.storedLines().slice(3)).toEqual(['2 a', '3 a', '4 a', '4 b', '4 ', '5 a'])
  world.clock.advance(untilMs - world.clock.wallMs())
  for (const line of ['6', '7']) await sendEach(world, worker, line)
  expect(world.storedLines().slice(9)).toEqual(['6 a'])
  await worker.finish()
  expect((await newestCheckpoint(world)).cuts.map(({ kind }) => kind)).toEqual(['pipeline'])
  // An ended exemption is not sent again to the next worker of the partition.
  worker = await world.worker()
  const { next } = await world.ingest.bounds(world.partition)
  await settle(worker)
  expect((await world.ingest.bounds(world.partition)).next).toBe(next)
})

test('an exemption can be ended early, and late older versions change nothing', async () => {
  const { world, untilMs } = await exemptWorld()
  const worker = await world.worker()
  const first = world.configuration.exempt('a', 7, { untilMs })
  await sendEach(world, worker, '2')
  world.configuration.exempt('a', 8, { untilMs: 0, forgetMs: untilMs })
  await sendEach(world, worker, '3')
  await appendCut(world, first)
  await sendEach(world, worker, '4')
  expect(world.storedLines().slice(3)).toEqual(['2 a'])
  world.clock.advance(untilMs - world.clock.wallMs())
  await sendEach(world, worker, '5')
  await appendCut(world, first)
  await sendEach(world, worker, '6')
  expect(world.storedLines().slice(3)).toEqual(['2 a'])
  expect(worker.cutVersion(first.kind, first.entity)).toBe(0)
})

test('an exemption holds on every partition that judges keys of a spread account', async () => {
  const partitions = 3
  const home = partitionOfAccount(SAMPLE_ACCOUNT, partitions)
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(7) })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, partitions)
  const store = new MemoryStore()
  const configuration = new SampleConfiguration()
  configuration.everywhere = true
  configuration.deploy(limiting())
  const checkpointed = [{ topic: ingest, checkpoints }, keyed]
  const begin = () =>
    Promise.all(
      checkpointed.flatMap(each =>
        Array.from({ length: partitions }, async (_, partition) => {
          const targets = { ingest, keyed: keyed.topic }
          const parts = { store, clock, configuration, logger: silentLogger, workerName: 'worker' }
          const worker = new PartitionWorker({ catalogue: CATALOGUE, ...parts, ...each, partition, targets })
          await worker.start()
          return worker
        }),
      ),
    )
  let workers = await begin()
  const drain = async () => {
    for (let second = 0; second < 3; second++) {
      for (let isBusy = true; isBusy; ) {
        isBusy = false
        for (const worker of workers) while (await worker.step()) isBusy = true
      }
      clock.advance(1_100)
    }
  }
  const apps = Array.from({ length: 12 }, (_, number) => `app-${number}`)
  const send = async (partition: number, text: string) => {
    const lines = apps.map(app => ({ line: `${text} ${app}`, app }))
    await ingest.append(partition, { value: lineBatchValue([{ lines }]), producer: null, priority: 'ingest' })
    await drain()
  }
  const stored = (text: string) =>
    store
      .rows('lines')
      .map(({ line }) => line as string)
      .filter(line => line.startsWith(`${text} `)).length
  await drain()
  await send(home, 'first')
  const untilMs = clock.wallMs() + 10 * MINUTE_MS
  // Half of them are set before the account is spread, which sends them again, and half after.
  for (const [index, app] of apps.slice(0, 6).entries()) configuration.exempt(app, 10 + index, { untilMs })
  await drain()
  configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 1, payload: '{"isSpread":true}' })
  await drain()
  for (const [index, app] of apps.slice(6, 9).entries()) configuration.exempt(app, 20 + index, { untilMs })
  await drain()
  for (let partition = 0; partition < partitions; partition++) await send(partition, `spread ${partition}`)
  const place = { account: SAMPLE_ACCOUNT, pipeline: 'pipeline-1', node: 'limit' }
  const memory = new PresentMemory({ catalogue: CATALOGUE, topics: { ingest, checkpoints, keyed }, clock })
  const looking = new ThrottleBuckets(memory, place, true)
  const { buckets, totals } = await looking.busiest(clock.wallMs(), 100)
  expect(buckets.map(({ key, count, exemptUntilMs }) => [key?.text, count, exemptUntilMs]).sort()).toEqual(
    apps.map((app, index) => [app, 1, index < 9 ? untilMs : undefined]).sort(),
  )
  expect(totals).toMatchObject({ buckets: 12, runs: 12 })
  const one = await looking.one(clock.wallMs(), 'app-10')
  expect(one.buckets.map(({ kind, count }) => [kind, count])).toEqual([['key', 1]])
  for (const worker of workers) worker.close()
  workers = await begin()
  configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: 2, payload: '{"isSpread":false}' })
  await drain()
  await send(home, 'gathered')
  clock.advance(untilMs - clock.wallMs())
  await send(home, 'over')
  const counts = ['first', 'spread 0', 'spread 1', 'spread 2', 'gathered', 'over'].map(stored)
  expect(counts).toEqual([12, 9, 9, 9, 9, 0])
  for (const worker of workers) worker.close()
})
