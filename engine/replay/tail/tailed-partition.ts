import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../../schemas/log/checkpoint.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { accountOfBatch, lineBatchType } from '../../../schemas/log/line-batch.ts'
import { isRefused, lossIn } from '../../../schemas/log/loss.ts'
import { rekeyedType } from '../../../schemas/log/rekeyed.ts'
import { schemaIdOf, WireFormatError } from '../../../schemas/log/wire-format.ts'
import type { Clock } from '../../clock/clock.ts'
import { BEYOND_BUDGET, EventMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../../expressions/expression-budget.ts'
import { IdempotencyKeys, Producers } from '../../fold/repeats.ts'
import { LineStand, type TailedLine } from '../../fold/tailed-line.ts'
import { LineBatchView } from '../../lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../log/log.ts'
import { untilAvailable } from '../../log/until-available.ts'
import type { Logger } from '../../logger.ts'
import { EVENT_UNITS, Stretch } from '../../steps.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import type { ReplayedPartition } from '../replay.ts'
import type { LineFilter } from './line-filter.ts'

const READ_BYTES = 256 * 1024
/** Approximate time of work without a rest. */
const STRETCH_MS = 10
/** Maximum rest: time during which other work had the processor does not lengthen it. */
const MAX_REST_MS = 20
/** Number of lines between two readings of the clock. */
const STRETCH_LINES = 64
/** Binary logarithm of the bytes of a line that are read per unit: 8. */
const READ_AT_ONCE_BITS = 3
/** Interval at which the end of the log is noted. */
const NOTE_MS = 1_000
/** Records that were on the log for longer without being read are skipped. */
const MAX_LATE_MS = 2_000

/** A watcher of an account's lines. */
export interface TailListener {
  /** Lines that the watcher selected and is allowed to see at present. */
  readonly filter: LineFilter
  /** Receives a line, as the text of its record. */
  take(record: string): void
  /** Reports lines that were skipped, because too many arrive or the query costs too much. */
  miss(lines: number): void
  /** Reports the end of the stream. */
  fail(): void
  /** Waits until lines of the past can be taken without losing any; absent: it takes them at any time. */
  untilRoom?(): Promise<void>
}

/** Place in a partition behind which lines are shown. */
export interface TailedFrom {
  readonly offset: bigint
  /** Number of the last line of that record that is not shown; -1: all of them are shown. */
  readonly afterRow: number
}

export interface TailedPartitionPorts {
  readonly clock: Clock
  readonly logger: Logger
  readonly retentionDaysOf: (account: string) => number
  readonly isSeen: LineVisibility
}

/**
 * Whether watchers of an account can see this line; asked only for selected lines.
 *
 * @param stretch pays for the cost of the judgement
 */
export type LineVisibility = (account: string, line: TailedLine, stretch: Stretch) => boolean

/** Watchers of one account. */
interface Watched {
  /** Listeners, with the first lines to show. */
  readonly listeners: Map<TailListener, TailedFrom>
  /** Known idempotency keys since the first listener joined. */
  readonly keys: IdempotencyKeys
  /** Budget of the queries. */
  readonly expressions: ExpressionBudget
}

/**
 * The single reader of a partition for all watchers. It begins at the newest checkpoint, which contains the log time
 * (needed for line ids) and the sequences of producers. It works at most half of the time.
 */
export class TailedPartition {
  readonly #source: ReplayedPartition
  readonly #ports: TailedPartitionPorts
  readonly #watched = new Map<string, Watched>()
  readonly #stand: LineStand
  readonly #meter = new EventMeter()
  readonly #stretch = new Stretch()
  /** Offset that must be shown; undefined: only records from now on. */
  readonly #reach: bigint | undefined
  #producers = new Producers()
  #nextOffset = 0n
  #timeMs = 0
  #workedSinceMs = 0
  /** End of the log when the reader began: earlier records do not count as late. */
  #beganBelow = 0n
  /** An earlier end of the log, with its time. */
  #noted = { next: 0n, atMs: Number.NEGATIVE_INFINITY }
  /** Records below this offset are skipped. */
  #passedBelow = 0n

  /** @param reach offset of the past from which records are read; absent: the newest checkpoint is early enough */
  constructor(source: ReplayedPartition, ports: TailedPartitionPorts, reach?: bigint) {
    this.#reach = reach
    this.#source = source
    this.#stand = new LineStand(source.catalogue)
    this.#ports = ports
  }

  get isWatched(): boolean {
    return this.#watched.size > 0
  }

  /** @param from the first lines that the listener is shown */
  join(account: string, listener: TailListener, from: TailedFrom): void {
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
   * Shows lines until the signal. It waits for temporary failures of the log to end.
   *
   * @throws LogError when the log can never be read on from here
   */
  async run(signal: AbortSignal): Promise<void> {
    const { topic, partition } = this.#source
    await this.#untilAvailable(() => this.#begin(), signal)
    while (!signal.aborted) {
      const records = await this.#untilAvailable(
        () => topic.read(partition, this.#nextOffset, READ_BYTES),
        signal,
      )
      this.#workedSinceMs = this.#ports.clock.monotonicMs()
      for (const record of records) {
        if (signal.aborted) return
        await this.#apply(record, signal)
        this.#nextOffset = record.offset + 1n
      }
      await this.#untilAvailable(() => this.#note(), signal)
      await this.#untilAvailable(() => topic.waitBeyond(partition, this.#nextOffset, signal), signal)
    }
  }

  async #begin(): Promise<void> {
    const { topic, partition, checkpoints } = this.#source
    const { first, next } = await topic.bounds(partition)
    const log = new CheckpointLog(checkpoints, { topic, partition })
    const kept = await (this.#reach === undefined ? log.newest() : log.nearest(first, this.#reach))
    const checkpoint = kept && checkpointType.decode(kept.body)
    this.#nextOffset = first
    this.#beganBelow = next
    if (checkpoint?.logId !== topic.logId) return
    this.#nextOffset = BigInt(checkpoint.nextOffset)
    this.#timeMs = checkpoint.timeMs
    this.#producers.restore(checkpoint.producers)
  }

  /** A reader that is behind an earlier end of the log continues at the present end. */
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
      const isContent = isLines || rekeyedType.has(schemaId) || deadLettersType.has(schemaId)
      const loss = isContent ? undefined : lossIn(record)
      const deadlineMs = isContent ? 0 : deadlineOf(record)
      this.#timeMs = Math.max(this.#timeMs, record.appendTimeMs, deadlineMs, loss?.witnessed?.timeMs ?? 0)
      this.#producers.merge(loss?.witnessed?.producers ?? [])
      if (isLines && !isRefused(record) && this.#isNew(record)) await this.#showLines(record, signal)
    } catch (error) {
      if (!(error instanceof WireFormatError)) throw error
      // The engine reports the remedy; this reader continues with the next record.
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
        if (this.#reach !== undefined && record.offset < this.#beganBelow)
          for (const listener of listeners) await listener.untilRoom?.()
      }
      const line = this.#stand.line(batch, index, { ...place, row, behaviour: BEHAVIOUR })
      this.#stretch.left -= EVENT_UNITS + (batch.bytes(index) >> READ_AT_ONCE_BITS)
      const wanting = listeners.filter(
        listener =>
          isBehind(watched.listeners.get(listener), record.offset, row) && this.#isWanted(listener, line),
      )
      if (wanting.length > 0 && isSeen(account, line, this.#stretch))
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

  /** Rests for as long as the work took, so that other work of this process does not wait. */
  async #rest(signal: AbortSignal): Promise<void> {
    const { clock } = this.#ports
    const workedMs = clock.monotonicMs() - this.#workedSinceMs
    if (workedMs < STRETCH_MS) return
    await clock.sleep(Math.min(workedMs, MAX_REST_MS), signal)
    this.#workedSinceMs = clock.monotonicMs()
  }

  #untilAvailable<T>(call: () => Promise<T>, signal: AbortSignal): Promise<T> {
    return untilAvailable(call, this.#ports.clock, { signal })
  }
}

function newlyWatched(): Watched {
  return { listeners: new Map(), keys: new IdempotencyKeys(), expressions: new ExpressionBudget() }
}

function listenersAt({ listeners }: Watched, offset: bigint): TailListener[] {
  const reached: TailListener[] = []
  for (const [listener, from] of listeners) if (offset >= from.offset) reached.push(listener)
  return reached
}

/** Whether a line of a record at or behind the place is to be shown. */
function isBehind(from: TailedFrom | undefined, offset: bigint, row: number): boolean {
  return from !== undefined && (offset > from.offset || row > from.afterRow)
}

/** Indexes of the lines that do not repeat a request with the same idempotency key. */
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
