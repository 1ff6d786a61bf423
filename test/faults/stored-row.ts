/** One line as the program gives it back. */
export interface StoredRow {
  /** Log time, UNIX ms, which the throttle uses. */
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
  /** Size that the program counts for the line. */
  readonly sizeBytes: number
}

/** Usage of one host. */
export interface HostUsage {
  readonly lines: number
  readonly bytes: number
}

/**
 * Place of a line, decoded from its `_id`. From high to low, that number has 42 bits of log time, 2 of the topic and 12 of
 * the partition. Then follow 40 bits of the offset and 32 of the row.
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

/** Size of a line for usage: UTF-8 bytes of its text and of its serialised meta (ingestion, section 2). */
export function countedBytes({ text, meta }: { readonly text: string; readonly meta: string }): number {
  return Buffer.byteLength(text, 'utf8') + Buffer.byteLength(meta, 'utf8')
}

export function inLogOrder(rows: readonly StoredRow[]): StoredRow[] {
  return [...rows].sort((a, b) => a.partition - b.partition || Number(a.offset - b.offset) || a.row - b.row)
}

export function isSamePosition(a: StoredRow, b: StoredRow): boolean {
  return a.partition === b.partition && a.offset === b.offset && a.row === b.row
}
