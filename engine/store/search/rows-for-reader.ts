import type { Clock } from '../../clock/clock.ts'

/** Rows that one statement reads at a time for a slow reader. */
const PAGE_ROWS = 4096
/** Size of these rows, about: the page is in memory as a whole. */
const PAGE_BYTES = 4 * 1024 * 1024
/** Size of the rows that one statement passes on, about. The rest needs another turn among the accounts. (Our choice.) */
const TURN_BYTES = 16 * 1024 * 1024
/** Rows of the first statement: their size is not known, and the engine answers as many in one piece. */
const FIRST_ROWS = 1024
/** Later statements have more rows, at most as many times those before them: wide rows may follow small ones. */
const GROWTH = 8
/** Time for which a statement waits for its reader, per `PAGE_ROWS` rows or `PATIENCE_BYTES`. */
const PATIENCE_MS = 250
const PATIENCE_BYTES = 1024 * 1024
/** Unused patience is kept up to this time. */
const MAX_PATIENCE_MS = 1000

export interface ReadRows<Row> {
  readonly clock: Clock
  /** Maximum number of rows of the answer. */
  readonly limit: number
  /** Size of a row, about. Absent: rows are small, so that one turn is enough for all of them. */
  bytesOf?(row: Row): number
  /** Rows of one statement for a slow reader. Default: `PAGE_ROWS`. */
  readonly pageRows?: number
  /**
   * Opens a statement.
   *
   * @param limit most rows
   * @param last the row behind which the statement begins; undefined: the answer begins
   */
  open(limit: number, last: Row | undefined): AsyncIterable<Row[]>
}

/** Reason for the end of a statement: it has no more rows, or its turn is over, or its reader is slow. */
type Ending = 'complete' | 'over' | 'slow'

/**
 * Rows of an answer whose reader may be slow, such as a client. A running statement uses one of the few sessions of the
 * store, so a long answer is read by several statements, each with a turn of its own. A statement that waits too long for
 * its reader is ended. The reader then gets the rest in pages. Each page is a statement of its own, which has ended before
 * its rows are passed on.
 */
export async function* rowsForReader<Row>(read: ReadRows<Row>): AsyncGenerator<Row[]> {
  const answer = new Answer(read)
  let ending: Ending = 'over'
  while (ending === 'over') ending = yield* answer.turn()
  if (ending === 'slow') yield* answer.pages()
}

/** An answer as far as it has been read. */
class Answer<Row> {
  readonly #read: ReadRows<Row>
  #last: Row | undefined
  #rows = 0
  #bytes = 0
  #patienceMs = PATIENCE_MS

  constructor(read: ReadRows<Row>) {
    this.#read = read
  }

  async *turn(): AsyncGenerator<Row[], Ending> {
    const { clock } = this.#read
    const wanted = this.#rowsIn(TURN_BYTES)
    if (wanted <= 0) return 'complete'
    const rows = this.#open(wanted)[Symbol.asyncIterator]()
    const slow = new AbortController()
    const before = { rows: this.#rows, bytes: this.#bytes }
    try {
      while (!slow.signal.aborted) {
        const next = await rows.next()
        if (next.done) return this.#rows - before.rows < wanted ? 'complete' : 'over'
        this.#note(next.value)
        if (this.#bytes - before.bytes >= TURN_BYTES) {
          await rows.return?.()
          yield next.value
          return 'over'
        }
        const startMs = clock.monotonicMs()
        const taken = new AbortController()
        void clock.sleep(Math.max(0, this.#patienceMs), taken.signal).then(() => {
          if (taken.signal.aborted) return
          slow.abort()
          // The `finally` below reports an error of it.
          void rows.return?.().catch(() => {})
        })
        try {
          yield next.value
        } finally {
          taken.abort()
        }
        this.#patienceMs -= clock.monotonicMs() - startMs
      }
      return 'slow'
    } finally {
      await rows.return?.()
    }
  }

  async *pages(): AsyncGenerator<Row[]> {
    const { pageRows = PAGE_ROWS } = this.#read
    for (;;) {
      const wanted = Math.min(pageRows, this.#rowsIn(PAGE_BYTES))
      if (wanted <= 0) return
      const page: Row[] = []
      const bytesBefore = this.#bytes
      for await (const some of this.#open(wanted)) {
        this.#note(some)
        for (const row of some) page.push(row)
        if (this.#bytes - bytesBefore >= PAGE_BYTES) break
      }
      if (page.length > 0) yield page
      if (page.length < wanted && this.#bytes - bytesBefore < PAGE_BYTES) return
    }
  }

  #open(wanted: number): AsyncIterable<Row[]> {
    return this.#read.open(wanted, this.#last)
  }

  /** Number of the next rows that have about this size, judged by the rows so far; 0 when none is left. */
  #rowsIn(bytes: number): number {
    const { limit, bytesOf } = this.#read
    const left = limit - this.#rows
    if (bytesOf === undefined) return left
    if (this.#bytes === 0) return Math.min(left, FIRST_ROWS)
    const most = Math.min((bytes * this.#rows) / this.#bytes, this.#rows * GROWTH)
    return Math.min(left, Math.max(1, Math.floor(most)))
  }

  #note(rows: readonly Row[]): void {
    const { bytesOf = () => 0 } = this.#read
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
    const part = Math.max(rows.length / PAGE_ROWS, bytes / PATIENCE_BYTES)
    this.#last = rows.at(-1) ?? this.#last
    this.#rows += rows.length
    this.#bytes += bytes
    this.#patienceMs = Math.min(MAX_PATIENCE_MS, this.#patienceMs + PATIENCE_MS * part)
  }
}
