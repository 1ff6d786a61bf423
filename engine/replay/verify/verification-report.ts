import type { StoreTable } from '../../../schemas/log/tables.ts'
import type { LostTail } from '../../log/guarded-topic.ts'
import type {
  NoPartitionRows,
  RecordDifference,
  RowCount,
  RowSums,
  StoredRange,
  StrayRows,
} from '../../store/store-audit.ts'
import type { DamagedPart } from '../../store/store-damage.ts'

/** What a verification tells, in a form that JSON keeps: offsets have 40 bits, digests are hexadecimal. */
export interface VerificationReport {
  readonly partitions: readonly PartitionReport[]
  /** Days whose usage was compared. */
  readonly days: readonly DayReport[]
  /** The first thing that is not as it should be; null: all is well. */
  readonly mismatch: Mismatch | null
  /** Of all partitions that have lost their ends, `mismatch` first; absent where none has. */
  readonly lostTails?: readonly Mismatch[]
  /** Parts of the store that are known to be damaged. */
  readonly damaged: readonly DamagedPart[]
  /** Absent where the configuration was not looked at. */
  readonly configuration?: ConfigurationReport
}

/** Whether the configuration log has everything that is known of it. */
export interface ConfigurationReport {
  /** First and last offset of what is missing; null: nothing is. */
  readonly missing: { readonly from: number; readonly to: number } | null
  /** What it means and what to do; empty where nothing is missing. */
  readonly sentence: string
}

/** What was recomputed of a partition and found in the store. */
export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /** First offset that was recomputed. */
  readonly firstOffset: number
  /** First offset that was not. */
  readonly nextOffset: number
  /** Records that the store does not have yet, and an engine at work will store. */
  readonly unstoredRecords: number
  /** Log time of the first and the last that was recomputed, UNIX ms; 0: from the beginning of the log. */
  readonly fromMs: number
  readonly untilMs: number
  readonly lines: number
  readonly bytes: number
}

export interface DayReport {
  readonly day: string
  readonly isClosed: boolean
  /** Whether usage was held against the log; otherwise against the stored lines alone. */
  readonly isRecomputed: boolean
}

export type MismatchKind =
  /** Rows are missing, changed or too many at positions that the log tells of. */
  | 'rows'
  /** Rows of a stretch of the log add up to something else than the log says, and no record of it could be found to differ. */
  | 'sums'
  /** The log of a partition ends before records that are known of. */
  | 'lost-tail'
  /** Rows of a position that the log does not have yet. */
  | 'beyond-log'
  /** Rows of a partition that there is not. */
  | 'no-partition'
  /** A closed day's usage is not what its lines, or the log, say. */
  | 'usage'
  /** A day is closed that is not over. */
  | 'closed-early'
  /** The usage projection of a part is not what its rows say. */
  | 'projection'

export interface Mismatch {
  readonly kind: MismatchKind
  readonly table: StoreTable | 'usage_days'
  readonly partition: number | null
  /** Inclusive; null where no position is known. */
  readonly firstOffset: number | null
  readonly lastOffset: number | null
  /** Start of the hour, or the day, that it is in: ISO 8601, UTC. */
  readonly hour: string | null
  readonly day: string | null
  readonly expected: MismatchSide
  readonly found: MismatchSide
  /** Columns that differ, where the numbers of rows are the same. */
  readonly columns: readonly string[]
  /** What else tells where it is: account, app, host, part. */
  readonly where: Readonly<Record<string, string>>
}

export interface MismatchSide {
  readonly rows: number
  readonly bytes: number
  /** 16 hexadecimal digits; empty where there is none. */
  readonly digest: string
}

export type VerificationEvent =
  | { readonly type: 'began'; readonly partitions: number; readonly records: number }
  | {
      readonly type: 'progress'
      readonly partition: number
      readonly records: number
      readonly lines: number
    }
  | ({ readonly type: 'partition' } & PartitionReport)
  | ({ readonly type: 'day' } & DayReport)

const NOTHING: MismatchSide = { rows: 0, bytes: 0, digest: '' }

const NOWHERE = {
  partition: null,
  firstOffset: null,
  lastOffset: null,
  hour: null,
  day: null,
  expected: NOTHING,
  found: NOTHING,
  columns: [],
  where: {},
} satisfies Partial<Mismatch>

