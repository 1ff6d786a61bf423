import type { Control } from '../../schemas/log/control.ts'
import type { PipelineCut } from '../../schemas/log/cuts.ts'
import type { Idempotency } from '../../schemas/log/line-batch.ts'
import { isRefused, lossOf, refusedPlace } from '../../schemas/log/loss.ts'
import { MAX_ROWS_PER_RECORD, type Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import { foldProgress, ProgressPlace } from '../fold-progress.ts'
import type { HeldState } from '../graph/compiled-node.ts'
import type { LogRecord, Topic } from '../log/log.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { finish, type Steps } from '../steps.ts'
import { DAY_MS } from '../times/duration.ts'
import { restoreCheckpoint, takeCheckpoint } from './checkpoint/fold-checkpoint.ts'
import type { Flush } from './flush.ts'
import { FoldError } from './fold-error.ts'
import { type FoldIdentity, type FoldParts, type FoldScope, foldParts } from './fold-parts.ts'
import { LostRecords, type PassedLoss, reachedTables } from './lost-records.ts'
import type { NodeHolding, NodeTotals } from './node-activity.ts'
import { RecordEffect } from './record-effect.ts'
import type { KeyJudgement } from './repeats.ts'
import type { PartitionName, RunWatch } from './run-watch.ts'
import type { FoldMail } from './spread/fold-mail.ts'
import { sourceKey } from './spread/spread-account.ts'

export type { FoldIdentity, FoldScope } from './fold-parts.ts'

export function foldIdentity(topic: Topic, partition: number): FoldIdentity {
  const { name, partitions, logId } = topic
  return { topic: name, partition, partitions, logId }
}

/**
 * The pure part of a partition's worker: a fold over the records of the partition in offset order. It reads neither a
 * clock nor any other input. Its results (batches, their borders, counts, states) follow from the records and the
 * checkpoint that it began with.
 */
export class PartitionFold {
  /** Records below this offset were processed before this start. Only the watchdog uses it; results do not depend on it. */
  processedTo = 0n
  readonly #parts: FoldParts
  readonly #effect: RecordEffect
  readonly #lost = new LostRecords()
  readonly #place: ProgressPlace
  #nextOffset: bigint
  #isApplying = false
  /** Whether a batch has ended that the caller has not received yet. */
  #isFlushing = false

  /**
   * @param scope limits the fold to one account, without batches of lines; its counts and memory equal those of the whole fold
   * @param from first offset
   */
  constructor(catalogue: Catalogue, identity: FoldIdentity, scope?: FoldScope, from = 0n) {
    this.#parts = foldParts(catalogue, identity, scope)
    this.#effect = new RecordEffect(this.#parts)
    this.#place = new ProgressPlace({ ...this.name })
    this.#nextOffset = from
  }

  /**
   * Makes a fold that continues from a checkpoint; undefined: from the beginning of the log.
   *
   * @throws FoldError when the checkpoint belongs to another log, or was written by a newer program
   */
  static restored(
    catalogue: Catalogue,
    identity: FoldIdentity,
    checkpoint: Buffer | undefined,
    scope?: FoldScope,
  ): PartitionFold {
    return finish(PartitionFold.restoring(catalogue, identity, checkpoint, scope))
  }

  /** Makes a fold as `restored` does, in stretches. */
  static *restoring(
    catalogue: Catalogue,
    identity: FoldIdentity,
    checkpoint: Buffer | undefined,
    scope?: FoldScope,
  ): Steps<PartitionFold> {
    const fold = new PartitionFold(catalogue, identity, scope)
    if (checkpoint !== undefined) yield* fold.#restore(checkpoint)
    return fold
  }

  get name(): PartitionName {
    const { topic, partition } = this.#parts.identity
    return { topic, partition }
  }

  /** First offset that is not yet part of the state. */
  get nextOffset(): bigint {
    return this.#nextOffset
  }

  /** Log time t, UNIX ms. */
  get timeMs(): number {
    return this.#parts.moment.timeMs
  }

  /** True when no batch is open: a checkpoint may be taken here. */
  get atRest(): boolean {
    return !this.#parts.tables.lines.isOpen && !this.#isFlushing && !this.#lost.isOpen
  }

  /** Log time of the newest checkpoint; a UTC day is closed when every partition's lies behind its end. */
  get lastCheckpointMs(): number {
    return this.#parts.schedule.lastMs
  }

  /** @see CheckpointSchedule.nextBytes */
  get checkpointBytes(): number {
    return this.#parts.schedule.nextBytes
  }

  get sliceMs(): number {
    return this.#parts.cuts.sliceMs
  }

  /** Log time at which something must happen even without a record: end of a slice, a minute, a day, a window. */
  get deadlineMs(): number {
    const day = Math.floor(this.timeMs / DAY_MS) * DAY_MS + DAY_MS
    return Math.min(day, this.#parts.tables.deadlineMs(this.sliceMs), this.#parts.windows.endMs)
  }

  /** Log time before which no window ends, UNIX ms; Infinity: none is open. */
  get windowsEndMs(): number {
    return this.#parts.windows.endMs
  }

  /** Whether a record is applied in part: not all of its effect is there. */
  get isApplying(): boolean {
    return this.#isApplying
  }

  /** Version of an entity's cut that is in effect here; 0: none is known. */
  cutVersion(kind: string, entity: string): number {
    return this.#parts.cuts.version(kind, entity)
  }

  /** Cuts that took effect since this fold began. */
  get appliedCuts(): number {
    return this.#parts.cuts.count
  }

  /** Everything that was sent to other partitions since it was last taken or discarded. */
  get mail(): FoldMail {
    return this.#parts.exchange.mail
  }

  /** @see AppliedCuts.spreads */
  get spreads(): ReadonlyMap<string, number> {
    return this.#parts.cuts.spreads
  }

  /** Highest position of another partition of which a thing for the account has arrived here. */
  passed(account: string, source: PartitionName): Position | undefined {
    return this.#parts.accounts.find(account)?.spread?.passed(sourceKey(source))
  }

  /** Judges a request with that key as if it were the next record. */
  judgeKey(account: string, idempotency: Idempotency): KeyJudgement {
    return this.#parts.accounts.find(account)?.keys.judge(idempotency, this.timeMs) ?? 'new'
  }

  /** State that a node of the deployed pipeline holds in this partition. */
  memoryOf(account: string, pipeline: string, node: string): HeldState | undefined {
    return this.#parts.accounts.find(account)?.memoryOf(pipeline, node)
  }

  /** Activity of every node since this fold began; a replay after a restart counts again. */
  get nodeTotals(): Iterable<NodeTotals> {
    return this.#parts.tables.minute.activity.totals
  }

  /** Events that every node with windows holds now. A node has several rows while earlier revisions retire. */
  *nodeHoldings(): Iterable<NodeHolding> {
    for (const account of this.#parts.accounts) yield* account.holdings()
  }

  /** Highest position given to a table so far. */
  storedPosition(table: StoreTable): Position | undefined {
    return this.#parts.tables.given(table)
  }

  /**
   * Applies the next record completely.
   *
   * @param watch observes the effect of the record, and has none itself
   * @returns the flushes that the record completed, oldest first
   * @throws FoldError when the record is of a newer program, WireFormatError when it is damaged
   */
  apply(record: LogRecord, watch?: RunWatch): Flush[] {
    return finish(this.applying(record, watch))
  }

  /**
   * Applies the next record in steps. Between them the record is applied in part: counts and memory may be read, but
   * another record must not be applied.
   */
  applying(record: LogRecord, watch?: RunWatch): Steps<Flush[]> {
    const { offset } = record
    const steps = this.#applyingWhole(record, watch)
    return foldProgress.watched(this.#place, offset, steps, offset < this.processedTo)
  }

  *#applyingWhole(record: LogRecord, watch: RunWatch | undefined): Steps<Flush[]> {
    assertInOrder(record.offset, this.#nextOffset)
    this.#isApplying = true
    this.#parts.moment.stretch.begin()
    const flushes = yield* this.#take(record, 0, watch)
    this.#isApplying = false
    this.#nextOffset = record.offset + 1n
    if (this.#lost.isOpen) return flushes
    const { lines } = this.#parts.tables
    lines.addRecord(record.value.length)
    if (lines.isFull(this.#parts.moment.behaviour))
      flushes.push(yield* this.#flush(record.offset, this.timeMs))
    return flushes
  }

  /**
   * Applies a value that another partition might have sent, at a time between two records. None of it is on the log;
   * only previews call this.
   */
  receive(value: Buffer, timeMs: number, watch?: RunWatch): void {
    // Positions of its results lie between those of the two records.
    const [offset, firstRow] = [this.#nextOffset - 1n, Math.max(this.#parts.moment.row, MAX_ROWS_PER_RECORD)]
    finish(this.#take({ offset, appendTimeMs: timeMs, value, producer: null }, firstRow, watch))
  }

  *#take(record: LogRecord, firstRow: number, watch: RunWatch | undefined): Steps<Flush[]> {
    const { moment, tables, reader, windows } = this.#parts
    moment.watch = watch
    const control = reader.control(record)
    const loss = isRefused(record) ? refusedPlace(record) : control && lossOf(control)
    if (loss !== undefined && record.offset < loss.to) {
      this.#lost.note(record, loss)
      this.#parts.schedule.noteRead(record.value.length)
      return []
    }
    const passed = this.#lost.pass()
    const witnessed = [
      ...(passed?.witnessed ?? []),
      ...(loss?.witnessed === undefined ? [] : [loss.witnessed]),
    ]
    const timesMs = [record.appendTimeMs, ...witnessed.map(each => each.timeMs ?? 0)]
    const timeMs = Math.max(this.timeMs, control === undefined ? 0 : deadlineOf(control), ...timesMs)
    const flushes: Flush[] = []
    if (passed !== undefined) flushes.push(this.#flushAtGap(passed, record.offset, timeMs))
    if (tables.endsBefore(timeMs, this.sliceMs)) flushes.push(yield* this.#flush(record.offset, timeMs))
    const isNewSlice = this.#sliceOf(timeMs) !== this.#sliceOf(this.timeMs)
    this.#enter(record, timeMs, firstRow)
    yield* this.#effect.apply(record, control, witnessed)
    if (control !== undefined || isNewSlice) yield* this.#effect.tick()
    // Windows of other accounts; and of a pipeline that goes on after a pause, or of memory from elsewhere.
    if (windows.isDue) yield* windows.endDue()
    return flushes
  }

  /** Lets time pass up to a record, and takes it in hand. */
  #enter({ offset, value, quarantinedNodes }: LogRecord, timeMs: number, firstRow: number): void {
    const { moment, cuts, tables } = this.#parts
    moment.enter(offset, timeMs, firstRow)
    moment.quarantinedNodes = quarantinedNodes
    cuts.forgetEnded(timeMs)
    tables.minute.noteTime(timeMs)
    this.#parts.schedule.noteRead(value.length)
  }

  /** @see AppliedCuts.tryPipeline */
  tryPipeline(document: PipelineCut): void {
    this.#parts.cuts.tryPipeline(document)
  }

  /** @see RunPlaces.beginPreview */
  beginPreview(): void {
    this.#parts.places.beginPreview()
  }

  /** Shows every pipeline that is in effect here. */
  showPipelines(watch: RunWatch): void {
    for (const state of this.#parts.accounts)
      for (const { pipeline, ...inEffect } of state.inEffect())
        watch.takesEffect(state.account, pipeline, { ...inEffect, atMs: this.timeMs })
  }

  /** A flush without rows whose only purpose is a checkpoint; the fold must be at rest. */
  checkpointAtRest(): Flush {
    return finish(this.checkpointingAtRest())
  }

  /** Takes a checkpoint in steps, between which records must not be applied. */
  *checkpointingAtRest(): Steps<Flush> {
    if (!this.atRest) throw new FoldError('a checkpoint inside a batch')
    const checkpoint = yield* this.#takeCheckpoint()
    return { nextOffset: this.#nextOffset, timeMs: this.timeMs, tables: [], checkpoint }
  }

  #sliceOf(timeMs: number): number {
    return Math.floor(timeMs / this.sliceMs)
  }

  /** @param offset of the record that ends the open batch, at `timeMs` */
  *#flush(offset: bigint, timeMs: number): Steps<Flush> {
    this.#isFlushing = true
    const tables = this.#parts.tables.take(offset, timeMs)
    const checkpoint = this.#parts.schedule.isDue(this.timeMs) ? yield* this.#takeCheckpoint() : null
    this.#isFlushing = false
    return { nextOffset: this.#nextOffset, timeMs: this.timeMs, tables, checkpoint }
  }

  /**
   * Ends everything that is open before lost records, so that rows that may be stored already stay apart from the rest.
   */
  #flushAtGap({ from, to, witnessed }: PassedLoss, offset: bigint, untilMs: number): Flush {
    const tables = this.#parts.tables.takeAtGap(offset, reachedTables(witnessed))
    this.#parts.exchange.doubt(this.#parts.accounts)
    const gap = { from, to, sinceMs: this.timeMs, untilMs }
    return { nextOffset: this.#nextOffset, timeMs: this.timeMs, tables, checkpoint: null, gap }
  }

  *#takeCheckpoint(): Steps<Buffer> {
    const bytes = yield* takeCheckpoint(this.#parts, this.#nextOffset)
    this.#parts.schedule.noteCheckpoint(bytes.length, this.timeMs)
    return bytes
  }

  *#restore(bytes: Buffer): Steps {
    this.#nextOffset = yield* restoreCheckpoint(bytes, this.#parts)
    this.#parts.windows.noteAll()
    this.#parts.schedule.noteCheckpoint(bytes.length, this.timeMs)
  }
}

function deadlineOf({ body }: Control): number {
  return 'weir.Tick' in body ? body['weir.Tick'].deadlineMs : 0
}

/** Offsets may have gaps (the log port allows them) but never step back. */
function assertInOrder(offset: bigint, nextOffset: bigint): void {
  if (offset < nextOffset) throw new FoldError(`record ${offset} was read again: ${nextOffset} is next`)
}
