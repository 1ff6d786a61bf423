import { BEHAVIOUR, FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { type Control, controlType } from '../../../schemas/log/control.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import { schemaIdOf } from '../../../schemas/log/wire-format.ts'
import type { BatchRulesSource } from '../../delivery/fold/batch-rules.ts'
import { DeliveryFold, type OutboxIdentity } from '../../delivery/fold/delivery-fold.ts'
import type { AnsweredBatch, Lane } from '../../delivery/fold/lane.ts'
import type { DeliveryPorts } from '../../delivery/sending/batch-delivery.ts'
import { batchEvents } from '../../delivery/sending/batch-events.ts'
import { deliveryLetters } from '../../delivery/sending/delivery-letters.ts'
import { type EventIds, eventIdsOf } from '../../delivery/sending/event-id.ts'
import type { SentEvent } from '../../delivery/sending/remote.ts'
import { ReportQueue } from '../../delivery/sending/report-queue.ts'
import type { SendingState } from '../../delivery/sending/sending-states.ts'
import { CheckpointSchedule } from '../../fold/checkpoint/checkpoint-schedule.ts'
import { deadLetterValues } from '../../fold/dead-letters/dead-letter.ts'
import { FoldError } from '../../fold/fold-error.ts'
import type { LogRecord, Topic } from '../../log/log.ts'
import { READ_BYTES } from '../../log/records-between.ts'
import type { Logger } from '../../logger.ts'
import { CheckpointLog } from '../../replay/checkpoint-log.ts'
import type { Store } from '../../store/store.ts'
import { LoopTurns } from '../../turns/loop-turns.ts'
import { ReplacedError } from '../partition-ownership.ts'
import { assertReadable } from '../record-applying.ts'
import { Retries } from '../retries.ts'
import { TickSender } from '../tick-sender.ts'
import { BatchSender, type DeliverySettings } from './batch-sender.ts'
import { DeliveryErrors } from './delivery-errors.ts'
import { LaneCheckpoints, type LanesState } from './lane-checkpoints.ts'
import { readFor } from './lane-reading.ts'
import { RecentRecords, type RecordShelf } from './recent-records.ts'
import { RecordSizes } from './record-sizes.ts'

/** The worker waits at most this long before it checks again. */
const MAX_IDLE_MS = 1_000
/** Reason of aborts: without one each would make an exception with a stack. */
const IDLE_OVER = 'the wait is over'

export interface OutboxWorkerOptions extends DeliveryPorts {
  readonly topic: Topic
  readonly partition: number
  readonly checkpoints: Topic
  readonly deadLetters: Topic
  readonly rules: BatchRulesSource
  /** Store of the errors. */
  readonly store: Store
  /** Present settings of a pipeline. */
  readonly settingsOf: (account: string, pipeline: string) => DeliverySettings
  readonly logger: Logger
  /** Name in owner records and logs. */
  readonly workerName: string
  /** Records that were read, shared by the partitions of a process. */
  readonly shelf: RecordShelf
  /** Whether checkpoints should be written so that the log can free space. */
  readonly spaceIsShort?: () => boolean
  /** Whether a lane must make room for others. Absent: none ever must. @param isFailing whether its last attempt failed */
  readonly lacksRoom?: ((lane: Lane, isFailing: boolean) => boolean) | undefined
  /** Trims the log as far as the checkpoints of its partitions allow; absent: the worker trims its own partition. */
  readonly freeRoom?: (() => Promise<void>) | undefined
}

/** A checkpoint that is written once all errors before it are stored. */
interface PreparedCheckpoint extends LanesState {
  readonly timeMs: number
}

/**
 * Drives the fold of an outbox partition: reads its log, sends the batches of its lanes, appends reports and ticks, keeps dead letters,
 * stores errors, and writes checkpoints. It sends nothing before it has read its own owner record: from there on, reports of earlier owners are
 * ignored, so it knows all that count.
 */
export class OutboxWorker {
  readonly #options: OutboxWorkerOptions
  readonly #kept: LaneCheckpoints
  readonly #retries: Retries
  readonly #reports: ReportQueue
  readonly #sender: BatchSender
  readonly #ticks: TickSender
  readonly #errors: DeliveryErrors
  readonly #idOf: EventIds
  readonly #schedule = new CheckpointSchedule()
  #fold: DeliveryFold
  #epoch = -1n
  readonly #sizes = new RecordSizes()
  readonly #records: RecentRecords
  /** First offset that the newest checkpoint of this worker does not include. */
  #checkpointedTo = 0n
  /** Whether the two newest checkpoints of this worker have the same state. */
  #isRepeated = false
  #prepared: PreparedCheckpoint | undefined
  /** Offsets of records with nothing but reminders, which were not read yet. */
  readonly #reminders = new Set<bigint>()
  #wakeIdle = () => {}

  constructor(options: OutboxWorkerOptions) {
    const { topic, partition, checkpoints, rules, clock } = options
    const identity: OutboxIdentity = { topic: topic.name, partition, logId: topic.logId }
    this.#options = options
    this.#kept = new LaneCheckpoints(new CheckpointLog(checkpoints, { topic, partition }), rules, identity)
    this.#idOf = eventIdsOf(topic.logId)
    this.#retries = new Retries(options)
    this.#reports = new ReportQueue(clock)
    this.#records = new RecentRecords(topic, options.shelf)
    const records = this.#records
    // A batch whose records are not kept belongs to a lane that is behind. Others have no use for them.
    const read: Topic['read'] = (...place) => records.readOnce(...place)
    const shared = { retries: this.#retries, reports: this.#reports, records: { name: topic.name, read } }
    const sending = { ...options, ...shared }
    this.#sender = new BatchSender(sending, () => this.#wakeIdle())
    this.#ticks = new TickSender(clock, body => this.#appendControl(body))
    const errors = { ...options, topic: topic.name, turns: new LoopTurns(clock), retries: this.#retries }
    this.#errors = new DeliveryErrors(errors, () => this.#wakeIdle())
    this.#fold = new DeliveryFold(rules, identity)
  }

  /** The fold, for those who only look at it. */
  get fold(): DeliveryFold {
    return this.#fold
  }

  /** Whether everything has been read that the log had when this worker took the partition. */
  get caughtUp(): boolean {
    return this.#fold.nextOffset > this.#epoch
  }

  /** Takes the partition: owner record, epoch, newest checkpoint. @throws FoldError, ReplacedError, LogError */
  async start(): Promise<void> {
    const { topic, partition, workerName } = this.#options
    const load = () =>
      this.#retries.run('read a checkpoint', async () => {
        const { first } = await topic.bounds(partition)
        return this.#kept.newest(first)
      })
    // The partition is left to newer programs, without an owner record that would end their workers.
    await load()
    this.#epoch = (await this.#appendControl({ 'weir.Owner': { worker: workerName } })).offset
    this.#fold = await load()
    // The checkpoint of a newer worker passes its owner record, which is therefore never read.
    if (BigInt(this.#fold.epoch) > this.#epoch)
      throw new ReplacedError(`partition ${partition} was taken by a newer worker`)
    const { nextOffset, neededFrom, timeMs } = this.#fold
    const { first } = await topic.bounds(partition)
    if (first > neededFrom)
      throw new FoldError(
        `partition ${partition} of ${topic.name} begins at ${first}, but its lanes need ${neededFrom}: restore the log's files, or the checkpoints, from a backup`,
      )
    // A sample of the records that the lanes pin, because this worker may never read it otherwise.
    const sample = () => topic.read(partition, neededFrom, READ_BYTES)
    this.#sizes.sample(await this.#retries.run('read for an estimate', sample))
    this.#sizes.begin(nextOffset)
    this.#checkpointedTo = nextOffset
    this.#errors.begin({ epoch: this.#epoch, nextOffset, timeMs })
    this.#schedule.noteCheckpoint(0, timeMs)
    this.#ticks.noteTime(this.#fold)
  }

  /** Works until the signal. @throws ReplacedError, FoldError, LogError */
  async run(signal: AbortSignal): Promise<void> {
    const wake = () => {
      this.#errors.leave()
      this.#wakeIdle()
    }
    signal.addEventListener('abort', wake, { once: true })
    try {
      while (!signal.aborted) if (!(await this.#advance())) await this.#idle(signal)
    } finally {
      signal.removeEventListener('abort', wake)
      this.#errors.leave()
      await this.#sender.end()
    }
  }

  /**
   * Graceful end, after `run` has returned: reports are appended and a checkpoint is written. No tick is appended, because it would end
   * the age of open batches.
   */
  async finish(): Promise<void> {
    while (this.#reports.untilDueMs() !== Number.POSITIVE_INFINITY) await this.#appendReports()
    if (this.caughtUp) while (await this.#readOnce());
    // A store that is away is not waited for: the next start reads the reports again.
    const hasStored = await this.#errors.finish()
    if (hasStored && this.#fold.nextOffset > this.#checkpointedTo)
      await this.#writeCheckpoint(this.#preparedCheckpoint())
  }

  /** Gives back the memory that it shares with others. */
  close(): void {
    this.#records.clear()
  }

  /** First record that a restart may need. */
  get neededFrom(): bigint {
    return this.#kept.neededFrom
  }

  /** Space on the log that the checkpoints of this partition need, in bytes. */
  get neededRoomBytes(): number {
    return 3 * this.#schedule.nextBytes
  }

  /** Size of the records from an offset to the end of the log, in bytes: an estimate. */
  bytesFrom(offset: bigint): number {
    return this.#sizes.bytesFrom(offset)
  }

  /** Sending of each lane at present. */
  stateOf(lane: Lane): SendingState {
    return this.#sender.stateOf(lane)
  }

  /** Removes checkpoints that nothing needs: see `LaneCheckpoints.trim`. */
  async trimCheckpoints(firstOffset: bigint | undefined): Promise<void> {
    await this.#kept.trim(firstOffset)
  }

  /** Does all that is due, sending apart, so that nothing waits while new records come. @returns false when nothing was due */
  async #advance(): Promise<boolean> {
    const hasRead = await this.#readOnce()
    if (!this.caughtUp) return hasRead
    const hasCaughtUp = await this.#catchUp()
    const hasBegun = this.#sender.sendNext(this.#fold)
    const hasReported = await this.#report()
    const hasWritten = await this.#checkpoint()
    const hasStored = this.#errors.storeDue(this.#prepared !== undefined)
    if (hasRead || hasCaughtUp || hasBegun || hasReported || hasWritten || hasStored) return true
    return this.#ticks.sendDue(this.#fold)
  }

  /** @returns false at the head of the log */
  async #readOnce(): Promise<boolean> {
    const { partition, clock } = this.#options
    const records = await this.#records.read(partition, this.#fold.nextOffset, READ_BYTES)
    this.#sizes.note(records)
    for (const record of records) {
      assertReadable(record, { partition, clock, epochOffset: this.#epoch })
      this.#fold.apply(record)
      this.#schedule.noteRead(record.value.length)
      this.#noteNews(record)
      for (let lane = this.#fold.behindReports; lane !== undefined; lane = this.#fold.behindReports)
        await this.#advanceLane(lane)
      await this.#keepFailures()
    }
    this.#ticks.noteTime(this.#fold)
    return records.length > 0
  }

  /** Notes whether a record is a reason for a further checkpoint. */
  #noteNews({ offset, value }: LogRecord): void {
    const isReminder = this.#reminders.delete(offset)
    if (isReminder && offset === this.#checkpointedTo) this.#checkpointedTo++
    else if (!isReminder && schemaIdOf(value) !== controlType.id) this.#schedule.noteContent()
  }

  /** Lets the lanes read that are behind the end of the log. @returns whether there were any */
  async #catchUp(): Promise<boolean> {
    const lagging = [...this.#fold.lanes].filter(lane => this.#fold.lags(lane))
    for (const lane of lagging) await this.#advanceLane(lane)
    return lagging.length > 0
  }

  async #advanceLane(lane: Lane): Promise<void> {
    const { partition } = this.#options
    const read = () => readFor(lane, this.#fold, this.#records, partition)
    await this.#retries.run('read for a lane', read)
  }

  /** Takes the errors of reports that were read, and appends dead letters. A repeat has the names of the first time. */
  async #keepFailures(): Promise<void> {
    for (const answered of this.#fold.takeAnswered())
      if (answered.report.failures.length > 0) await this.#keep(answered)
    for (const trouble of this.#fold.takeTroubles()) await this.#errors.takeTrouble(trouble)
  }

  async #keep(answered: AnsweredBatch): Promise<void> {
    const { partition } = this.#options
    const read = () => batchEvents(this.#records, partition, answered.batch)
    const events = await this.#retries.run('read failed events', read)
    await this.#errors.take(answered, events)
    if (answered.report.keepsLetters) await this.#keepLetters(answered, events)
  }

  async #keepLetters(answered: AnsweredBatch, events: readonly SentEvent[]): Promise<void> {
    const { topic, partition, deadLetters } = this.#options
    const { account } = answered.lane
    const letters = deliveryLetters({ topic: topic.name, partition }, answered, events, this.#idOf)
    const home = partitionOfAccount(account, deadLetters.partitions)
    for (const value of deadLetterValues(account, letters))
      await this.#append(deadLetters, home, value, 'keep dead letters')
  }

  async #report(): Promise<boolean> {
    if (this.#reports.untilDueMs() > 0) return false
    await this.#appendReports()
    return true
  }

  async #appendReports(): Promise<void> {
    const { topic, partition } = this.#options
    await this.#append(topic, partition, this.#reports.take(Number(this.#epoch)), 'append reports')
  }

  async #checkpoint(): Promise<boolean> {
    const isShort = this.#options.spaceIsShort?.() === true && this.#kept.neededFrom < this.#fold.neededFrom
    if (this.#prepared === undefined && this.#isCheckpointDue(isShort))
      this.#prepared = this.#preparedCheckpoint()
    const prepared = this.#prepared
    const { oldest } = this.#errors
    if (prepared === undefined || (oldest !== undefined && oldest < prepared.nextOffset)) return false
    await this.#writeCheckpoint(prepared)
    if (isShort) await this.#retries.run('free room', () => this.#freeRoom())
    return true
  }

  #isCheckpointDue(isShort: boolean): boolean {
    const { nextOffset, timeMs } = this.#fold
    const isNew = nextOffset > this.#checkpointedTo
    // Only a second one frees the records that the first does not need. Perhaps nothing follows, because lines are refused.
    if (isShort) return isNew || !this.#isRepeated
    return isNew && this.#schedule.isDue(timeMs)
  }

  #preparedCheckpoint(): PreparedCheckpoint {
    const { nextOffset, timeMs } = this.#fold
    return { nextOffset, timeMs, body: this.#fold.checkpoint() }
  }

  async #writeCheckpoint(prepared: PreparedCheckpoint): Promise<void> {
    const { nextOffset, timeMs, body } = prepared
    await this.#remind()
    const write = () => this.#kept.write(this.#epoch, prepared)
    await this.#retries.run('write a checkpoint', write)
    this.#schedule.noteCheckpoint(body.length, timeMs)
    this.#isRepeated = nextOffset === this.#checkpointedTo
    this.#checkpointedTo = nextOffset
    this.#prepared = undefined
    this.#sizes.forget(this.#fold.neededFrom)
  }

  /** Repeats which troubles continue: a restart reads only the records behind the checkpoint, and must not report to an operator again. */
  async #remind(): Promise<void> {
    const { topic, partition, clock } = this.#options
    const reminders = new ReportQueue(clock)
    for (const report of this.#sender.reminders(this.#fold)) reminders.add(report)
    while (reminders.untilDueMs() !== Number.POSITIVE_INFINITY) {
      const value = reminders.take(Number(this.#epoch))
      this.#reminders.add((await this.#append(topic, partition, value, 'append reports')).offset)
    }
  }

  async #freeRoom(): Promise<void> {
    const { topic, partition, freeRoom } = this.#options
    if (freeRoom !== undefined) return freeRoom()
    await topic.trim(partition, this.#kept.neededFrom)
    await this.#kept.trim(undefined)
  }

  /** Waits for a record, a report, or the next deadline. */
  async #idle(signal: AbortSignal): Promise<void> {
    const { topic, partition, clock } = this.#options
    const wake = new AbortController()
    this.#wakeIdle = () => wake.abort(IDLE_OVER)
    if (signal.aborted) return
    const reportsMs = Math.min(this.#reports.untilDueMs(), this.#errors.untilDueMs())
    const dueMs = Math.min(reportsMs, this.#ticks.untilDueMs(this.#fold), MAX_IDLE_MS)
    await Promise.race([
      topic.waitBeyond(partition, this.#fold.nextOffset, wake.signal),
      clock.sleep(Math.max(1, dueMs), wake.signal),
    ])
    this.#wakeIdle() // ends whichever of the two still waits
  }

  #appendControl(body: Control['body']) {
    const { topic, partition } = this.#options
    const behaviour = 'weir.Owner' in body ? BEHAVIOUR : FIRST_BEHAVIOUR
    return this.#append(topic, partition, controlType.encode({ behaviour, body }), 'append a control record')
  }

  #append(topic: Topic, partition: number, value: Buffer, what: string) {
    const append = () => topic.append(partition, { value, producer: null, priority: 'control' })
    return this.#retries.run(what, append)
  }
}
