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
import type { DeliveryFailure } from '../../contract/own-store.ts'
import { Secret } from '../../contract/secret.ts'
import { headerTextProblems } from '../../http/http-headers.ts'
import { statusVerdict } from '../../http/http-verdict.ts'
import {
  type ItemFrame,
  itemBytes,
  itemRequests,
  JSON_ARRAY,
  roomForItems,
} from '../../http/item-requests.ts'
import { messageItem } from '../../http/message-item.ts'
import { ackEnabled } from '../../options/delivery-options.ts'
import { customEventFailure, customEventItem } from './custom-event.ts'
import { metricFailure, metricItem } from './metric-item.ts'

/** All three APIs accept this much after compression: components, section 7.1, class "streaming". */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000

const NewRelicOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    account_id: Type.String({ minLength: 1, description: 'Account to send to' }),
    license_key: Secret({ minLength: 1, description: 'License key of the account' }),
    api: Type.Optional(
      Type.Enum(['logs', 'metrics', 'events'], {
        default: 'logs',
        description: 'API to send to, which determines the form of the events',
      }),
    ),
  },
  { additionalProperties: false },
)

type NewRelicConfig = Static<typeof NewRelicOptions>
type ApiConfig = Pick<NewRelicConfig, 'api'>

interface Api {
  readonly frame: ItemFrame
  readonly urlOf: (account: string) => string
  readonly itemOf: (event: Event) => string
  readonly neverSent: (event: Event) => DeliveryFailure<'E_NOT_FOUND' | 'E_METRIC_BAD_TYPE'> | undefined
}

const APIS: Readonly<Record<NonNullable<NewRelicConfig['api']>, Api>> = {
  logs: {
    frame: { begin: '[{"logs":[', between: ',', end: ']}]' },
    urlOf: () => 'https://log-api.newrelic.com/log/v1',
    itemOf: messageItem,
    neverSent: () => undefined,
  },
  metrics: {
    frame: { begin: '[{"metrics":[', between: ',', end: ']}]' },
    urlOf: () => 'https://metric-api.newrelic.com/metric/v1',
    itemOf: metricItem,
    neverSent: metricFailure,
  },
  events: {
    frame: JSON_ARRAY,
    urlOf: account =>
      `https://insights-collector.newrelic.com/v1/accounts/${encodeURIComponent(account)}/events`,
    itemOf: customEventItem,
    neverSent: customEventFailure,
  },
}

const apiOf = ({ api = 'logs' }: ApiConfig): Api => APIS[api]

const batching: Batching<ApiConfig> = {
  bounds: config => ({
    bytes: roomForItems(MAX_BYTES, apiOf(config).frame),
    ...{ events: MAX_EVENTS, ageMs: SECOND_MS },
  }),
  sizeOf: (event, config) => itemBytes(apiOf(config).itemOf(event), apiOf(config).frame),
}

/** An account of New Relic: components, section 7.9. */
export const newRelic = defineDestination({
  type: 'new-relic',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events to New Relic, as logs, metrics or events.',
  notes: [
    'As a log, an event is sent as the attribute `message`; New Relic reads the members of a message that is JSON.',
    'As an event, a message needs a member `eventType`. Members of objects are sent under names with dots, lists as JSON text, ' +
      'booleans as text, and null not at all.',
    'As a metric, an incremental counter is sent as `count`, a counter or gauge otherwise as `gauge`, a set as `gauge` of its size, ' +
      'and each other class as `summary`.',
    'New Relic does not recognise repeats: an event can be there twice.',
  ],
  config: NewRelicOptions,
  check: ({ license_key: key }) => headerTextProblems('/license_key', key),
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['api'],
  errors: ['E_NOT_FOUND', 'E_METRIC_BAD_TYPE', 'E_DELIVERY_FAILED'],
  neverSent: (event, config) => apiOf(config).neverSent(event),
  batching,
  encode: ({ events }: Batch, config: NewRelicConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const { frame, urlOf, itemOf } = apiOf(config)
    return itemRequests(events.map(itemOf), frame, batching.bounds(config), () => ({
      method: 'POST',
      url: urlOf(config.account_id),
      headers: { 'content-type': 'application/json', 'api-key': config.license_key },
    }))
  },
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent, { takesAllOrNothing: true }),
  examples: [
    {
      title: 'logs are messages',
      config: { account_id: '1234567', license_key: 'key' },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'POST',
          url: 'https://log-api.newrelic.com/log/v1',
          headers: { 'content-type': 'application/json', 'api-key': 'key' },
          body: '[{"logs":[{"message":"door=7 open"},{"message":"{\\"door\\":8}"}]}]',
        },
      ],
      answers: [
        { answer: { status: 202 }, verdict: 'delivered' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 400 }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'events have a type and flat members',
      config: { account_id: '1234567', license_key: 'key', api: 'events' },
      events: [{ eventType: 'Door', door: { id: 8, open: true }, log: ['a'], none: null }, { door: 7 }],
      never: { 1: ['E_NOT_FOUND', '.eventType'] },
      requests: [
        {
          method: 'POST',
          url: 'https://insights-collector.newrelic.com/v1/accounts/1234567/events',
          headers: { 'content-type': 'application/json', 'api-key': 'key' },
          body: '[{"eventType":"Door","door.id":8,"door.open":"true","log":"[\\"a\\"]"}]',
        },
      ],
    },
    {
      title: 'metrics have a name, a type and a time',
      config: { account_id: '1234567', license_key: 'key', api: 'metrics' },
      events: [
        { name: 'opened', namespace: 'doors', kind: 'incremental', value: { type: 'counter', value: 3 } },
        { name: 'open', kind: 'absolute', tags: { floor: '2' }, value: { type: 'gauge', value: 1.5 } },
        'door=7 open',
      ],
      never: { 2: ['E_METRIC_BAD_TYPE', null] },
      requests: [
        {
          method: 'POST',
          url: 'https://metric-api.newrelic.com/metric/v1',
          headers: { 'content-type': 'application/json', 'api-key': 'key' },
          body:
            '[{"metrics":[{"name":"doors.opened","timestamp":1930810530250,"type":"count","value":3,"interval.ms":1000},' +
            '{"name":"open","timestamp":1930810530250,"type":"gauge","value":1.5,"attributes":{"floor":"2"}}]}]',
        },
      ],
    },
  ],
  configs: [
    {
      sent: { account_id: '1234567', license_key: 'key' },
      defaults: { ack_enabled: true, api: 'logs' },
    },
    {
      sent: { ack_enabled: false, account_id: '1234567', license_key: 'key', api: 'metrics' },
    },
  ],
})
