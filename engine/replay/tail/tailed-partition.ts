import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../../schemas/log/checkpoint.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { accountOfBatch, lineBatchType } from '../../../schemas/log/line-batch.ts'
import { lossIn } from '../../../schemas/log/loss.ts'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { schemaIdOf, WireFormatError } from '../../../schemas/log/wire-format.ts'
import type { Clock } from '../../clock/clock.ts'
import { BEYOND_BUDGET, EventMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../expressions/expression-budget.ts'
import { IdempotencyKeys, Producers } from '../../fold/repeats.ts'
import { LineStand, type TailedLine } from '../../fold/tailed-line.ts'
import { LineBatchView } from '../../lines/line-batch-view.ts'
import { LogError, type LogRecord } from '../../log/log.ts'
import type { Logger } from '../../logger.ts'
import { EVENT_UNITS, Stretch } from '../../steps.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import type { ReplayedPartition } from '../replay.ts'
import type { LineFilter } from './line-filter.ts'

const READ_BYTES = 256 * 1024
/** Worked without a rest, about. */
const STRETCH_MS = 10
/** Time for which others kept the processor is not paid back. */
const MAX_REST_MS = 20
/** Lines between two looks at the clock. */
const STRETCH_LINES = 64
/** After trouble with the log. */
const PAUSE_MS = 1_000
/** How often it is noted where the log ends. */
const NOTE_MS = 1_000
/** What is on the log for that long without having been looked at is not looked at any more. */
const MAX_LATE_MS = 2_000

/** Somebody who watches the lines of an account arrive. */
export interface TailListener {
  /** Which of them he wants, and may see, at this moment. */
  readonly filter: LineFilter
  /** A line, as the text of its record. */
  take(record: string): void
  /** That many lines passed by without a look: more arrive than there is time for, or the query costs too much on them. */
  miss(lines: number): void
  /** Nothing more comes. */
  fail(): void
}

export interface TailedPartitionPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly retentionDaysOf: (account: string) => number
  readonly isSeen: LineVisibility
}

/** Whether those who watch an account's lines arrive get to see this one; asked for lines that somebody wants. */
export type LineVisibility = (account: string, line: TailedLine) => boolean

/** Those who watch one account. */
interface Watched {
  /** With the first offset that each is shown. */
  readonly listeners: Map<TailListener, bigint>
  /** What is known of repeats since the first of them came. */
  readonly keys: IdempotencyKeys
  /** What queries may cost. */
  readonly expressions: ExpressionBudget
}

/**
 * The one reader of a partition for all who watch lines arrive. It begins at the newest checkpoint, for the log time of
 * what follows (which the ids of lines hold) and for the numbers of producers, and works half of the time at most.
 */
export class TailedPartition {
  readonly #source: ReplayedPartition
  readonly #ports: TailedPartitionPorts
  readonly #watched = new Map<string, Watched>()
  readonly #stand = new LineStand()
  readonly #meter = new EventMeter()
  readonly #stretch = new Stretch()
  #producers = new Producers()
  #nextOffset = 0n
  #timeMs = 0
  #workedSinceMs = 0
  /** Where the log ended when the reader began: what it reads before is not late. */
  #beganBelow = 0n
  /** Where the log ended when. */
  #noted = { next: 0n, atMs: Number.NEGATIVE_INFINITY }
  /** Records below are passed over. */
  #passedBelow = 0n

  constructor(source: ReplayedPartition, ports: TailedPartitionPorts) {
    this.#source = source
    this.#ports = ports
  }

  get isWatched(): boolean {
    return this.#watched.size > 0
  }

  /** @param from the first offset that the listener is shown */
  join(account: string, listener: TailListener, from: bigint): void {
    const watched = this.#watched.get(account) ?? newlyWatched()
    this.#watched.set(account, watched)
    watched.listeners.set(listener, from)
  }

  leave(account: string, listener: TailListener): void {
    const watched = this.#watched.get(account)
    watched?.listeners.delete(listener)
    if (watched?.listeners.size === 0) this.#watched.delete(account)
  }

  /**
   * Shows lines until the signal. Trouble with the log that may pass is waited for.
   *
   * @throws LogError when the log can never be read on from here
   */
  async run(signal: AbortSignal): Promise<void> {
    const { topic, partition } = this.#source
    await this.#repeated(() => this.#begin(), signal)
    while (!signal.aborted) {
      const records = await this.#repeated(() => topic.read(partition, this.#nextOffset, READ_BYTES), signal)
      this.#workedSinceMs = this.#ports.clock.monotonicMs()
      for (const record of records) {
        if (signal.aborted) return
        await this.#apply(record, signal)
        this.#nextOffset = record.offset + 1n
      }
      await this.#repeated(() => this.#note(), signal)
      await this.#repeated(() => topic.waitBeyond(partition, this.#nextOffset, signal), signal)
    }
  }

