import type { LinePage, LinePosition, SelectedLine } from './line-selection.ts'

/**
 * The lines of several tables in one order, from the preferred end on.
 *
 * @param each lines of a table, in that order
 */
export async function* mergedLines(
  each: readonly AsyncIterable<SelectedLine[]>[],
  prefer: LinePage['prefer'],
  limit: number,
): AsyncGenerator<SelectedLine[]> {
  const [only] = each
  if (only !== undefined && each.length === 1) yield* only
  else yield* merged(await beginAll(each), prefer, limit)
}

async function* merged(
  streams: readonly LineStream[],
  prefer: LinePage['prefer'],
  limit: number,
): AsyncGenerator<SelectedLine[]> {
  let wanted = limit
  try {
    while (wanted > 0) {
      for (const stream of streams) await stream.refill()
      const rows = readyLines(streams, prefer, wanted)
      if (rows.length === 0) return
      wanted -= rows.length
      yield rows
    }
  } finally {
    for (const stream of streams) await stream.end()
  }
}

/** The first lines of the streams, as long as each of them has one at hand or has ended. */
function readyLines(
  streams: readonly LineStream[],
  prefer: LinePage['prefer'],
  most: number,
): SelectedLine[] {
  const sign = prefer === 'head' ? 1 : -1
  const rows: SelectedLine[] = []
  while (rows.length < most && streams.every(stream => stream.isReady)) {
    const open = streams.filter(({ next }) => next !== undefined)
    const [first, ...others] = open
    if (first === undefined) break
    const isBefore = (a: LineStream, b: LineStream) =>
      sign * comparePositions(a.next as SelectedLine, b.next as SelectedLine) < 0
    rows.push(others.reduce((before, stream) => (isBefore(stream, before) ? stream : before), first).take())
  }
  return rows
}

function beginAll(each: readonly AsyncIterable<SelectedLine[]>[]): Promise<LineStream[]> {
  return Promise.all(
    each.map(async lines => {
      const stream = new LineStream(lines)
      await stream.refill()
      return stream
    }),
  )
}

/** Lines of one table that are taken one by one. */
class LineStream {
  readonly #batches: AsyncIterator<SelectedLine[]>
  #rows: readonly SelectedLine[] = []
  #at = 0
  #isEnded = false

  constructor(lines: AsyncIterable<SelectedLine[]>) {
    this.#batches = lines[Symbol.asyncIterator]()
  }

  /** The next line; undefined at the end, or before `refill`. */
  get next(): SelectedLine | undefined {
    return this.#rows[this.#at]
  }

  /** Whether `next` is known. */
  get isReady(): boolean {
    return this.#isEnded || this.next !== undefined
  }

  take(): SelectedLine {
    return this.#rows[this.#at++] as SelectedLine
  }

  async refill(): Promise<void> {
    while (!this.isReady) {
      const { done, value } = await this.#batches.next()
      if (done === true) this.#isEnded = true
      else {
        this.#rows = value
        this.#at = 0
      }
    }
  }

  async end(): Promise<void> {
    await this.#batches.return?.()
  }
}

/** Order of two lines by their own time, and then by their ids. */
function comparePositions(a: LinePosition, b: LinePosition): number {
  if (a.ts !== b.ts) return a.ts - b.ts
  if (a.t !== b.t) return a.t - b.t
  if (a.topic !== b.topic) return a.topic - b.topic
  if (a.partition !== b.partition) return a.partition - b.partition
  if (a.offset !== b.offset) return BigInt(a.offset) < BigInt(b.offset) ? -1 : 1
  return a.row - b.row
}
