import type { Static } from 'typebox'
import { isJsonObject, type JsonObject } from '../../../../schemas/json.ts'
import { THIRTEENTH_BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../../../event/event.ts'
import type { Problem } from '../../../event/problem.ts'
import type { HttpOutcome, HttpRequest } from '../../../outbound/http-exchange.ts'
import { SECOND_MS } from '../../../times/duration.ts'
import {
  type Batch,
  type Batching,
  type BatchPlace,
  defineDestination,
  type EncodedRequest,
  type Verdict,
} from '../../contract/define-destination.ts'
import { answeredJson } from '../../http/answered-json.ts'
import { headerTextProblems, headerValueProblems } from '../../http/http-headers.ts'
import { itemStatusVerdict, statusVerdict } from '../../http/http-verdict.ts'
import { type ItemFrame, itemBytes, itemRequests, roomForItems } from '../../http/item-requests.ts'
import { type LineItem, lineItemsOf } from './line-item.ts'
import {
  hostIn,
  LogAnalysisOptions,
  logAnalysisProblems,
  withLogAnalysisDefaults,
} from './log-analysis-options.ts'
import type { OwnStoreConfig } from './own-store-options.ts'
import { ELSEWHERE_TYPE, EXPLICIT_SCHEME, PASS_THROUGH_SCHEME } from './wire-options.ts'

/** Class "streaming" of components, section 7.1; log ingestion accepts twice as much. */
const MAX_BYTES = 1_000_000
const MAX_EVENTS = 1_000
const LINES: ItemFrame = { begin: '{"lines":[', between: ',', end: ']}' }
const PARTLY = 207
/** A status of each line. */
const BYTES_PER_LINE = 8
const LEAST_ANSWER_BYTES = 64 * 1024

const KEY_HEADER = 'idempotency-key'
const NO_ITEM: LineItem = { query: '', json: '' }

type LogAnalysisConfig = Static<typeof LogAnalysisOptions>

const batching: Batching<OwnStoreConfig> = {
  bounds: () => ({ bytes: roomForItems(MAX_BYTES, LINES), events: MAX_EVENTS, ageMs: SECOND_MS }),
  sizeOf: (event, config) => itemBytes(itemOf(event, config).json, LINES),
  splitOf: (event, config) => itemOf(event, config).query,
}

/** Log ingestion of another installation: components, section 7.2. */
export const logAnalysisElsewhere = defineDestination({
  type: ELSEWHERE_TYPE,
  since: THIRTEENTH_BEHAVIOUR,
  summary: 'Send events as log lines to the log ingestion of another installation.',
  notes: [
    'Lines are composed as for the own store, and sent in batches of one hostname, address, network card and tags.',
    'A Weir stores each line once: its repeats have the same `idempotency-key`, a place in a stream of batches. When the other ' +
      'installation knows later places of the stream (status 409), the id of the batch is the key, which counts for 24 hours.',
  ],
  config: LogAnalysisOptions,
  check: logAnalysisProblems,
  complete: withLogAnalysisDefaults,
  publishProblems: keyProblems,
  delivery: 'requests',
  transport: 'http',
  foldOptions: ['query', 'message'],
  errors: ['E_NOT_FOUND', 'E_DELIVERY_FAILED'],
  neverSent: (event, config) => {
    const item = lineItemsOf(config)(event)
    return 'json' in item ? undefined : item
  },
  batching,
  encode: (batch: Batch, config: LogAnalysisConfig): Iterable<EncodedRequest<HttpRequest>> => {
    const items = batch.events.map(event => itemOf(event, config))
    const url = `${addressOf(config)}/logs/ingest?${items[0]?.query ?? ''}&now=${Math.floor(batch.closedMs)}`
    return itemRequests(
      items.map(({ json }) => json),
      LINES,
      batching.bounds(config),
      (index, lines) => ({
        ...{ method: 'POST', url },
        headers: {
          'content-type': 'application/json',
          apikey: config.ingestion_key ?? '',
          ...keyOf(batch, index),
        },
        ...(index === 0 && batch.place !== undefined && { headersAfterConflict: { [KEY_HEADER]: batch.id } }),
        connection: { answerBytes: LEAST_ANSWER_BYTES + lines * BYTES_PER_LINE },
      }),
    )
  },
  judge: (answer: HttpOutcome, _config, sent) => lineVerdicts(answer, sent),
  checkRequest: (config: LogAnalysisConfig): HttpRequest => ({
    ...{ method: 'POST', url: `${addressOf(config)}/logs/ingest?hostname=weir-check` },
    headers: { 'content-type': 'application/json', apikey: config.ingestion_key ?? '' },
    body: Buffer.alloc(0),
  }),
  examples: [
    {
      title: 'lines of one host are sent together',
      config: {
        ...{ host: 'logs.example.com', ingestion_key: 'key' },
        query: { hostname: '{{.gate}}', tags: ['a b', 'c'] },
        message: { scheme: EXPLICIT_SCHEME, line: '{{.text}}', app: 'gate' },
      },
      events: [
        { gate: 'gate-7', text: 'open', level: 'warn' },
        { text: 'lost' },
        { gate: '', text: 'lost' },
        { gate: 'gate-7', text: 'shut' },
      ],
      never: { 1: ['E_NOT_FOUND', '.gate'], 2: ['E_DELIVERY_FAILED', null] },
      requests: [
        {
          method: 'POST',
          url: 'https://logs.example.com/logs/ingest?hostname=gate-7&tags=a+b%2Cc&now=1930810831999',
          headers: {
            ...{ 'content-type': 'application/json', apikey: 'key' },
            'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
          },
          connection: { answerBytes: 65_552 },
          body:
            '{"lines":[{"line":"open","timestamp":1930810530250,"app":"gate","level":"warn","env":"production",' +
            '"meta":{"level":"warn"}},{"line":"shut","timestamp":1930810530250,"app":"gate","env":"production"}]}',
        },
      ],
      answers: [
        { answer: { status: 200 }, verdict: 'delivered' },
        {
          answer: { status: 207, body: '{"status":[200,400],"batchID":""}' },
          verdict: ['delivered', { failed: ['E_DELIVERY_FAILED', null] }],
        },
        { answer: { status: 207, body: '{"status":[200]}' }, verdict: 'again' },
        { answer: { status: 401 }, verdict: 'rest' },
        { answer: { status: 413 }, verdict: 'halve' },
        { answer: { status: 503 }, verdict: 'again' },
        { answer: { status: 404 }, verdict: { failed: ['E_DELIVERY_FAILED', null] } },
      ],
    },
    {
      title: 'members of a line are those of the event',
      config: {
        ...{ mezmo_host: 'http://127.0.0.1:8080/', ingestion_key: 'key' },
        ...{ query: { hostname: 'gateway' }, message: { scheme: PASS_THROUGH_SCHEME } },
      },
      events: [{ line: 'open', app: 'gate', meta: { door: 7 }, timestamp: 1_930_810_000_000 }],
      requests: [
        {
          method: 'POST',
          url: 'http://127.0.0.1:8080/logs/ingest?hostname=gateway&now=1930810831999',
          headers: {
            ...{ 'content-type': 'application/json', apikey: 'key' },
            'idempotency-key': '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10',
          },
          connection: { answerBytes: 65_544 },
          body: '{"lines":[{"line":"open","timestamp":1930810000000,"app":"gate","meta":{"door":7}}]}',
        },
      ],
    },
  ],
  configs: [],
})

function itemOf(event: Event, config: OwnStoreConfig): LineItem {
  const item = lineItemsOf(config)(event)
  return 'json' in item ? item : NO_ITEM
}

function addressOf(config: JsonObject): string {
  const host = (hostIn(config) ?? '').replace(/\/$/, '')
  return /^https?:/.test(host) ? host : `https://${host}`
}

/** @param index number of the request in its batch */
function keyOf({ id, place }: Batch, index: number): Readonly<Record<string, string>> {
  if (index > 0) return { [KEY_HEADER]: `${id}.${index + 1}` }
  return { [KEY_HEADER]: place === undefined ? id : placeKey(place) }
}

/**
 * A part is in a stream of its batch. A later part begins later or is a smaller one with the same beginning, so numbers rise.
 */
function placeKey({ lane, number, part }: BatchPlace): string {
  if (part === undefined) return `${lane}/${number}`
  const { first, events, of } = part
  return `${lane}.${number}/${first * (of + 1) + (of - events) + 1}`
}

/** Another installation does not know the keys of this account. */
function keyProblems({ ingestion_key: key }: JsonObject): Problem[] {
  if (typeof key !== 'string')
    return [
      {
        instancePath: '',
        message: "must have required property 'ingestion_key', the key of the other installation",
      },
    ]
  return [...headerTextProblems('/ingestion_key', key), ...headerValueProblems('/ingestion_key', key)]
}

type LineVerdict = Verdict<'E_DELIVERY_FAILED'>

/** With status 207 the answer contains a status for each line. */
function lineVerdicts(
  answer: HttpOutcome,
  sent: EncodedRequest<HttpRequest>,
): LineVerdict | readonly LineVerdict[] {
  if ('failure' in answer || answer.status !== PARTLY)
    return statusVerdict(answer, sent, { takesAllOrNothing: true })
  const body = answeredJson(answer)
  const statuses = isJsonObject(body) ? body.status : undefined
  if (!Array.isArray(statuses) || statuses.length !== sent.events) return 'again'
  return statuses.map(status => itemStatusVerdict(status))
}
