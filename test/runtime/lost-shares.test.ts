import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { acceptLoss, findLostTail, type Witnesses } from '../../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../../engine/replay/received-positions.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import { newDice } from '../support/dice.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { SPREAD_HOME, SPREAD_PARTITIONS } from '../support/spread-run.ts'
import { node, SampleConfiguration, SOURCE } from '../support/world.ts'

const SEEDS = Number(process.env.SEEDS ?? 10)
const FIRST_SEED = Number(process.env.SEED ?? 1)
const PARTITIONS = Array.from({ length: SPREAD_PARTITIONS }, (_, partition) => partition)
const LIMITED = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], {
    threshold: 100_000,
    window_ms: 1_000,
    key_field: '.app',
  }),
  node('sink', 'limited', 'mezmo', ['limit']),
]
/** More than any of these worlds needs to come to rest. */
const MANY_STEPS = 3_000

type TopicName = 'ingest' | 'keyed'

/** All partitions of a spread account, whose logs can lose their ends between two starts. */
class SpreadWorld {
  readonly store = new MemoryStore()
  readonly #clock = manualClock()
  readonly #configuration = new SampleConfiguration()
  readonly #storage: MemoryStorage = new Map()
  #workers: PartitionWorker[] = []
  #change = 0
  #isSpread = false
  #sent = 0

  constructor() {
    this.#configuration.everywhere = true
    this.#configuration.deploy(LIMITED)
  }

