import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { DeliveryReport } from '../../../schemas/log/delivery-reports.ts'
import { lanesCheckpointType } from '../../../schemas/log/lanes-checkpoint.ts'
import { FoldError } from '../../fold/fold-error.ts'
import type { FoldIdentity } from '../../fold/fold-parts.ts'
import type { LogRecord } from '../../log/log.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { BatchRulesSource } from './batch-rules.ts'
import { type AnsweredBatch, failedEvents, type Lane, type LaneTrouble, NO_BATCH, RETRYING } from './lane.ts'
import { OutboxAccount } from './outbox-account.ts'
import { type HandedRecord, type OutboxRecord, outboxRecord } from './outbox-record.ts'

/** An outbox partition. */
export type OutboxIdentity = Pick<FoldIdentity, 'topic' | 'partition' | 'logId'>

const NO_OWNER = -1

/**
 * The fold of an outbox partition: a pure function of its records. Events that arrive are counted for their lanes, and reports answer
 * batches. Each lane makes its batches at a cursor of its own, which stands still while many closed batches have no report. A lane
 * that is level with the end of the log gets each record from `apply`; for every other lane the caller reads the log again and calls
 * `advance`. When it does so has no effect on batches, counts and dead letters.
 */
export class DeliveryFold {
  readonly #rules: BatchRulesSource
  readonly #identity: OutboxIdentity
  readonly #accounts = new Map<string, OutboxAccount>()
  /** Level lanes with open batches, which see every record. */
  readonly #level = new Set<Lane>()
  #behindReports: Lane[] = []
  #answered: AnsweredBatch[] = []
  #troubles: LaneTrouble[] = []
  #behaviour = 0
  #nextOffset = 0n
  #timeMs = 0
  #epoch = NO_OWNER

  constructor(rules: BatchRulesSource, identity: OutboxIdentity, nextOffset = 0n) {
    this.#rules = rules
    this.#identity = identity
    this.#nextOffset = nextOffset
  }

  /**
   * Makes a fold that continues from a checkpoint.
   *
   * @throws FoldError when the checkpoint belongs to another log, or was written by a newer program
   */
  static restored(rules: BatchRulesSource, identity: OutboxIdentity, checkpoint: Buffer): DeliveryFold {
    const state = lanesCheckpointType.decode(checkpoint)
    const { topic, partition, logId } = identity
    const where = `the checkpoint of ${topic}/${partition}`
    if (state.logId !== logId) throw new FoldError(`${where} belongs to log ${state.logId}, this is ${logId}`)
    if (state.behaviour > BEHAVIOUR)
      throw new FoldError(`${where} was written by a newer program: start that one`)
    const fold = new DeliveryFold(rules, identity, BigInt(state.nextOffset))
    fold.#behaviour = state.behaviour
    fold.#timeMs = state.timeMs
    fold.#epoch = state.epoch
    for (const account of state.accounts)
      fold.#accounts.set(account.account, OutboxAccount.restored(rules, account))
    for (const lane of fold.lanes) fold.#noteLevel(lane)
    return fold
  }

  /** First offset that is not yet part of the state. */
  get nextOffset(): bigint {
    return this.#nextOffset
  }

  /** Log time t, UNIX ms. */
  get timeMs(): number {
    return this.#timeMs
  }

  /** Offset of the newest owner record; -1: there was none. */
  get epoch(): number {
    return this.#epoch
  }

