import { expect, test } from 'vitest'
import { isCollected } from '../../../test/support/collected.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import { Event } from '../../event/event.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import type { SendingDestination } from '../../nodes/contract/define-destination.ts'
import type { HttpAnswer, HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import type { KafkaOutcome, KafkaProduction } from '../../outbound/kafka-exchange.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { Shipment } from '../sending/remote.ts'
import type { FoundOptions } from './destination-options.ts'
import { DestinationRemote } from './destination-remote.ts'

const CONFIG = { uri: 'https://me:secret@a.example/in', encoding: 'ndjson' }
const { signal } = new AbortController()

interface Given {
  readonly answers: readonly HttpOutcome[]
  /** Answer of a cluster. */
  readonly produced?: KafkaOutcome
  readonly found?: FoundOptions
  readonly type?: string
}

/** Sends a shipment of events with these messages, and notes the requests. */
async function sending(
  messages: readonly string[],
  { answers, produced = { error: null }, found = { config: CONFIG }, type = 'http' }: Given,
) {
  const requests: HttpRequest[] = []
  const productions: KafkaProduction[] = []
  const remote = new DestinationRemote({
    catalogue: CATALOGUE,
    options: { optionsOf: () => found },
    outbound: {
      async request(request) {
        requests.push(request)
        const outcome = answers[requests.length - 1] ?? { failure: 'BROKEN' as const }
        if ('failure' in outcome) throw new OutboundError(outcome.failure, 'it failed')
        return outcome
      },
      async produce(production) {
        productions.push(production)
        return produced
      },
    },
    clock: manualClock(0),
    logId: 'log',
  })
  const shipment = shipmentOf(messages, type)
  const isAcknowledged = remote.isAcknowledged(shipment)
  return { answer: await remote.send(shipment, signal), isAcknowledged, requests, productions }
}

function shipmentOf(messages: readonly string[], type = 'http'): Shipment {
  return {
    ...{ id: 'id', version: 1, type, options: '{}', split: '', closedMs: 0 },
    lane: { account: 'a', pipeline: 'p', node: 'n' },
    events: messages.map((message, row) => ({
      event: Event.of(message, {}, '2031-03-09T08:15:30.250Z'),
      source: 'weir.ingest 0',
      position: { offset: 0n, row },
    })),
  }
}

const answer = (status: number, body = '', headers = {}) => ({ status, headers, body })

test('a shipment is one request with its id, and its answer is judged', async () => {
  const { answer: answered, requests } = await sending(['a', 'b'], { answers: [answer(204)] })
  expect(answered).toEqual({ kind: 'delivered', status: 204, bytes: 8 })
  expect(requests).toMatchObject([
    { url: 'https://a.example/in', headers: { 'idempotency-key': 'id' }, owner: 'a' },
  ])
})

test.each([
  [{ error: null }, { kind: 'delivered', status: null, bytes: 2 }],
  [{ error: 'NOT_LEADER_FOR_PARTITION' }, { kind: 'again', status: null, bytes: 2 }],
  [{ failure: 'NOT_CONNECTED' as const }, { kind: 'again', status: null, bytes: 2 }],
  [{ error: 'TOPIC_AUTHORIZATION_FAILED' }, { kind: 'rest' }],
  [{ error: 'MESSAGE_TOO_LARGE' }, { kind: 'refused', divides: true }],
  [{ error: 'INVALID_TOPIC_EXCEPTION' }, { kind: 'refused', divides: false }],
])('records for a cluster are one production, and %o is judged', async (produced, expected) => {
  const config = { brokers: [{ host: 'k.example', port: 9092 }], topic: 't', encoding: 'text' }
  const given = { answers: [], produced, type: 'kafka', found: { config } }
  const { answer: answered, productions, requests } = await sending(['a', 'b'], given)
  expect(answered).toMatchObject(expected)
  expect(requests).toEqual([])
  expect(productions.map(({ topic, records }) => [topic, records.map(({ value }) => value)])).toEqual([
    ['t', ['a', 'b']],
  ])
})

test('a failed connection is an answer, and says nothing about the network', async () => {
  const { answer: answered } = await sending(['a'], { answers: [{ failure: 'NOT_CONNECTED' }] })
  const message = 'No connection to the server was possible'
  expect(answered).toMatchObject({ kind: 'again', status: null, failure: { message, answer: null } })
})

test('a server may ask for a pause', async () => {
  const busy = answer(503, '', { 'retry-after': '7' })
  expect((await sending(['a'], { answers: [busy] })).answer).toMatchObject({
    ...{ kind: 'again', retryAfterMs: 7_000, status: 503 },
  })
})

test('a refusal keeps the beginning of the answer, without secrets', async () => {
  const body = `no: me secret ${'x'.repeat(2_000)}`
  const { answer: answered } = await sending(['a', 'b'], { answers: [answer(404, body)] })
  expect(answered).toMatchObject({ kind: 'refused', divides: false, status: 404 })
  const kept = 'failure' in answered ? (answered.failure.answer ?? '') : ''
  expect([kept.length, kept.startsWith('no: [hidden] [hidden] xxx')]).toEqual([1_024, true])
})

test.each([
  [413, { kind: 'refused', divides: true }],
  [401, { kind: 'rest' }],
])('status %i concerns the whole shipment', async (status, expected) => {
  expect((await sending(['a', 'b'], { answers: [answer(status)] })).answer).toMatchObject(expected)
})

const SMALL = { config: { ...CONFIG, advanced_options: { max_bytes: 4 } } }

test('of several requests, those behind one that has to be sent again are not sent', async () => {
  const answers = [answer(200), answer(404), answer(503)]
  const { answer: answered, requests } = await sending(['a', 'b', 'c', 'd'], { answers, found: SMALL })
  expect(requests).toHaveLength(3)
  expect(answered).toMatchObject({
    kind: 'each',
    outcomes: ['delivered', { code: 'E_DELIVERY_FAILED' }, 'again', 'again'],
  })
})

test('if the first of several requests has to be sent again, the whole shipment has', async () => {
  const { answer: answered } = await sending(['a', 'b'], { answers: [answer(503)], found: SMALL })
  expect(answered).toMatchObject({ kind: 'again', status: 503 })
})

test('without options, and with a type that this program does not know, nothing is sent', async () => {
  const gone: FoundOptions = { missing: 'never', message: 'It is gone' }
  for (const [given, kind] of [
    [{ found: gone }, 'refused'],
    [{ found: { ...gone, missing: 'later' as const } }, 'again'],
    [{ type: 'unknown' }, 'again'],
  ] as const) {
    const { answer: answered, requests } = await sending(['a'], { answers: [], ...given })
    expect([answered.kind, requests]).toEqual([kind, []])
  }
})

test('events are acknowledged unless the options say otherwise, also while the options are not known', async () => {
  const acknowledged = async (found: FoundOptions) =>
    (await sending(['a'], { answers: [answer(200)], found })).isAcknowledged
  expect([
    await acknowledged({ config: CONFIG }),
    await acknowledged({ config: { ...CONFIG, ack_enabled: true } }),
    await acknowledged({ config: { ...CONFIG, ack_enabled: false } }),
    await acknowledged({ missing: 'later', message: 'Deleted' }),
  ]).toEqual([true, true, false, true])
})

test('while a server takes its time, nothing holds the events of a shipment, or what its requests were made from', async () => {
  const http = CATALOGUE.destinationOf('http') as SendingDestination
  const held: WeakRef<object>[] = []
  // As long as somebody can answer, the requests are not forgotten.
  const answers: ((answer: HttpAnswer) => void)[] = []
  const remote = new DestinationRemote({
    catalogue: {
      destinationOf: () => ({
        ...http,
        *encode(batch, config) {
          const texts = { of: batch.events.map(({ message }) => message) }
          held.push(new WeakRef(texts), new WeakRef(batch.events[0] as Event))
          yield* http.encode(batch, config)
          texts.of.length = 0
        },
      }),
    },
    options: { optionsOf: () => ({ config: CONFIG }) },
    outbound: {
      request: () => new Promise(resolve => answers.push(resolve)),
      produce: () => new Promise(() => {}),
    },
    clock: manualClock(0),
    logId: 'log',
  })
  const answered = remote.send(shipmentOf(['a', 'b']), signal)
  const collected = []
  for (const each of held) collected.push(await isCollected(each))
  expect(collected).toEqual([true, true])
  answers[0]?.(answer(204))
  expect(await answered).toMatchObject({ kind: 'delivered' })
})
