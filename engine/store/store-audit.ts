import type { StoreTable } from '../../schemas/log/tables.ts'
import type { PartitionTable } from './store.ts'

/**
 * Queries of a verification. Expected rows and stored rows go through the same expressions of the same engine. Equal sums
 * therefore mean equal rows over all columns, and no hash is implemented twice.
 */
export interface StoreAudit {
  /** Sums of rows that are not stored, given as blocks like those of inserts, in one window. */
  blockSums(table: StoreTable, blocks: readonly (readonly Uint8Array[])[]): Promise<RowSums[]>

  /**
   * Sums of stored rows by window of offsets, hour of log time and retention.
   *
   * @param windows first offsets of the windows, rising; lower rows count for the first
   */
  storedSums(range: StoredRange, windows: readonly bigint[]): Promise<WindowSums[]>

  /**
   * The first record whose stored rows differ from the blocks, which contain all rows that should be in the range. Rows
   * that may be missing do not count as a difference if all rows of the record are missing.
   */
  firstDifference(
    range: StoredRange,
    blocks: readonly (readonly Uint8Array[])[],
    missing: MayBeMissing,
  ): Promise<RecordDifference | undefined>

  /** The lowest row in a range, except for rows of the given days; undefined without one. */
  firstRow(range: StoredRange, exceptDays?: readonly string[]): Promise<StrayRows | undefined>

  /** Highest offset of a partition's rows from an offset on. */
  lastOffset(target: PartitionTable, from: bigint): Promise<bigint | undefined>

  /** The lowest of the rows of a table that do not belong to a partition of the topics. */
  firstOfNoPartition(known: readonly StoredTopic[], table: StoreTable): Promise<NoPartitionRows | undefined>

  /** UTC days (YYYY-MM-DD) with lines or closed usage, oldest first. */
  days(): Promise<string[]>

  isClosed(day: string): Promise<boolean>

  /** Usage of a closed day in `usage_days`; undefined when it is not closed. */
  closedUsage(day: string): Promise<UsageSums | undefined>

  /** The first account and group whose closed usage differs from the day's lines; undefined when all agree. */
  firstUsageDifference(
    day: string,
    mayLackLines: (account: string) => boolean,
  ): Promise<UsageDifference | undefined>

  /** The first partition with lines of a day that are marked as filtered and have no filter of words. */
  firstWithoutFilter(day: string): Promise<LinesWithoutFilter | undefined>

  /** The first part of a day whose usage projection differs from its rows. */
  firstProjectionDifference(day: string): Promise<ProjectionDifference | undefined>
}

/** Stored rows of one partition and table, by offset and, for lines, UTC day. */
export interface StoredRange extends PartitionTable {
  readonly from: bigint
  /** Offset behind the last one. */
  readonly until: bigint
  /** YYYY-MM-DD; all days when absent. */
  readonly day?: string
  /** Offsets that are left out. */
  readonly except?: readonly { readonly from: bigint; readonly to: bigint }[]
}

/** Sums over rows, modulo 2^64, so that the order of rows does not matter and sums can be added. */
export interface RowSums {
  /** Start of the hour of log time, UNIX ms. */
  readonly hourMs: number
  /** 0 in tables without retention. */
  readonly retentionDays: number
  readonly rows: number
  /** Bytes of the lines; 0 in other tables. */
  readonly bytes: number
  /** Digest over all columns of each row. */
  readonly digest: bigint
  /** Sums over the columns that usage counts; zeros in other tables. */
  readonly usage: UsageSums
}

export interface WindowSums extends RowSums {
  readonly window: bigint
}

/** Usage of lines, in total and by group (account, app, host, tags, pool) as digests. */
export interface UsageSums {
  readonly lines: number
  readonly bytes: number
  /** Digest of each group times its lines, and times its bytes: the grouping of the rows does not change it. */
  readonly linesDigest: bigint
  readonly bytesDigest: bigint
}

/** Rows of which retention may have removed all of one record, or none. */
export interface MayBeMissing {
  /** Longest retention of such rows, in days; -1: there are none. */
  readonly retentionDays: number
  /** End of the log times that count, UNIX ms, exclusive. */
  readonly beforeMs: number
}

export interface RecordDifference {
  readonly offset: bigint
  readonly hourMs: number
  readonly expected: RowCount
  readonly found: RowCount
  /** Columns whose values differ; all columns when the numbers of rows differ. */
  readonly columns: readonly string[]
}

export interface RowCount {
  readonly rows: number
  readonly bytes: number
  readonly digest: bigint
}

/** Unexpected rows. */
export interface StrayRows {
  readonly rows: number
  /** Offset of the first of them. */
  readonly offset: bigint
  readonly hourMs: number
}

/** Rows of an unknown partition. */
export interface NoPartitionRows extends StrayRows {
  readonly lastOffset: bigint
  readonly topicNumber: number
  readonly partition: number
}

/** Lines of one partition and day that searches by words do not find. */
export interface LinesWithoutFilter {
  readonly topicNumber: number
  readonly partition: number
  readonly lines: number
  readonly firstOffset: bigint
  readonly lastOffset: bigint
}

export interface UsageDifference {
  readonly account: string
  readonly app: string
  readonly host: string
  readonly tags: readonly string[]
  readonly poolDays: number
  /** Sums of the day's lines. */
  readonly expected: { readonly lines: number; readonly bytes: number }
  /** Sums in `usage_days`. */
  readonly found: { readonly lines: number; readonly bytes: number }
}

export interface ProjectionDifference {
  readonly part: string
  /** Sums of the rows. */
  readonly expected: UsageSums
  /** Sums of the projection. */
  readonly found: UsageSums
}

export const NO_USAGE: UsageSums = { lines: 0, bytes: 0, linesDigest: 0n, bytesDigest: 0n }

export function addedUsage(a: UsageSums, b: UsageSums): UsageSums {
  return {
    lines: a.lines + b.lines,
    bytes: a.bytes + b.bytes,
    linesDigest: BigInt.asUintN(64, a.linesDigest + b.linesDigest),
    bytesDigest: BigInt.asUintN(64, a.bytesDigest + b.bytesDigest),
  }
}

export function sameUsage(a: UsageSums, b: UsageSums): boolean {
  return (
    a.lines === b.lines &&
    a.bytes === b.bytes &&
    a.linesDigest === b.linesDigest &&
    a.bytesDigest === b.bytesDigest
  )
}

/** A topic whose records are stored. */
export interface StoredTopic {
  readonly name: string
  readonly partitions: number
}
