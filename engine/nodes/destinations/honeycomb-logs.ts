import Type, { type Static } from 'typebox'
import { isJsonObject, type JsonValue } from '../../../schemas/json.ts'
import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../event/event.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
  type Verdict,
} from '../contract/define-destination.ts'
import { Secret } from '../contract/secret.ts'
import { answeredJson } from '../http/answered-json.ts'
import { jsonFormOf } from '../http/event-text.ts'
import { headerTextProblems } from '../http/http-headers.ts'
import { itemStatusVerdict, statusVerdict } from '../http/http-verdict.ts'
import { itemBytes, itemRequests, JSON_ARRAY, roomForItems } from '../http/item-requests.ts'
import { ackEnabled } from '../options/delivery-options.ts'

/** Class "streaming" of components, section 7.1; the API accepts five times as much. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
const OK = 200
/** A status of an event, with the reason of a refusal. */
const BYTES_PER_ITEM = 256
const LEAST_ANSWER_BYTES = 64 * 1024

const HoneycombLogsOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    api_key: Secret({ minLength: 1, description: 'API key that may send events' }),
    dataset: Type.String({ minLength: 1, description: 'Dataset to send to' }),
  },
  { additionalProperties: false },
)

const batching: Batching<object> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, JSON_ARRAY), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: event => itemBytes(itemOf(event), JSON_ARRAY),
}

/** A dataset of Honeycomb: components, section 7.9. */
export const honeycombLogs = defineDestination({
  type: 'honeycomb-logs',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events to a dataset of Honeycomb.',
  notes: [
    'A message that is not an object is sent as `{"message": …}`. Honeycomb does not recognise repeats: an event can be there twice.',
  ],
  config: HoneycombLogsOptions,
  check: ({ api_key: key }) => headerTextProblems('/api_key', key),
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: () => undefined,
  batching,
  encode: (
    batch: Batch,
    config: Static<typeof HoneycombLogsOptions>,
  ): Iterable<EncodedRequest<HttpRequest>> =>
    itemRequests(batch.events.map(itemOf), JSON_ARRAY, batching.bounds(config), (_index, events) => ({
      method: 'POST',
      url: `https://api.honeycomb.io/1/batch/${encodeURIComponent(config.dataset)}`,
      headers: { 'content-type': 'application/json', 'x-honeycomb-team': config.api_key },
      connection: { answerBytes: LEAST_ANSWER_BYTES + events * BYTES_PER_ITEM },
    })),
  judge: (answer: HttpOutcome, _config, sent) => verdictsOf(answer, sent),
  examples: [
    {
      title: 'each event is the data of an element, and has a status of its own',
      config: { api_key: 'key', dataset: 'web logs' },
      events: [{ door: 8 }, 'door=7 open'],
      requests: [
        {
          method: 'POST',
          url: 'https://api.honeycomb.io/1/batch/web%20logs',
          headers: { 'content-type': 'application/json', 'x-honeycomb-team': 'key' },
          body: '[{"data":{"door":8}},{"data":{"message":"door=7 open"}}]',
          connection: { answerBytes: 66_048 },
        },
      ],
      answers: [
        {
          answer: { status: 200, body: '[{"status":202},{"status":202}]' },
          verdict: ['delivered', 'delivered'],
        },
        {
          answer: {
            status: 200,
            body: '[{"status":429,"error":"rate limited"},{"status":400,"error":"too large"}]',
          },
          verdict: ['again', { failed: ['E_DELIVERY_FAILED', null] }],
        },
        { answer: { status: 401 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 500 }, verdict: 'again' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { api_key: 'key', dataset: 'web' },
      defaults: { ack_enabled: true },
    },
    {
      sent: { ack_enabled: false, api_key: 'key', dataset: 'web' },
    },
  ],
})

function itemOf(event: Event): string {
  const data = jsonFormOf(event)
  return isJsonObject(event.message) ? `{"data":${data}}` : `{"data":{"message":${data}}}`
}

type ItemVerdict = Verdict<'E_DELIVERY_FAILED'>

function verdictsOf(
  answer: HttpOutcome,
  sent: EncodedRequest<HttpRequest>,
): ItemVerdict | readonly ItemVerdict[] {
  if ('failure' in answer || answer.status !== OK)
    return statusVerdict(answer, sent, { takesAllOrNothing: true })
  const items = answeredJson(answer)
  if (!Array.isArray(items) || items.length !== sent.events) return 'again'
  return items.map((item: JsonValue) => itemStatusVerdict(isJsonObject(item) ? item.status : undefined))
}
