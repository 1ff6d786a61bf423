import { isJsonObject, type JsonValue } from '../../schemas/json.ts'
import { type ErrorDetail, foundType } from './errors.ts'
import { parseFieldPath } from './field-path.ts'
import { readAt } from './path-segments.ts'

const MAX_RATE = 2 ** 32 - 1

type Check = (value: JsonValue | undefined) => boolean

const VALUE_OF: Readonly<Record<string, Check>> = {
  counter: isNumber,
  gauge: isNumber,
  sum: isNumber,
  set: value => isJsonObject(value) && isListOf(value.values, element => typeof element === 'string'),
  histogram: value =>
    isJsonObject(value) && isListOf(value.buckets, isBucket) && isCount(value.count) && isNumber(value.sum),
  distribution: value =>
    isJsonObject(value) &&
    isListOf(value.samples, isSample) &&
    (value.statistic === 'histogram' || value.statistic === 'summary'),
  summary: value =>
    isJsonObject(value) &&
    isListOf(value.quantiles, isQuantile) &&
    isCount(value.count) &&
    isNumber(value.sum),
}

const WHOLE_MESSAGE = '.'

/** Whether a message has the fixed shape of a metric: components, section 2. */
export function isMetric(message: JsonValue): boolean {
  return unfitField(message) === undefined
}

/** Detail of an error on a message that is not a metric: its first unfit field, or none if it is not an object. */
export function unfitDetail(message: JsonValue): ErrorDetail {
  const field = unfitField(message)
  if (field === undefined || field === WHOLE_MESSAGE) return { found: foundType(message) }
  return { field, found: foundType(readAt(message, parseFieldPath(field)?.segments ?? [])) }
}

/** The first field of a message that a metric does not have like that; undefined for a metric. */
function unfitField(message: JsonValue): string | undefined {
  if (!isJsonObject(message)) return WHOLE_MESSAGE
  const { name, kind, value, namespace, tags, time } = message
  if (typeof name !== 'string') return '.name'
  if (kind !== 'incremental' && kind !== 'absolute') return '.kind'
  if (!isJsonObject(value)) return '.value'
  if (typeof value.type !== 'string' || !Object.hasOwn(VALUE_OF, value.type)) return '.value.type'
  if (namespace !== undefined && typeof namespace !== 'string') return '.namespace'
  if (tags !== undefined && !isTags(tags)) return '.tags'
  if (time !== undefined && !isTime(time)) return '.time'
  return (VALUE_OF[value.type] as Check)(value.value) ? undefined : '.value.value'
}

/** A number; integers that a double cannot represent are bigint. */
type MetricNumber = number | bigint

/** Value of a metric, by its class: components, section 2. */
export type MetricValue =
  | { readonly type: 'counter' | 'gauge' | 'sum'; readonly value: MetricNumber }
  | { readonly type: 'set'; readonly value: { readonly values: readonly string[] } }
  | {
      readonly type: 'histogram'
      readonly value: {
        readonly buckets: readonly { readonly upper_limit: MetricNumber; readonly count: MetricNumber }[]
        readonly count: MetricNumber
        readonly sum: MetricNumber
      }
    }
  | {
      readonly type: 'distribution'
      readonly value: {
        readonly samples: readonly { readonly value: MetricNumber; readonly rate: MetricNumber }[]
        readonly statistic: 'histogram' | 'summary'
      }
    }
  | {
      readonly type: 'summary'
      readonly value: {
        readonly quantiles: readonly { readonly quantile: MetricNumber; readonly value: MetricNumber }[]
        readonly count: MetricNumber
        readonly sum: MetricNumber
      }
    }

export interface Metric {
  readonly name: string
  readonly kind: 'incremental' | 'absolute'
  readonly value: MetricValue
  readonly namespace?: string
  readonly tags?: Readonly<Record<string, string>>
  readonly time?: { readonly interval_ms: MetricNumber }
}

/**
 * The metric of a message as destinations of metrics read it: a value without a class counts as `gauge`. Undefined: the message
 * is not a metric.
 */
export function metricOf(message: JsonValue): Metric | undefined {
  if (isMetric(message)) return message as unknown as Metric
  if (!isJsonObject(message) || !isJsonObject(message.value) || message.value.type !== undefined)
    return undefined
  const gauge = { ...message, value: { ...message.value, type: 'gauge' } }
  return isMetric(gauge) ? (gauge as unknown as Metric) : undefined
}

function isTags(tags: JsonValue): boolean {
  if (!isJsonObject(tags)) return false
  for (const tag in tags) if (typeof tags[tag] !== 'string') return false
  return true
}

function isTime(time: JsonValue): boolean {
  return isJsonObject(time) && isCount(time.interval_ms) && time.interval_ms !== 0
}

function isBucket(bucket: JsonValue): boolean {
  return isJsonObject(bucket) && isNumber(bucket.upper_limit) && isCount(bucket.count)
}

function isSample(sample: JsonValue): boolean {
  return (
    isJsonObject(sample) &&
    isNumber(sample.value) &&
    isCount(sample.rate) &&
    (sample.rate as number) <= MAX_RATE
  )
}

function isQuantile(quantile: JsonValue): boolean {
  return isJsonObject(quantile) && isNumber(quantile.quantile) && isNumber(quantile.value)
}

function isListOf(value: JsonValue | undefined, check: (element: JsonValue) => boolean): boolean {
  return Array.isArray(value) && value.every(check)
}

function isNumber(value: JsonValue | undefined): boolean {
  return typeof value === 'number' || typeof value === 'bigint'
}

function isCount(value: JsonValue | undefined): boolean {
  return typeof value === 'bigint' ? value >= 0n : Number.isInteger(value) && (value as number) >= 0
}
