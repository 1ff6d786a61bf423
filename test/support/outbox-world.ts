import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { DeliveryMemory } from '../../engine/delivery/sending/delivery-memory.ts'
import { LanePauses } from '../../engine/delivery/sending/lane-pauses.ts'
import type { RemoteAnswer, Shipment } from '../../engine/delivery/sending/remote.ts'
import { RequestSlots } from '../../engine/delivery/sending/request-slots.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { LogRecord, Topic } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { OutboxWorker, type OutboxWorkerOptions } from '../../engine/worker/outbox/outbox-worker.ts'
import { RecordShelf } from '../../engine/worker/outbox/recent-records.ts'
import { DEAD_LETTER_TOPIC, OUTBOX_CHECKPOINT_TOPIC, OUTBOX_TOPIC } from '../../schemas/log/topics.ts'
import { MemoryStore } from './memory-store.ts'
import { type HandedLines, handedPart, LANE_RULES, outgoingValue, textOf } from './outgoing.ts'

const DELIVERED: RemoteAnswer = { kind: 'delivered', status: 200, bytes: 10 }

/** An outbox partition on a log in memory, and a remote. */
export class OutboxWorld {
  readonly clock: ManualClock
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly deadLetters: Topic
  readonly store = new MemoryStore()
  /** Lines of each shipment. */
  readonly sent: string[] = []
  answer: (shipment: Shipment, signal: AbortSignal) => RemoteAnswer | Promise<RemoteAnswer> = () => DELIVERED
  readonly #storage: MemoryStorage
  /** Whether events count as delivered only once they are accepted. */
  isAcknowledged = true
  #ended = new AbortController()
  #running: Promise<void>[] = []
  #row = 0

  private constructor(
    clock: ManualClock,
    storage: MemoryStorage,
    [topic, checkpoints, deadLetters]: readonly [Topic, Topic, Topic],
  ) {
    this.clock = clock
    this.#storage = storage
    this.topic = topic
    this.checkpoints = checkpoints
    this.deadLetters = deadLetters
  }

  static async open(): Promise<OutboxWorld> {
    const clock = manualClock()
    const storage: MemoryStorage = new Map()
    const log = memoryLog({ clock, entropy: seededEntropy(1), storage })
    const topic = (name: string) => log.topic(name, 1)
    return new OutboxWorld(clock, storage, [
      await topic(OUTBOX_TOPIC),
      await topic(OUTBOX_CHECKPOINT_TOPIC),
      await topic(DEAD_LETTER_TOPIC),
    ])
  }

  async hand(lines: readonly string[], further: Partial<HandedLines> = {}): Promise<void> {
    const positions = lines.map(() => ({ offset: 0n, row: this.#row++ }))
    const value = outgoingValue([handedPart({ lines, positions, ...further })])
    await this.topic.append(0, { value, producer: null, priority: 'control' })
  }

  worker(further: Partial<OutboxWorkerOptions> = {}): OutboxWorker {
    return new OutboxWorker({
      topic: this.topic,
      partition: 0,
      checkpoints: this.checkpoints,
      deadLetters: this.deadLetters,
      rules: LANE_RULES,
      store: this.store,
      remote: {
        send: async (shipment, signal) => {
          this.sent.push(shipment.events.map(({ event }) => textOf(event)).join(' '))
          return this.answer(shipment, signal)
        },
        isAcknowledged: () => this.isAcknowledged,
      },
      slots: new RequestSlots(),
      shelf: new RecordShelf(8_000_000),
      memory: new DeliveryMemory(),
      pauses: new LanePauses(this.clock),
      settingsOf: () => ({ giveUpAfterMs: null, keepsLetters: true }),
      clock: this.clock,
      entropy: seededEntropy(1),
      logger: silentLogger,
      workerName: 'w',
      ...further,
    })
  }

  /** Starts a worker, which works until the end of the world. */
  async start(further: Partial<OutboxWorkerOptions> = {}): Promise<OutboxWorker> {
    const worker = this.worker(further)
    await worker.start()
    this.#running.push(worker.run(this.#ended.signal))
    return worker
  }

  /** Lets time pass until something holds. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    for (let round = 0; !(await holds()); round++) {
      if (round === 10_000) throw new Error('it never holds')
      await this.clock.advanceUntil(new Promise(resolve => setImmediate(resolve)))
      this.clock.advance(50)
    }
  }

  /** Ends the workers. @throws the error of one */
  async end(): Promise<void> {
    this.#ended.abort('the end')
    await this.clock.advanceUntil(Promise.all(this.#running))
    this.#ended = new AbortController()
    this.#running = []
  }

  /** Loses the records of the partition from an offset on. */
  loseFrom(offset: bigint): void {
    const records = this.#storage.get(OUTBOX_TOPIC)?.partitions[0]?.records ?? []
    records.splice(records.findIndex(record => record.offset === offset))
  }

  records(topic = this.topic): Promise<readonly LogRecord[]> {
    return topic.read(0, 0n, Number.MAX_SAFE_INTEGER)
  }
}
