import { isLineTable, LINE_TABLES, STORE_TABLES, type StoreTable } from '../../../schemas/log/tables.ts'
import type { Clock } from '../../clock/clock.ts'
import { knownCheckpoint } from '../../fold/checkpoint/read-checkpoint.ts'
import type { AcceptedGap, Flush, TableBatch } from '../../fold/flush.ts'
import type { Topic } from '../../log/log.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { droppedBefore, expiredRetention } from '../../store/retention.ts'
import type { Store } from '../../store/store.ts'
import {
  addedUsage,
  type MayBeMissing,
  NO_USAGE,
  type RowSums,
  type StoreAudit,
  type StoredRange,
  type UsageSums,
} from '../../store/store-audit.ts'
import { DAY_MS } from '../../times/duration.ts'
import { utcDay } from '../../times/utc-day.ts'
import { CheckpointLog } from '../checkpoint-log.ts'
import { PartitionReplay, type ReplayedPartition } from '../replay.ts'
import { blockBytes, ExpectedRows, type ExpectedWindow, WINDOW_BYTES } from './expected-rows.ts'
import {
  differenceMismatch,
  type Mismatch,
  type PartitionReport,
  strayMismatch,
  sumsMismatch,
} from './verification-report.ts'

const NOTHING_MISSING: MayBeMissing = { retentionDays: -1, beforeMs: 0 }

export interface VerifiedPartition {
  readonly catalogue: Catalogue
  readonly topic: Topic
  readonly checkpoints: Topic
  readonly store: Store
  readonly audit: StoreAudit
  readonly clock: Clock
  readonly partition: number
  /** Offset below which a running worker has stored everything; undefined without one. */
  readonly storedOffset: bigint | undefined
  /** Called repeatedly, so that other work of this process gets its turn; throws to end the verification. */
  rest(): Promise<void>
  progress(records: number, lines: number): void
}

/** First offset of each table that the store need not have yet. */
type Reached = Readonly<Record<StoreTable, bigint>>

/**
 * Compares the tables of one partition with its log, from the oldest point that can be recomputed to the present end of
 * the store.
 */
export class PartitionVerification {
  readonly #options: VerifiedPartition
  readonly #source: ReplayedPartition
  /** Usage of the lines from the log, by UTC day, to compare with the stored usage. */
  readonly usage = new Map<string, UsageSums>()
  /** Rows of lost records stay in the store, but their expected content is unknown. */
  readonly gaps: AcceptedGap[] = []
  #replay: PartitionReplay
  #reached: Reached
  readonly #from: bigint
  readonly #fromMs: number
  #day = ''
  #days: string[] = []
  #rows: Record<StoreTable, ExpectedRows>
  #lines = 0
  #bytes = 0

  private constructor(options: VerifiedPartition, replay: PartitionReplay, reached: Reached) {
    this.#options = options
    this.#source = options
    this.#replay = replay
    this.#reached = reached
    this.#from = replay.nextOffset
    this.#fromMs = replay.timeMs
    this.#rows = ofEachTable(table => this.#newRows(table))
  }

  static async begin(options: VerifiedPartition): Promise<PartitionVerification> {
    const reached = await reachedOffsets(options)
    return new PartitionVerification(options, await PartitionReplay.fromOldest(options), reached)
  }