  async #begin(): Promise<void> {
    const { topic, partition, checkpoints } = this.#source
    const { first, next } = await topic.bounds(partition)
    const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
    const checkpoint = kept && checkpointType.decode(kept.body)
    this.#nextOffset = first
    this.#beganBelow = next
    if (checkpoint?.logId !== topic.logId) return
    this.#nextOffset = BigInt(checkpoint.nextOffset)
    this.#timeMs = checkpoint.timeMs
    this.#producers.restore(checkpoint.producers)
  }

  /** A reader that is behind what it noted a while ago goes on at the end. */
  async #note(): Promise<void> {
    if (this.#nextOffset < this.#beganBelow) return
    const { topic, partition } = this.#source
    const nowMs = this.#ports.clock.monotonicMs()
    const isBehind = this.#nextOffset < this.#noted.next
    if (nowMs - this.#noted.atMs < (isBehind ? MAX_LATE_MS : NOTE_MS)) return
    const { next } = await topic.bounds(partition)
    this.#noted = { next, atMs: nowMs }
    if (isBehind) this.#passedBelow = next
  }

  async #apply(record: LogRecord, signal: AbortSignal): Promise<void> {
    const { logger } = this.#ports
    try {
      const schemaId = schemaIdOf(record.value)
      const isLines = schemaId === lineBatchType.id
      const isContent = isLines || schemaId === rekeyedType.id || schemaId === deadLettersType.id
      const loss = isContent ? undefined : lossIn(record)
      const deadlineMs = isContent ? 0 : deadlineOf(record)
      this.#timeMs = Math.max(this.#timeMs, record.appendTimeMs, deadlineMs, loss?.witnessed?.timeMs ?? 0)
      this.#producers.merge(loss?.witnessed?.producers ?? [])
      if (isLines && this.#isNew(record)) await this.#showLines(record, signal)
    } catch (error) {
      if (!(error instanceof WireFormatError)) throw error
      // The engine says what is to be done; here the next record is as good.
      logger.warn({ err: error, offset: String(record.offset) }, 'a record cannot be read for tails')
    }
  }

  #isNew({ producer }: LogRecord): boolean {
    return producer === null || this.#producers.advance(producer.id, producer.sequence, this.#timeMs)
  }

  async #showLines(record: LogRecord, signal: AbortSignal): Promise<void> {
    const account = accountOfBatch(record.value)
    const watched = this.#watched.get(account)
    if (watched === undefined) return
    const batch = LineBatchView.decode(record.value)
    if (batch.isPushed) return
    const indexes = newLines(watched.keys, batch, this.#timeMs)
    if (record.offset < this.#passedBelow) {
      for (const listener of listenersAt(watched, record.offset)) listener.miss(indexes.length)
      return
    }
    const { isSeen, retentionDaysOf } = this.#ports
    const place = {
      partition: this.#source.partition,
      offset: record.offset,
      timeMs: this.#timeMs,
      retentionDays: retentionDaysOf(account),
    }
    const { expressions } = watched
    const allowance = new ExpressionAllowance(expressions)
    allowance.begin(this.#timeMs, batch.bytesOf(indexes))
    this.#meter.open(allowance, this.#stretch)
    let listeners: TailListener[] = []
    for (const [row, index] of indexes.entries()) {
      if (row % STRETCH_LINES === 0 || this.#stretch.left <= 0) {
        await this.#rest(signal)
        this.#stretch.begin()
        listeners = listenersAt(watched, record.offset)
        if (listeners.length === 0) return
      }
      const line = this.#stand.line(batch, index, { ...place, row, behaviour: BEHAVIOUR })
      this.#stretch.left -= EVENT_UNITS
      const wanting = listeners.filter(listener => this.#isWanted(listener, line))
      if (wanting.length > 0 && isSeen(account, line))
        for (const listener of wanting) listener.take(line.text)
    }
  }

  #isWanted(listener: TailListener, line: TailedLine): boolean {
    this.#meter.begin(NO_NUMBER)
    try {
      return listener.filter(line, this.#meter)
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      listener.miss(1)
      return false
    }
  }

  /** As long as the work took: whoever else is served by this process does not wait for it. */
  async #rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports
    const workedMs = clock.monotonicMs() - this.#workedSinceMs
    if (workedMs < STRETCH_MS) return
    await clock.sleep(Math.min(workedMs, MAX_REST_MS), signal)
    this.#workedSinceMs = clock.monotonicMs()
  }

  /** Goes on when brokers that were away are back. */
  async #repeated<Answer>(call: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
    for (;;) {
      try {
        return await call()
      } catch (error) {
        if (signal.aborted || !(error instanceof LogError && error.retriable)) throw error
        await this.#ports.clock.sleep(PAUSE_MS, signal)
      }
    }
  }
}

function newlyWatched(): Watched {
  return { listeners: new Map(), keys: new IdempotencyKeys(), expressions: new ExpressionBudget() }
}

function listenersAt({ listeners }: Watched, offset: bigint): TailListener[] {
  const reached: TailListener[] = []
  for (const [listener, from] of listeners) if (offset >= from) reached.push(listener)
  return reached
}

/** Indexes of the lines that are no repeat of a request with the same idempotency key. */
function newLines(keys: IdempotencyKeys, batch: LineBatchView, timeMs: number): number[] {
  const indexes: number[] = []
  let first = 0
  for (const request of batch.requests) {
    const end = first + request.lines
    const isNew = request.idempotency === null || keys.advance(request.idempotency, timeMs)
    for (let index = first; isNew && index < end; index++) indexes.push(index)
    first = end
  }
  return indexes
}

/** The log time that a control record brings: see `PartitionFold.apply`. */
function deadlineOf({ value }: LogRecord): number {
  const { body } = controlType.decode(value)
  return 'weir.Tick' in body ? body['weir.Tick'].deadlineMs : 0
}
