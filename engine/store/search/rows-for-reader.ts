import type { Clock } from '../../clock/clock.ts'

/** Rows that one statement reads at a time for a slow reader. */
const PAGE_ROWS = 4096
/** Time for which a statement waits for its reader, per `PAGE_ROWS` rows. */
const PATIENCE_MS = 250
/** Unused patience is kept up to this time. */
const MAX_PATIENCE_MS = 1000

export interface ReadRows<Row> {
  readonly clock: Clock
  /** Maximum number of rows of the answer; it may depend on its first row. */
  limit(first: Row | undefined): number
  /** Rows of one statement for a slow reader. Default: `PAGE_ROWS`. */
  readonly pageRows?: number
  /** Opens the statement for the whole answer. */
  open(): AsyncIterable<Row[]>
  /** Opens a statement for the first `limit` rows behind the last one. */
  openBehind(last: Row, limit: number): AsyncIterable<Row[]>
}

/**
 * Rows of an answer whose reader may be slow, such as a client. A running statement uses one of the few sessions of the
 * store, so a statement that waits too long for its reader is ended. The reader then gets the rest in pages. Each page is
 * a statement of its own, which has ended before its rows are passed on.
 */
export async function* rowsForReader<Row>(read: ReadRows<Row>): AsyncGenerator<Row[]> {
  const { clock, pageRows = PAGE_ROWS } = read
  const rows = read.open()[Symbol.asyncIterator]()
  const slow = new AbortController()
  let patienceMs = PATIENCE_MS
  let last: Row | undefined
  let left: number | undefined
  try {
    while (!slow.signal.aborted) {
      const next = await rows.next()
      if (next.done) return
      last = next.value.at(-1) ?? last
      left = (left ?? read.limit(next.value[0])) - next.value.length
      patienceMs = Math.min(MAX_PATIENCE_MS, patienceMs + (PATIENCE_MS * next.value.length) / PAGE_ROWS)
      const startMs = clock.monotonicMs()
      const taken = new AbortController()
      void clock.sleep(Math.max(0, patienceMs), taken.signal).then(() => {
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
      patienceMs -= clock.monotonicMs() - startMs
    }
  } finally {
    await rows.return?.()
  }
  while (last !== undefined && left !== undefined && left > 0) {
    const page: Row[] = []
    const wanted = Math.min(left, pageRows)
    for await (const some of read.openBehind(last, wanted)) page.push(...some)
    if (page.length > 0) yield page
    if (page.length < wanted) return
    last = page.at(-1)
    left -= page.length
  }
}
