import { DAY_MS } from '../../engine/times/duration.ts'
import { dateTimeToMs } from '../../engine/times/sent-time.ts'
import type { QueryParameters } from '../http/query-parameters.ts'

/** Period of time; both bounds are inclusive, in UNIX ms. */
export interface Period {
  readonly fromMs: number
  readonly toMs: number
}

/** Basic format of ISO 8601, such as 20260304T050607Z, up to the seconds, which are optional. */
const BASIC_FORM = /^(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d)?/
const DATE_TIME = /^(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?(?:([Zz])|([+ -]\d\d)(?::?(\d\d))?)?$/

/** Bounds in whole seconds, both inclusive: usage, section 8.1. */
export function readSeconds(parameters: QueryParameters): Period {
  const from = parameters.requiredSeconds('from')
  const to = parameters.requiredSeconds('to')
  parameters.inOrder(from, to)
  return { fromMs: (from ?? 0) * 1000, toMs: (to ?? 0) * 1000 + 999 }
}

/** The days of two date-times in UTC, both included as a whole: usage, section 8.2. */
export function readDays(parameters: QueryParameters): Period {
  const from = readDay(parameters, 'from')
  const to = readDay(parameters, 'to')
  parameters.inOrder(from, to)
  return { fromMs: from ?? 0, toMs: (to ?? 0) + DAY_MS - 1 }
}

/** The bounds in the form of an answer: exclusive, one millisecond outside. */
export function exclusiveBounds({ fromMs, toMs }: Period): { readonly from: string; readonly to: string } {
  return { from: new Date(fromMs - 1).toISOString(), to: new Date(toMs + 1).toISOString() }
}

/** @returns start of the day, UNIX ms; undefined when refused */
function readDay(parameters: QueryParameters, name: string): number | undefined {
  const text = parameters.text(name)
  if (!parameters.has(name)) parameters.refuse(name, 'is required')
  if (text === undefined) return undefined
  const ms = iso8601ToMs(text)
  if (ms === undefined) parameters.refuse(name, 'must be in ISO 8601 date format')
  return ms === undefined ? undefined : Math.floor(ms / DAY_MS) * DAY_MS
}

/**
 * Reads either form of ISO 8601. Seconds and minutes of the offset are optional; no offset is UTC. A blank is the plus of
 * an offset that a client did not encode.
 */
function iso8601ToMs(text: string): number | undefined {
  const parts = DATE_TIME.exec(extendedForm(text))
  if (parts === null) return undefined
  const [, date, time, seconds = ':00', , hours, minutes = '00'] = parts
  const offset = hours === undefined ? 'Z' : `${hours.replace(' ', '+')}:${minutes}`
  return dateTimeToMs(`${date}T${time}${seconds}${offset}`)
}

function extendedForm(text: string): string {
  return text.replace(
    BASIC_FORM,
    (_, year, month, day, hour, minute, second) =>
      `${year}-${month}-${day}T${hour}:${minute}${second === undefined ? '' : `:${second}`}`,
  )
}
