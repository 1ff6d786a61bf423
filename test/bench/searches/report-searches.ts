import type { Report } from '../figure.ts'
import type { ObservedWeir } from '../installation/observed-weir.ts'
import { prepareLoad } from '../load/load.ts'
import { type Attempts, measureSearches } from './measure-searches.ts'
import type { SearchedLines } from './searched-lines.ts'

const LINES_PER_SECOND = 50_000
/** Longer than all searches beside it take. */
const SECONDS = 900
const AT_REST: Attempts = { least: 5, most: 100, withinMs: 8_000 }
const BESIDE: Attempts = { least: 3, most: 100, withinMs: 6_000 }
const QUICK: Attempts = { least: 1, most: 5, withinMs: 500 }
/** Lines that come in are others than those that are searched for. */
const OTHER_SEED = 2

/** Searches at rest, and then while lines come in. */
export async function reportSearches(
  weir: ObservedWeir,
  lines: SearchedLines,
  quick: boolean,
  report: Report,
): Promise<void> {
  const size = lines.count.toLocaleString('en')
  const atRest = { title: `search in ${size} lines at rest`, attempts: quick ? QUICK : AT_REST }
  await measureSearches(weir.program, lines, atRest, report)
  const { ingestUrl, ingestionKey } = weir.program.credentials
  const load = await prepareLoad({
    url: `${ingestUrl}/logs/ingest`,
    ingestionKey,
    lines: LINES_PER_SECOND * SECONDS,
    linesPerBody: 1_000,
    connections: 8,
    linesPerSecond: LINES_PER_SECOND,
    seed: OTHER_SEED,
    distinctLines: 10 * LINES_PER_SECOND,
  })
  try {
    const takenBefore = await takenLines(weir)
    const startedMs = performance.now()
    // It may end before the searches: their speed beside it would be that of rest again.
    let ended = false
    const sent = load.send().then(() => {
      ended = true
    })
    sent.catch(() => {})
    const beside = {
      title: `search in ${size} lines and more while lines come in`,
      attempts: quick ? QUICK : BESIDE,
    }
    await measureSearches(weir.program, lines, beside, report)
    const seconds = (performance.now() - startedMs) / 1000
    report({
      name: 'lines that came in beside the searches',
      unit: 'lines/s',
      values: [((await takenLines(weir)) - takenBefore) / seconds],
      floor: { name: 'offered', values: [LINES_PER_SECOND] },
    })
    if (ended) throw new Error('the lines beside the searches ended before them')
  } finally {
    load.close()
  }
}

async function takenLines(weir: ObservedWeir): Promise<number> {
  return (await weir.metric('weir_ingest_lines_total')) ?? 0
}
