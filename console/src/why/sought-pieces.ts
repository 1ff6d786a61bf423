import { type Explanation, type ExplanationPiece, explainSought } from '../api/explanations.ts'
import { MINUTE_MS } from '../times/time.ts'

/** The server explains at most so many lines at once, the oldest of a period. */
const PAGE_LINES = 100
/** Missing lines after which the search ends by itself. */
const ENOUGH_MISSING = 50
/** Stored lines that show that such lines came. */
const STORED_LINES = 20
/**
 * The time is looked through in parts, from its end on. Each request of the server replays from a checkpoint, so parts
 * grow while they have few missing lines, and shrink where one has more than a request explains.
 */
const FIRST_PART_MS = MINUTE_MS
const SHORTEST_PART_MS = 1_000
const GROWTH = 4
const FEW_LINES = PAGE_LINES / GROWTH

interface Period {
  readonly query: string
  readonly fromMs: number
  readonly toMs: number
}

export type Piece =
  | Explanation
  | Extract<ExplanationPiece, { progress: unknown }>
  /** Lines of one millisecond were too many. */
  | { readonly passedOver: true }
  /** Enough lines were found: the time up to this one was not looked through, UNIX ms. */
  | { readonly restToMs: number }

/** Pieces of some lines, with the lines as the result. */
type PiecesOfLines = AsyncGenerator<Piece, readonly Explanation[]>

/**
 * Missing lines of a period as they were sent, the newest first, until they are enough; some stored lines where none is
 * missing.
 *
 * @throws Problem
 */
export async function* soughtPieces(
  wanted: Period,
  signal: AbortSignal,
  page = explainSought,
): AsyncGenerator<Piece> {
  let { toMs } = wanted
  let lengthMs = FIRST_PART_MS
  let missing = 0
  async function* linesOf(part: Period, limit: number, onlyMissing: boolean): PiecesOfLines {
    const lines: Explanation[] = []
    for await (const piece of page({ ...part, limit, onlyMissing }, signal)) {
      if ('progress' in piece) yield piece
      if ('line' in piece) lines.push(piece)
    }
    return lines
  }
  while (toMs >= wanted.fromMs) {
    if (missing >= ENOUGH_MISSING) {
      yield { restToMs: toMs }
      return
    }
    const part = { ...wanted, fromMs: Math.max(wanted.fromMs, toMs - lengthMs + 1), toMs }
    let found = yield* linesOf(part, PAGE_LINES, true)
    if (found.length === PAGE_LINES) {
      if (lengthMs > SHORTEST_PART_MS) {
        lengthMs = Math.max(SHORTEST_PART_MS, lengthMs / GROWTH)
        continue
      }
      found = yield* furtherLines(found, part.toMs, fromMs => linesOf({ ...part, fromMs }, PAGE_LINES, true))
    }
    missing += found.length
    yield* found.toReversed().sort((a, b) => timeOf(b) - timeOf(a))
    toMs = part.fromMs - 1
    if (found.length <= FEW_LINES) lengthMs *= GROWTH
  }
  if (missing === 0) yield* yield* linesOf(wanted, STORED_LINES, false)
}

/**
 * Reads pages until one is not full. Each begins at the time of the last line before it, and leaves out known lines.
 *
 * @param first a full page
 */
async function* furtherLines(
  first: readonly Explanation[],
  toMs: number,
  pageFrom: (fromMs: number) => PiecesOfLines,
): PiecesOfLines {
  const found = new Map(first.map(each => [each.line.place, each]))
  for (let page = first; page.length === PAGE_LINES; ) {
    const [firstMs, lastMs] = [page[0], page.at(-1)].map(each => timeOf(each as Explanation))
    // A page within one millisecond would come again and again.
    const isOneTime = firstMs === lastMs
    if (isOneTime) yield { passedOver: true }
    const fromMs = (lastMs as number) + (isOneTime ? 1 : 0)
    if (fromMs > toMs) break
    page = yield* pageFrom(fromMs)
    for (const each of page) found.set(each.line.place, each)
  }
  return [...found.values()]
}

/** Time of the log at which a line was handled, UNIX ms. */
export function timeOf({ line }: Explanation): number {
  return Date.parse(line.handled_at)
}
