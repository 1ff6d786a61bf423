import { DAY_MS } from '../../engine/times/duration.ts'
import type { RunningWeir } from './running-weir.ts'

export interface ExportedLine {
  readonly _id: string
  readonly _line: string
  readonly _host: string
  readonly _app: string
  readonly _mezmo_line_size: number
  readonly [member: string]: unknown
}

/** Every line that a search finds, oldest first, page by page. */
export async function exportedLines(
  weir: RunningWeir,
  parameters: Readonly<Record<string, string>> = {},
): Promise<ExportedLine[]> {
  const found: ExportedLine[] = []
  const nowMs = Date.now()
  const query = new URLSearchParams({
    from: String(nowMs - 30 * DAY_MS),
    to: String(nowMs + DAY_MS),
    prefer: 'head',
    size: '10000',
    ...parameters,
  })
  for (;;) {
    const page = await weir.get<{ lines: ExportedLine[]; pagination_id: string | null }>(
      `/v2/export?${query}`,
    )
    found.push(...page.lines)
    if (page.pagination_id === null) return found
    query.set('pagination_id', page.pagination_id)
  }
}

/** Lines stored today and yesterday, as usage counts them. */
export async function countedLines(weir: RunningWeir): Promise<number> {
  const nowS = Math.floor(Date.now() / 1000)
  const apps = await weir.get<{ current_total: number }[]>(
    `/v1/usage/apps?from=${nowS - 86_400}&to=${nowS + 60}`,
  )
  return apps.reduce((sum, app) => sum + app.current_total, 0)
}

/** Pauses between two readings: a reading of the store takes some 50 ms of processor time. */
const PAUSES = { firstMs: 50, longestMs: 250 }

/** Polls until a reading satisfies; the last reading otherwise, so that the assertion after it can tell. */
export async function eventually<T>(
  read: () => Promise<T>,
  satisfied: (value: T) => boolean,
  withinMs = 60_000,
): Promise<T> {
  const startedMs = performance.now()
  for (let pauseMs = PAUSES.firstMs; ; pauseMs = Math.min(pauseMs * 1.5, PAUSES.longestMs)) {
    const value = await read()
    if (satisfied(value) || performance.now() - startedMs > withinMs) return value
    await new Promise(resolve => setTimeout(resolve, pauseMs))
  }
}