  /** Log time that was replayed, UNIX ms: days that begin after the first and end before the second are whole. */
  get replayed(): { readonly fromMs: number; readonly untilMs: number } {
    return { fromMs: this.#fromMs, untilMs: this.#replay.timeMs }
  }

  async report(): Promise<PartitionReport> {
    const { topic, partition } = this.#options
    const { next } = await topic.bounds(partition)
    const nextOffset = highest(this.#reached)
    return {
      topic: topic.name,
      partition,
      firstOffset: Number(this.#from),
      nextOffset: Number(nextOffset),
      unstoredRecords: Math.max(0, Number(next - nextOffset)),
      fromMs: this.#fromMs,
      untilMs: this.#replay.timeMs,
      lines: this.#lines,
      bytes: this.#bytes,
    }
  }

  /** @returns the first mismatch; undefined when the partition agrees with its log */
  async run(): Promise<Mismatch | undefined> {
    const until = highest(this.#reached)
    for await (const flush of this.#replay.flushes(until, this.#options.rest)) {
      for (const batch of await this.#expected(flush)) {
        const mismatch = await this.#take(batch)
        if (mismatch !== undefined) return mismatch
      }
      if (flush.gap !== undefined) this.gaps.push(flush.gap)
    }
    return (await this.#endDay()) ?? (await this.#endTables()) ?? (await this.#strays())
  }

  /** Batches that a worker stores. At lost records, it leaves out tables that have rows of them, like `SettledTables`. */
  async #expected({ tables, gap }: Flush): Promise<readonly TableBatch[]> {
    if (gap === undefined) return tables
    const { audit, topic, partition } = this.#options
    const expected: TableBatch[] = []
    for (const batch of tables) {
      const { table, last } = batch
      const lost = { topic: topic.name, partition, table, from: gap.from, until: gap.to }
      if (last.offset < gap.to || (await audit.firstRow(lost)) === undefined) expected.push(batch)
    }
    return expected
  }

  async #take(batch: TableBatch): Promise<Mismatch | undefined> {
    const { table, first } = batch
    if (first.offset >= this.#reached[table]) return undefined
    let mismatch: Mismatch | undefined
    const day = utcDay(batch.sinceMs)
    if (isLineTable(table) && day !== this.#day) {
      mismatch = await this.#endDay()
      this.#day = day
      this.#days.push(day)
    }
    if (isLineTable(table)) this.#note(batch)
    await this.#rows[table].add(batch)
    return mismatch
  }

  #note(batch: TableBatch): void {
    this.#lines += batch.rows
    this.#options.progress(Number(this.#replay.nextOffset - this.#from), this.#lines)
  }

  async #endDay(): Promise<Mismatch | undefined> {
    if (this.#day === '') return undefined
    let mismatch: Mismatch | undefined
    const sums: RowSums[] = []
    for (const table of LINE_TABLES) {
      const rows = this.#rows[table]
      this.#rows[table] = this.#newRows(table)
      await rows.end()
      sums.push(...rows.windows.flatMap(window => window.sums))
      mismatch ??= await this.#compare(this.#range(table, this.#day), rows.windows)
    }
    this.usage.set(
      this.#day,
      sums.reduce((sum, { usage }) => addedUsage(sum, usage), NO_USAGE),
    )
    this.#bytes += sums.reduce((sum, { bytes }) => sum + bytes, 0)
    return mismatch
  }

  async #endTables(): Promise<Mismatch | undefined> {
    for (const table of STORE_TABLES.filter(name => !isLineTable(name))) {
      await this.#rows[table].end()
      const mismatch = await this.#compare(this.#range(table), this.#rows[table].windows)
      if (mismatch !== undefined) return mismatch
    }
    return undefined
  }

  async #strays(): Promise<Mismatch | undefined> {
    const { audit, topic, partition } = this.#options
    for (const table of LINE_TABLES) {
      const range = this.#range(table)
      const stray = await audit.firstRow(range, this.#days)
      if (stray !== undefined) return strayMismatch('rows', range, stray)
    }
    for (const table of STORE_TABLES) {
      const target = { topic: topic.name, partition, table }
      // The store is read first: its rows were on the log before.
      const last = await audit.lastOffset(target, this.#reached[table])
      const { next } = await topic.bounds(partition)
      if (last === undefined || last < next) continue
      const beyond = { ...target, from: next, until: last + 1n }
      return strayMismatch('beyond-log', beyond, await audit.firstRow(beyond))
    }
    return undefined
  }

  async #compare(range: StoredRange, windows: readonly ExpectedWindow[]): Promise<Mismatch | undefined> {
    const { audit } = this.#options
    if (windows.length === 0) {
      const stray = await audit.firstRow(range)
      return stray && strayMismatch('rows', range, stray)
    }
    const stored = await audit.storedSums(
      range,
      windows.map(({ first }) => first),
    )
    const missing = await this.#mayBeMissing(range)
    for (const [index, window] of windows.entries()) {
      const found = stored.filter(sums => sums.window === window.first)
      if (agree(window.sums, found, missing)) continue
      const next = windows[index + 1]?.first ?? range.until
      const from = index === 0 ? range.from : window.first
      const { mismatch, sums } = await this.#locate({ ...range, from, until: next }, window, missing)
      if (mismatch !== undefined) return mismatch
      // While retention removes lines of an hour, only a check of each record counts, and only if it read the same rows.
      if (!agree(window.sums, sums, NOTHING_MISSING) || !agree(window.sums, found, missing, 'some'))
        return sumsMismatch(range, window, { expected: window.sums, found })
    }
    return undefined
  }

  /** Rows that retention may have removed; read after the rows, because retention only removes more. */
  async #mayBeMissing({ table, day }: StoredRange): Promise<MayBeMissing> {
    const { audit, clock } = this.#options
    const nowMs = clock.wallMs()
    if (!isLineTable(table)) return { retentionDays: 0, beforeMs: droppedBefore(table, nowMs) }
    if (day === undefined || !(await audit.isClosed(day))) return NOTHING_MISSING
    return { retentionDays: expiredRetention(day, nowMs), beforeMs: Date.parse(day) + DAY_MS }
  }

  /**
   * Folds a window again to find the record at which the store begins to differ.
   *
   * @returns sums of the second fold even if it finds no difference, because it began at another checkpoint
   */
  async #locate(
    range: StoredRange,
    window: ExpectedWindow,
    missing: MayBeMissing,
  ): Promise<{ readonly mismatch?: Mismatch; readonly sums: readonly RowSums[] }> {
    const { audit, rest } = this.#options
    const replay = await PartitionReplay.reaching(this.#source, window.first)
    let from = range.from
    let blocks: (readonly Uint8Array[])[] = []
    let bytes = 0
    const sums: RowSums[] = []
    const compareUpTo = async (until: bigint) => {
      const piece = { ...range, from, until }
      const difference = await audit.firstDifference(piece, blocks, missing)
      if (difference === undefined && blocks.length > 0)
        sums.push(...(await audit.blockSums(range.table, blocks)))
      from = until
      blocks = []
      bytes = 0
      return difference && differenceMismatch(piece, difference)
    }
    for await (const flush of replay.flushes(window.last + 1n, rest)) {
      const batch = (await this.#expected(flush)).find(({ table }) => table === range.table)
      if (batch === undefined || batch.first.offset < window.first || batch.first.offset > window.last)
        continue
      if (range.day !== undefined && utcDay(batch.sinceMs) !== range.day) continue
      blocks.push(batch.block)
      bytes += blockBytes(batch)
      const mismatch = bytes < WINDOW_BYTES ? undefined : await compareUpTo(batch.last.offset + 1n)
      if (mismatch !== undefined) return { mismatch, sums: [] }
    }
    const mismatch = await compareUpTo(range.until)
    return mismatch === undefined ? { sums } : { mismatch, sums: [] }
  }

  #range(table: StoreTable, day?: string): StoredRange {
    const { topic, partition } = this.#options
    const range = {
      topic: topic.name,
      partition,
      table,
      from: this.#from,
      until: this.#reached[table],
      except: this.gaps,
    }
    return day === undefined ? range : { ...range, day }
  }

  #newRows(table: StoreTable): ExpectedRows {
    return new ExpectedRows(this.#options.audit, table)
  }
}

/** Offsets that a worker has stored or, without a worker, that a start would find: it would store nothing below them. */
async function reachedOffsets(options: VerifiedPartition): Promise<Reached> {
  const { storedOffset, topic, checkpoints, partition, store } = options
  if (storedOffset !== undefined) return ofEachTable(() => storedOffset)
  const source = { topic: topic.name, partition }
  const kept = await new CheckpointLog(checkpoints, { topic, partition }).newest()
  const checkpoint = kept && knownCheckpoint(kept.body, source)
  const [nextOffset, timeMs] = [BigInt(checkpoint?.nextOffset ?? 0), checkpoint?.timeMs ?? 0]
  const reached = async (table: StoreTable) => {
    const position = await store.settle({ ...source, table }, { offset: nextOffset, row: 0, timeMs })
    return position === null ? nextOffset : position.offset + 1n
  }
  const found = new Map<StoreTable, bigint>()
  for (const table of STORE_TABLES) found.set(table, await reached(table))
  return ofEachTable(table => found.get(table) as bigint)
}

function ofEachTable<Value>(value: (table: StoreTable) => Value): Record<StoreTable, Value> {
  return Object.fromEntries(STORE_TABLES.map(table => [table, value(table)])) as Record<StoreTable, Value>
}

function highest(reached: Reached): bigint {
  let most = 0n
  for (const table of STORE_TABLES) if (reached[table] > most) most = reached[table]
  return most
}

/**
 * Whether the store agrees with the log in a window, except for rows that retention may have removed.
 *
 * @param removed whether retention removes whole hours only, or possibly parts of one
 */
function agree(
  expected: readonly RowSums[],
  found: readonly RowSums[],
  missing: MayBeMissing,
  removed: 'all' | 'some' = 'all',
): boolean {
  const byKey = new Map<string, { rows: number; digest: bigint; isOptional: boolean }>()
  const add = ({ hourMs, retentionDays, rows, digest }: RowSums, sign: 1 | -1) => {
    const key = `${hourMs} ${retentionDays}`
    const known = byKey.get(key) ?? { rows: 0, digest: 0n, isOptional: true }
    known.rows += sign * rows
    known.digest = BigInt.asUintN(64, known.digest + BigInt(sign) * digest)
    known.isOptional &&=
      (sign === 1 || removed === 'some') &&
      retentionDays <= missing.retentionDays &&
      hourMs < missing.beforeMs
    byKey.set(key, known)
  }
  for (const sums of expected) add(sums, 1)
  for (const sums of found) add(sums, -1)
  return [...byKey.values()].every(
    ({ rows, digest, isOptional }) => (isOptional && rows >= 0) || (rows === 0 && digest === 0n),
  )
}
