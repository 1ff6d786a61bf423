/** Totals of a run of `weir ship`. */
export class Totals {
  /** Lines that the service answered for, including refused ones. */
  lines = 0
  refused = 0
  /** Bytes of the text of those lines. */
  bytes = 0
  requests = 0
  retries = 0
  /** Lines that the service cuts because they exceed its limit. */
  longLines = 0
  /** Bytes read from files and standard input, for the progress bar. */
  readBytes = 0

  get stored(): number {
    return this.lines - this.refused
  }

  count(batch: { lines: number; textBytes: number; longLines: number }, refused: number): void {
    this.lines += batch.lines
    this.bytes += batch.textBytes
    this.longLines += batch.longLines
    this.refused += refused
    this.requests++
  }
}
