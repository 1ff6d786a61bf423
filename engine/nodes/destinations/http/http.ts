import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome } from '../../../outbound/http-exchange.ts'
import { defineDestination } from '../../contract/define-destination.ts'
import { statusVerdict } from '../../http/http-verdict.ts'
import { HttpOptions, httpProblems, httpPublishProblems } from './http-options.ts'
import { httpBatching, httpPace, httpRequests } from './http-request.ts'

/**
 * Requests to any server: components, section 7.4. It is not checked when options are saved whether prefix and suffix make
 * JSON of the list between them: clients are known to save pairs that do not.
 */
export const http = defineDestination({
  type: 'http',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events to a server of your choice by HTTP.',
  notes: [
    'A repeated request has the same header `idempotency-key`. Without it a server receives some events twice.',
    'Own headers replace those of Weir, except `content-length` and `host`. User and password of the address are sent as ' +
      '`authorization`, unless `auth` or a header says otherwise.',
    'A request contains at most 1,000 events. One event that is larger than `max_bytes` is sent alone.',
    'Redirects are not followed.',
  ],
  config: HttpOptions,
  check: httpProblems,
  publishProblems: httpPublishProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['encoding', 'advanced_options'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: () => undefined,
  batching: httpBatching,
  encode: httpRequests,
  pace: httpPace,
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent),
  examples: [
    {
      title: 'texts are sent line by line, other messages as JSON',
      config: { uri: 'https://events.example.com/in' },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'POST',
          url: 'https://events.example.com/in',
          headers: {
            'content-type': 'text/plain',
            'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
          },
          body: 'door=7 open\n{"door":8}\n',
        },
      ],
      answers: [
        { answer: { status: 204 }, verdict: 'delivered' },
        { answer: { failure: 'TIMED_OUT' }, verdict: 'again' },
        { answer: { status: 429, headers: { 'retry-after': '7' } }, verdict: 'again' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 401 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 302 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
        { answer: { status: 400, body: 'bad door' }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
        { answer: { status: 501 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
        { answer: { failure: 'DENIED' }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'prefix and suffix make a document of the list; own headers win',
      config: {
        uri: 'https://me:secret@events.example.com/in',
        encoding: 'json',
        headers: [{ header_name: 'Content-Type', header_value: 'application/vnd.rows+json' }],
        advanced_options: { method: 'put', payload_prefix: '{"rows":', payload_suffix: '}' },
      },
      events: [{ a: 1 }, 'x'],
      requests: [
        {
          method: 'PUT',
          url: 'https://events.example.com/in',
          headers: {
            'content-type': 'application/vnd.rows+json',
            'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
            authorization: 'Basic bWU6c2VjcmV0',
          },
          body: '{"rows":[{"a":1},"x"]}',
        },
      ],
    },
    {
      title: 'a request ends before `max_bytes`, and a larger event goes alone',
      config: {
        uri: 'https://events.example.com/in',
        encoding: 'ndjson',
        auth: { strategy: 'bearer', token: 'secret' },
        advanced_options: { max_bytes: 16, timeout_secs: 5 },
      },
      events: [{ n: 1 }, { n: 2 }, { n: 3 }, { text: 'longer than that' }],
      requests: ['{"n":1}\n{"n":2}\n', '{"n":3}\n', '{"text":"longer than that"}\n'].map((body, index) => ({
        method: 'POST',
        url: 'https://events.example.com/in',
        headers: {
          'content-type': 'application/x-ndjson',
          'idempotency-key': `7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10${index === 0 ? '' : `.${index + 1}`}`,
          authorization: 'Bearer secret',
        },
        body,
        connection: { timeoutMs: 5_000 },
      })),
    },
  ],
  configs: [
    {
      sent: { uri: 'https://events.example.com/in' },
      defaults: {
        ack_enabled: true,
        encoding: 'text',
        compression: 'none',
        auth: { strategy: 'none' },
        advanced_options: {},
      },
    },
    {
      sent: {
        ack_enabled: false,
        uri: 'https://events.example.com/in',
        encoding: 'json',
        compression: 'gzip',
        auth: { strategy: 'basic', user: 'weir', password: 'secret', token: '' },
        headers: [{ header_name: 'x-team', header_value: 'platform' }],
        advanced_options: {
          max_bytes: 500_000,
          timeout_secs: 30,
          method: 'put',
          payload_prefix: '{"rows":',
          payload_suffix: '}',
          tls_protocols: ['h2', 'http/1.1'],
          proxy: { endpoint: 'http://proxy.example.com:3128', hosts_bypass_proxy: ['.internal'] },
          rate_limiting: { request_limit: 100, duration_secs: 60 },
        },
      },
      defaults: { advanced_options: { proxy: { enabled: false } } },
    },
    {
      sent: {
        uri: 'http://127.0.0.1:9000/',
        encoding: 'ndjson',
        auth: { strategy: 'bearer', token: 'secret' },
        advanced_options: { proxy: { enabled: true } },
      },
      defaults: { ack_enabled: true, compression: 'none' },
    },
  ],
})
