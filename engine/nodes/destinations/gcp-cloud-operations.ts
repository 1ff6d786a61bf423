import Type, { type Static } from 'typebox'
import { isJsonObject } from '../../../schemas/json.ts'
import { THIRTEENTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../event/event.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import { percentEncoded } from '../../outbound/percent-encoded.ts'
import { SECOND_MS } from '../../times/duration.ts'
import {
  type Batch,
  type Batching,
  defineDestination,
  type EncodedRequest,
  type Verdict,
} from '../contract/define-destination.ts'
import { jsonFormOf, textFormOf } from '../http/event-text.ts'
import { detailOf, googleErrorOf } from '../http/google-answer.ts'
import { deliveryFailed, statusVerdict } from '../http/http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../http/item-requests.ts'
import { ackEnabled } from '../options/delivery-options.ts'
import {
  credentialsJson,
  credentialsProblems,
  serviceAccountOf,
  serviceAccountProblems,
} from '../options/gcp-credentials.ts'
import {
  monitoredResourceOf,
  monitoredResourceOptions,
  monitoredResourceProblems,
} from '../options/monitored-resource.ts'

const HOST = 'logging.googleapis.com'
/** Class "streaming" of components, section 7.1; the service accepts ten times as many bytes. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
/** Room for log, resource and the rest of a body. */
const HEAD_BYTES = 16_384
const ENTRIES: ItemFrame = { begin: '', between: ',', end: ']}' }
/** Decimal digits of the largest id of an event, which has 128 bits. */
const LONGEST_ID = ''.padEnd(39)
/** Status and message of a rejected entry. */
const BYTES_PER_ENTRY = 512
const LEAST_ANSWER_BYTES = 64 * 1024
/** Codes of `google.rpc.Code` after which an entry is sent again: it may be accepted later, or with other permissions. */
const REPEATED_CODES: ReadonlySet<unknown> = new Set([1, 2, 4, 7, 8, 10, 13, 14, 16])

const GcpOperationsOptions = Type.Object(
  {
    ack_enabled: ackEnabled,
    log_id: Type.String({ minLength: 1, description: 'Log to write to' }),
    ...monitoredResourceOptions,
    credentials_json: credentialsJson,
  },
  { additionalProperties: false },
)

type GcpOperationsConfig = Static<typeof GcpOperationsOptions>

const batching: Batching<object> = {
  bounds: () => ({
    bytes: roomForItems(MAX_BYTES - HEAD_BYTES, ENTRIES),
    ...{ events: MAX_EVENTS, ageMs: SECOND_MS },
  }),
  sizeOf: event => itemBytes(entryOf(event, LONGEST_ID), ENTRIES),
}

/** Entries of a log of Google Cloud: components, section 7.9. */
export const gcpCloudOperations = defineDestination({
  type: 'gcp-cloud-operations',
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Write events as entries of a log of Google Cloud.',
  notes: [
    'An object is the `jsonPayload` of its entry, and every other message the `textPayload`. The time of an entry is the timestamp ' +
      'of its event.',
    'The `insertId` of an entry is the same at each repeat. Google Cloud removes entries with equal ids and times when a log is ' +
      'queried, but not when it is exported.',
    'An entry that Google Cloud refuses fails alone. A pipeline can be published only with the key file of a service account, which ' +
      'contains `client_email` and `private_key`. Addresses in the key file are not used.',
  ],
  config: GcpOperationsOptions,
  check: sent => [...monitoredResourceProblems(sent), ...credentialsProblems(sent)],
  publishProblems: serviceAccountProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: [],
  errors: ['E_DELIVERY_FAILED'],
  neverSent: () => undefined,
  batching,
  encode: (
    { events, eventIds }: Batch,
    config: GcpOperationsConfig,
  ): Iterable<EncodedRequest<HttpRequest>> => {
    const serviceAccount = serviceAccountOf(config.credentials_json, HOST)
    const begin = `${JSON.stringify({
      logName: `projects/${percentEncoded(config.project_id)}/logs/${percentEncoded(config.log_id)}`,
      resource: monitoredResourceOf(config),
      partialSuccess: true,
    }).slice(0, -1)},"entries":[`
    return itemRequests(
      events.map((event, index) => entryOf(event, eventIds[index] as string)),
      { ...ENTRIES, begin },
      batching.bounds(config),
      (_index, entries) => ({
        method: 'POST',
        url: `https://${HOST}/v2/entries:write`,
        headers: { 'content-type': 'application/json' },
        connection: { answerBytes: LEAST_ANSWER_BYTES + entries * BYTES_PER_ENTRY },
        serviceAccount,
      }),
    )
  },
  judge: (answer: HttpOutcome, _config, sent) => entryVerdicts(answer, sent),
  examples: [
    {
      title: 'each event is an entry with an id of its own',
      config: {
        ...{ project_id: 'example', log_id: 'web/access', resource_type: 'generic_node' },
        resource_labels: [{ label_name: 'node_id', label_value: 'gate-7' }],
        credentials_json: '{"client_email":"weir@example.com","private_key":"key"}',
      },
      events: [{ door: 8 }, 'door=7 open'],
      requests: [
        {
          method: 'POST',
          url: 'https://logging.googleapis.com/v2/entries:write',
          headers: { 'content-type': 'application/json' },
          connection: { answerBytes: 66_560 },
          serviceAccount: {
            email: 'weir@example.com',
            privateKey: 'key',
            audience: 'https://logging.googleapis.com/',
          },
          body:
            '{"logName":"projects/example/logs/web%2Faccess",' +
            '"resource":{"type":"generic_node","labels":{"node_id":"gate-7"}},"partialSuccess":true,"entries":[' +
            '{"insertId":"1","timestamp":"2031-03-09T08:15:30.250Z","jsonPayload":{"door":8}},' +
            '{"insertId":"2","timestamp":"2031-03-09T08:15:30.250Z","textPayload":"door=7 open"}]}',
        },
      ],
      answers: [
        { answer: { status: 200, body: '{}' }, verdict: 'delivered' },
        {
          answer: { status: 400, body: partialErrors({ 1: { code: 3, message: 'too old' } }) },
          verdict: ['delivered', { failed: ['E_DELIVERY_FAILED', null] }],
        },
        {
          answer: { status: 503, body: partialErrors({ 0: { code: 14 } }) },
          verdict: ['again', 'delivered'],
        },
        { answer: { status: 429 }, verdict: 'again' },
        { answer: { status: 403 }, verdict: 'rest' },
        { answer: { status: 400 }, verdict: 'halve' },
        // Errors that name no entry, or an unknown one, say nothing about the others.
        { answer: { status: 400, body: partialErrors({}) }, verdict: 'halve' },
        { answer: { status: 400, body: partialErrors({ 2: { code: 3 } }) }, verdict: 'halve' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
  ],
  configs: [
    {
      sent: { project_id: 'example', log_id: 'weir', resource_type: 'global', credentials_json: '{}' },
      defaults: { ack_enabled: true },
    },
    {
      sent: {
        ack_enabled: false,
        project_id: 'example',
        log_id: 'weir',
        resource_type: 'k8s_cluster',
        resource_labels: [{ label_name: 'cluster_name', label_value: 'production' }],
        credentials_json: '{"type":"service_account"}',
      },
    },
  ],
})

function entryOf(event: Event, id: string): string {
  const payload = isJsonObject(event.message)
    ? `"jsonPayload":${jsonFormOf(event)}`
    : `"textPayload":${JSON.stringify(textFormOf(event))}`
  return `{"insertId":"${id}","timestamp":"${event.timestamp}",${payload}}`
}

type EntryVerdict = Verdict<'E_DELIVERY_FAILED'>

/** Without an error of its own, an entry was written even if the answer has the status of another one. */
function entryVerdicts(
  answer: HttpOutcome,
  sent: EncodedRequest<HttpRequest>,
): EntryVerdict | readonly EntryVerdict[] {
  const codes = 'failure' in answer ? undefined : entryCodes(answer, sent.events)
  if (codes === undefined) return statusVerdict(answer, sent, { takesAllOrNothing: true })
  return Array.from({ length: sent.events }, (_, index) => {
    if (!codes.has(index)) return 'delivered'
    const code = codes.get(index)
    return REPEATED_CODES.has(code)
      ? 'again'
      : deliveryFailed(`The server answered code ${code} for the event`)
  })
}

/** Code of each entry that was not written, by its index; undefined: the answer does not say it. */
function entryCodes(
  answer: Parameters<typeof googleErrorOf>[0],
  entries: number,
): ReadonlyMap<number, number> | undefined {
  const error = googleErrorOf(answer)
  const { logEntryErrors: errors } = (error && detailOf(error, 'WriteLogEntriesPartialErrors')) ?? {}
  if (!isJsonObject(errors)) return undefined
  const codes = new Map(
    Object.entries(errors).map(([index, status]) => [
      Number(index),
      Number(isJsonObject(status) ? status.code : 2),
    ]),
  )
  // An answer without entries would otherwise say that all of them were written.
  const isKnown =
    codes.size > 0 && [...codes.keys()].every(index => Number.isInteger(index) && index < entries)
  return isKnown ? codes : undefined
}

function partialErrors(
  logEntryErrors: Readonly<Record<number, { readonly code: number; readonly message?: string }>>,
) {
  const type = 'type.googleapis.com/google.logging.v2.WriteLogEntriesPartialErrors'
  return JSON.stringify({ error: { details: [{ '@type': type, logEntryErrors }] } })
}
