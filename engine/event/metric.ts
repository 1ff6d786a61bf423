import { isJsonObject, type JsonValue } from '../../schemas/json.ts'

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

/** Whether a message has the fixed shape of a metric: components, section 2. */
export function isMetric(message: JsonValue): boolean {
  if (!isJsonObject(message)) return false
  const { name, kind, value, namespace, tags, time } = message
  if (typeof name !== 'string' || (kind !== 'incremental' && kind !== 'absolute')) return false
  if (!isJsonObject(value) || typeof value.type !== 'string' || !Object.hasOwn(VALUE_OF, value.type))
    return false
  if (namespace !== undefined && typeof namespace !== 'string') return false
  if (tags !== undefined && !isTags(tags)) return false
  if (time !== undefined && !isTime(time)) return false
  return (VALUE_OF[value.type] as Check)(value.value)
}

function isTags(tags: JsonValue): boolean {
  return isJsonObject(tags) && Object.values(tags).every(tag => typeof tag === 'string')
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
