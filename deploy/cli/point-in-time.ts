import { DAY_MS } from '../../engine/times/duration.ts'
import { CommandError, EXIT } from './command-error.ts'
import { durationMs } from './duration.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$/i

/**
 * Reads a time in a usual form: `now`, `2h` (that long ago), `today`, `yesterday`, an ISO date or date-time (UTC without
 * an offset), or a UNIX time in seconds or milliseconds.
 *
 * @param edge  the end of a day that a bare date means
 * @returns UNIX milliseconds
 * @throws CommandError for any other text
 */
export function pointInTime(option: string, text: string, nowMs: number, edge: 'start' | 'end'): number {
  const ms = readPoint(text.trim(), nowMs, edge)
  if (ms !== undefined && Number.isFinite(ms)) return Math.round(ms)
  throw new CommandError(
    EXIT.usage,
    `${option} "${text}" is not a time. Write 1h or 2d (that long ago), now, today, yesterday, ` +
      '2026-01-31, 2026-01-31T12:00:00Z, or a UNIX time in seconds or milliseconds.',
  )
}

function readPoint(text: string, nowMs: number, edge: 'start' | 'end'): number | undefined {
  if (text === 'now') return nowMs
  const today = nowMs - (((nowMs % DAY_MS) + DAY_MS) % DAY_MS)
  if (text === 'today') return dayEdge(today, edge)
  if (text === 'yesterday') return dayEdge(today - DAY_MS, edge)
  const agoMs = durationMs(text)
  if (agoMs !== undefined) return nowMs - agoMs
  // Numbers below 1e11 are seconds, as in the service.
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) < 1e11 ? Number(text) * 1000 : Number(text)
  if (DATE.test(text)) return dayEdge(calendarTime(`${text}T00:00:00Z`), edge)
  if (DATE_TIME.test(text)) return calendarTime(/(Z|[+-]\d{2}:?\d{2})$/i.test(text) ? text : `${text}Z`)
  return undefined
}

/** Date.parse reads 30 February as 1 March; here it is invalid. */
function calendarTime(text: string): number {
  const [year, month, day] = text.slice(0, 10).split('-').map(Number) as [number, number, number]
  const midnight = new Date(Date.UTC(year, month - 1, day))
  return midnight.getUTCMonth() === month - 1 ? Date.parse(text) : Number.NaN
}

function dayEdge(midnightMs: number, edge: 'start' | 'end'): number {
  return edge === 'start' ? midnightMs : midnightMs + DAY_MS - 1
}
