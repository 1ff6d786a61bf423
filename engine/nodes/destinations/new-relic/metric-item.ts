import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type Metric, metricOf } from '../../../event/metric.ts'
import { jsonText } from '../../../json/json-text.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'

/** Span of counts and summaries that do not name one, in ms: New Relic requires it. */
const INTERVAL_MS = 1_000

/** Failure of an event that is not a metric. */
export function metricFailure({ message }: Event): DeliveryFailure<'E_METRIC_BAD_TYPE'> | undefined {
  if (metricOf(message) !== undefined) return undefined
  return { code: 'E_METRIC_BAD_TYPE', field: null, message: 'The message is not a metric' }
}

/** JSON of a metric for the metric API. */
export function metricItem(event: Event): string {
  const metric = metricOf(event.message) as Metric
  const { name, namespace, tags, time } = metric
  const typed = typedValue(metric)
  return jsonText({
    name: namespace === undefined ? name : `${namespace}.${name}`,
    timestamp: Math.floor(event.timestampMs),
    ...typed,
    ...(typed.type !== 'gauge' && { 'interval.ms': time?.interval_ms ?? INTERVAL_MS }),
    ...(tags !== undefined && { attributes: tags }),
  })
}

function typedValue({ kind, value }: Metric): JsonObject {
  switch (value.type) {
    case 'gauge':
      return { type: 'gauge', value: value.value }
    case 'counter':
    case 'sum':
      return { type: kind === 'incremental' ? 'count' : 'gauge', value: value.value }
    case 'set':
      return { type: 'gauge', value: new Set(value.value.values).size }
    case 'histogram':
      return summary(value.value.count, value.value.sum, [])
    case 'summary':
      return summary(
        value.value.count,
        value.value.sum,
        value.value.quantiles.map(quantile => quantile.value),
      )
    case 'distribution': {
      const { samples } = value.value
      const count = samples.reduce((all, { rate }) => all + Number(rate), 0)
      const sum = samples.reduce((all, sample) => all + Number(sample.value) * Number(sample.rate), 0)
      return summary(
        count,
        sum,
        samples.map(sample => sample.value),
      )
    }
  }
}

/** @param values among which the least and the greatest are; empty: they are unknown */
function summary(count: JsonValue, sum: JsonValue, values: readonly (number | bigint)[]): JsonObject {
  const numbers = values.map(Number)
  const [min, max] = numbers.length === 0 ? [null, null] : [Math.min(...numbers), Math.max(...numbers)]
  return { type: 'summary', value: { count, sum, min, max } }
}
