import type { Event } from '../../../event/event.ts'
import { type Metric, metricOf } from '../../../event/metric.ts'
import { jsonText } from '../../../json/json-text.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'

/** Classes of the intake: `MetricIntakeType` of its schema. */
const [COUNT, GAUGE] = [1, 3]
/** Other characters of a name become `_` at Datadog. */
const FOREIGN = /[^A-Za-z0-9_.]/gu
const NAME = /^[A-Za-z].{0,199}$/
/** Classes without a counterpart: the intake accepts one number per point. */
const UNKNOWN: ReadonlySet<string> = new Set(['histogram', 'summary', 'distribution'])

/** Failure of an event that the intake of series never accepts. */
export function seriesFailure({ message }: Event): DeliveryFailure<'E_METRIC_BAD_TYPE'> | undefined {
  const metric = metricOf(message)
  if (metric === undefined) return badType('The message is not a metric')
  if (UNKNOWN.has(metric.value.type)) return badType('Datadog accepts no metrics of this class as a series')
  if (!NAME.test(nameOf(metric)))
    return badType('The name of the metric does not begin with a letter, or has more than 200 characters')
  return undefined
}

function badType(message: string): DeliveryFailure<'E_METRIC_BAD_TYPE'> {
  return { code: 'E_METRIC_BAD_TYPE', field: null, message }
}

/** JSON of a metric as a series with one point. */
export function seriesItem(event: Event): string {
  const metric = metricOf(event.message) as Metric
  const { kind, value, tags = {}, time } = metric
  const isCount = kind === 'incremental' && (value.type === 'counter' || value.type === 'sum')
  const labels = Object.entries(tags).map(([tag, text]) => `${tag}:${text}`)
  return jsonText({
    metric: nameOf(metric),
    type: isCount ? COUNT : GAUGE,
    ...(isCount && { interval: wholeSeconds(time?.interval_ms) }),
    points: [{ timestamp: Math.floor(event.timestampMs / SECOND_MS), value: numberOf(value) }],
    ...(labels.length > 0 && { tags: labels }),
  })
}

function nameOf({ namespace, name }: Metric): string {
  return (namespace === undefined ? name : `${namespace}.${name}`).replaceAll(FOREIGN, '_')
}

/** Datadog divides a count by its interval, which has no fraction. */
function wholeSeconds(intervalMs: number | bigint = SECOND_MS): number {
  return Math.max(1, Math.round(Number(intervalMs) / SECOND_MS))
}

function numberOf(value: Metric['value']): number | bigint {
  switch (value.type) {
    case 'counter':
    case 'gauge':
    case 'sum':
      return value.value
    case 'set':
      return new Set(value.value.values).size
    default:
      throw new RangeError(`a ${value.type} is not a number`)
  }
}
