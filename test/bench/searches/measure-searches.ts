import { DAY_MS } from '../../../engine/times/duration.ts'
import type { RunningWeir } from '../../support/running-weir.ts'
import type { Report } from '../figure.ts'
import { SEARCH_KINDS, type SearchKind } from './search-kinds.ts'
import type { SearchedLines } from './searched-lines.ts'
import { FULL_PAGE, type SearchSpan, timedSearch } from './timed-search.ts'

/** Limits of the attempts of each kind of search. */
export interface Attempts {
  readonly least: number
  readonly most: number
  /** Attempts beyond the least number begin within it. */
  readonly withinMs: number
}

/** The first attempt brings files into the page cache. */
const WARM_UP = 1

/** Runs every kind of search one after another on one connection. */
export async function measureSearches(
  weir: RunningWeir,
  lines: SearchedLines,
  { title, attempts }: { readonly title: string; readonly attempts: Attempts },
  report: Report,
): Promise<void> {
  const nowMs = Date.now()
  const span = { fromMs: nowMs - DAY_MS, toMs: nowMs + DAY_MS }
  for (const kind of SEARCH_KINDS) {
    const { times, how } = await attemptsOf(kind, weir, lines, { span, attempts })
    report({ name: `${title}: ${kind.name}`, unit: 'ms', tries: times, reads: how })
  }
}

/** Two measurements must not ask for the same. */
let asked = 0

async function attemptsOf(
  kind: SearchKind,
  weir: RunningWeir,
  lines: SearchedLines,
  { span, attempts }: { readonly span: SearchSpan; readonly attempts: Attempts },
): Promise<{ times: number[]; how: string }> {
  const times: number[] = []
  const counts = new Set<number>()
  const ways = new Set<string>()
  const untilMs = performance.now() + attempts.withinMs
  for (let number = 0; number < attempts.most + WARM_UP; number++) {
    if (times.length >= attempts.least && performance.now() > untilMs) break
    const query = kind.query(lines, asked++)
    const { ms, found, how } = await timedSearch(weir.credentials, query, span)
    if (!kind.finds(found, FULL_PAGE)) throw new Error(`${kind.name}: ${query} found ${found} lines`)
    if (number < WARM_UP) continue
    times.push(ms)
    counts.add(found)
    ways.add(how)
  }
  return { times, how: `${[...ways].join(' or ')}: ${rangeOf(counts)} lines` }
}

function rangeOf(counts: ReadonlySet<number>): string {
  const [least, most] = [Math.min(...counts), Math.max(...counts)]
  return least === most ? String(least) : `${least} to ${most}`
}
