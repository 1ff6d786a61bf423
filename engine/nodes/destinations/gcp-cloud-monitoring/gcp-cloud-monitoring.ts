import Type, { type Static } from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { percentEncoded } from '../../../outbound/percent-encoded.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
} from '../../contract/define-destination.ts'
import { type ItemFrame, itemBytes, roomForItems } from '../../http/item-requests.ts'
import { requestRanges } from '../../http/request-ranges.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import {
  credentialsJson,
  credentialsProblems,
  serviceAccountOf,
  serviceAccountProblems,
} from '../../options/gcp-credentials.ts'
import {
  monitoredResourceOf,
  monitoredResourceOptions,
  monitoredResourceProblems,
} from '../../options/monitored-resource.ts'
import { pointVerdicts } from './point-verdicts.ts'
import { pointFailure, pointOf, type SeriesPoint } from './time-series.ts'

const HOST = 'monitoring.googleapis.com'
/** The service accepts as many series in a request. */
const MAX_EVENTS = 200
/** Class "streaming" of components, section 7.1, beside the resources of the series. */
const MAX_BYTES = 1_000_000
const SERIES: ItemFrame = { begin: '{"timeSeries":[', between: ',', end: ']}' }

const GcpMonitoringOptions = Type.Object(
  { ack_enabled: ackEnabled, ...monitoredResourceOptions, credentials_json: credentialsJson },
  { additionalProperties: false },
)

type GcpMonitoringConfig = Static<typeof GcpMonitoringOptions>

const batching: Batching<object> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, SERIES), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: event => itemBytes(pointOf(event, '').json, SERIES),
}

/** Metrics of Google Cloud: components, section 7.9. */
export const gcpCloudMonitoring = defineDestination({
  type: 'gcp-cloud-monitoring',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Write metrics to Google Cloud Monitoring.',
  notes: [
    'The type of a metric is `custom.googleapis.com/`, namespace and name, joined by `/`; its labels are the tags. Characters that ' +
      'Google Cloud does not allow become `_`.',
    'An incremental counter or sum is a cumulative point whose interval is its `interval_ms`. Every other number is a gauge, and a ' +
      'set a gauge of its size. Histograms, summaries and distributions are never sent.',
    'A request contains one point of a series: a further one waits for a later request. Google Cloud refuses points that are less ' +
      'than 5 seconds apart or not newer than the last one of their series. A repeat of a point that is there may be refused, too, ' +
      'and then counts as failed.',
    'A pipeline can be published only with the key file of a service account, which contains `client_email` and `private_key`. ' +
      'Addresses in the key file are not used.',
  ],
  config: GcpMonitoringOptions,
  check: sent => [...monitoredResourceProblems(sent), ...credentialsProblems(sent)],
  publishProblems: serviceAccountProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_METRIC_BAD_TYPE', 'E_DELIVERY_FAILED'],
  neverSent: pointFailure,
  batching,
  encode: seriesRequests,
  judge: (answer: HttpOutcome, _config, sent) => pointVerdicts(answer, sent),
  examples: [
    {
      title: 'each metric is a series with one point, and a second point of a series waits',
      config: {
        ...{ project_id: 'example', resource_type: 'global' },
        credentials_json: '{"client_email":"weir@example.com","private_key":"key"}',
      },
      events: [
        {
          ...{ name: 'opened', namespace: 'doors', kind: 'incremental', time: { interval_ms: 10_000 } },
          ...{ tags: { floor: '2' }, value: { type: 'counter', value: 3 } },
        },
        { name: 'open', kind: 'absolute', value: { type: 'gauge', value: 1.5 } },
        { name: 'open', kind: 'absolute', value: { type: 'gauge', value: 2 } },
        'door=7 open',
        {
          ...{ name: 'wait', kind: 'absolute' },
          value: { type: 'summary', value: { quantiles: [], count: 2, sum: 5 } },
        },
      ],
      never: { 3: ['E_METRIC_BAD_TYPE', null], 4: ['E_METRIC_BAD_TYPE', null] },
      requests: [
        {
          method: 'POST',
          url: 'https://monitoring.googleapis.com/v3/projects/example/timeSeries',
          headers: { 'content-type': 'application/json' },
          serviceAccount: {
            email: 'weir@example.com',
            privateKey: 'key',
            audience: 'https://monitoring.googleapis.com/',
          },
          body:
            '{"timeSeries":[{"metric":{"type":"custom.googleapis.com/doors/opened","labels":{"floor":"2"}},' +
            '"resource":{"type":"global"},"metricKind":"CUMULATIVE","valueType":"DOUBLE","points":[{"interval":' +
            '{"startTime":"2031-03-09T08:15:20.251Z","endTime":"2031-03-09T08:15:30.250Z"},"value":{"doubleValue":3}}]},' +
            '{"metric":{"type":"custom.googleapis.com/open","labels":{}},"resource":{"type":"global"},"metricKind":"GAUGE",' +
            '"valueType":"DOUBLE","points":[{"interval":{"endTime":"2031-03-09T08:15:30.250Z"},"value":{"doubleValue":1.5}}]}]}',
        },
      ],
      answers: [
        { answer: { status: 200, body: '{}' }, verdict: ['delivered', 'delivered', 'again'] },
        {
          answer: {
            status: 400,
            body:
              '{"error":{"message":"One or more TimeSeries could not be written: Points must be written in order.: ' +
              'timeSeries[1]","details":[{"@type":"type.googleapis.com/google.monitoring.v3.CreateTimeSeriesSummary",' +
              '"totalPointCount":2,"successPointCount":1,"errors":[{"status":{"code":3},"pointCount":1}]}]}}',
          },
          verdict: ['delivered', { failed: ['E_DELIVERY_FAILED', null] }, 'again'],
        },
        { answer: { status: 409 }, verdict: ['delivered', 'delivered', 'again'] },
        { answer: { status: 400 }, verdict: 'halve' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { project_id: 'example', resource_type: 'global', credentials_json: '{}' },
      defaults: { ack_enabled: true },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        resource_type: 'k8s_cluster',
        resource_labels: [{ label_name: 'cluster_name', label_value: 'production' }],
        credentials_json: '{"type":"service_account"}',
      },
    },
  ],
})

function* seriesRequests(
  { events }: Batch,
  config: GcpMonitoringConfig,
): Generator<EncodedRequest<HttpRequest>> {
  const resource = JSON.stringify(monitoredResourceOf(config))
  const points = events.map(event => pointOf(event, resource))
  const sizes = events.map(event => batching.sizeOf(event, config))
  for (const [first, end] of requestRanges(sizes, batching.bounds(config))) {
    const { sent, waiting } = divided(points.slice(first, end))
    yield {
      request: {
        method: 'POST',
        url: `https://${HOST}/v3/projects/${percentEncoded(config.project_id)}/timeSeries`,
        headers: { 'content-type': 'application/json' },
        body: Buffer.from(`${SERIES.begin}${sent.map(({ json }) => json).join(SERIES.between)}${SERIES.end}`),
        serviceAccount: serviceAccountOf(config.credentials_json, HOST),
      },
      events: end - first,
      ...(waiting.length > 0 && { waiting }),
    }
  }
}

/** The first point of each series, and the indexes of all others. */
function divided(points: readonly SeriesPoint[]): {
  readonly sent: SeriesPoint[]
  readonly waiting: number[]
} {
  const seen = new Set<string>()
  const sent: SeriesPoint[] = []
  const waiting: number[] = []
  for (const [index, point] of points.entries()) {
    if (seen.has(point.series)) waiting.push(index)
    else sent.push(point)
    seen.add(point.series)
  }
  return { sent, waiting }
}
