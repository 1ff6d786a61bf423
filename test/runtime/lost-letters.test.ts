import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { DeadLetterQueue, type FoundLetter } from '../../engine/replay/dead-letters/dead-letter-queue.ts'
import { acceptLoss, findLostTail } from '../../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../../engine/replay/received-positions.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { node, SampleConfiguration, SOURCE, settle } from '../support/world.ts'

const DAY_MS = 86_400_000

/** A partition whose lines fail at first, and whose log can lose its end between two starts. */
class FailingWorld {
  readonly clock = manualClock()
  readonly store = new MemoryStore()
  readonly #configuration = new SampleConfiguration()
  readonly #storage: MemoryStorage = new Map()
  #revision = 0

  constructor() {
    const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, isEnabled: true })
    this.#configuration.set({ kind: 'dead-letter', entity: 'pipeline-1', version: 1, payload })
    this.publish({ query: { hostname: '{{ .app }}' } })
  }

  topics() {
    const log = memoryLog({ clock: this.clock, entropy: seededEntropy(7), storage: this.#storage })
    return openPartitionedTopics(log, 1)
  }

  async witnesses() {
    const topics = await this.topics()
    const { ingest: topic, checkpoints } = topics
    return { topic, checkpoints, store: this.store, received: new ReceivedPositions(topics, () => []) }
  }

  publish(options: JsonObject): void {
    this.#configuration.deploy(
      [SOURCE, node('sink', 'store', 'mezmo', ['source'], options)],
      ++this.#revision,
    )
  }

  async worker(): Promise<PartitionWorker> {
    const { ingest, checkpoints, keyed, deadLetters } = await this.topics()
    const worker = new PartitionWorker({
      catalogue: CATALOGUE,
      topic: ingest,
      checkpoints,
      partition: 0,
      targets: { ingest, keyed: keyed.topic, deadLetters },
      store: this.store,
      clock: this.clock,
      configuration: this.#configuration,
      logger: silentLogger,
      workerName: 'worker',
    })
    await worker.start()
    await settle(worker)
    return worker
  }

  /** Appends lines without an app. @returns the offset of the first */
  async send(worker: PartitionWorker, lines: readonly string[]): Promise<bigint> {
    const { ingest } = await this.topics()
    const { next } = await ingest.bounds(0)
    for (const line of lines) {
      const value = lineBatchValue([{ lines: [{ line }] }])
      await ingest.append(0, { value, producer: null, priority: 'ingest' })
    }
    await this.rest(worker)
    return next
  }

  /** Lets a slice pass, and no minute: counts of failures are not stored yet. */
  async rest(worker: PartitionWorker): Promise<void> {
    for (let slice = 0; slice < 3; slice++) {
      await settle(worker)
      this.clock.advance(1_100)
    }
  }

  lose(from: bigint): void {
    const records = this.#storage.get(INGEST_TOPIC)?.partitions[0]?.records ?? []
    records.splice(records.findIndex(({ offset }) => offset === from))
  }

  async letters(): Promise<FoundLetter[]> {
    return Array.fromAsync((await this.#queue()).find(SAMPLE_ACCOUNT, () => true))
  }

  async replay(letters: readonly FoundLetter[]): Promise<void> {
    await this.clock.advanceUntil((await this.#queue()).replay(SAMPLE_ACCOUNT, letters))
  }

  async #queue(): Promise<DeadLetterQueue> {
    const { deadLetters: topic, ingest } = await this.topics()
    return new DeadLetterQueue({ topic, ingest }, this.clock)
  }

  get stored(): string[] {
    return this.store.rows('lines').map(({ line }) => line as string)
  }
}

test('a new failure had the name of an earlier one whose record was lost: it was neither shown nor replayed', async () => {
  const world = new FailingWorld()
  let worker = await world.worker()
  const before = Array.from({ length: 5 }, (_, index) => `before ${index}`)
  const from = await world.send(worker, before)
  expect(await world.letters()).toHaveLength(5)
  worker.close()
  world.lose(from)

  const { received, ...others } = await world.witnesses()
  expect(await findLostTail(others, 0)).toBeUndefined()
  const lost = await findLostTail({ ...others, received }, 0)
  expect(lost).toMatchObject({ from, to: from + 4n })
  if (lost !== undefined) await acceptLoss(CATALOGUE, { ...others, received }, lost)

  worker = await world.worker()
  const after = Array.from({ length: 5 }, (_, index) => `after ${index}`)
  await world.send(worker, after)
  const letters = await world.letters()
  expect(letters).toHaveLength(10)
  world.publish({})
  await world.rest(worker)
  for (const letter of letters) await world.replay([letter])
  await world.rest(worker)
  expect(world.stored.toSorted()).toEqual([...after, ...before])
  worker.close()
})

test('letters are read from the time of the newest checkpoint on, and once', async () => {
  const world = new FailingWorld()
  const worker = await world.worker()
  await world.send(worker, ['early'])
  world.clock.advance(DAY_MS)
  const next = await world.send(worker, ['late'])
  const topics = await world.topics()
  const reads: bigint[] = []
  const { deadLetters } = await world.topics()
  const read: typeof deadLetters.read = (partition, from, maxBytes) => {
    reads.push(from)
    return deadLetters.read(partition, from, maxBytes)
  }
  Object.assign(topics.deadLetters, { read })
  const received = new ReceivedPositions(topics, () => [])
  const name = { topic: INGEST_TOPIC, partition: 0 }
  for (const [sinceMs, expected] of [
    [world.clock.wallMs(), [1n]],
    [world.clock.wallMs() - 60_000, []],
    [0, [0n]],
    [0, []],
  ] as const) {
    expect(await received.beyond(name, sinceMs)).toBe(next + 1n)
    expect(reads.splice(0)).toEqual(expected)
  }
  const later = await world.send(worker, ['later'])
  expect(await received.beyond(name, 0)).toBe(later + 1n)
  expect(reads).toEqual([2n])
  worker.close()
})
