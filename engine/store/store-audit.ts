import type { StoreTable } from '../../schemas/log/tables.ts'
import type { PartitionTable } from './store.ts'

/**
 * What a verification asks of the store. Rows that the log gives and rows that are stored go through the same
 * expressions of the same engine: equal sums mean equal rows, every column counted, and no hash is written twice.
 */
export interface StoreAudit {
  /** Sums of rows that are not stored, given as blocks like those of inserts, in one window. */
  blockSums(table: StoreTable, blocks: readonly (readonly Uint8Array[])[]): Promise<RowSums[]>

  /**
   * Sums of stored rows by window of offsets, hour of log time and retention.
   *
   * @param windows first offsets of the windows, rising; what lies below the first counts for the first
   */
  storedSums(range: StoredRange, windows: readonly bigint[]): Promise<WindowSums[]>

  /**
   * The first record whose stored rows are not those of the blocks, which hold all rows that should be in the range.
   * Rows that may be missing are no difference as long as the record has none of them.
   */
  firstDifference(
    range: StoredRange,
    blocks: readonly (readonly Uint8Array[])[],
    missing: MayBeMissing,
  ): Promise<RecordDifference | undefined>

  /** The lowest of the rows in a range, but for those on the given days; undefined when there is none. */
  firstRow(range: StoredRange, exceptDays?: readonly string[]): Promise<StrayRows | undefined>

  /** Highest offset of a partition's rows from an offset on. */
  lastOffset(target: PartitionTable, from: bigint): Promise<bigint | undefined>

  /** Rows of a table that belong to no partition of the topics; the lowest of them. */
  firstOfNoPartition(known: readonly StoredTopic[], table: StoreTable): Promise<NoPartitionRows | undefined>

  /** UTC days (YYYY-MM-DD) with lines or closed usage, oldest first. */
  days(): Promise<string[]>

  isClosed(day: string): Promise<boolean>

  /** Usage of a closed day as `usage_days` has it; undefined when it is not closed. */
  closedUsage(day: string): Promise<UsageSums | undefined>

  /** The first account and group whose closed usage is not what the day's lines say; undefined when all agree. */
  firstUsageDifference(
    day: string,
    mayLackLines: (account: string) => boolean,
  ): Promise<UsageDifference | undefined>

  /** The first part of a day whose usage projection is not what its rows say. */
  firstProjectionDifference(day: string): Promise<ProjectionDifference | undefined>
}

/** Stored rows of one partition and table, by offset and, for lines, UTC day. */
export interface StoredRange extends PartitionTable {
  readonly from: bigint
  /** Exclusive. */
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
  /** 0 in tables that have none. */
  readonly retentionDays: number
  readonly rows: number
  /** Bytes of the lines; 0 in other tables. */
  readonly bytes: number
  /** Of all columns of each row. */
  readonly digest: bigint
  /** Of what usage counts; zeros in other tables. */
  readonly usage: UsageSums
}

export interface WindowSums extends RowSums {
  readonly window: bigint
}

/** What usage says of lines, and the same by group (account, app, host, tags, pool) as digests. */
export interface UsageSums {
  readonly lines: number
  readonly bytes: number
  /** Digest of each group times its lines, and times its bytes: the same however rows are grouped before. */
  readonly linesDigest: bigint
  readonly bytesDigest: bigint
}

/** Rows of which retention may have removed all that one record has, or none. */
export interface MayBeMissing {
  /** Up to this retention; -1: none. */
  readonly retentionDays: number
  /** Of log times before this, UNIX ms. */
  readonly beforeMs: number
}

export interface RecordDifference {
  readonly offset: bigint
  readonly hourMs: number
  readonly expected: RowCount
  readonly found: RowCount
  /** Columns whose values differ; all that there are, when the numbers of rows differ. */
  readonly columns: readonly string[]
}

export interface RowCount {
  readonly rows: number
  readonly bytes: number
  readonly digest: bigint
}

/** Rows where there should be none. */
export interface StrayRows {
  readonly rows: number
  /** Of the first of them. */
  readonly offset: bigint
  readonly hourMs: number
}

/** Rows of a partition that there is not. */
export interface NoPartitionRows extends StrayRows {
  readonly lastOffset: bigint
  readonly topicNumber: number
  readonly partition: number
}

export interface UsageDifference {
  readonly account: string
  readonly app: string
  readonly host: string
  readonly tags: readonly string[]
  readonly poolDays: number
  /** By the day's lines. */
  readonly expected: { readonly lines: number; readonly bytes: number }
  /** In `usage_days`. */
  readonly found: { readonly lines: number; readonly bytes: number }
}

export interface ProjectionDifference {
  readonly part: string
  /** By the rows. */
  readonly expected: UsageSums
  /** By the projection. */
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

/** A topic that rows are stored from. */
export interface StoredTopic {
  readonly name: string
  readonly partitions: number
}
