import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { HOUR_MS } from '../times/duration.ts'
import { type Appended, LogError, type Topic } from './log.ts'

/** Half of what the reading side remembers an idle producer for. */
const IDLE_MS = 12 * HOUR_MS
/** Sequences stay below it: an Avro int on Kafka. */
const SEQUENCE_LIMIT = 2 ** 31
const DEFAULT_PATIENCE_MS = 10_000
const FIRST_PAUSE_MS = 50
const LAST_PAUSE_MS = 1000
/** Records of one partition that may be under way at once. Each needs an id that the reading side remembers. */
const DEFAULT_LANES = 64

export interface ProducerOptions {
  readonly topic: Topic
  readonly clock: Clock
  readonly entropy: Entropy
  /** How long an append whose outcome is unknown is repeated before its caller is told. */
  readonly patienceMs?: number
  readonly lanesPerPartition?: number
}

/**
 * Appends records so that each is read exactly once, though an append may fail with an unknown outcome.
 *
 * The reading side drops a record whose sequence is not above the highest it has seen from the same producer
 * id. So two things must hold for one id on one partition:
 *
 * - *Nothing is lost:* a record must not come behind one of a higher sequence. Therefore an id has one record
 *   under way at a time. Records that are under way together have different ids ("lanes"), between which the
 *   reading side sees no order; so many of them can share one flush.
 * - *Nothing is doubled:* whatever may be stored twice must carry the same number both times. Therefore an
 *   append with an unknown outcome is repeated unchanged, under its number, before its lane takes another.
 *
 * And never may a new record get a number under which something else may be stored, now or late:
 *
 * - A number is given again only after LOG_FULL on the *first* attempt, which says that nothing was stored.
 * - When patience ends, or a repeat fails in another way, the lane abandons its id for a newly minted one, and
 *   the caller is told that the outcome is unknown. The old record may still turn up: once.
 * - An id that has rested for 12 h is abandoned, because the reading side forgets it after 24 h of log time, and so
 *   is a repeat that comes much later than patience allows: it would then be taken for new. Both clocks must agree
 *   that the time has not passed, for the monotonic one may stand still while the machine sleeps.
 *
 * Records reach the topic in the order of the calls while no append fails and lanes are free.
 */
export class Producer {
  readonly #options: Required<ProducerOptions>
  readonly #partitions = new Map<number, PartitionProducer>()

  constructor(options: ProducerOptions) {
    this.#options = { patienceMs: DEFAULT_PATIENCE_MS, lanesPerPartition: DEFAULT_LANES, ...options }
  }

  /**
   * Appends one record durably.
   *
   * @throws LogError LOG_FULL (nothing was stored), LOG_UNAVAILABLE (whether it was is unknown),
   *         LOG_RECORD_TOO_LARGE, LOG_CLOSED
   */
  append(partition: number, value: Buffer, priority: 'ingest' | 'control'): Promise<Appended> {
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
  readonly priority: 'ingest' | 'control'
  readonly since: Moment
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

interface Moment {
  readonly wallMs: number
  readonly monotonicMs: number
}

/** One identity; at most one record of it is under way. */
interface Lane {
  id: string
  sequence: number
  usedAt: Moment
}

class PartitionProducer {
  readonly #partition: number
  readonly #options: Required<ProducerOptions>
  /** Used last, taken first: under little load few ids are in use. */
  readonly #free: Lane[] = []
  readonly #waiting: Pending[] = []
  #lanes = 0

  constructor(partition: number, options: Required<ProducerOptions>) {
    this.#partition = partition
    this.#options = options
  }

  append(value: Buffer, priority: 'ingest' | 'control'): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const pending = { value, priority, since: this.#now(), resolve, reject }
      const lane = this.#takeLane()
      if (lane === undefined) this.#waiting.push(pending)
      else void this.#work(lane, pending)
    })
  }

  #takeLane(): Lane | undefined {
    const free = this.#free.pop()
    if (free !== undefined) return free
    if (this.#lanes === this.#options.lanesPerPartition) return undefined
    this.#lanes++
    return { id: this.#options.entropy.uuid(), sequence: 0, usedAt: this.#now() }
  }

  /** Sends the record, then what waits for a lane. */
  async #work(lane: Lane, first: Pending): Promise<void> {
    for (let pending: Pending | undefined = first; pending !== undefined; pending = this.#waiting.shift()) {
      try {
        pending.resolve(await this.#send(lane, pending))
      } catch (error) {
        pending.reject(error)
      }
    }
    this.#free.push(lane)
  }

  async #send(lane: Lane, pending: Pending): Promise<Appended> {
    if (this.#elapsedMs(lane.usedAt) >= IDLE_MS || lane.sequence >= SEQUENCE_LIMIT) this.#mint(lane)
    const { value, priority } = pending
    const producer = { id: lane.id, sequence: lane.sequence }
    let pauseMs = FIRST_PAUSE_MS
    let isUnknown = false
    for (;;) {
      lane.usedAt = this.#now()
      try {
        const appended = await this.#options.topic.append(this.#partition, { value, producer, priority })
        lane.sequence++
        return appended
      } catch (error) {
        if (!isUnknown && storedNothing(error)) throw error
        isUnknown = true
        if (!(await this.#pause(error, pending.since, pauseMs))) {
          this.#mint(lane)
          throw unknownOutcome(error)
        }
        pauseMs = Math.min(pauseMs * 2, LAST_PAUSE_MS)
      }
    }
  }

  /** Waits before a repeat. @returns false when there shall be none */
  async #pause(error: unknown, since: Moment, pauseMs: number): Promise<boolean> {
    const leftMs = this.#options.patienceMs - this.#elapsedMs(since)
    if (!(error instanceof LogError) || error.code !== 'LOG_UNAVAILABLE' || leftMs <= 0) return false
    await this.#options.clock.sleep(Math.min(pauseMs, leftMs))
    // A process that was stopped meanwhile does not know how far the log's own time is by now.
    return this.#elapsedMs(since) < 2 * this.#options.patienceMs
  }

  #mint(lane: Lane): void {
    lane.id = this.#options.entropy.uuid()
    lane.sequence = 0
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

/** After an unknown outcome even "full" does not say that nothing was stored. What is no LogError is our mistake. */
function unknownOutcome(error: unknown): unknown {
  if (!(error instanceof LogError) || error.code === 'LOG_UNAVAILABLE') return error
  const message = 'A repeated append failed: whether the record is kept is unknown.'
  return new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause: error })
}
