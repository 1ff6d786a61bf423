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
import { jsonFormOf, textFormOf } from '../http/event-text.ts'
import { deliveryFailed, statusVerdict } from '../http/http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../http/item-requests.ts'
import { ackEnabled, encoding } from '../options/delivery-options.ts'
import {
  credentialsJson,
  credentialsProblems,
  serviceAccountOf,
  serviceAccountProblems,
} from '../options/gcp-credentials.ts'

const HOST = 'pubsub.googleapis.com'
/** Class "streaming" of components, section 7.1. */
const MAX_BYTES = 1_000_000
/** Pub/Sub accepts as many messages, and ten times as many bytes. */
const MAX_EVENTS = 1_000
const SERVICE_BYTES = 10_000_000
const MESSAGES: ItemFrame = { begin: '{"messages":[', between: ',', end: ']}' }
/** Decimal digits of the largest id of an event, which has 128 bits. */
const LONGEST_ID = ''.padEnd(39)

const PubsubOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    project_id: Type.String({ minLength: 1, description: 'Project of the topic' }),
    topic: Type.String({ minLength: 1, description: 'Topic to publish to' }),
    credentials_json: credentialsJson,
    encoding,
  },
  { additionalProperties: false },
)

type PubsubConfig = Static<typeof PubsubOptions>
type EncodingConfig = Pick<PubsubConfig, 'encoding'>

const batching: Batching<EncodingConfig> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, MESSAGES), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: (event, config) => itemBytes(itemOf(event, LONGEST_ID, config), MESSAGES),
}

/** A topic of Google Cloud Pub/Sub: components, section 7.9. */
export const gcpCloudPubsub = defineDestination({
  type: 'gcp-cloud-pubsub',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Publish events to a topic of Google Cloud Pub/Sub.',
  notes: [
    'Each event is a message. Pub/Sub does not recognise repeats: a message can be there twice. Both have the same attribute ' +
      '`weir-id`, which no other event has.',
    'A pipeline can be published only with the key file of a service account, which contains `client_email` and `private_key`. ' +
      'Addresses in the key file are not used.',
  ],
  config: PubsubOptions,
  check: credentialsProblems,
  publishProblems: serviceAccountProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['encoding'],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: (event, config) =>
    batching.sizeOf(event, config) > roomForItems(SERVICE_BYTES, MESSAGES)
      ? deliveryFailed('The event is larger than Pub/Sub accepts')
      : undefined,
  batching,
  encode: ({ events, eventIds }: Batch, config: PubsubConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const [project, topic] = [config.project_id, config.topic].map(encodeURIComponent)
    return itemRequests(
      events.map((event, index) => itemOf(event, eventIds[index] as string, config)),
      MESSAGES,
      batching.bounds(config),
      () => ({
        method: 'POST',
        url: `https://${HOST}/v1/projects/${project}/topics/${topic}:publish`,
        headers: { 'content-type': 'application/json' },
        serviceAccount: serviceAccountOf(config.credentials_json, HOST),
      }),
    )
  },
  judge: (answer: HttpOutcome, _config, sent) => statusVerdict(answer, sent, { takesAllOrNothing: true }),
  examples: [
    {
      title: 'each event is a message, in base64 as its interface demands',
      config: {
        project_id: 'example',
        topic: 'logs',
        credentials_json: '{"client_email":"weir@example.com","private_key":"key"}',
      },
      events: ['door=7 open', { door: 8 }],
      requests: [
        {
          method: 'POST',
          url: 'https://pubsub.googleapis.com/v1/projects/example/topics/logs:publish',
          headers: { 'content-type': 'application/json' },
          serviceAccount: {
            email: 'weir@example.com',
            privateKey: 'key',
            audience: 'https://pubsub.googleapis.com/',
          },
          body:
            '{"messages":[{"data":"ZG9vcj03IG9wZW4=","attributes":{"weir-id":"1"}},' +
            '{"data":"eyJkb29yIjo4fQ==","attributes":{"weir-id":"2"}}]}',
        },
      ],
      answers: [
        { answer: { status: 200, body: '{"messageIds":["1","2"]}' }, verdict: 'delivered' },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 400 }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { project_id: 'example', topic: 'logs', credentials_json: '{}' },
      defaults: { ack_enabled: true, encoding: 'text' },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        topic: 'logs',
        credentials_json: '{"type":"service_account"}',
        encoding: 'json',
      },
    },
  ],
})

function itemOf(event: Event, id: string, { encoding: form }: EncodingConfig): string {
  const text = form === 'json' ? jsonFormOf(event) : textFormOf(event)
  return `{"data":"${Buffer.from(text).toString('base64')}","attributes":{"weir-id":"${id}"}}`
}
