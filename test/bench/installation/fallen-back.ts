import type { ObservedWeir } from './observed-weir.ts'

/** Name of the metric, if the program has one: the one place that knows it. */
const METRIC = 'weir_codec_fallback_rows_total'

/** Rows that took the slow way since the start; undefined: the program has but one way. */
export function fallenBackRows(weir: ObservedWeir): Promise<number | undefined> {
  return weir.metric(METRIC)
}