  async topics(): Promise<PartitionedTopics> {
    const log = memoryLog({ clock: this.#clock, entropy: seededEntropy(7), storage: this.#storage })
    return openPartitionedTopics(log, SPREAD_PARTITIONS)
  }

  async witnesses(topicName: TopicName): Promise<Witnesses> {
    const topics = await this.topics()
    const senders = { topic: topics.ingest, checkpoints: topics.checkpoints }
    const received = new ReceivedPositions(topics, () => [SPREAD_HOME])
    if (topicName === 'keyed') return { ...topics.keyed, store: this.store, received, senders }
    return { ...senders, store: this.store, received }
  }

  async start(): Promise<void> {
    const { ingest, checkpoints, keyed } = await this.topics()
    const checkpointed = [{ topic: ingest, checkpoints }, keyed]
    this.#workers = checkpointed.flatMap(each =>
      PARTITIONS.map(
        partition =>
          new PartitionWorker({
            catalogue: CATALOGUE,
            ...each,
            partition,
            targets: { ingest, keyed: keyed.topic },
            store: this.store,
            clock: this.#clock,
            configuration: this.#configuration,
            logger: silentLogger,
            workerName: 'worker',
          }),
      ),
    )
    for (const worker of this.#workers) await worker.start()
    await this.rest()
  }

  /** Lets all workers work until nothing is left to do. */
  async rest(): Promise<void> {
    let steps = 0
    for (let minute = 0; minute < 2; minute++) {
      for (let isBusy = true; isBusy; ) {
        isBusy = false
        for (const worker of this.#workers)
          while (await worker.step()) {
            isBusy = true
            expect(steps++, 'steps').toBeLessThan(MANY_STEPS)
          }
      }
      this.#clock.advance(61_000)
    }
  }

  async stop(): Promise<void> {
    for (const worker of this.#workers) await worker.finish()
    this.kill()
  }

  kill(): void {
    for (const worker of this.#workers) worker.close()
    this.#workers = []
  }

  async spread(isSpread: boolean): Promise<void> {
    this.#isSpread = isSpread
    const payload = JSON.stringify({ isSpread })
    this.#configuration.set({ kind: 'spread', entity: SAMPLE_ACCOUNT, version: ++this.#change, payload })
    await this.rest()
  }

  /** Appends lines of many keys, to where they belong. */
  async send(): Promise<void> {
    const { ingest } = await this.topics()
    for (const partition of PARTITIONS)
      for (let key = 0; key < 8; key++) {
        const value = lineBatchValue([{ lines: [{ line: `line ${this.#sent++}`, app: `app-${key}` }] }])
        const target = this.#isSpread ? partition : SPREAD_HOME
        await ingest.append(target, { value, producer: null, priority: 'ingest' })
      }
  }

  /** Cuts the log of a partition off. */
  lose(topic: string, partition: number, from: bigint): void {
    const records = this.#storage.get(topic)?.partitions[partition]?.records ?? []
    records.splice(records.findIndex(({ offset }) => offset >= from))
  }

  forgetCheckpoints(topic: string): void {
    for (const partition of this.#storage.get(topic)?.partitions ?? []) partition.records.splice(0)
  }

  async end(topicName: TopicName, partition: number): Promise<bigint> {
    const { topic } = await this.witnesses(topicName)
    return (await topic.bounds(partition)).next
  }

  /** @returns whether anything was lost */
  async accept(topicName: TopicName, partition: number): Promise<boolean> {
    const witnesses = await this.witnesses(topicName)
    const lost = await findLostTail(witnesses, partition)
    if (lost !== undefined) await acceptLoss(CATALOGUE, witnesses, lost)
    return lost !== undefined
  }

  /** Number of copies of each sent line in the store. */
  get counts(): number[] {
    const stored = Map.groupBy(this.store.rows('lines'), ({ line }) => line as string)
    return Array.from({ length: this.#sent }, (_, line) => stored.get(`line ${line}`)?.length ?? 0)
  }

  get once(): number[] {
    return Array.from({ length: this.#sent }, () => 1)
  }
}

test('after the loss of a whole keyed partition, new lines never appeared and the log grew without end', async () => {
  for (const [partition, next] of [
    [0, true],
    [1, true],
    [2, true],
    // Home asks for the share before it sends an event.
    [0, false],
  ] as const) {
    const world = new SpreadWorld()
    await world.start()
    await world.spread(true)
    await world.send()
    await world.rest()
    await world.stop()
    world.lose('weir.keyed', partition, 0n)
    expect(await world.accept('keyed', partition)).toBe(true)
    await world.start()
    for (const isSpread of [next, !next, next]) {
      await world.spread(isSpread)
      const end = await world.end('keyed', partition)
      await world.send()
      await world.rest()
      // Once it is gathered its events stay at home.
      expect((await world.end('keyed', partition)) > end).toBe(isSpread)
    }
    await world.stop()
    await world.start()
    expect(world.counts).toEqual(world.once)
  }
})

test.each([
  ['keyed', [true, false]],
  ['keyed', [true, false, true]],
  ['ingest', [true, false]],
  ['ingest', [true, false, true]],
] as const)(
  'whatever %s loses while an account is spread and gathered (%j), its lines reach the store',
  async (topicName, changes) => {
    for (const partition of topicName === 'keyed' ? PARTITIONS : [SPREAD_HOME])
      for (const lostChanges of [1, 2]) {
        const world = new SpreadWorld()
        await world.start()
        let from = 0n
        for (const [index, isSpread] of changes.entries()) {
          if (index === changes.length - lostChanges) {
            // A start finds the earlier state, and continues from there.
            await world.stop()
            from = await world.end(topicName, partition)
            await world.start()
          }
          await world.spread(isSpread)
        }
        await world.stop()
        world.lose(topicName === 'keyed' ? 'weir.keyed' : 'weir.ingest', partition, from)
        expect(await world.accept(topicName, partition)).toBe(true)
        await world.start()
        for (const isSpread of [changes.at(-1) as boolean, !changes.at(-1), changes.at(-1) as boolean]) {
          await world.spread(isSpread)
          await world.send()
          await world.rest()
        }
        expect(world.counts).toEqual(world.once)
        world.kill()
      }
  },
)

test('after the loss of a keyed partition and its checkpoints, its events were dropped, because it did not know the pipeline', async () => {
  const world = new SpreadWorld()
  await world.start()
  await world.spread(true)
  await world.send()
  await world.rest()
  await world.stop()
  world.forgetCheckpoints('weir.keyed-checkpoints')
  world.lose('weir.keyed', 0, 0n)
  expect(await world.accept('keyed', 0)).toBe(true)
  await world.start()
  await world.send()
  await world.rest()
  expect(world.counts).toEqual(world.once)
})

test.each(['after a kill', 'by checkpoints'] as const)(
  'a partition whose lines were all sent on is known to have lost its end, %s, and no new line is lost',
  async way => {
    const world = new SpreadWorld()
    await world.start()
    await world.spread(true)
    const [lost] = PARTITIONS.filter(partition => partition !== SPREAD_HOME) as [number]
    const from = await world.end('ingest', lost)
    await world.send()
    await world.rest()
    if (way === 'after a kill') world.kill()
    else {
      await world.stop()
      world.forgetCheckpoints('weir.checkpoints')
    }
    // Counts of a later minute are not stored yet.
    const { parts } = world.store
    parts.splice(0, parts.length, ...parts.filter(({ target }) => isLineTable(target.table)))
    world.lose('weir.ingest', lost, from)
    const { received: _, ...others } = await world.witnesses('ingest')
    expect(await findLostTail(others, lost)).toBeUndefined()
    expect(await findLostTail(await world.witnesses('ingest'), lost)).toMatchObject({ from, to: from + 7n })
    expect(await world.accept('ingest', lost)).toBe(true)
    await world.start()
    await world.send()
    await world.rest()
    expect(world.counts).toEqual(world.once)
  },
)

test.each(['after a kill', 'by checkpoints'] as const)(
  'a share came home from records that a keyed partition lost, %s, and later returns of it were dropped',
  async way => {
    for (const partition of PARTITIONS) {
      const world = new SpreadWorld()
      await world.start()
      await world.spread(true)
      await world.send()
      await world.rest()
      const from = await world.end('keyed', partition)
      const { length } = world.store.parts
      for (const isSpread of [false, true, false, true, false]) await world.spread(isSpread)
      if (way === 'after a kill') world.kill()
      else {
        await world.stop()
        world.forgetCheckpoints('weir.keyed-checkpoints')
      }
      // The store has not heard of these records: there was no line among them.
      world.store.parts.splice(length)
      world.lose('weir.keyed', partition, from)
      const { received: _, ...others } = await world.witnesses('keyed')
      expect(await findLostTail(others, partition)).toBeUndefined()
      expect(await findLostTail(await world.witnesses('keyed'), partition)).toMatchObject({ from })
      expect(await world.accept('keyed', partition)).toBe(true)
      await world.start()
      for (const isSpread of [true, false, true]) {
        await world.spread(isSpread)
        await world.send()
        await world.rest()
      }
      expect(world.counts).toEqual(world.once)
    }
  },
)

test.each(Array.from({ length: SEEDS }, (_, index) => FIRST_SEED + index))(
  'after any accepted loss at the ends of logs, each new line is stored once (SEED=%i)',
  async seed => {
    const dice = newDice(seed)
    const world = new SpreadWorld()
    await world.start()
    for (let round = 0; round < 4; round++) {
      for (let action = 0; action < 3; action++) {
        if (dice.chance(0.5)) await world.spread(dice.chance(0.5))
        await world.send()
        if (dice.chance(0.7)) await world.rest()
      }
      if (dice.chance(0.5)) await world.stop()
      else world.kill()
      for (const topicName of ['ingest', 'keyed'] as const) {
        for (const partition of PARTITIONS) {
          const end = Number(await world.end(topicName, partition))
          if (dice.chance(0.3) && end > 0)
            world.lose(`weir.${topicName}`, partition, BigInt(Math.max(dice.below(end), dice.below(end))))
        }
      }
      for (const topicName of dice.chance(0.5)
        ? (['ingest', 'keyed'] as const)
        : (['keyed', 'ingest'] as const))
        for (const partition of PARTITIONS) await world.accept(topicName, partition)
      await world.start()
      const before = world.counts.length
      for (const isSpread of [true, false, true]) {
        await world.spread(isSpread)
        await world.send()
        await world.rest()
      }
      expect(world.counts.slice(before)).toEqual(world.once.slice(before))
    }
  },
)
