import type { JsonObject } from '../../../../schemas/json.ts'
import type { Event } from '../../../event/event.ts'
import { type Metric, metricOf } from '../../../event/metric.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'

/** Metrics of users begin so. */
const DOMAIN = 'custom.googleapis.com'
/** Classes without a counterpart: a point has one number here. */
const UNKNOWN: ReadonlySet<string> = new Set(['histogram', 'summary', 'distribution'])
const MAX_LABELS = 30
const MAX_TYPE_CHARACTERS = 200

/** A point, and the series that it belongs to. */
export interface SeriesPoint {
  /** Equal for points of one series. */
  readonly series: string
  /** JSON text of the series with this one point. */
  readonly json: string
}

/** Failure of an event that has no series in Google Cloud Monitoring. */
export function pointFailure({ message }: Event): DeliveryFailure<'E_METRIC_BAD_TYPE'> | undefined {
  const metric = metricOf(message)
  if (metric === undefined || metric.name === '') return badType('The message is not a metric with a name')
  if (UNKNOWN.has(metric.value.type))
    return badType('Metrics of this class are not sent to Google Cloud Monitoring')
  if (typeOf(metric).length > MAX_TYPE_CHARACTERS) return badType('The name of the metric is too long')
  if (Object.keys(metric.tags ?? {}).length > MAX_LABELS)
    return badType(`The metric has more than ${MAX_LABELS} tags`)
  return Number.isFinite(numberOf(metric.value)) ? undefined : badType('The value of the metric is too large')
}

function badType(message: string): DeliveryFailure<'E_METRIC_BAD_TYPE'> {
  return { code: 'E_METRIC_BAD_TYPE', field: null, message }
}

/** @param resource JSON text of the monitored resource */
export function pointOf(event: Event, resource: string): SeriesPoint {
  const metric = metricOf(event.message) as Metric
  const { kind, value, tags = {}, time } = metric
  const labels = Object.entries(tags).map(([tag, text]) => [cleanedLabel(tag), text] as const)
  const series = JSON.stringify({ type: typeOf(metric), labels: Object.fromEntries(labels.toSorted(byName)) })
  const isCount = kind === 'incremental' && (value.type === 'counter' || value.type === 'sum')
  const interval = isCount ? countedInterval(event, time) : { endTime: event.timestamp }
  const points = JSON.stringify([{ interval, value: { doubleValue: numberOf(value) } }])
  return {
    series,
    json:
      `{"metric":${series},"resource":${resource},"metricKind":"${isCount ? 'CUMULATIVE' : 'GAUGE'}",` +
      `"valueType":"DOUBLE","points":${points}}`,
  }
}

/** A count begins anew with each event: its interval begins after that of the one before. */
function countedInterval(event: Event, time: Metric['time']): JsonObject {
  const lengthMs = Number(time?.interval_ms ?? SECOND_MS)
  const startMs = Math.max(
    0,
    Math.floor(event.timestampMs) - Math.max(1, Math.min(lengthMs, event.timestampMs) - 1),
  )
  return { startTime: new Date(startMs).toISOString(), endTime: event.timestamp }
}

function typeOf({ namespace, name }: Metric): string {
  const path = namespace === undefined ? name : `${namespace}/${name}`
  return `${DOMAIN}/${path.replaceAll(/[^A-Za-z0-9_./]/gu, '_')}`
}

/** Names of labels begin with a letter, and contain only letters, digits and `_`. */
function cleanedLabel(name: string): string {
  const clean = name.replaceAll(/[^A-Za-z0-9_]/gu, '_')
  return /^[A-Za-z]/.test(clean) ? clean : `tag_${clean}`
}

function numberOf(value: Metric['value']): number {
  switch (value.type) {
    case 'counter':
    case 'gauge':
    case 'sum':
      return Number(value.value)
    case 'set':
      return new Set(value.value.values).size
    default:
      throw new RangeError(`a ${value.type} is not a number`)
  }
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : Number(one > other)
}
