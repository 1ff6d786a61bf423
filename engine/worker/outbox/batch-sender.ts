import type { DeliveryReport } from '../../../schemas/log/delivery-reports.ts'
import type { LaneBatch } from '../../../schemas/log/lanes-checkpoint.ts'
import type { DeliveryFold, OutboxIdentity } from '../../delivery/fold/delivery-fold.ts'
import { type Lane, NO_BATCH, RETRYING } from '../../delivery/fold/lane.ts'
import { BatchDelivery, type DeliveryPorts } from '../../delivery/sending/batch-delivery.ts'
import { batchEvents } from '../../delivery/sending/batch-events.ts'
import { batchId, laneId } from '../../delivery/sending/batch-id.ts'
import type { ReportQueue } from '../../delivery/sending/report-queue.ts'
import { type Attempt, type SendingState, SendingStates } from '../../delivery/sending/sending-states.ts'
import type { Topic } from '../../log/log.ts'
import type { Logger } from '../../logger.ts'
import type { Retries } from '../retries.ts'

/** Settings of a pipeline that decide about its deliveries. They enter the log with the reports. */
export interface DeliverySettings {
  /** Log time after which a batch that was refused at least once is given up; null: never. */
  readonly giveUpAfterMs: number | null
  /** Whether events that are given up become dead letters. */
  readonly keepsLetters: boolean
}

export interface BatchSenderOptions extends DeliveryPorts {
  readonly topic: Topic
  readonly partition: number
  /** Present settings of a pipeline. */
  readonly settingsOf: (account: string, pipeline: string) => DeliverySettings
  /** Whether a lane must make room for others. Absent: none ever must. @param isFailing whether its last attempt failed */
  readonly lacksRoom?: ((lane: Lane, isFailing: boolean) => boolean) | undefined
  readonly retries: Retries
  readonly logger: Logger
  readonly reports: ReportQueue
  /** Reads the topic. */
  readonly records: Pick<Topic, 'name' | 'read'>
}

interface Sending {
  readonly lane: Lane
  /** Ends it except for a request on its way. */
  readonly left: AbortController
  readonly ended: AbortController
  readonly done: Promise<void>
}

interface Signals {
  readonly signal: AbortSignal
  /** Ends everything except for a request on its way. */
  readonly leave: AbortSignal
}

/** Time at the end of a worker for answers to requests on their way. (Our choice.) */
const PATIENCE_MS = 5_000
const LANE_ENDED = 'the lane has ended'
const WORKER_ENDED = 'the worker has ended'

/** Numbers of batches of a lane; 0: none. */
interface Progress {
  /** The newest one that was taken up. */
  taken: number
  /** The newest one of which events were given up. */
  failed: number
}

/**
 * Sends the batches of an outbox partition, one per lane at a time. A batch follows the answer to the one before it, whose report need not
 * be durable. Only after a batch of which events were given up it waits for that report: the worker that sends a batch again after a kill
 * may meet another answer, and its events would come behind later ones.
 */
export class BatchSender {
  readonly #options: BatchSenderOptions
  readonly #identity: OutboxIdentity
  readonly #onChange: () => void
  readonly #sending = new Set<Sending>()
  readonly #progress = new WeakMap<Lane, Progress>()
  readonly #states = new SendingStates()
  #error: unknown

  /** @param onChange called when a batch has got its report */
  constructor(options: BatchSenderOptions, onChange: () => void) {
    const { topic, partition } = options
    this.#options = options
    this.#identity = { topic: topic.name, partition, logId: topic.logId }
    this.#onChange = onChange
  }

