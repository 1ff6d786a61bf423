import { MINUTE_MS } from '../times/time.ts'
import type { MetricsOfPipelines } from './requests.ts'

/** A rate is the mean over this time. */
export const RATE_MINUTES = 5
/** Counts of a minute appear some time after it. */
const SETTLED_AFTER_MS = MINUTE_MS

/** Figures of a pipeline in the list of all. */
export interface ListFigures {
  /** Events in a minute, at present. */
  readonly inPerMinute: number
  readonly outPerMinute: number
  /** Events that came in, for each interval of the last hour. */
  readonly points: readonly number[]
  /** Events of the last hour. */
  readonly eventsIn: number
  readonly dropped: number
}

/** Figures by the id of the pipeline. */
export function listFigures(metrics: MetricsOfPipelines): ReadonlyMap<string, ListFigures> {
  const { starts, interval_ms: intervalMs, to } = metrics
  const settled = starts.filter(start => start + intervalMs <= to - SETTLED_AFTER_MS).length
  const intervals = Math.max(1, Math.round((RATE_MINUTES * MINUTE_MS) / intervalMs))
  const perMinute = (counts: readonly number[]) => {
    const last = counts.slice(Math.max(0, settled - intervals), settled)
    const minutes = (last.length * intervalMs) / MINUTE_MS
    return last.length === 0 ? 0 : last.reduce((sum, each) => sum + each, 0) / minutes
  }
  return new Map(
    metrics.pipelines.map(({ pipeline_id: id, in: eventsIn, out, events_in: all, dropped }) => [
      id,
      {
        inPerMinute: perMinute(eventsIn),
        outPerMinute: perMinute(out),
        points: eventsIn.slice(0, settled),
        eventsIn: all,
        dropped,
      },
    ]),
  )
}
