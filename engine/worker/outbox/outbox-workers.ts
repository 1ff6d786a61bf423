import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import type { Lane } from '../../delivery/fold/lane.ts'
import { DELIVERY_MEMORY_BYTES, DeliveryMemory } from '../../delivery/sending/delivery-memory.ts'
import { LanePauses } from '../../delivery/sending/lane-pauses.ts'
import type { Remote } from '../../delivery/sending/remote.ts'
import { RequestSlots } from '../../delivery/sending/request-slots.ts'
import type { Attempt } from '../../delivery/sending/sending-states.ts'
import type { Entropy } from '../../entropy/entropy.ts'
import { LogError, type LogSpace, type Topic } from '../../log/log.ts'
import type { Logger } from '../../logger.ts'
import { type Store, StoreError } from '../../store/store.ts'
import { HOUR_MS } from '../../times/duration.ts'
import type { DeliverySettings } from './batch-sender.ts'
import { OutboxWorker } from './outbox-worker.ts'
import { RecordShelf } from './recent-records.ts'
import { boundedSpace, WaitingRoom } from './waiting-room.ts'

/** Share of the memory of deliveries for records that were read: the rest is for requests. (Our choice.) */
const SHARE_OF_RECORDS = 0.25

const RESTART_PAUSES = { firstMs: 200, longestMs: 30_000 }

/** Topics of the outbox, and the ports through which its workers send. */
export interface OutboxPorts {
  /** Topic with as many partitions as the topic of the lines. */
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly deadLetters: Topic
  readonly remote: Remote
  readonly settingsOf: (account: string, pipeline: string) => DeliverySettings
  readonly entropy: Pick<Entropy, 'bytes'>
  /** Bytes of records that all lanes together hold for requests. Default: `DELIVERY_MEMORY_BYTES`. */
  readonly memoryBytes?: number | undefined
  /**
   * Size of the records that the lanes of a partition may pin, in bytes, where the log has no limit of its own. Absent: the log has one.
   */
  readonly maxBytes?: number | undefined
  /** Calls the listener with the id of each pipeline whose options may have changed. */
  readonly watchPipelines?: ((listener: (pipeline: string) => void) => void) | undefined
}

export interface OutboxWorkersOptions extends OutboxPorts {
  readonly rules: BatchRulesSource
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
  readonly workerName: string
  readonly space: () => LogSpace
  /** Trims the log as far as the checkpoints of its partitions allow. */
  readonly freeRoom?: (() => Promise<void>) | undefined
}

/** The workers of the outbox partitions of this process. A worker that fails starts again from its checkpoint. */
export class OutboxWorkers {
  readonly topic: Topic
  /** Workers that have taken their partition, by partition. */
  readonly workers = new Map<number, OutboxWorker>()
  /** Sentences about partitions without progress, by partition. */
  readonly troubles = new Map<number, string>()
  readonly #options: OutboxWorkersOptions
  readonly #slots = new RequestSlots()
  readonly #memory: DeliveryMemory
  readonly #shelf: RecordShelf
  readonly #pauses: LanePauses
  /** Room of a log with a limit of its own. */
  readonly #room: WaitingRoom
  /** Time of the last message about an account that makes room. */
  readonly #toldMs = new Map<string, number>()
  readonly #observers: ((attempt: Attempt) => void)[] = []

  constructor(options: OutboxWorkersOptions) {
    const { memoryBytes = DELIVERY_MEMORY_BYTES } = options
    this.topic = options.topic
    this.#options = options
    this.#memory = new DeliveryMemory(memoryBytes * (1 - SHARE_OF_RECORDS))
    this.#shelf = new RecordShelf(memoryBytes * SHARE_OF_RECORDS)
    this.#pauses = new LanePauses(options.clock)
    this.#room = new WaitingRoom(options.clock, options.space, () => this.workers.values())
    options.watchPipelines?.(pipeline => this.#pauses.end(pipeline))
  }

  /** Calls the observer after every later attempt. */
  observeAttempts(observer: (attempt: Attempt) => void): void {
    this.#observers.push(observer)
  }

  /** Runs the worker of a partition until the signal. It begins when something was first handed over. */
  async supervise(partition: number, signal: AbortSignal): Promise<void> {
    const { clock, logger, topic } = this.#options
    const backOff = new BackOff(clock, RESTART_PAUSES)
    while (!signal.aborted) {
      const startedMs = clock.monotonicMs()
      try {
        await topic.waitBeyond(partition, 0n, signal)
        if (!signal.aborted) await this.#run(partition, signal)
      } catch (error) {
        if (signal.aborted && isEnd(error)) break
        const sentence = error instanceof Error ? error.message : String(error)
        logger.error({ topic: topic.name, partition, err: error }, 'outbox worker stopped')
        this.troubles.set(partition, sentence)
        if (clock.monotonicMs() - startedMs > RESTART_PAUSES.longestMs) backOff.reset()
        await clock.sleep(backOff.nextMs(), signal)
      }
    }
    this.workers.delete(partition)
    this.troubles.delete(partition)
  }

  async #run(partition: number, signal: AbortSignal): Promise<void> {
    const { maxBytes, clock } = this.#options
    const room =
      maxBytes === undefined
        ? this.#room
        : new WaitingRoom(
            clock,
            () => boundedSpace(maxBytes, worker),
            () => [worker],
          )
    const worker: OutboxWorker = new OutboxWorker({
      ...this.#options,
      partition,
      slots: this.#slots,
      memory: this.#memory,
      shelf: this.#shelf,
      pauses: this.#pauses,
      spaceIsShort: () => !this.#options.space().takesIngest,
      lacksRoom: (lane, isFailing) => this.#lacksRoom(room, lane, isFailing),
      observe: attempt => {
        for (const observer of this.#observers) observer(attempt)
      },
    })
    await worker.start()
    this.workers.set(partition, worker)
    this.troubles.delete(partition)
    try {
      await worker.run(signal)
      await worker.finish()
    } finally {
      this.workers.delete(partition)
      worker.close()
    }
  }

  #lacksRoom(room: WaitingRoom, lane: Lane, isFailing: boolean): boolean {
    if (!room.lacks(lane, isFailing)) return false
    const { account } = lane
    const { clock, logger } = this.#options
    const nowMs = clock.monotonicMs()
    if (nowMs - (this.#toldMs.get(account) ?? Number.NEGATIVE_INFINITY) >= HOUR_MS) {
      this.#toldMs.set(account, nowMs)
      const code = 'E_DELIVERY_FAILED'
      logger.error(
        { account, code },
        'the log or the outbox is full: events that wait for a system that is away or slow are given up',
      )
    }
    return true
  }
}

/** Whether an error only says that the log is closed, or that a store is away and was not waited for. */
function isEnd(error: unknown): boolean {
  if (error instanceof StoreError) return error.retriable
  return error instanceof LogError && error.code === 'LOG_CLOSED'
}
