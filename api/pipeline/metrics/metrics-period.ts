import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../engine/times/duration.ts'
import {
  MAX_METRICS_INTERVALS,
  METRICS_MINUTE_S,
} from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { QueryParameters } from '../../http/query-parameters.ts'

/** A period in intervals of whole minutes; its ends are whole minutes too. UNIX ms. */
export interface MetricsPeriod {
  readonly fromMs: number
  /** Exclusive. */
  readonly toMs: number
  readonly intervalMs: number
}

/**
 * Reads `from`, `to` and `interval_s`.
 *
 * @param most intervals that an answer about the pipeline may have
 * @throws ApiError 400 with all findings about the parameters
 */
export function readMetricsPeriod(parameters: QueryParameters, nowMs: number, most: number): MetricsPeriod {
  parameters.only(['from', 'to', 'interval_s'])
  const ends = readEnds(parameters, nowMs)
  const minutes = (ends.toMs - ends.fromMs) / MINUTE_MS
  const sentS = parameters.integer('interval_s', { min: METRICS_MINUTE_S })
  if (sentS !== undefined && sentS % METRICS_MINUTE_S !== 0)
    parameters.refuse('interval_s', `must be a multiple of ${METRICS_MINUTE_S}`)
  const usualMs = minutes > MAX_METRICS_INTERVALS ? MINUTE_MS : lengthOf(minutes, most)
  const intervalMs = sentS === undefined ? usualMs : sentS * SECOND_MS
  if ((ends.toMs - ends.fromMs) / intervalMs > most)
    parameters.refuse('interval_s', `must not give more than ${most} intervals`)
  parameters.check()
  return { ...ends, intervalMs }
}

/** Reads `from` and `to` of an overview, in at most so many points. @throws ApiError 400 with all findings about the parameters */
export function readOverviewPeriod(parameters: QueryParameters, nowMs: number, most: number): MetricsPeriod {
  parameters.only(['from', 'to'])
  const ends = readEnds(parameters, nowMs)
  parameters.check()
  return { ...ends, intervalMs: lengthOf((ends.toMs - ends.fromMs) / MINUTE_MS, most) }
}

/** Length of the shortest intervals, ms, of which at most so many are in some minutes. */
function lengthOf(minutes: number, most: number): number {
  return Math.max(1, Math.ceil(minutes / most)) * MINUTE_MS
}

function readEnds(parameters: QueryParameters, nowMs: number): Pick<MetricsPeriod, 'fromMs' | 'toMs'> {
  const endMs = (parameters.has('to') ? parameters.timeMs('to', 'first', nowMs) : undefined) ?? nowMs
  const toMs = Math.ceil(endMs / MINUTE_MS) * MINUTE_MS
  if (!parameters.has('from')) return { fromMs: Math.max(0, toMs - HOUR_MS), toMs }
  const sentMs = parameters.timeMs('from', 'first', nowMs)
  parameters.inOrder(sentMs, endMs)
  return { fromMs: Math.floor((sentMs ?? 0) / MINUTE_MS) * MINUTE_MS, toMs }
}

export function startsOf({ fromMs, toMs, intervalMs }: MetricsPeriod): number[] {
  const count = Math.ceil((toMs - fromMs) / intervalMs)
  return Array.from({ length: count }, (_, index) => fromMs + index * intervalMs)
}
