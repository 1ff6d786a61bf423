import { DAY_MS } from '../../engine/times/duration.ts'
import { readPointInTime } from '../../engine/times/point-in-time.ts'
import { isoTime } from '../http/iso-time.ts'
import type { QueryParameters } from '../http/query-parameters.ts'

/** Period of time; both bounds are inclusive, in UNIX ms. */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/** Forms that are refused: a UNIX time, and a date without a time (usage, section 8.2). */
const OTHER_FORM = /^(\d+(\.\d+)?|\d{4}-\d\d-\d\d)$/

/** Bounds in whole seconds, both inclusive: usage, section 8.1. */
export function readSeconds(parameters: QueryParameters, nowMs: number): Period {
  const from = parameters.requiredSeconds('from', nowMs, 'start')
  const to = parameters.requiredSeconds('to', nowMs, 'end')
  parameters.inOrder(from, to)
  return { fromMs: (from ?? 0) * 1000, toMs: (to ?? 0) * 1000 + 999 }
}

/** The days in UTC of two date-times, or of relative times, both included as a whole: usage, section 8.2. */
export function readDays(parameters: QueryParameters, nowMs: number): Period {
  const from = readDay(parameters, 'from', nowMs)
  const to = readDay(parameters, 'to', nowMs)
  parameters.inOrder(from, to)
  return { fromMs: from ?? 0, toMs: (to ?? 0) + DAY_MS - 1 }
}

/** The bounds in the form of an answer: exclusive, one millisecond outside. */
export function exclusiveBounds({ fromMs, toMs }: Period): { readonly from: string; readonly to: string } {
  return { from: isoTime(fromMs - 1), to: isoTime(toMs + 1) }
}

/** @returns start of the day, UNIX ms; undefined when refused */
function readDay(parameters: QueryParameters, name: string, nowMs: number): number | undefined {
  const text = parameters.text(name)
  if (!parameters.has(name)) parameters.refuse(name, 'is required')
  if (text === undefined) return undefined
  const ms = OTHER_FORM.test(text) ? undefined : readPointInTime(text, { nowMs, edge: 'start' })
  if (ms === undefined) parameters.refuse(name, 'must be in ISO 8601 date format')
  return ms === undefined ? undefined : Math.floor(ms / DAY_MS) * DAY_MS
}
