import { BEHAVIOUR, FIFTH_BEHAVIOUR, FIRST_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../schemas/log/checkpoint.ts'
import type { Control, Cut } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { PipelineCut } from '../../schemas/log/cuts.ts'
import { deadLettersType } from '../../schemas/log/dead-letters.ts'
import { type Idempotency, lineBatchType } from '../../schemas/log/line-batch.ts'
import { type Loss, lossOf, type Witnessed } from '../../schemas/log/loss.ts'
import { MAX_ROWS_PER_RECORD, type Position } from '../../schemas/log/position.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import { Event } from '../event/event.ts'
import type { NodeError } from '../graph/compile-graph.ts'
import type { HeldState } from '../graph/compiled-node.ts'
import { LineBatchView } from '../lines/line-batch-view.ts'
import type { StoredLine } from '../lines/stored-line.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import { newStoredLine } from '../nodes/destinations/log-analysis/own-store.ts'
import { EVENT_UNITS, finish, type Steps, Stretch } from '../steps.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../times/duration.ts'
import type { Exclusion } from './account-rules.ts'
import type { AccountOutput, AccountState } from './account-state.ts'
import { Accounts, type HolderState } from './accounts.ts'
import { AppliedCuts } from './applied-cuts.ts'
import { behaviourOfCut } from './behaviour.ts'
import { checkpointBytes } from './checkpoint-bytes.ts'
import { DeadLetterExchange } from './dead-letter-exchange.ts'
import type { AcceptedGap, Flush, TableBatch } from './flush.ts'
import { type FullFieldDay, fullFieldDaysBlock } from './full-field-days-block.ts'
import { judgedArrival } from './line-rules.ts'
import { type NodeHolding, type NodeName, type NodeTotals, PendingNodeActivity } from './node-activity.ts'
import { nodeMetricsBlock } from './node-metrics-block.ts'
import { OpenBatch } from './open-batch.ts'
import { pipelineErrorsBlock } from './pipeline-errors-block.ts'
import { type KeyJudgement, Producers } from './repeats.ts'
import type { PartitionName, RunWatch } from './run-watch.ts'
import type { FoldSeat } from './spread/key-placement.ts'
import { KeyedExchange } from './spread/keyed-exchange.ts'
import type { Outbox } from './spread/outbox.ts'
import { sourceKey } from './spread/spread-account.ts'
import { LineStand } from './tailed-line.ts'

/** A checkpoint is due when this many times its size has been read since the last one … */
const CHECKPOINT_READ_FACTOR = 20
/** … but not before that much, so that small states are not written all the time … */
const CHECKPOINT_MIN_READ_BYTES = 8 * 1024 * 1024
/** … and in any case after an hour of log time with records. */
const CHECKPOINT_MAX_AGE_MS = HOUR_MS

export interface FoldIdentity extends FoldSeat {
  readonly logId: string
}

/** For those who want to know what became of some lines once more. */
export interface FoldScope {
  /** What other accounts sent is passed over. */
  readonly account: string
}

/** Places of lost records, as they are read. */
interface NotedLoss {
  readonly from: bigint
  readonly to: bigint
  readonly witnessed: Witnessed[]
}

export function foldIdentity(topic: Topic, partition: number): FoldIdentity {
  const { name, partitions, logId } = topic
  return { topic: name, partition, partitions, logId }
}

/** A record that this program must not go on from: it says what the operator should do. */
export class FoldError extends Error {
  override readonly name = 'FoldError'
}

/**
 * The pure part of a partition's worker: a fold over the records of the partition in offset order. It reads no
 * clock and asks nobody; everything it gives (batches, their borders, counts, states) follows from the records
 * and the checkpoint it began with.
 */
export class PartitionFold {
  readonly #identity: FoldIdentity
  readonly #scope: FoldScope | undefined
  readonly #accounts: Accounts
  readonly #cuts: AppliedCuts
  readonly #producers = new Producers()
  readonly #pending = new PendingNodeActivity()
  readonly #line: StoredLine = newStoredLine()
  /** Counts names of its own: what is judged here may never be stored, nor is it part of the state. */
  readonly #arrivals = new LineStand()
  readonly #batch = new OpenBatch()
  readonly #stored = new Map<string, Position>()
  /** Of the open batch. */
  #fullDays: FullFieldDay[] = []
  readonly #exchange: KeyedExchange
  readonly #deadLetters: DeadLetterExchange
  readonly #stretch = new Stretch()
  readonly #output = this.#newOutput()

  #nextOffset = 0n
  #timeMs = 0
  /** Behaviour number in force: the highest that a record has carried. */
  #behaviour = FIRST_BEHAVIOUR
  #pendingMinute = 0
  /** Log time before which no window ends. */
  #windowsEndMs = Number.POSITIVE_INFINITY
  #isApplying = false
  /** Whether a batch has ended that nobody has been given yet. */
  #isFlushing = false
  #offset = 0n
  #row = 0
  /** The first that the record in hand may use. */
  #firstRow = 0
  /** Of the record in hand. */
  #watch: RunWatch | undefined
  #bytesSinceCheckpoint = 0
  #lastCheckpointBytes = 0
  #lastCheckpointMs = 0
  #linesSinceCheckpoint = false
  /** What was witnessed of the lost records whose places are being read. */
  #loss: NotedLoss | undefined

  /**
   * @param scope folds a part alone, and makes no batches of lines; counts and memory are those of the whole
   * @param from  first offset, without a checkpoint
   */
  constructor(identity: FoldIdentity, checkpoint?: Buffer, scope?: FoldScope, from = 0n) {
    this.#nextOffset = from
    this.#identity = identity
    this.#scope = scope
    this.#accounts = new Accounts(identity, scope?.account)
    const seat = {
      nextPosition: () => ({ offset: this.#offset, row: this.#row++ }),
      isExact: () => this.#isExact,
      output: this.#output,
    }
    this.#cuts = new AppliedCuts({
      accounts: this.#accounts,
      output: this.#output,
      exchange: () => this.#exchange,
      watch: () => this.#watch,
      timeMs: () => this.#timeMs,
      isPassedOver: account => this.#isPassedOver(account),
      notePending: account => this.#notePending(account),
    })
    this.#exchange = new KeyedExchange(identity, {
      ...seat,
      applyForwarded: cut => this.#cuts.applyForwarded(cut),
      cutsOf: account => this.#cuts.ofAccount(account),
      watch: () => this.#watch,
    })
    this.#deadLetters = new DeadLetterExchange(identity, { ...seat, outbox: this.#exchange.outbox })
    if (checkpoint !== undefined) this.#restore(checkpoint)
  }

  get name(): PartitionName {
    const { topic, partition } = this.#identity
    return { topic, partition }
  }

  /** First offset that is not yet part of the state. */
  get nextOffset(): bigint {
    return this.#nextOffset
  }

  /** Log time t, UNIX ms. */
  get timeMs(): number {
    return this.#timeMs
  }

  /** True when no batch is open: a checkpoint may be taken here. */
  get atRest(): boolean {
    return !this.#batch.isOpen && !this.#isFlushing && this.#loss === undefined
  }

  /** Log time of the newest checkpoint; a UTC day is closed when every partition's lies behind its end. */
  get lastCheckpointMs(): number {
    return this.#lastCheckpointMs
  }

  /** What the next checkpoint takes at most, about: short lines with long keys are remembered nearly as a whole. */
  get checkpointBytes(): number {
    return this.#lastCheckpointBytes + this.#bytesSinceCheckpoint
  }

  get sliceMs(): number {
    return this.#cuts.sliceMs
  }

  /** Log time at which something must happen even if no record comes: end of a slice, a minute, a day, a window. */
  get deadlineMs(): number {
    const day = startOf(this.#timeMs, DAY_MS) + DAY_MS
    const deadlines = [day, this.#batch.deadlineMs(this.sliceMs), this.#windowsEndMs]
    if (!this.#pending.empty) deadlines.push(this.#pendingMinute + MINUTE_MS)
    return Math.min(...deadlines)
  }

  /** Log time before which no window ends, UNIX ms; Infinity: none is open. */
  get windowsEndMs(): number {
    return this.#windowsEndMs
  }

  /** Whether a record is applied in part: what it does is not all done. */
  get isApplying(): boolean {
    return this.#isApplying
  }

  /** Version of what is in effect here; 0: nothing of it is known. */
  cutVersion(kind: string, entity: string): number {
    return this.#cuts.version(kind, entity)
  }

  /** Cuts that took effect since this fold began. */
  get appliedCuts(): number {
    return this.#cuts.count
  }

  /** What was sent to other partitions since it was last taken or discarded. */
  get outbox(): Outbox {
    return this.#exchange.outbox
  }

  /** By account, the version of the newest change between one partition and many. */
  get spreads(): ReadonlyMap<string, number> {
    return this.#cuts.spreads
  }

  /** Highest position of another partition of which a thing for the account has arrived here. */
  passed(account: string, source: PartitionName): Position | undefined {
    return this.#accounts.find(account)?.spread?.passed(sourceKey(source))
  }

  /** What a request with that key would be if it were the next record. */
  judgeKey(account: string, idempotency: Idempotency): KeyJudgement {
    return this.#accounts.find(account)?.keys.judge(idempotency, this.#timeMs) ?? 'new'
  }

  /** What a node of what runs remembers here. */
  memoryOf(account: string, pipeline: string, node: string): HeldState | undefined {
    return this.#accounts.find(account)?.memoryOf(pipeline, node)
  }

  /** What every node has done since this fold began; a replay after a restart counts again. */
  get nodeTotals(): Iterable<NodeTotals> {
    return this.#pending.totals
  }

  /** What every node with windows holds now. A node has several rows while revisions of before retire. */
  *nodeHoldings(): Iterable<NodeHolding> {
    for (const account of this.#accounts) yield* account.holdings()
  }

  /** Highest position given to a table so far. */
  storedPosition(table: StoreTable): Position | undefined {
    return this.#stored.get(table)
  }

  /**
   * Applies the next record, all at once.
   *
   * @param watch sees what the record does; nothing follows from it
   * @returns what became complete by it, oldest first
   * @throws FoldError when the record is of a newer program, WireFormatError when it is damaged
   */
  apply(record: LogRecord, watch?: RunWatch): Flush[] {
    return finish(this.applying(record, watch))
  }

  /**
   * The same in stretches. Between them the record is applied in part: counts and memory may be looked at, and nothing
   * may be applied.
   */
  *applying(record: LogRecord, watch?: RunWatch): Steps<Flush[]> {
    assertInOrder(record.offset, this.#nextOffset)
    this.#isApplying = true
    this.#stretch.begin()
    const flushes = yield* this.#take(record, 0, watch)
    this.#isApplying = false
    this.#nextOffset = record.offset + 1n
    if (this.#loss !== undefined) return flushes
    this.#batch.addRecord(record.value.length)
    if (this.#batch.isFull(this.#behaviour)) flushes.push(yield* this.#flush(record.offset, this.#timeMs))
    return flushes
  }

  /**
   * Takes what another partition might have sent, at a time between two records. Nothing of it is on the log, so this is
   * for those who try something.
   */
  receive(value: Buffer, timeMs: number, watch?: RunWatch): void {
    // Positions of what this yields lie between those of the two records.
    const [offset, firstRow] = [this.#nextOffset - 1n, Math.max(this.#row, MAX_ROWS_PER_RECORD)]
    finish(this.#take({ offset, appendTimeMs: timeMs, value, producer: null }, firstRow, watch))
  }

  *#take(record: LogRecord, firstRow: number, watch: RunWatch | undefined): Steps<Flush[]> {
    this.#watch = watch
    const control = this.#controlOf(record)
    const loss = control === null ? undefined : lossOf(control)
    if (loss !== undefined && record.offset < loss.to) {
      this.#noteLoss(record, loss)
      return []
    }
    const witnessed = [
      ...(this.#loss?.witnessed ?? []),
      ...(loss?.witnessed === undefined ? [] : [loss.witnessed]),
    ]
    const timesMs = [record.appendTimeMs, ...witnessed.map(each => each.timeMs ?? 0)]
    const timeMs = Math.max(this.#timeMs, control === null ? 0 : deadlineOf(control), ...timesMs)
    const flushes: Flush[] = []
    if (this.#loss !== undefined) {
      flushes.push(this.#flushAtGap(this.#loss, record.offset, timeMs))
      this.#exchange.doubt(this.#accounts)
    }
    if (this.#endsBefore(timeMs)) flushes.push(yield* this.#flush(record.offset, timeMs))

    const newSlice = this.#sliceOf(timeMs) !== this.#sliceOf(this.#timeMs)
    this.#timeMs = timeMs
    this.#cuts.forgetExemptions(timeMs)
    if (this.#pending.empty) this.#pendingMinute = startOf(timeMs, MINUTE_MS)
    this.#offset = record.offset
    this.#firstRow = firstRow
    this.#row = firstRow
    this.#bytesSinceCheckpoint += record.value.length
    if (control !== null && timeMs >= this.#windowsEndMs) yield* this.#endDueWindows()
    for (const each of witnessed) yield* this.#applyWitnessed(each)
    if (this.#isNew(record)) {
      if (control === null) yield* this.#applyContent(record)
      else if (loss === undefined && 'weir.Cut' in control.body)
        yield* this.#cuts.apply(control.body['weir.Cut'])
    }
    if (control !== null || newSlice) yield* this.#tick()
    // Of other accounts than the record's; and a pipeline that goes on after a pause, or memory from elsewhere, may bring some.
    if (timeMs >= this.#windowsEndMs) yield* this.#endDueWindows()
    return flushes
  }

  /**
   * Lets a document run in the place of what is deployed of its pipeline, whatever is published from now on. It is
   * paused when that is. Events that are under way from other partitions stay with the revision that sent them.
   */
  tryPipeline(document: PipelineCut): void {
    this.#cuts.tryPipeline(document)
  }

  /** Tells of everything that is in effect here. */
  showPipelines(watch: RunWatch): void {
    for (const state of this.#accounts)
      for (const { pipeline, ...inEffect } of state.inEffect())
        watch.takesEffect(state.account, pipeline, { ...inEffect, atMs: this.#timeMs })
  }

  /** A flush without rows whose only purpose is a checkpoint; the fold must be at rest. */
  checkpointAtRest(): Flush {
    return finish(this.checkpointingAtRest())
  }

  /** The same in stretches, between which nothing may be applied. */
  *checkpointingAtRest(): Steps<Flush> {
    if (!this.atRest) throw new FoldError('a checkpoint inside a batch')
    const checkpoint = yield* this.#takeCheckpoint()
    return { nextOffset: this.#nextOffset, timeMs: this.#timeMs, tables: [], checkpoint }
  }

  /**
   * In the places of lost records nothing happens, since positions of theirs are known: no time passes, nothing ends.
   * What is known of them takes effect with the first record behind them.
   */
  #noteLoss({ appendTimeMs, value }: LogRecord, { from, to, witnessed = {} }: Loss): void {
    const known = this.#loss ?? { from: BigInt(from), to: 0n, witnessed: [] }
    // A log may lose its end once more inside of what was accepted before: the second act goes further.
    this.#loss = BigInt(to) > known.to ? { ...known, to: BigInt(to) } : known
    known.witnessed.push({ ...witnessed, timeMs: Math.max(appendTimeMs, witnessed.timeMs ?? 0) })
    this.#bytesSinceCheckpoint += value.length
  }

  /** Ends what is open from before lost records, so that what may be stored already is told from what cannot be. */
  #flushAtGap({ from, to, witnessed }: NotedLoss, offset: bigint, untilMs: number): Flush {
    this.#loss = undefined
    const reached = new Set<StoreTable>(witnessed.flatMap(each => each.reached ?? []))
    const lines = this.#batch.take()
    const pending = this.#pendingTables(offset).filter(({ table }) => !reached.has(table))
    const tables = [...(lines === undefined ? [] : [lines]), ...this.#takeFullDays(), ...pending]
    for (const { table, last } of tables) this.#stored.set(table, last)
    const gap: AcceptedGap = { from, to, sinceMs: this.#timeMs, untilMs }
    return { nextOffset: this.#nextOffset, timeMs: this.#timeMs, tables, checkpoint: null, gap }
  }

  *#applyWitnessed({ producers = [], cuts = [] }: Witnessed): Steps {
    this.#producers.merge(producers)
    for (const cut of cuts) yield* this.#cuts.apply(cut)
  }

  #decoded<T>({ offset }: LogRecord, decode: () => T): T {
    try {
      return decode()
    } catch (cause) {
      const { topic, partition } = this.#identity
      throw new FoldError(
        `record ${offset} of ${topic}/${partition} cannot be read: ${(cause as Error).message}`,
        {
          cause,
        },
      )
    }
  }

  /**
   * The windows of an account end before what the record in hand brings for it, those of others behind that: so the rows
   * of its lines do not depend on others, and a fold of the account alone gives the same.
   */
  *#endDueWindowsOf(account: AccountState): Steps {
    if (this.#timeMs < this.#windowsEndMs || this.#timeMs < account.windowsEndMs) return
    yield* account.endDueWindows(this.#timeMs, this.#output)
    this.#notePending(account)
  }

  *#endDueWindows(): Steps {
    for (const account of this.#accounts.withWindowsDue(this.#timeMs)) {
      yield* account.endDueWindows(this.#timeMs, this.#output)
      this.#notePending(account)
    }
    this.#windowsEndMs = this.#accounts.windowsEndMs
  }

  /** Lets time pass for keyed state of accounts that send nothing: once a slice, for all of them. */
  *#tick(): Steps {
    for (const account of this.#accounts) {
      yield* account.tick(this.#timeMs)
      if (!account.retires) continue
      this.#notePending(account)
      yield* account.forgetRetired(this.#timeMs, this.#output)
      this.#notePending(account)
    }
  }

  #controlOf(record: LogRecord): Control | null {
    const id = this.#decoded(record, () => schemaIdOf(record.value))
    if (id === lineBatchType.id || id === rekeyedType.id || id === deadLettersType.id) return null
    const control = this.#decoded(record, () => controlType.decode(record.value))
    this.#bringIntoForce(record, control.behaviour)
    return control
  }

  #bringIntoForce({ offset }: LogRecord, behaviour: number): void {
    if (behaviour > BEHAVIOUR) {
      const { topic, partition } = this.#identity
      throw new FoldError(
        `record ${offset} of ${topic}/${partition} was written by a newer program (behaviour ${behaviour}, this one knows ${BEHAVIOUR}): start that one`,
      )
    }
    this.#behaviour = Math.max(this.#behaviour, behaviour)
  }

  /** Where the events of the record in hand end up. */
  #newOutput(): AccountOutput {
    // No getter: what one closes over lives until V8 collects everything.
    return {
      timeMs: () => this.#timeMs,
      behaviour: () => this.#behaviour,
      stretch: this.#stretch,
      store: (...event) => this.#store(...event),
      report: (name, error) => this.#report(name, error),
      elsewhere: (account, pipeline, version) => this.#exchange.elsewhere(account, pipeline, version),
      deadLetterTaker: (account, pipeline, version) => this.#deadLetters.taker(account, pipeline, version),
      observer: ({ account }, pipeline) => this.#watch?.observerOf(account, pipeline),
    }
  }

  /** Whether something that is open or pending must end before a record of that time. */
  #endsBefore(timeMs: number): boolean {
    if (this.#batch.endsBefore(timeMs, this.sliceMs)) return true
    return !this.#pending.empty && startOf(timeMs, MINUTE_MS) !== this.#pendingMinute
  }

  #sliceOf(timeMs: number): number {
    return Math.floor(timeMs / this.sliceMs)
  }

  #isNew(record: LogRecord): boolean {
    return (
      record.producer === null ||
      this.#producers.advance(record.producer.id, record.producer.sequence, this.#timeMs)
    )
  }

  *#applyContent(record: LogRecord): Steps {
    if (this.#scope === undefined) this.#batch.begin(this.#timeMs)
    this.#linesSinceCheckpoint = true
    const schemaId = schemaIdOf(record.value)
    if (schemaId === deadLettersType.id) {
      const letters = this.#decoded(record, () => deadLettersType.decode(record.value))
      this.#bringIntoForce(record, letters.behaviour)
      if (this.#isPassedOver(letters.account)) return
      const account = this.#accounts.of(letters.account)
      yield* this.#endDueWindowsOf(account)
      yield* this.#deadLetters.replay(account, letters)
      this.#notePending(account)
    } else if (schemaId === rekeyedType.id) {
      const rekeyed = this.#decoded(record, () => rekeyedType.decode(record.value))
      this.#bringIntoForce(record, rekeyed.behaviour)
      if (this.#isPassedOver(rekeyed.account)) return
      const account = this.#accounts.of(rekeyed.account)
      yield* this.#endDueWindowsOf(account)
      yield* this.#exchange.receive(account, rekeyed)
      this.#notePending(account)
    } else {
      yield* this.#applyLines(this.#decoded(record, () => LineBatchView.decode(record.value, this.#isExact)))
    }
  }

  /** Whether the fifth behaviour is in force; of the events that the record in hand brings, see `Event.isExact`. */
  get #isExact(): boolean {
    return this.#behaviour >= FIFTH_BEHAVIOUR
  }

  #isPassedOver(account: string): boolean {
    return this.#scope !== undefined && this.#scope.account !== account
  }

  *#applyLines(batch: LineBatchView): Steps {
    if (this.#isPassedOver(batch.account)) return
    const account = this.#accounts.of(batch.account)
    yield* this.#endDueWindowsOf(account)
    const newLines = this.#newLines(account, batch)
    account.takeIn(batch, newLines, this.#output)
    const indexes = yield* this.#notDropped(account, batch, newLines)
    if (batch.isPushed) account.reportRefusals(batch, this.#output)
    this.#watch?.handles?.(batch, indexes)
    yield* account.run(batch, indexes, this.#output)
    this.#notePending(account)
  }

  /** Indexes of the lines that are no repeat of a request with the same idempotency key. */
  #newLines(account: AccountState, batch: LineBatchView): number[] {
    const indexes: number[] = []
    let first = 0
    for (const request of batch.requests) {
      const end = first + request.lines
      const isNew = request.idempotency === null || account.keys.advance(request.idempotency, this.#timeMs)
      for (let index = first; isNew && index < end; index++) indexes.push(index)
      first = end
    }
    return indexes
  }

  /** Indexes of the lines that no rule drops entirely: the others are as if they had not been sent. */
  *#notDropped(account: AccountState, batch: LineBatchView, indexes: number[]): Steps<number[]> {
    const { rules, retentionDays } = account
    // Rules are on lines of a log: what a gateway route brought is one where it is stored, at the earliest.
    if (batch.isPushed) return indexes.filter(index => batch.refusalText(index) === '')
    if (!rules.anyOnArrival) return indexes
    const { partition } = this.#identity
    const timeMs = this.#timeMs
    const place = { partition, offset: this.#offset, timeMs, retentionDays, behaviour: this.#behaviour }
    const kept: number[] = []
    for (const [row, index] of indexes.entries()) {
      const line = judgedArrival(this.#arrivals.line(batch, index, { ...place, row }))
      const { bytes } = Event.ofLine(batch, index)
      const exclusion = rules.judgeArrival(line, { timeMs, bytes, meter: account.ruleMeter(this.#output) })
      if (exclusion === undefined) kept.push(index)
      else this.#watch?.dropped?.(batch, index, exclusion)
      this.#stretch.left -= EVENT_UNITS
      if (this.#stretch.left > 0) continue
      yield
      this.#stretch.begin()
    }
    return kept
  }

  #store(
    ...[sink, event, state, name, failed]: Parameters<AccountOutput['store']>
  ): 'stored' | 'failed' | Exclusion {
    const row = this.#row++
    const fail = (code: NodeError['code'], field: string | null, message: string) => {
      const error = { nodeId: name.node, kind: 'destination' as const, code, field, message, event }
      this.#report(name, error)
      failed?.(error)
      return 'failed' as const
    }
    if (row - this.#firstRow >= MAX_ROWS_PER_RECORD)
      return fail('E_DELIVERY_FAILED', null, 'one record yields too many lines')
    const failure = sink.fill(event, this.#line, {
      account: state.account,
      timeMs: this.#timeMs,
      retentionDays: state.retentionDays,
      poolDays: 0,
      fieldNames: state.fieldNames,
      behaviour: this.#behaviour,
    })
    if (failure !== undefined) return fail(failure.code, failure.field, failure.message)
    const position = { offset: this.#offset, row }
    if (state.rules.anyHold) {
      const { topic, partition } = this.#identity
      const place = { topic, partition, ...position }
      const meter = state.ruleMeter(this.#output)
      const judging = { bytes: event.bytes, meter, behaviour: this.#behaviour }
      const exclusion = state.rules.judge(this.#line, place, judging)
      if (exclusion !== undefined) {
        this.#watch?.excluded?.(event, name, exclusion)
        return exclusion
      }
    }
    if (this.#scope === undefined) {
      this.#batch.begin(this.#timeMs) // Windows end with records of any kind.
      this.#batch.append(position, this.#line)
      if (this.#isExact && state.fieldNames.takeFull())
        this.#fullDays.push({ ...position, account: state.account, timeMs: this.#timeMs })
    }
    this.#watch?.stored?.(event, name, row)
    return 'stored'
  }

  #report(name: NodeName, error: NodeError): void {
    this.#pending.addError(name, error, this.#timeMs)
  }

  #notePending(account: AccountState): void {
    this.#windowsEndMs = Math.min(this.#windowsEndMs, account.windowsEndMs)
    for (const { activity, ...name } of account.takeActivity()) this.#pending.add(name, activity)
  }

  /**
   * Ends the open batch; counts and errors go with it when their minute is over at `timeMs`. Their position is the
   * record at `offset` that brought the end, which no earlier flush of theirs can have.
   */
  *#flush(offset: bigint, timeMs: number): Steps<Flush> {
    this.#isFlushing = true
    const lines = this.#batch.take()
    const tables: TableBatch[] = lines === undefined ? [] : [lines]
    tables.push(...this.#takeFullDays())
    if (startOf(timeMs, MINUTE_MS) !== this.#pendingMinute) tables.push(...this.#pendingTables(offset))
    for (const { table, last: position } of tables) this.#stored.set(table, position)
    const checkpoint = this.#checkpointDue() ? yield* this.#takeCheckpoint() : null
    this.#isFlushing = false
    return { nextOffset: this.#nextOffset, timeMs: this.#timeMs, tables, checkpoint }
  }

  #takeFullDays(): TableBatch[] {
    const days = this.#fullDays
    const [first] = days
    const last = days.at(-1)
    if (first === undefined || last === undefined) return []
    this.#fullDays = []
    const block = fullFieldDaysBlock(days)
    return [{ table: 'full_field_days', block, rows: days.length, first, last, sinceMs: first.timeMs }]
  }

  #pendingTables(offset: bigint): TableBatch[] {
    if (this.#pending.empty) return []
    const minuteMs = this.#pendingMinute
    const { nodes, errors } = this.#pending.take()
    const context = { ...this.#identity, offset, minuteMs }
    const tables: TableBatch[] = []
    const add = (table: StoreTable, block: readonly Uint8Array[], rows: number) => {
      if (rows > 0)
        tables.push({
          table,
          block,
          rows,
          first: { offset, row: 0 },
          last: { offset, row: rows - 1 },
          sinceMs: minuteMs,
        })
    }
    add('node_metrics', nodeMetricsBlock(context, nodes), nodes.length)
    add('pipeline_errors', pipelineErrorsBlock(context, errors), errors.length)
    return tables
  }

  #checkpointDue(): boolean {
    const readEnough = Math.max(CHECKPOINT_MIN_READ_BYTES, CHECKPOINT_READ_FACTOR * this.#lastCheckpointBytes)
    if (this.#bytesSinceCheckpoint >= readEnough) return true
    if (!this.#linesSinceCheckpoint) return false
    if (this.#timeMs - this.#lastCheckpointMs >= CHECKPOINT_MAX_AGE_MS) return true
    return startOf(this.#timeMs, DAY_MS) !== startOf(this.#lastCheckpointMs, DAY_MS)
  }

  *#takeCheckpoint(): Steps<Buffer> {
    const head = {
      behaviour: this.#behaviour,
      logId: this.#identity.logId,
      nextOffset: Number(this.#nextOffset),
      timeMs: this.#timeMs,
      sliceMs: this.sliceMs,
      stored: [...this.#stored].map(([table, { offset, row }]) => ({ table, offset: Number(offset), row })),
      cuts: [...this.#cuts.all],
      producers: this.#producers.snapshot(this.#timeMs),
    }
    const bytes = yield* checkpointBytes(head, yield* this.#states())
    this.#lastCheckpointBytes = bytes.length
    this.#noteCheckpoint()
    return bytes
  }

  #noteCheckpoint(): void {
    this.#lastCheckpointMs = this.#timeMs
    this.#bytesSinceCheckpoint = 0
    this.#linesSinceCheckpoint = false
  }

  *#states(): Steps<HolderState[]> {
    const pending = { holder: `pending ${this.#pendingMinute}`, data: this.#pending.snapshot() }
    const versionOf = (pipeline: string) => this.cutVersion('pipeline', pipeline)
    return [pending, ...(yield* this.#accounts.states(this.#timeMs, versionOf))]
  }

  #restore(bytes: Buffer): void {
    const checkpoint = checkpointType.decode(bytes)
    const { topic, partition, logId } = this.#identity
    if (checkpoint.logId !== logId) {
      throw new FoldError(
        `the checkpoint of ${topic}/${partition} belongs to log ${checkpoint.logId}, this is ${logId}`,
      )
    }
    if (checkpoint.behaviour > BEHAVIOUR) {
      throw new FoldError(
        `the checkpoint of ${topic}/${partition} was written by a newer program: start that one`,
      )
    }
    this.#nextOffset = BigInt(checkpoint.nextOffset)
    this.#timeMs = checkpoint.timeMs
    this.#behaviour = checkpoint.behaviour
    for (const { table, offset, row } of checkpoint.stored)
      this.#stored.set(table, { offset: BigInt(offset), row })
    this.#producers.restore(checkpoint.producers)
    for (const { holder, data } of checkpoint.states) {
      const [kind, minute] = holder.split(' ')
      if (kind !== 'pending') continue
      this.#pending.restore(data)
      this.#pendingMinute = Number(minute)
    }
    const cuts = checkpoint.cuts as Cut[]
    this.#cuts.restore(cuts, checkpoint.sliceMs)
    this.#accounts.restore(checkpoint.states, cuts)
    this.#windowsEndMs = this.#accounts.windowsEndMs
    this.#lastCheckpointBytes = bytes.length
    this.#noteCheckpoint()
  }
}

/**
 * A control record that says what a program must know to read it. The record of an owner brings the behaviour of
 * this program into force.
 */
export function encodeControl(body: Control['body']): Buffer {
  return controlType.encode({ behaviour: behaviourOf(body), body })
}

function behaviourOf(body: Control['body']): number {
  if ('weir.Owner' in body) return BEHAVIOUR
  return 'weir.Cut' in body ? behaviourOfCut(body['weir.Cut']) : FIRST_BEHAVIOUR
}

function startOf(timeMs: number, unitMs: number): number {
  return Math.floor(timeMs / unitMs) * unitMs
}

function deadlineOf({ body }: Control): number {
  return 'weir.Tick' in body ? body['weir.Tick'].deadlineMs : 0
}

/** Offsets may have gaps (the log port allows them) but never step back. */
function assertInOrder(offset: bigint, nextOffset: bigint): void {
  if (offset < nextOffset) throw new FoldError(`record ${offset} was read again: ${nextOffset} is next`)
}
