import Type, { type Static } from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
} from '../../contract/define-destination.ts'
import { headerTextProblems } from '../../http/http-headers.ts'
import { deliveryFailed, statusVerdict } from '../../http/http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../../http/item-requests.ts'
import { DATADOG_DOMAINS, datadogAccountOptions } from '../../options/datadog-account.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import { seriesFailure, seriesItem } from './series-item.ts'

/** The intake accepts a little more without compression. Half as much as class "streaming" of components, section 7.1. */
const MAX_BYTES = 500_000
const MAX_EVENTS = 1_000
const INTAKE_BYTES = 512_000
const SERIES: ItemFrame = { begin: '{"series":[', between: ',', end: ']}' }

const DatadogMetricsOptions = Type.Object(
  { ack_enabled: ackEnabled, ...datadogAccountOptions },
  { additionalProperties: false },
)

const batching: Batching<object> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, SERIES), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: event => itemBytes(seriesItem(event), SERIES),
}

/** Metrics of Datadog: components, section 7.9. */
export const datadogMetrics = defineDestination({
  type: 'datadog-metrics',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send metrics to Datadog.',
  notes: [
    'The name of a series is namespace and name, joined by a dot; characters that Datadog does not allow become `_`. A tag is sent ' +
      'as `name:value`.',
    'An incremental counter or sum is sent as a count, over its `interval_ms` in whole seconds. Every other number is sent as a ' +
      'gauge, and a set as a gauge of its size. Histograms, summaries and distributions are never sent.',
    'A point has the second of its event. Datadog keeps one gauge of a series per second, so the repeat of a gauge changes ' +
      'nothing; a count can be there twice.',
  ],
  config: DatadogMetricsOptions,
  check: ({ api_key: key }) => headerTextProblems('/api_key', key),
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_METRIC_BAD_TYPE', 'E_DELIVERY_FAILED'],
  neverSent: (event: Event) => {
    const failure = seriesFailure(event)
    if (failure !== undefined) return failure
    return batching.sizeOf(event, {}) > roomForItems(INTAKE_BYTES, SERIES)
      ? deliveryFailed('The metric is larger than the intake of Datadog accepts')
      : undefined
  },
  batching,
  encode: (
    batch: Batch,
    config: Static<typeof DatadogMetricsOptions>,
  ): Iterable<EncodedRequest<HttpRequest>> =>
    itemRequests(batch.events.map(seriesItem), SERIES, batching.bounds(config), () => ({
      method: 'POST',
      url: `https://api.${DATADOG_DOMAINS[config.site]}/api/v2/series`,
      headers: { 'content-type': 'application/json', 'dd-api-key': config.api_key },
    })),
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent, { takesAllOrNothing: true }),
  examples: [
    {
      title: 'each metric is a series with one point',
      config: { api_key: 'key', site: 'us3' },
      events: [
        { name: 'opened', namespace: 'doors', kind: 'incremental', value: { type: 'counter', value: 3 } },
        { name: 'open', kind: 'absolute', tags: { floor: '2' }, value: { type: 'gauge', value: 1.5 } },
        'door=7 open',
        {
          ...{ name: 'wait', kind: 'absolute' },
          value: { type: 'summary', value: { quantiles: [], count: 2, sum: 5 } },
        },
        { name: '7th', kind: 'absolute', value: { type: 'gauge', value: 1 } },
      ],
      never: {
        2: ['E_METRIC_BAD_TYPE', null],
        3: ['E_METRIC_BAD_TYPE', null],
        4: ['E_METRIC_BAD_TYPE', null],
      },
      requests: [
        {
          method: 'POST',
          url: 'https://api.us3.datadoghq.com/api/v2/series',
          headers: { 'content-type': 'application/json', 'dd-api-key': 'key' },
          body:
            '{"series":[{"metric":"doors.opened","type":1,"interval":1,"points":[{"timestamp":1930810530,"value":3}]},' +
            '{"metric":"open","type":3,"points":[{"timestamp":1930810530,"value":1.5}],"tags":["floor:2"]}]}',
        },
      ],
      answers: [
        { answer: { status: 202, body: '{"errors":[]}' }, verdict: 'delivered' },
        { answer: { status: 408 }, verdict: 'again' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 400 }, verdict: 'halve' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { api_key: 'key', site: 'us3' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', site: 'us5' },
    },
  ],
})
