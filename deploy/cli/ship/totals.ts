/** What a run of `weir ship` has done so far. */
export class Totals {
  /** Lines the service answered for, the refused ones included. */
  lines = 0
  refused = 0
  /** Bytes of the text of those lines. */
  bytes = 0
  requests = 0
  retries = 0
  /** Lines that the service cuts, since they are longer than it keeps. */
  longLines = 0
  /** Bytes read from files and standard input: what the progress bar shows. */
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
