import Type, { type Static } from 'typebox'
import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../event/event.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
} from '../contract/define-destination.ts'
import { headerTextProblems } from '../http/http-headers.ts'
import { deliveryFailed, statusVerdict } from '../http/http-verdict.ts'
import { itemBytes, itemRequests, JSON_ARRAY, roomForItems } from '../http/item-requests.ts'
import { messageItem } from '../http/message-item.ts'
import { DATADOG_DOMAINS, datadogAccountOptions } from '../options/datadog-account.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** Class "streaming" of components, section 7.1; the intake accepts five times as much. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
const INTAKE_BYTES = 5_000_000

const DatadogLogsOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    ...datadogAccountOptions,
    compression: Type.Enum(['none', 'gzip'], { description: 'Compression of sent data' }),
  },
  { additionalProperties: false },
)

const batching: Batching<object> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, JSON_ARRAY), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: event => itemBytes(messageItem(event), JSON_ARRAY),
}

/** Logs of Datadog: components, section 7.9. */
export const datadogLogs = defineDestination({
  type: 'datadog-logs',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events to the log management of Datadog.',
  notes: [
    'An event is sent as the attribute `message`; Datadog reads the members of a message that is JSON. Datadog does not recognise ' +
      'repeats: an event can be there twice.',
    'An event of more than 5 MB is never sent.',
  ],
  config: DatadogLogsOptions,
  check: ({ api_key: key }) => headerTextProblems('/api_key', key),
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: (event: Event) =>
    batching.sizeOf(event, {}) > roomForItems(INTAKE_BYTES, JSON_ARRAY)
      ? deliveryFailed('The event is larger than the intake of Datadog accepts')
      : undefined,
  batching,
  encode: (batch: Batch, config: Static<typeof DatadogLogsOptions>): Iterable<EncodedRequest<HttpRequest>> =>
    itemRequests(
      batch.events.map(messageItem),
      JSON_ARRAY,
      batching.bounds(config),
      () => ({
        method: 'POST',
        url: `https://http-intake.logs.${DATADOG_DOMAINS[config.site]}/api/v2/logs`,
        headers: { 'content-type': 'application/json', 'dd-api-key': config.api_key },
      }),
      config.compression,
    ),
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent, { takesAllOrNothing: true }),
  examples: [
    {
      title: 'each event is a message in the list of a request',
      config: { api_key: 'key', site: 'eu1', compression: 'none' },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'POST',
          url: 'https://http-intake.logs.datadoghq.eu/api/v2/logs',
          headers: { 'content-type': 'application/json', 'dd-api-key': 'key' },
          body: '[{"message":"door=7 open"},{"message":"{\\"door\\":8}"}]',
        },
      ],
      answers: [
        { answer: { status: 202, body: '{}' }, verdict: 'delivered' },
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
      sent: { api_key: 'key', site: 'eu1', compression: 'gzip' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', site: 'us1', compression: 'none' },
    },
  ],
})