  get lanes(): Iterable<Lane> {
    return [...this.#accounts.values()].flatMap(account => [...account.lanes])
  }

  lane(account: string, pipeline: string, node: string): Lane | undefined {
    return this.#accounts.get(account)?.lane(pipeline, node)
  }

  /** Log time at which a batch of a level lane is closed, also without a record; Infinity: there is none. */
  get deadlineMs(): number {
    let earliestMs = Number.POSITIVE_INFINITY
    for (const { cursor } of this.#level)
      if (cursor !== undefined) earliestMs = Math.min(earliestMs, cursor.deadlineMs)
    return earliestMs
  }

  /** A lane that `advance` must bring to its reports before the next record is applied; undefined: there is none. */
  get behindReports(): Lane | undefined {
    return this.#behindReports[0]
  }

  /** Whether the lane has to read records that this fold has applied already, and may do so. */
  lags(lane: Lane): boolean {
    const { cursor } = lane
    return cursor !== undefined && lane.waiting > 0 && !lane.isBlocked && cursor.nextOffset < this.#nextOffset
  }

  /** First record that a restart from the present state needs. */
  get neededFrom(): bigint {
    let first = this.#nextOffset
    for (const { cursor, waiting } of this.lanes)
      if (cursor !== undefined && waiting > 0 && cursor.neededFrom < first) first = cursor.neededFrom
    return first
  }

  /** Takes the batches that have got reports, whose failures may have to become dead letters. */
  takeAnswered(): AnsweredBatch[] {
    return this.#answered.splice(0)
  }

  /** Takes the errors that change no counts. */
  takeTroubles(): LaneTrouble[] {
    return this.#troubles.splice(0)
  }

  /**
   * Applies the next record.
   *
   * @throws FoldError when it cannot be read or is of a newer program, or a lane is behind its reports
   */
  apply(record: LogRecord): void {
    if (record.offset < this.#nextOffset)
      throw new FoldError(`record ${record.offset} was read again: ${this.#nextOffset} is next`)
    if (this.#behindReports.length > 0) throw new FoldError('a lane is behind its reports')
    const outbox = outboxRecord(this.#identity, record)
    const beforeMs = this.#timeMs
    this.#behaviour = Math.max(this.#behaviour, outbox.behaviour)
    this.#timeMs = Math.max(beforeMs, outbox.timeMs)
    this.#takeEffect(outbox, beforeMs)
    this.#nextOffset = record.offset + 1n
    for (const lane of this.#level) this.#read(lane, outbox)
    if (dayOf(this.#timeMs) !== dayOf(beforeMs))
      for (const account of this.#accounts.values()) account.forget(this.#timeMs)
  }

  /** Lets a lane that lags read its next record, which was applied before. */
  advance(lane: Lane, record: LogRecord): void {
    const { cursor } = lane
    if (cursor === undefined || lane.isBlocked || record.offset >= this.#nextOffset)
      throw new FoldError(`a lane must not read record ${record.offset} now`)
    if (record.offset < cursor.nextOffset)
      throw new FoldError(`a lane has read record ${record.offset} again: ${cursor.nextOffset} is next`)
    this.#read(lane, outboxRecord(this.#identity, record))
  }

  /** Encodes the state after the last record; no lane is behind its reports. */
  checkpoint(): Buffer {
    if (this.#behindReports.length > 0) throw new FoldError('a checkpoint while a lane is behind its reports')
    for (const account of this.#accounts.values()) account.skipIdleTo(this.#nextOffset, this.#timeMs)
    return lanesCheckpointType.encode({
      behaviour: this.#behaviour,
      logId: this.#identity.logId,
      nextOffset: Number(this.#nextOffset),
      timeMs: this.#timeMs,
      epoch: this.#epoch,
      accounts: [...this.#accounts.values()].map(account => account.snapshot()),
    })
  }

  #takeEffect({ offset, content }: OutboxRecord, beforeMs: number): void {
    if (content.kind === 'owner') this.#epoch = Number(offset)
    else if (content.kind === 'reports' && content.epoch >= this.#epoch) this.#answer(offset, content.reports)
    else if (content.kind === 'handed') this.#takeHanded(offset, content, beforeMs)
  }

  #takeHanded(offset: bigint, { account, source, parts }: HandedRecord, beforeMs: number): void {
    const state = this.#accounts.get(account) ?? new OutboxAccount(account, this.#rules)
    this.#accounts.set(account, state)
    const received = state.take(source, parts, { offset, beforeMs, timeMs: this.#timeMs })
    for (const lane of received) if (isLevel(lane, offset)) this.#level.add(lane)
  }

  #answer(offset: bigint, reports: readonly DeliveryReport[]): void {
    let row = 0
    for (const report of reports) {
      const lane = this.lane(report.account, report.pipeline, report.node)
      const answer = { report, place: { offset, row }, timeMs: this.#timeMs }
      row += failedEvents(report)
      if (report.batch === NO_BATCH) this.#noteTrouble(lane, answer)
      if (lane?.answer(answer) !== true) continue
      this.#answered.push(...lane.settle())
      if (lane.isBehindReports && !this.#behindReports.includes(lane)) this.#behindReports.push(lane)
      if (isLevel(lane, offset)) this.#level.add(lane)
    }
  }

  #noteTrouble(
    lane: Lane | undefined,
    { report, place, timeMs }: Omit<AnsweredBatch, 'lane' | 'batch'>,
  ): void {
    if (lane?.cursor === undefined || lane.birth !== report.birth) return
    const { account, pipeline, node } = lane
    if (report.failures.every(({ code }) => code === RETRYING)) lane.isTroubled = true
    for (const failure of report.failures)
      this.#troubles.push({ lane: { account, pipeline, node }, failure, place, timeMs })
  }

  #read(lane: Lane, record: OutboxRecord): void {
    lane.cursor?.apply(record)
    this.#answered.push(...lane.settle())
    if (!lane.isBehindReports) this.#behindReports = this.#behindReports.filter(each => each !== lane)
    this.#noteLevel(lane)
  }

  #noteLevel(lane: Lane): void {
    if (isLevel(lane, this.#nextOffset) && lane.cursor?.hasOpen) this.#level.add(lane)
    else this.#level.delete(lane)
  }
}

/** Whether a lane has read all records below an offset, and may read that one. */
function isLevel(lane: Lane, offset: bigint): boolean {
  const { cursor, isBlocked } = lane
  return cursor !== undefined && !isBlocked && cursor.nextOffset >= offset
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / DAY_MS)
}
