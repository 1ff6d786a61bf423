import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { HOUR_MS } from '../times/duration.ts'
import { type Appended, LogError, type Priority, type Topic } from './log.ts'

/** Half of the time for which the reading side remembers an idle producer. */
const IDLE_MS = 12 * HOUR_MS
/** Sequences stay below it, because they are an Avro int on Kafka. */
const SEQUENCE_LIMIT = 2 ** 31
const DEFAULT_PATIENCE_MS = 10_000
const PAUSES = { firstMs: 50, longestMs: 1000 }
/** Maximum number of outstanding records per partition. Each needs an id that the reading side remembers. */
const DEFAULT_IDS = 64

export interface ProducerOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly entropy: Entropy
  /** Time during which an append with an unknown outcome is repeated before its caller gets an error. */
  readonly patienceMs?: number
  readonly idsPerPartition?: number
}

/**
 * Appends records so that each is read exactly once, although an append can fail with an unknown outcome.
 *
 * The reading side drops a record whose sequence is not above the highest that it has seen from the same producer id. Two
 * rules therefore hold for one id on one partition:
 *
 * - *Nothing is lost:* a record must not arrive after one with a higher sequence. An id therefore has one outstanding
 *   record at a time. Simultaneous records have different ids. The reading side sees no order between ids, so
 *   many records can share a flush.
 * - *Nothing is duplicated:* a record that may be stored twice must carry the same sequence both times. An append with an
 *   unknown outcome is therefore repeated unchanged, with its sequence, before its id takes another record.
 *
 * In addition, a new record must never get a sequence under which another record may be stored, now or later:
 *
 * - A sequence is reused only after LOG_FULL on the *first* attempt, which means that nothing was stored.
 * - When patience ends, or a repeat fails in another way, the id is replaced by a new one. The caller learns
 *   that the outcome is unknown. The old record may still appear once.
 * - An id that was idle for 12 h is replaced, because the reading side forgets it after 24 h of log time. A repeat that
 *   is much later than patience allows also needs a new id, because it would count as new. Both clocks must agree that
 *   this time is not over, because the monotonic one may stop while the machine sleeps.
 *
 * Records reach the topic in the order of the calls while no append fails and ids are free.
 */
export class Producer {
  readonly #options: Required<ProducerOptions>
  readonly #partitions = new Map<number, PartitionProducer>()

  constructor(options: ProducerOptions) {
    this.#options = { patienceMs: DEFAULT_PATIENCE_MS, idsPerPartition: DEFAULT_IDS, ...options }
  }

  /**
   * Appends one record durably.
   *
   * @throws LogError LOG_FULL (nothing was stored), LOG_UNAVAILABLE (it is unknown whether the record was stored),
   *   LOG_RECORD_TOO_LARGE, LOG_CLOSED
   */
  append(partition: number, value: Buffer, priority: Priority): Promise<Appended> {
    let producer = this.#partitions.get(partition)
    if (producer === undefined) {
      producer = new PartitionProducer(partition, this.#options)
      this.#partitions.set(partition, producer)
    }
    return producer.append(value, priority)
  }
}

interface Pending {
  readonly value: Buffer
  readonly priority: Priority
  readonly since: Moment
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** A producer id, with at most one outstanding record. */
interface ProducerId {
  uuid: string
  sequence: number
  usedAt: Moment
}

class PartitionProducer {
  readonly #partition: number
  readonly #options: Required<ProducerOptions>
  /** The most recently used id is taken first, so that few ids are used under little load. */
  readonly #free: ProducerId[] = []
  readonly #waiting: Pending[] = []
  #ids = 0

  constructor(partition: number, options: Required<ProducerOptions>) {
    this.#partition = partition
    this.#options = options
  }

  append(value: Buffer, priority: Priority): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const pending = { value, priority, since: this.#now(), resolve, reject }
      const id = this.#takeId()
      if (id === undefined) this.#waiting.push(pending)
      else void this.#work(id, pending)
    })
  }

  #takeId(): ProducerId | undefined {
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#ids === this.#options.idsPerPartition) return undefined
    this.#ids++
    return { uuid: this.#options.entropy.uuid(), sequence: 0, usedAt: this.#now() }
  }

  /** Sends the record, then the records that wait for an id. */
  async #work(id: ProducerId, first: Pending): Promise<void> {
    for (let pending: Pending | undefined = first; pending !== undefined; pending = this.#waiting.shift()) {
      try {
        pending.resolve(await this.#send(id, pending))
      } catch (error) {
        pending.reject(error)
      }
    }
    this.#free.push(id)
  }

  async #send(id: ProducerId, pending: Pending): Promise<Appended> {
    if (this.#elapsedMs(id.usedAt) >= IDLE_MS || id.sequence >= SEQUENCE_LIMIT) this.#replace(id)
    const { value, priority } = pending
    const producer = { id: id.uuid, sequence: id.sequence }
    let backOff: BackOff | undefined
    let isUnknown = false
    for (;;) {
      id.usedAt = this.#now()
      try {
        const appended = await this.#options.topic.append(this.#partition, { value, producer, priority })
        id.sequence++
        return appended
      } catch (error) {
        if (!isUnknown && storedNothing(error)) throw error
        isUnknown = true
        backOff ??= new BackOff(this.#options.clock, PAUSES)
        if (!(await this.#pause(error, pending.since, backOff))) {
          this.#replace(id)
          throw unknownOutcome(error)
        }
      }
    }
  }

  /** Waits before a repeat. @returns false when the append must not be repeated */
  async #pause(error: unknown, since: Moment, backOff: BackOff): Promise<boolean> {
    const leftMs = this.#options.patienceMs - this.#elapsedMs(since)
    if (!(error instanceof LogError) || error.code !== 'LOG_UNAVAILABLE' || leftMs <= 0) return false
    await this.#options.clock.sleep(Math.min(backOff.nextMs(), leftMs))
    // A process that was suspended does not know how far the log's time has moved.
    return this.#elapsedMs(since) < 2 * this.#options.patienceMs
  }

  #replace(id: ProducerId): void {
    id.uuid = this.#options.entropy.uuid()
    id.sequence = 0
  }

  #now(): Moment {
    const { clock } = this.#options
    return { wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() }
  }

  #elapsedMs(since: Moment): number {
    const now = this.#now()
    return Math.max(now.monotonicMs - since.monotonicMs, now.wallMs - since.wallMs)
  }
}

const STORED_NOTHING: ReadonlySet<LogError['code']> = new Set([
  'LOG_FULL',
  'LOG_RECORD_TOO_LARGE',
  'LOG_CLOSED',
  'LOG_TAIL_LOST',
])

function storedNothing(error: unknown): boolean {
  if (!(error instanceof LogError)) return false
  return STORED_NOTHING.has(error.code)
}

/**
 * After an unknown outcome, even "full" does not mean that nothing was stored. An error that is not a LogError is a
 * programming error.
 */
function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof LogError) || error.code === 'LOG_UNAVAILABLE') return error
  const message = 'A repeated append failed: it is unknown whether the record was kept.'
  return new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause: error })
}
