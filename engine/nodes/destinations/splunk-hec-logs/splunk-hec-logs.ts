import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
} from '../../contract/define-destination.ts'
import { targetOf } from '../../http/http-headers.ts'
import { statusVerdict } from '../../http/http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../../http/item-requests.ts'
import { blankFailure, type EventConfig, eventItemOf } from './event-item.ts'
import { type SplunkHecConfig, SplunkHecOptions, splunkHecProblems } from './splunk-hec-options.ts'

/** Class "streaming" of components, section 7.1. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
/** Objects follow each other without a list. */
const OBJECTS: ItemFrame = { begin: '', between: '\n', end: '' }

const batching: Batching<EventConfig> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, OBJECTS), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: (event, config) => itemBytes(eventItemOf(config)(event), OBJECTS),
}

/** The HTTP event collector of Splunk: components, section 7.9. */
export const splunkHecLogs = defineDestination({
  type: 'splunk-hec-logs',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events to the HTTP event collector of Splunk.',
  notes: [
    'A value of `timestamp_field` that is not a time gives way to the timestamp of the event. Splunk does not recognise repeats: ' +
      'an event can be there twice.',
    'After status 400, both halves of a request are sent alone, so that one event which the collector refuses fails alone.',
  ],
  config: SplunkHecOptions,
  check: splunkHecProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['host_field', 'timestamp_field', 'source', 'sourcetype', 'index'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: blankFailure,
  batching,
  encode: ({ events }: Batch, config: SplunkHecConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const { url } = targetOf(config.url, 'services/collector/event')
    return itemRequests(
      events.map(eventItemOf(config)),
      OBJECTS,
      batching.bounds(config),
      () => ({
        ...{ method: 'POST', url },
        headers: { 'content-type': 'application/json', authorization: `Splunk ${config.token}` },
        ...(config.tls_verify_certificate === false && { connection: { verifiesCertificate: false } }),
      }),
      config.compression,
    )
  },
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent, { takesAllOrNothing: true }),
  examples: [
    {
      title: 'events follow each other, with their time in seconds',
      config: {
        url: 'https://splunk.example.com:8088',
        token: 'secret',
        host_field: '.host',
        timestamp_field: '.at',
        sourcetype: { value_type: 'value', value: 'access_combined' },
        source: { value_type: 'field', value: '.file' },
      },
      events: [{ host: 'web-1', at: '2031-03-09T08:25:30.250Z', file: '/var/log/a' }, 'door=7 open', ' '],
      never: { 2: ['E_DELIVERY_FAILED', null] },
      requests: [
        {
          method: 'POST',
          url: 'https://splunk.example.com:8088/services/collector/event',
          headers: { 'content-type': 'application/json', authorization: 'Splunk secret' },
          body:
            '{"time":1930811130.250,"host":"web-1","source":"/var/log/a","sourcetype":"access_combined",' +
            '"event":{"host":"web-1","at":"2031-03-09T08:25:30.250Z","file":"/var/log/a"}}\n' +
            '{"time":1930810530.250,"sourcetype":"access_combined","event":"door=7 open"}',
        },
      ],
      answers: [
        { answer: { status: 200, body: '{"text":"Success","code":0}' }, verdict: 'delivered' },
        { answer: { status: 503, body: '{"text":"Server is busy","code":9}' }, verdict: 'again' },
        { answer: { status: 403, body: '{"text":"Invalid token","code":4}' }, verdict: 'rest' },
        {
          answer: { status: 400, body: '{"text":"Invalid data format","code":6,"invalid-event-number":1}' },
          verdict: 'halve',
        },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { url: 'https://splunk.example.com:8088', token: 'secret' },
      defaults: {
        ack_enabled: true,
        tls_verify_certificate: true,
        compression: 'none',
        host_field: 'metadata.host',
        timestamp_field: 'metadata.time',
        source: { value_type: 'none' },
        sourcetype: { value_type: 'none' },
        index: { value_type: 'none' },
      },
    },
    {
      sent: {
        ack_enabled: false,
        url: 'https://splunk.example.com:8088',
        token: 'secret',
        tls_verify_certificate: false,
        compression: 'gzip',
        host_field: '.host',
        timestamp_field: 'timestamp',
        source: { value_type: 'field', value: '.file' },
        sourcetype: { value_type: 'value', value: 'access_combined' },
        index: { value_type: 'field', value: 'metadata.index' },
      },
    },
  ],
})
