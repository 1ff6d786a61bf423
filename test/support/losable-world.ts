import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { GuardedTopic, type LostTail } from '../../engine/log/guarded-topic.ts'
import type { LogRecord, Topic } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { acceptLoss, findLostTail } from '../../engine/replay/lost-tail.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { lineBatchValue } from './line-batches.ts'
import { MemoryStore } from './memory-store.ts'
import { SampleConfiguration, settle } from './world.ts'

const CHECKPOINTS = 'weir.some-checkpoints'

/** One partition of a topic, whose log can lose its end between two openings. */
export class LosableWorld {
  readonly clock = manualClock()
  readonly store = new MemoryStore()
  readonly configuration = new SampleConfiguration()
  readonly #storage: MemoryStorage = new Map()
  readonly #name: string
  #workers = 0
  #seed = 7

  constructor(name: string) {
    this.#name = name
  }

  async topics(): Promise<{ topic: Topic; checkpoints: Topic; store: MemoryStore }> {
    const log = memoryLog({ clock: this.clock, entropy: seededEntropy(this.#seed), storage: this.#storage })
    return {
      topic: await log.topic(this.#name, 1),
      checkpoints: await log.topic(CHECKPOINTS, 1),
      store: this.store,
    }
  }

  /** The topic as a process that ingests sees it. */
  async guarded(): Promise<GuardedTopic> {
    const witnesses = await this.topics()
    return new GuardedTopic(witnesses.topic, {
      look: (partition, floor) => findLostTail(witnesses, partition, floor),
      monotonicMs: () => this.clock.monotonicMs(),
    })
  }

  async worker(): Promise<PartitionWorker> {
    const { clock, configuration } = this
    const worker = new PartitionWorker({
      catalogue: CATALOGUE,
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

  /** Stores all lines, and writes a checkpoint at the end. */
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

  /** Deletes the topic; the next opening creates it with another id. */
  makeAnew(): void {
    this.#storage.delete(this.#name)
    this.#seed++
  }

  stored(): string[] {
    return this.store.rows('lines').map(row => row.line as string)
  }

  async accept(): Promise<LostTail> {
    const witnesses = await this.topics()
    const lost = await findLostTail(witnesses, 0)
    if (lost === undefined) throw new Error('nothing is lost')
    return acceptLoss(CATALOGUE, witnesses, lost)
  }
}
