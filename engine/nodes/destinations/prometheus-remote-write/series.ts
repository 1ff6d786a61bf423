import type { Event } from '../../../event/event.ts'
import { type Metric, metricOf } from '../../../event/metric.ts'
import type { DeliveryFailure } from '../../contract/own-store.ts'
import { fieldBytes, ProtobufWriter, textBytes } from './protobuf.ts'

/** A sample of a series. */
export interface Sample {
  readonly series: SeriesLabels
  readonly value: number
  /** UNIX ms. */
  readonly timeMs: number
}

/** Labels of a series. */
export interface SeriesLabels {
  /** A text that only equal labels have. */
  readonly key: string
  /** Fields of a time series, in the order of the names; the name of the series is the label `__name__`. */
  readonly fields: Buffer
}

type Label = readonly [name: string, value: string]

/** Labels that are remembered: those of most samples are those of an earlier one. They take some megabytes at most. */
const MAX_KNOWN_SERIES = 10_000
const MAX_KNOWN_CHARACTERS = 500
const KNOWN = new Map<string, SeriesLabels>()

/** Numbers of the fields of `prometheus.TimeSeries` and its labels, in remote write 1.0. */
const LABELS = 1
const [NAME, VALUE] = [1, 2]

/** Failure of an event that has no series. */
export function seriesFailure({ message }: Event): DeliveryFailure<'E_METRIC_BAD_TYPE'> | undefined {
  const metric = metricOf(message)
  if (metric === undefined || metric.name === '')
    return { code: 'E_METRIC_BAD_TYPE', field: null, message: 'The message is not a metric with a name' }
  if (metric.kind === 'absolute') return undefined
  // Samples of a series are totals, and no sender knows the total of increments.
  const text = 'The metric is incremental: remote write takes absolute values'
  return { code: 'E_METRIC_BAD_TYPE', field: null, message: text }
}

/** Samples of a metric, one of each of its series. */
export function samplesOf(event: Event): Sample[] {
  const metric = metricOf(event.message) as Metric
  const { name, namespace, tags = {} } = metric
  const timeMs = Math.floor(event.timestampMs)
  const sent = `${namespace === undefined ? '' : lengthAndText(namespace)}|${lengthAndText(name)}${textOfTags(tags)}`
  return partsOf(metric).map(([suffix, value, ...own]) => ({
    series: seriesOf(metric, sent, suffix, own),
    ...{ value: Number(value), timeMs },
  }))
}

/**
 * Labels of a series of a metric.
 *
 * @param sent a text that only metrics of equal names and tags have
 */
function seriesOf(metric: Metric, sent: string, suffix: string, own: readonly Label[]): SeriesLabels {
  const place = `${sent}!${suffix}${textOfTags(Object.fromEntries(own))}`
  const found = KNOWN.get(place)
  if (found !== undefined) return found
  const labels = labelsOf(metric, suffix, own)
  const made = { key: keyOf(labels), fields: labelFields(labels) }
  if (KNOWN.size === MAX_KNOWN_SERIES) KNOWN.clear()
  if (place.length <= MAX_KNOWN_CHARACTERS) KNOWN.set(place, made)
  return made
}

function labelsOf({ name, namespace, tags = {} }: Metric, suffix: string, own: readonly Label[]): Label[] {
  const base = cleaned(namespace === undefined ? name : `${namespace}_${name}`, /[^A-Za-z0-9_:]/g)
  const common = Object.entries(tags)
    .filter(([, value]) => value !== '')
    .map(([tag, value]): Label => [cleaned(tag, /[^A-Za-z0-9_]/g), value])
  // The last one of equal names counts, so no tag replaces the name of the series.
  const labels = new Map([...common, ...own, ['__name__', `${base}${suffix}`] as const])
  return [...labels].toSorted(byName)
}

function textOfTags(tags: Readonly<Record<string, string>>): string {
  let text = ''
  for (const tag in tags) text += `;${lengthAndText(tag)}${lengthAndText(tags[tag] as string)}`
  return text
}

function lengthAndText(text: string): string {
  return `${text.length}:${text}`
}

function keyOf(labels: readonly Label[]): string {
  let key = ''
  for (const [name, value] of labels) key += `${name}=${lengthAndText(value)}`
  return key
}

function labelFields(labels: readonly Label[]): Buffer {
  const bytesOf = ([name, value]: Label) => textBytes(name) + textBytes(value)
  const writer = new ProtobufWriter(labels.reduce((sum, label) => sum + fieldBytes(bytesOf(label)), 0))
  for (const label of labels) {
    const [name, value] = label
    writer.message(LABELS, bytesOf(label))
    writer.text(NAME, name)
    writer.text(VALUE, value)
  }
  return writer.bytes
}

type Part = readonly [suffix: string, value: number | bigint, ...labels: readonly Label[]]

function partsOf({ value }: Metric): readonly Part[] {
  switch (value.type) {
    case 'counter':
    case 'gauge':
    case 'sum':
      return [['', value.value]]
    case 'set':
      return [['', new Set(value.value.values).size]]
    case 'histogram':
      return [
        ...cumulative(value.value.buckets).map(([limit, count]): Part => ['_bucket', count, ['le', limit]]),
        ['_bucket', value.value.count, ['le', '+Inf']],
        ...totals(value.value.sum, value.value.count),
      ]
    case 'summary':
      return [
        ...value.value.quantiles.map(
          ({ quantile, value: at }): Part => ['', at, ['quantile', String(quantile)]],
        ),
        ...totals(value.value.sum, value.value.count),
      ]
    case 'distribution': {
      const { samples } = value.value
      const sum = samples.reduce((all, sample) => all + Number(sample.value) * Number(sample.rate), 0)
      const count = samples.reduce((all, { rate }) => all + Number(rate), 0)
      return totals(sum, count)
    }
  }
}

function totals(sum: number | bigint, count: number | bigint): readonly Part[] {
  return [
    ['_sum', sum],
    ['_count', count],
  ]
}

/** Counts of a metric are those of each bucket alone; counts of Prometheus include all smaller values. */
function cumulative(
  buckets: readonly { readonly upper_limit: number | bigint; readonly count: number | bigint }[],
): readonly (readonly [limit: string, count: number])[] {
  let sum = 0
  return buckets
    .toSorted((one, other) => Number(one.upper_limit) - Number(other.upper_limit))
    .map(({ upper_limit: limit, count }) => {
      sum += Number(count)
      return [String(limit), sum]
    })
}

/** @param foreign characters that Prometheus does not allow */
function cleaned(name: string, foreign: RegExp): string {
  const clean = name.replaceAll(foreign, '_')
  return /^(\d|$)/.test(clean) ? `_${clean}` : clean
}

function byName([one]: Label, [other]: Label): number {
  return one < other ? -1 : 1
}
