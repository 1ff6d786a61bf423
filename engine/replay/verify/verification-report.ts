import type { StoreTable } from '../../../schemas/log/tables.ts'
import type { LaneCounts } from '../../delivery/fold/lane.ts'
import type { LostTail } from '../../log/guarded-topic.ts'
import type {
  LinesWithoutFilter,
  NoPartitionRows,
  RecordDifference,
  RowCount,
  RowSums,
  StoredRange,
  StrayRows,
} from '../../store/store-audit.ts'
import type { DamagedPart } from '../../store/store-damage.ts'
import type { StoredPart } from '../older-store.ts'

/** Result of a verification in a form that JSON keeps: offsets have 40 bits, digests are hexadecimal. */
export interface VerificationReport {
  readonly partitions: readonly PartitionReport[]
  /** Days whose usage was compared. */
  readonly days: readonly DayReport[]
  /** The first mismatch; null: there is none. */
  readonly mismatch: Mismatch | null
  /** All partitions that have lost their ends, `mismatch` first; absent if none has. */
  readonly lostTails?: readonly Mismatch[]
  /** Events of destinations, whose counts were compared with the log; absent if none were handed over. */
  readonly deliveries?: DeliveryTotals
  /** Known damaged parts of the store. */
  readonly damaged: readonly DamagedPart[]
  /** Partitions of a running engine that do not move; absent if there are none, or no engine runs in the verifying process. */
  readonly stopped?: readonly StoppedPartition[]
  /** Findings about the configuration; absent if it was not examined. */
  readonly configuration?: ConfigurationReport
}

/** A partition whose worker has stopped by an error. */
export interface StoppedPartition {
  readonly partition: number
  /** The error. */
  readonly sentence: string
}

/** Whether the configuration log has everything that is known about it. */
export interface ConfigurationReport {
  /** First and last missing offset; null: none. */
  readonly missing: { readonly from: number; readonly to: number } | null
  /** Meaning and remedy; empty when nothing is missing. */
  readonly sentence: string
}

/** Recomputed and stored rows of a partition. */
export interface PartitionReport {
  readonly topic: string
  readonly partition: number
  /** First offset that was recomputed. */
  readonly firstOffset: number
  /** First offset that was not recomputed. */
  readonly nextOffset: number
  /** Records that the store does not have yet, and that a running engine will store. */
  readonly unstoredRecords: number
  /** Log time of the first and the last recomputed record, UNIX ms; 0: from the beginning of the log. */
  readonly fromMs: number
  readonly untilMs: number
  readonly lines: number
  readonly bytes: number
}

/** Events of destinations, over all partitions and nodes. */
export interface DeliveryTotals extends LaneCounts {
  /** Nodes that have handed events over, by partition. */
  lanes: number
  waiting: number
}

export interface DayReport {
  readonly day: string
  readonly isClosed: boolean
  /** Whether usage was compared with the log; otherwise only with the stored lines. */
  readonly isRecomputed: boolean
}

export type MismatchKind =
  /** Rows are missing, changed or surplus at positions on the log. */
  | 'rows'
  /** The sum of rows in a stretch differs from the log, but no single record was found to differ. */
  | 'sums'
  /** The log of a partition ends before known records. */
  | 'lost-tail'
  /** The store is an older copy: it lacks all rows of some records that were stored according to checkpoints. */
  | 'older-store'
  /** Rows of a position that is not on the log yet. */
  | 'beyond-log'
  /** Rows of an unknown partition. */
  | 'no-partition'
  /** A closed day's usage differs from its lines, or from the log. */
  | 'usage'
  /** A day is closed before its end. */
  | 'closed-early'
  /** Lines whose filter of words is lost. */
  | 'filter'
  /** The usage projection of a part differs from its rows. */
  | 'projection'
  /** Counts of deliveries differ from the log. */
  | 'deliveries'

export interface Mismatch {
  readonly kind: MismatchKind
  readonly table: StoreTable | 'usage_days' | 'deliveries'
  readonly partition: number | null
  /** Inclusive; null where no position is known. */
  readonly firstOffset: number | null
  readonly lastOffset: number | null
  /** Start of its hour or day: ISO 8601, UTC. */
  readonly hour: string | null
  readonly day: string | null
  readonly expected: MismatchSide
  readonly found: MismatchSide
  /** Columns that differ, if the numbers of rows are the same. */
  readonly columns: readonly string[]
  /** Further details of the place: account, app, host, part. */
  readonly where: Readonly<Record<string, string>>
}

export interface MismatchSide {
  readonly rows: number
  readonly bytes: number
  /** 16 hexadecimal digits; empty without a digest. */
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

/** Mismatch for a record whose rows differ. */
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

/** Mismatch for a stretch whose sums differ, without a record that is known to differ. */
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

/** Mismatch for unexpected rows. */
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

/** Mismatch for records that a partition's log has lost. */
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

/** Mismatch for records that were stored once, and that the present copy of the store is too old to have. */
export function olderStoreMismatch({ topic, partition, storedTo, knownTo }: StoredPart): Mismatch {
  return {
    ...NOWHERE,
    kind: 'older-store',
    table: 'lines',
    partition,
    firstOffset: Number(storedTo),
    lastOffset: Number(knownTo - 1n),
    where: { topic },
  }
}

/** Mismatch for rows of an unknown partition. */
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

/** Mismatch for lines of a day that searches by words do not find. */
export function filterMismatch(
  day: string,
  { topicNumber, partition, lines, firstOffset, lastOffset }: LinesWithoutFilter,
): Mismatch {
  return {
    ...NOWHERE,
    kind: 'filter',
    table: 'lines',
    day,
    partition,
    firstOffset: Number(firstOffset),
    lastOffset: Number(lastOffset),
    expected: { ...NOTHING, rows: lines },
    where: { topic: String(topicNumber) },
  }
}

/** Mismatch for a day whose usage is wrong. */
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

/** Mismatch for a count of a destination. */
export function deliveriesMismatch(counts: {
  readonly partition: number
  readonly expected: number
  readonly found: number
  readonly where: Readonly<Record<string, string>>
}): Mismatch {
  const { partition, expected, found, where } = counts
  const sides = { expected: { ...NOTHING, rows: expected }, found: { ...NOTHING, rows: found } }
  return { ...NOWHERE, kind: 'deliveries', table: 'deliveries', partition, ...sides, where }
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
