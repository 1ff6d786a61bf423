import Type from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import { uriProblems } from '../../../conditions/uri.ts'
import type { HttpOutcome } from '../../../outbound/http-exchange.ts'
import { defineDestination } from '../../contract/define-destination.ts'
import { Secret } from '../../contract/secret.ts'
import { credentialTextProblems } from '../../http/http-headers.ts'
import { statusVerdict } from '../../http/http-verdict.ts'
import { authentication, authenticationProblems } from '../../options/authentication.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import { seriesFailure } from './series.ts'
import { remoteWriteBatching, remoteWriteRequests } from './write-request.ts'

const STRATEGIES = ['none', 'basic', 'bearer'] as const
/** Reasons for which Prometheus and servers with its code refuse a sample. */
const REASON = /out of order sample|duplicate sample for timestamp|out of bounds|too old sample/

const RemoteWriteOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    endpoint: Secret({ minLength: 1, description: 'Address to write to, with its path' }),
    auth: Type.Optional(authentication(STRATEGIES, { default: { strategy: 'none' } })),
  },
  { additionalProperties: false },
)

/** Metrics for receivers of Prometheus remote write: components, section 7.9. */
export const prometheusRemoteWrite = defineDestination({
  type: 'prometheus-remote-write',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send metrics by Prometheus remote write.',
  notes: [
    'The name of a series is namespace and name, joined by `_`; its labels are the tags. Characters that Prometheus does not allow ' +
      'become `_`, and empty tags are left out.',
    'A histogram becomes the series `_bucket` (with the label `le`), `_sum` and `_count`; a summary the series of its quantiles ' +
      '(with the label `quantile`), `_sum` and `_count`; a distribution `_sum` and `_count`; a set the number of its members.',
    'A sample is sent at the time of its event, so a repeat changes nothing. Prometheus refuses samples that are older than the newest ' +
      'one of their series: an event may be reported as failed, with the reason `out of order sample`, although an earlier ' +
      'request, whose answer was lost, has stored its sample.',
    'Incremental metrics fail: a sample is a total.',
  ],
  config: RemoteWriteOptions,
  check: sent => [
    ...uriProblems('/endpoint', sent.endpoint),
    ...authenticationProblems(sent.auth, STRATEGIES),
    ...credentialTextProblems(sent.auth),
  ],
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_METRIC_BAD_TYPE', 'E_DELIVERY_FAILED'],
  neverSent: seriesFailure,
  batching: remoteWriteBatching,
  encode: remoteWriteRequests,
  judge: (answer: HttpOutcome, _config, sent) =>
    statusVerdict(answer, sent, { takesAllOrNothing: true, reason: REASON }),
  examples: [
    {
      title: 'a metric is a sample of its series (in base64: protobuf before compression)',
      config: {
        endpoint: 'https://metrics.example.com/api/v1/push',
        auth: { strategy: 'bearer', token: 'secret' },
      },
      events: [
        {
          name: 'open',
          namespace: 'doors',
          kind: 'absolute',
          tags: { floor: '2' },
          value: { type: 'gauge', value: 1.5 },
        },
        { name: 'closed', kind: 'absolute', value: { type: 'counter', value: 7 } },
        'door=7 open',
        { name: 'opened', kind: 'incremental', value: { type: 'counter', value: 3 } },
      ],
      never: { 2: ['E_METRIC_BAD_TYPE', null], 3: ['E_METRIC_BAD_TYPE', null] },
      requests: [
        {
          method: 'POST',
          url: 'https://metrics.example.com/api/v1/push',
          headers: {
            'content-type': 'application/x-protobuf',
            'content-encoding': 'snappy',
            'x-prometheus-remote-write-version': '0.1.0',
            'user-agent': 'weir',
            authorization: 'Bearer secret',
          },
          body: 'CjYKFgoIX19uYW1lX18SCmRvb3JzX29wZW4KCgoFZmxvb3ISATISEAkAAAAAAAD4PxDKs5rqmDgKJgoSCghfX25hbWVfXxIGY2xvc2VkEhAJAAAAAAAAHEAQyrOa6pg4',
          compression: 'snappy',
        },
      ],
      answers: [
        { answer: { status: 204 }, verdict: 'delivered' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 500 }, verdict: 'again' },
        { answer: { status: 401 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 400, body: 'out of order sample' }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { endpoint: 'https://metrics.example.com/api/v1/push' },
      defaults: { ack_enabled: true, auth: { strategy: 'none' } },
    },
    {
      sent: {
        ack_enabled: false,
        endpoint: 'https://metrics.example.com/api/v1/push',
        auth: { strategy: 'bearer', user: '', password: '', token: 'secret' },
      },
    },
    {
      sent: {
        endpoint: 'http://127.0.0.1:9090/api/v1/write',
        auth: { strategy: 'basic', user: 'weir', password: 'secret', token: '' },
      },
      defaults: { ack_enabled: true },
    },
  ],
})
