/** One line as the program gives it back. */
export interface StoredRow {
  /** Log time, UNIX ms: what the throttle judges by. */
  readonly timeMs: number
  readonly partition: number
  readonly offset: bigint
  readonly row: number
  readonly host: string
  readonly app: string
  readonly level: string
  readonly text: string
  /** JSON text; '' when there is none. */
  readonly meta: string
  /** What the program says that it counts as. */
  readonly sizeBytes: number
}

/** What usage says of one host. */
export interface HostUsage {
  readonly lines: number
  readonly bytes: number
}

/**
 * Where a line lies, out of its `_id`: a number of 42 bits of log time, 2 of the topic, 12 of the partition, 40 of the
 * offset and 32 of the row, high to low.
 */
export function positionOf(id: string): Pick<StoredRow, 'timeMs' | 'partition' | 'offset' | 'row'> {
  const number = BigInt(id)
  return {
    timeMs: Number(number >> 86n),
    partition: Number((number >> 72n) & 0xfffn),
    offset: (number >> 32n) & 0xff_ffff_ffffn,
    row: Number(number & 0xffff_ffffn),
  }
}

/** What a line counts as: UTF-8 bytes of its text and of its serialised meta (ingestion, section 2). */
export function countedBytes({ text, meta }: { readonly text: string; readonly meta: string }): number {
  return Buffer.byteLength(text, 'utf8') + Buffer.byteLength(meta, 'utf8')
}

export function inLogOrder(rows: readonly StoredRow[]): StoredRow[] {
  return [...rows].sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset) || a.row - b.row)
}

export function isSamePosition(a: StoredRow, b: StoredRow): boolean {
  return a.partition === b.partition && a.offset === b.offset && a.row === b.row
}
