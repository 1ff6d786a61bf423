import type { HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import type { Batch, Batching, EncodedRequest } from '../../contract/define-destination.ts'
import { authorizationOf, type HttpCredentials, targetOf } from '../../http/http-headers.ts'
import { requestRanges } from '../../http/request-ranges.ts'
import { DOUBLE_FIELD_BYTES, fieldBytes, integerBytes, ProtobufWriter } from './protobuf.ts'
import { type Sample, samplesOf } from './series.ts'

/** Class "streaming" of components, section 7.1. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000

/** Options that decide about requests. */
interface RemoteWriteConfig {
  readonly endpoint: string
  readonly auth?: HttpCredentials
}

/** Numbers of the fields of `prometheus.WriteRequest` and its parts, in remote write 1.0. */
const TIMESERIES = 1
const SAMPLES = 2
const [SAMPLE_VALUE, SAMPLE_TIMESTAMP] = [1, 2]

export const remoteWriteBatching: Batching<object> = {
  bounds: () => ({ bytes: MAX_BYTES, events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: event => bytesAlone(samplesOf(event)),
}

/** Requests of a batch by remote write 1.0. */
export function* remoteWriteRequests(
  { events }: Batch,
  { endpoint, auth }: RemoteWriteConfig,
): Generator<EncodedRequest<HttpRequest>> {
  const { url, headers } = targetOf(endpoint)
  const samples = events.map(samplesOf)
  for (const [first, end] of requestRanges(samples.map(bytesAlone), remoteWriteBatching.bounds({})))
    yield {
      request: {
        ...{ method: 'POST', url },
        headers: {
          'content-type': 'application/x-protobuf',
          'content-encoding': 'snappy',
          'x-prometheus-remote-write-version': '0.1.0',
          'user-agent': 'weir',
          ...headers,
          ...authorizationOf(auth),
        },
        body: writeRequestOf(samples.slice(first, end).flat()),
        compression: 'snappy',
      },
      events: end - first,
    }
}

interface Series {
  /** Fields of the labels. */
  readonly labels: Buffer
  /** Times of the samples, rising, and their values: the last one of several at one time. */
  readonly timesMs: number[]
  readonly values: number[]
}

/** Samples by series; those of a series in the order of time. The last one of several at one time counts. */
function writeRequestOf(samples: readonly Sample[]): Buffer {
  const series = new Map<string, Series>()
  for (const sample of samples) {
    const { key, fields } = sample.series
    let known = series.get(key)
    if (known === undefined) {
      known = { labels: fields, timesMs: [], values: [] }
      series.set(key, known)
    }
    addSample(known, sample)
  }
  const all = [...series.values()]
  const sizes = all.map(seriesBytes)
  const writer = new ProtobufWriter(sizes.reduce((sum, bytes) => sum + fieldBytes(bytes), 0))
  for (const [index, { labels, timesMs, values }] of all.entries()) {
    writer.message(TIMESERIES, sizes[index] as number)
    writer.fields(labels)
    for (const [at, timeMs] of timesMs.entries()) {
      writer.message(SAMPLES, sampleBytes(timeMs))
      writer.double(SAMPLE_VALUE, values[at] as number)
      writer.integer(SAMPLE_TIMESTAMP, timeMs)
    }
  }
  return writer.bytes
}

function addSample({ timesMs, values }: Series, { timeMs, value }: Sample): void {
  // Nearly all come in the order of time.
  let at = timesMs.length
  while (at > 0 && (timesMs[at - 1] as number) > timeMs) at--
  if (timesMs[at - 1] === timeMs) {
    values[at - 1] = value
    return
  }
  timesMs.splice(at, 0, timeMs)
  values.splice(at, 0, value)
}

function seriesBytes({ labels, timesMs }: Series): number {
  return timesMs.reduce((sum, timeMs) => sum + fieldBytes(sampleBytes(timeMs)), labels.length)
}

function sampleBytes(timeMs: number): number {
  return DOUBLE_FIELD_BYTES + integerBytes(timeMs)
}

/** Bytes of samples that share no labels with others, which would make a request smaller. */
function bytesAlone(samples: readonly Sample[]): number {
  return samples.reduce(
    (sum, { series, timeMs }) => sum + fieldBytes(series.fields.length + fieldBytes(sampleBytes(timeMs))),
    0,
  )
}
