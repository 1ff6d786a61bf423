import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'

/** One table's share of a flush: one insert. */
export interface TableBatch {
  readonly table: StoreTable
  readonly block: readonly Uint8Array[]
  readonly rows: number
  readonly first: Position
  readonly last: Position
  /** Lower bound of the log times of its rows, UNIX ms. */
  readonly sinceMs: number
}

/** Offsets of records whose loss an operator has accepted. */
export interface AcceptedGap {
  readonly from: bigint
  /** Offset behind the last one. */
  readonly to: bigint
  /** Log time before and behind it, UNIX ms. */
  readonly sinceMs: number
  readonly untilMs: number
}

/** Data that must be durable before the log is passed up to `nextOffset`. */
export interface Flush {
  readonly nextOffset: bigint
  readonly timeMs: number
  readonly tables: readonly TableBatch[]
  /** An encoded checkpoint, to be written once the tables are stored; null when none is due. */
  readonly checkpoint: Buffer | null
  /** Lost records behind these tables. */
  readonly gap?: AcceptedGap
}