  /**
   * Begins to send the batches of each lane that has some, and sends none.
   *
   * @returns whether there was one
   * @throws an error that has ended the sending of a batch
   */
  sendNext(fold: DeliveryFold): boolean {
    if (this.#error !== undefined) throw this.#error
    for (const { lane, ended } of this.#sending) if (lane.cursor === undefined) ended.abort(LANE_ENDED)
    const busy = new Set(Array.from(this.#sending, ({ lane }) => lane))
    let isBegun = false
    for (const lane of fold.lanes) {
      if (busy.has(lane)) continue
      const batch = this.#nextOf(lane)
      if (batch === undefined) continue
      this.#begin(lane, batch, fold)
      isBegun = true
    }
    return isBegun
  }

  stateOf(lane: Lane): SendingState {
    return this.#states.of(lane)
  }

  /** Reports about the lanes with a trouble that is on the log and continues. */
  reminders(fold: DeliveryFold): DeliveryReport[] {
    // A trouble of which the report is on its way is left out: the process may end before that is durable.
    const isKnown = (lane: Lane) =>
      lane.isTroubled && lane.cursor !== undefined && this.#states.isReported(lane, true)
    return [...fold.lanes].filter(isKnown).map(reminderOf)
  }

  /**
   * Ends all sending. Requests on their way have some seconds to be answered. The outcome of others stays unknown: the next worker
   * repeats them.
   */
  async end(): Promise<void> {
    const sending = [...this.#sending]
    for (const { left } of sending) left.abort(WORKER_ENDED)
    const done = Promise.all(sending.map(each => each.done))
    const over = new AbortController()
    const isLate = this.#options.clock.sleep(PATIENCE_MS, over.signal)
    await Promise.race([done, isLate])
    over.abort(WORKER_ENDED)
    for (const { ended } of sending) ended.abort(WORKER_ENDED)
    await done
  }

  /** Takes the next batch of a lane; undefined: there is none, or it has to wait. */
  #nextOf(lane: Lane): LaneBatch | undefined {
    const progress = this.#progress.get(lane) ?? { taken: 0, failed: 0 }
    const { batches } = lane
    const [oldest] = batches
    if (oldest === undefined || oldest.number <= progress.failed) return undefined
    const next = batches.find(({ number }) => number > progress.taken)
    if (next === undefined) return undefined
    progress.taken = next.number
    this.#progress.set(lane, progress)
    return next
  }

  #begin(lane: Lane, first: LaneBatch, fold: DeliveryFold): void {
    const ended = new AbortController()
    const left = new AbortController()
    const leave = AbortSignal.any([left.signal, ended.signal])
    const done = this.#sendAll(lane, first, fold, { signal: ended.signal, leave })
      .catch(error => {
        if (!leave.aborted) this.#error ??= error
      })
      .finally(() => {
        this.#sending.delete(sending)
        this.#onChange()
      })
    const sending = { lane, left, ended, done }
    this.#sending.add(sending)
  }

  /** Sends a batch, and all that follow it. */
  async #sendAll(lane: Lane, first: LaneBatch, fold: DeliveryFold, signals: Signals): Promise<void> {
    for (let batch: LaneBatch | undefined = first; batch !== undefined; batch = this.#nextOf(lane)) {
      await this.#send(lane, batch, fold.timeMs - batch.closedMs, signals)
      if (signals.leave.aborted) return
      if (lane.isBlocked && lane.batches.at(-1) === batch) this.#options.reports.hasten()
      this.#onChange()
    }
  }

  async #send(lane: Lane, batch: LaneBatch, ageMs: number, { signal, leave }: Signals): Promise<void> {
    const { records, partition, retries, settingsOf, reports } = this.#options
    const read = () => batchEvents(records, partition, batch)
    const { account, pipeline, node, birth } = lane
    const name = { account, pipeline, node }
    const ready = {
      ...{ id: batchId(this.#identity, name, batch), laneId: laneId(this.#identity, name, birth) },
      ...{ lane: name, batch, ageMs, read: () => retries.run('read a batch', read, leave) },
      standing: () => this.#states.standingOf(lane, lane.isTroubled),
    }
    const settings = () => settingsOf(account, pipeline)
    const ports = { ...this.#options, observe: (attempt: Attempt) => this.#note(attempt, lane) }
    const delivery = new BatchDelivery(ports, ready, {
      giveUpAfterMs: () => settings().giveUpAfterMs,
      mustMakeRoom: () => this.#mustMakeRoom(lane),
    })
    const about = { ...name, birth }
    const { number, events: count } = batch
    const isAcknowledged = this.#options.remote.isAcknowledged?.({ lane: name, ...batch }) ?? true
    leave.throwIfAborted()
    if (!isAcknowledged) reports.add({ ...about, batch: number, events: count, ...SENT })
    const outcome = await delivery.run(signal, leave)
    if (isAcknowledged) {
      const progress = this.#progress.get(lane)
      if (progress !== undefined && outcome.failures.length > 0) progress.failed = number
      const { keepsLetters } = settings()
      reports.add({ ...about, batch: number, events: count, keepsLetters, ...outcome })
    } else if (outcome.failures.length > 0) {
      reports.add({ ...about, ...NO_EVENTS, ...outcome })
    }
  }

  #mustMakeRoom(lane: Lane): boolean {
    return this.#options.lacksRoom?.(lane, this.#states.of(lane).failingSinceMs !== null) === true
  }

  #note(attempt: Attempt, { birth, isTroubled }: Lane): void {
    if (this.#states.note(attempt, isTroubled)) {
      this.#tell(attempt)
      this.#options.reports.add(troubleReport(attempt, birth))
    }
    this.#options.observe?.(attempt)
  }

  #tell({ lane, answer }: Attempt): void {
    const { state, failingSinceMs, trouble } = this.#states.of(lane)
    const { code, message: reason } = trouble ?? {}
    const since = failingSinceMs === null ? undefined : new Date(failingSinceMs).toISOString()
    this.#options.logger.warn(
      { ...lane, code, state, since, status: answer.status, reason },
      'events of a destination are not delivered, and are tried again',
    )
  }
}

/** Outcome of a batch that counts as delivered as soon as it is sent. */
const SENT = { attempts: 1, bytes: 0, keepsLetters: false, failures: [] }

const NO_EVENTS = { batch: NO_BATCH, events: 0, keepsLetters: false }

/** Report of a remote that takes nothing at present. */
function troubleReport({ lane, answer }: Attempt, birth: number): DeliveryReport {
  const { status, bytes } = answer
  const failures =
    'failure' in answer ? [{ row: 0, count: 0, status, ...answer.failure, code: RETRYING }] : []
  return { ...lane, birth, ...NO_EVENTS, attempts: 1, bytes, failures }
}

/** Report of a trouble that continues. */
function reminderOf({ account, pipeline, node, birth }: Lane): DeliveryReport {
  return { account, pipeline, node, birth, ...NO_EVENTS, attempts: 0, bytes: 0, failures: [] }
}
