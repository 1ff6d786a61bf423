import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome } from '../../../outbound/http-exchange.ts'
import { defineDestination } from '../../contract/define-destination.ts'
import { deliveryFailed, statusVerdict } from '../../http/http-verdict.ts'
import { LokiOptions, lokiProblems } from './loki-options.ts'
import { lokiBatching, pushRequests } from './push-request.ts'

/** Reasons for which Loki refuses an entry. */
const REASON =
  /timestamp too (?:old|new)|entry too far behind|max entry size '\d+' bytes exceeded|\d+ label names; limit \d+|label (?:name|value) too long/
/** Loki stores nothing, because its operator has blocked the tenant, and wants no repeat. */
const BLOCKED = 260

/** Streams of Loki: components, section 7.8. */
export const loki = defineDestination({
  type: 'loki',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Push events to Loki, in streams by their labels.',
  notes: [
    'Other characters than letters, digits and `_` in the names of labels become `_`. A label that does not render, or renders to ' +
      'an empty text, is left out. Without any label an event gets `agent="pipeline"`.',
    'Entries of a stream are sent in the order of their timestamps. Loki drops an entry whose stream, time and text it has ' +
      'already: a repeat adds nothing, and neither does a second equal line of one time.',
    'After status 400, both halves of a request are sent alone: entries that Loki accepts are there, and one that it refuses ' +
      'fails alone.',
  ],
  config: LokiOptions,
  check: lokiProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['labels', 'encoding'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: () => undefined,
  batching: lokiBatching,
  encode: pushRequests,
  judge: (answer: HttpOutcome, _config, sent) =>
    'status' in answer && answer.status === BLOCKED
      ? deliveryFailed(`The server answered ${BLOCKED}`)
      : statusVerdict(answer, sent, { takesAllOrNothing: true, reason: REASON }),
  examples: [
    {
      title: 'events with the same labels are one stream',
      config: {
        endpoint: 'https://loki.example.com',
        encoding: { codec: 'text' },
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
        labels: [
          { label_name: 'app', label_value: '{{ .app }}' },
          { label_name: 'k8s.zone', label_value: 'oslo' },
        ],
      },
      events: [{ app: 'web' }, 'door=7 open', { app: 'web', n: 2 }],
      requests: [
        {
          method: 'POST',
          url: 'https://loki.example.com/loki/api/v1/push',
          headers: {
            'content-type': 'application/json',
            'content-encoding': 'gzip',
            authorization: 'Basic d2VpcjpzZWNyZXQ=',
          },
          body:
            '{"streams":[{"stream":{"app":"web","k8s_zone":"oslo"},"values":[' +
            '["1930810530250000000","{\\"app\\":\\"web\\"}"],["1930810530250000000","{\\"app\\":\\"web\\",\\"n\\":2}"]]},' +
            '{"stream":{"k8s_zone":"oslo"},"values":[["1930810530250000000","door=7 open"]]}]}',
          compression: 'gzip',
        },
      ],
      answers: [
        { answer: { status: 204 }, verdict: 'delivered' },
        { answer: { status: 260 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 500 }, verdict: 'again' },
        { answer: { status: 400, body: 'entry too far behind' }, verdict: 'halve' },
        { answer: { status: 401 }, verdict: 'rest' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'an event without any label gets one',
      config: {
        endpoint: 'http://127.0.0.1:3100/base/',
        path: 'push',
        encoding: { codec: 'json' },
        auth: { strategy: 'bearer', token: 'secret' },
        labels: [{ label_name: 'app', label_value: '{{ .app }}' }],
      },
      events: ['door=7 open'],
      requests: [
        {
          method: 'POST',
          url: 'http://127.0.0.1:3100/base/push',
          headers: {
            'content-type': 'application/json',
            'content-encoding': 'gzip',
            authorization: 'Bearer secret',
          },
          body: '{"streams":[{"stream":{"agent":"pipeline"},"values":[["1930810530250000000","\\"door=7 open\\""]]}]}',
          compression: 'gzip',
        },
      ],
      answers: [{ answer: { status: 400 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } }],
    },
  ],
  configs: [
    {
      sent: {
        endpoint: 'https://loki.example.com',
        encoding: { codec: 'json' },
        auth: { strategy: 'basic', user: 'weir', password: 'secret' },
        labels: [{ label_name: 'app', label_value: '{{ .app }}' }],
      },
      defaults: { ack_enabled: true, path: '/loki/api/v1/push' },
    },
    {
      sent: {
        ack_enabled: false,
        endpoint: 'http://127.0.0.1:3100',
        path: 'push',
        encoding: { codec: 'text' },
        auth: { strategy: 'bearer', token: 'secret' },
        labels: [{ label_name: 'environment', label_value: 'production' }],
      },
    },
  ],
})