/** A record whose rows differ. */
export function differenceMismatch(
  { table, partition }: StoredRange,
  { offset, hourMs, expected, found, columns }: RecordDifference,
): Mismatch {
  return {
    ...NOWHERE,
    kind: 'rows',
    table,
    partition,
    firstOffset: Number(offset),
    lastOffset: Number(offset),
    hour: hourText(hourMs),
    expected: side(expected),
    found: side(found),
    columns: expected.rows === found.rows ? columns : [],
  }
}

/** A stretch whose rows differ in sum, without a record that is known to differ. */
export function sumsMismatch(
  { table, partition }: StoredRange,
  stretch: { readonly first: bigint; readonly last: bigint },
  sums: { readonly expected: readonly RowSums[]; readonly found: readonly RowSums[] },
): Mismatch {
  const first = [...sums.expected, ...sums.found].reduce(
    (least, { hourMs }) => Math.min(least, hourMs),
    Number.POSITIVE_INFINITY,
  )
  return {
    ...NOWHERE,
    kind: 'sums',
    table,
    partition,
    firstOffset: Number(stretch.first),
    lastOffset: Number(stretch.last),
    hour: Number.isFinite(first) ? hourText(first) : null,
    expected: side(totalOf(sums.expected)),
    found: side(totalOf(sums.found)),
  }
}

function totalOf(sums: readonly RowSums[]): RowCount {
  const total = { rows: 0, bytes: 0, digest: 0n }
  for (const { rows, bytes, digest } of sums) {
    total.rows += rows
    total.bytes += bytes
    total.digest = BigInt.asUintN(64, total.digest + digest)
  }
  return total
}

/** Rows where there should be none. */
export function strayMismatch(
  kind: MismatchKind,
  { table, partition, until }: StoredRange,
  stray: StrayRows | undefined,
): Mismatch {
  return {
    ...NOWHERE,
    kind,
    table,
    partition,
    firstOffset: stray === undefined ? null : Number(stray.offset),
    lastOffset: Number(until - 1n),
    hour: stray === undefined ? null : hourText(stray.hourMs),
    found: { ...NOTHING, rows: stray?.rows ?? 0 },
  }
}

/** Records that a partition's log has lost. */
export function lostTailMismatch({ topic, partition, from, to }: LostTail): Mismatch {
  return {
    ...NOWHERE,
    kind: 'lost-tail',
    table: 'lines',
    partition,
    firstOffset: Number(from),
    lastOffset: Number(to),
    where: { topic },
  }
}

/** Rows of a partition that there is not. */
export function partitionMismatch(
  table: StoreTable,
  { rows, offset, lastOffset, hourMs, partition, topicNumber }: NoPartitionRows,
): Mismatch {
  return {
    ...NOWHERE,
    kind: 'no-partition',
    table,
    partition,
    firstOffset: Number(offset),
    lastOffset: Number(lastOffset),
    hour: hourText(hourMs),
    found: { ...NOTHING, rows },
    where: { topic: String(topicNumber) },
  }
}

/** Usage of a day that is not what it should be. */
export function usageMismatch(
  kind: MismatchKind,
  day: string,
  sides: { readonly expected: UsageCount; readonly found: UsageCount },
  where: Readonly<Record<string, string>> = {},
): Mismatch {
  const [expected, found] = [usageSide(sides.expected), usageSide(sides.found)]
  return {
    ...NOWHERE,
    kind,
    table: kind === 'projection' ? 'lines' : 'usage_days',
    day,
    expected,
    found,
    where,
  }
}

interface UsageCount {
  readonly lines: number
  readonly bytes: number
  readonly bytesDigest?: bigint
}

function usageSide({ lines, bytes, bytesDigest }: UsageCount): MismatchSide {
  return { rows: lines, bytes, digest: bytesDigest === undefined ? '' : digestText(bytesDigest) }
}

function side({ rows, bytes, digest }: RowCount): MismatchSide {
  return { rows, bytes, digest: rows === 0 ? '' : digestText(digest) }
}

function digestText(digest: bigint): string {
  return digest.toString(16).padStart(16, '0')
}

function hourText(hourMs: number): string {
  return new Date(hourMs).toISOString()
}
