import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { decompressSnappy } from '../../api/ingest/snappy.ts'
import { networkOutbound } from '../../deploy/outbound/network-outbound.ts'
import { CatalogueBatchRules } from '../../engine/delivery/destinations/catalogue-batch-rules.ts'
import { DestinationRemote } from '../../engine/delivery/destinations/destination-remote.ts'
import { eventIdsOf } from '../../engine/delivery/sending/event-id.ts'
import { Event } from '../../engine/event/event.ts'
import { OutgoingMail } from '../../engine/fold/spread/outgoing-mail.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Batch, EncodedRequest, Verdict } from '../../engine/nodes/contract/define-destination.ts'
import { secretValues } from '../../engine/nodes/contract/secret.ts'
import { keptAnswer } from '../../engine/outbound/echoed-secrets.ts'
import type { HttpOutcome, HttpRequest } from '../../engine/outbound/http-exchange.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { linesOf } from '../support/loose-fold.ts'
import { OutboxWorld } from '../support/outbox-world.ts'
import { ACCOUNT } from '../support/outgoing.ts'
import { pushedEvents } from '../support/pushed-events.ts'
import { DESTINATION_CASES } from '../support/receivers/cases.ts'
import type { DestinationCase, ReceivedRequest } from '../support/receivers/receiver.ts'
import { SENDING_BY_HTTP, type SendingNode, sendingNode } from '../support/sending-node.ts'
import { TEST_OUTBOUND } from '../support/test-installation.ts'

const BATCH_ID = '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10'
const TIMESTAMP = '2031-03-09T08:15:30.250Z'
const MESSAGES: readonly JsonValue[] = [
  { a: 1, b: [true, null, { c: 'd' }], '': 'ä€😀"\\\n\u0000\u2028' },
  { ...{ big: 12345678901234567890n, small: -0.5e-7 }, 10: 'x', 9: 'y' },
  'a text',
  '',
  'two\nlines\r\n',
  '{"not":"parsed"}',
  ...[5, -1.5, true, null, 12345678901234567890n],
  ...[[], {}, [[1], ['a']]],
]

test('every destination that sends requests by HTTP has a counterpart', () => {
  const covered = new Set(DESTINATION_CASES.map(({ type }) => type))
  expect([...covered].toSorted()).toEqual(SENDING_BY_HTTP.map(({ type }) => type).toSorted())
})

const batchOf = (messages: readonly JsonValue[]): Batch => ({
  id: BATCH_ID,
  events: messages.map((message, index) =>
    Event.of(message, { host: `host-${index}` }, new Date(Date.parse(TIMESTAMP) + index).toISOString()),
  ),
  eventIds: messages.map((_, index) => String(10n ** 38n + BigInt(index))),
  closedMs: Date.parse(TIMESTAMP) + 1_750,
})

function requestsOf({ destination, config }: SendingNode, batch: Batch): EncodedRequest<HttpRequest>[] {
  return [...destination.encode(batch, config)] as EncodedRequest<HttpRequest>[]
}

describe.each(DESTINATION_CASES.map(each => [each.title, each] as const))('%s', (_title, given) => {
  const sender = sendingNode(given.type, given.config)
  const { destination, config, batching } = sender
  const expectedOf = ({ events, eventIds }: Batch) =>
    events.map((event, index) => given.expected(event, eventIds[index] as string))
  const padded: NonNullable<DestinationCase['padded']> = given.padded ?? (text => ({ text }))
  const messages = given.messages ?? MESSAGES

  test('what is in a batch arrives, in order', () => {
    const batch = batchOf(messages)
    expect(batch.events.map(event => destination.neverSent(event, config))).toEqual(
      messages.map(() => undefined),
    )
    const [sent, ...others] = requestsOf(sender, batch)
    expect([sent?.events, others]).toEqual([messages.length, []])
    expect(given.receive((sent as EncodedRequest<HttpRequest>).request)).toEqual(expectedOf(batch))
  })

  test('each message arrives alone', () => {
    for (const message of messages) {
      const batch = batchOf([message])
      const [sent] = requestsOf(sender, batch)
      expect(given.receive((sent as EncodedRequest<HttpRequest>).request)).toEqual(expectedOf(batch))
    }
  })

  test('the same batch gives the same requests', () => {
    expect(requestsOf(sender, batchOf(messages))).toEqual(requestsOf(sender, batchOf(messages)))
  })

  test('an unchanged event of a gateway route gives the bytes of its message', () => {
    const batch = batchOf(messages)
    // Nobody has read them, so their texts may be copied.
    const unread = () => pushedEvents(messages.map(message => jsonText(message)))
    const made = unread().map(({ message, timestamp }) => Event.of(message, {}, timestamp))
    const withEvents = (events: readonly Event[]) => requestsOf(sender, { ...batch, events })
    expect(withEvents(unread())).toEqual(withEvents(made))
    const sizesOf = (events: readonly Event[]) => events.map(event => batching.sizeOf(event, config))
    expect(sizesOf(unread())).toEqual(sizesOf(made))
  })

  test('the fold sees the sizes and splits that the sender sees', () => {
    const sink = { ...{ id: 's', kind: 'sink' as const, title: null, inputs: [] }, type: given.type }
    const inFold = CATALOGUE.foldOptionsOf({ ...sink, user_config: config }, { id: 'p', revision: 1 })
    const seen = (options: JsonObject) =>
      batchOf(messages).events.map(event => [
        batching.bounds(options),
        batching.sizeOf(event, options),
        batching.splitOf?.(event, options),
        destination.neverSent(event, options),
      ])
    expect(seen(inFold)).toEqual(seen(config))
  })

  test('a batch that is full by its size is one request, and a byte more begins the next', () => {
    const { bytes } = batching.bounds(config)
    const sizeOf = (text: string) => batching.sizeOf(batchOf([padded(text)]).events[0] as Event, config)
    const textOfSize = (size: number) => {
      let text = 'x'.repeat(Math.max(0, size - sizeOf('')))
      // Lengths that are written with more digits, and base64, leave less room.
      for (let excess = sizeOf(text) - size; excess > 0; excess = sizeOf(text) - size)
        text = text.slice(excess > 16 ? excess >> 1 : 1)
      return text
    }
    const wanted = given.longest === undefined ? 7 : Math.ceil(bytes / given.longest)
    const count = Math.min(wanted, Math.floor(bytes / (sizeOf('') + 1)))
    const texts = Array.from({ length: count - 1 }, () => textOfSize(Math.floor(bytes / count)))
    const used = texts.reduce((sum, text) => sum + sizeOf(text), 0)
    const full = [...texts, textOfSize(bytes - used)]
    const [only, ...others] = requestsOf(sender, batchOf(full.map(padded)))
    expect([only?.events, others.length]).toEqual([count, 0])
    const batch = batchOf(full.map(padded))
    expect(given.receive((only as EncodedRequest<HttpRequest>).request)).toEqual(expectedOf(batch))
    const left = bytes - used - sizeOf(full.at(-1) as string)
    expect(left).toBeLessThan(4)
    const over = [...full.slice(0, -1), `${full.at(-1)}${'x'.repeat(left + 1)}`]
    const more = requestsOf(sender, batchOf(over.map(padded)))
    expect(more.map(({ events }) => events)).toEqual([count - 1, 1])
    for (const { request } of more) given.receive(request)
  })

  test('a batch that is full by its number is one request, and an event more begins the next', () => {
    const { bytes, events = Number.POSITIVE_INFINITY } = batching.bounds(config)
    // The bound of the size is reached first.
    if (events * batching.sizeOf(batchOf([padded('x')]).events[0] as Event, config) > bytes) return
    const counts = (count: number) =>
      requestsOf(sender, batchOf(Array.from({ length: count }, (_, index) => padded('x', index)))).map(
        each => each.events,
      )
    expect([counts(events), counts(events + 1)]).toEqual([[events], [events, 1]])
  })

  test('an answer that echoes the request shows no secret of it', () => {
    const secrets = secretValues(destination.config, config)
    const [sent] = requestsOf(sender, batchOf(messages))
    const { method, url, headers, ...signing } = (sent as EncodedRequest<HttpRequest>).request
    // A key that only signs is not part of a request.
    const isSigned = ['serviceAccount', 'signature', 'azureKey'].some(member => member in signing)
    const echo = `${method} ${url}\n${JSON.stringify(headers)}\n${new URLSearchParams(headers)}`
    const shown = keptAnswer(echo, secrets)
    const decoded = [...shown.matchAll(/[\w+/=]{8,}/g)].map(([text]) =>
      Buffer.from(text, 'base64').toString(),
    )
    for (const secret of secrets.filter(each => !each.startsWith('http'))) {
      expect(echo.includes(secret) || echo.includes('Basic ') || isSigned).toBe(true)
      for (const text of [shown, ...decoded]) expect(text).not.toContain(secret)
    }
  })

  // Another installation gets lines as they were sent, and in a request with the time of the batch: deliveries.test.ts has one.
  const delivers = CATALOGUE.isBuilt('sink', given.type) && given.type !== 'log-analysis-elsewhere'
  test.runIf(delivers)(
    'events that a partition hands over arrive through the outbox, each once',
    async () => {
      const world = await OutboxWorld.open()
      const batch = batchOf(messages)
      const line = linesOf(['x'], ACCOUNT)
      const handed = batch.events.map(({ message, metadata, timestamp }) =>
        Event.ofLine(line, 0).withMessage(message).withMetadata(metadata).withTimestamp(timestamp),
      )
      const sink = { ...{ id: 'out', kind: 'sink' as const, title: null, inputs: [] }, type: given.type }
      const inFold = CATALOGUE.foldOptionsOf({ ...sink, user_config: config }, { id: 'p', revision: 1 })
      const from = {
        pipeline: 'p',
        version: 1,
        node: 'out',
        type: destination.type,
        options: jsonText(inFold),
      }
      const mail = new OutgoingMail(ACCOUNT)
      for (const [row, event] of handed.entries()) mail.add(from, event, { offset: 0n, row })
      for (const { value } of mail.values({ topic: INGEST_TOPIC, partition: 0 }))
        await world.topic.append(0, { value, producer: null, priority: 'outgoing' })
      const received: unknown[] = []
      const { clock, topic } = world
      const remote = new DestinationRemote({
        ...{ catalogue: CATALOGUE, clock, logId: topic.logId, options: { optionsOf: () => ({ config }) } },
        outbound: {
          async request(request) {
            received.push(...given.receive(request))
            return { status: 200, headers: {}, body: given.accepted?.(request) ?? '' }
          },
          produce: async () => ({ error: null }),
        },
      })
      const worker = await world.start({ rules: new CatalogueBatchRules(CATALOGUE), remote })
      const lane = () => worker.fold.lane(ACCOUNT, 'p', 'out')
      await world.until(() => lane()?.counts.handedOver === messages.length && lane()?.waiting === 0)
      await world.end()
      expect(lane()?.counts).toMatchObject({ delivered: messages.length, givenUp: 0 })
      const idOf = eventIdsOf(topic.logId)
      const eventIds = handed.map((event, row) =>
        idOf({ event, source: 'weir.ingest 0', position: { offset: 0n, row } }),
      )
      expect(received).toEqual(expectedOf({ ...batch, events: handed, eventIds }))
    },
  )

  const verdictOn = (answer: HttpOutcome, events = 3) => {
    const [sent] = requestsOf(
      sender,
      batchOf(Array.from({ length: events }, (_, index) => padded('x', index))),
    )
    const verdict = destination.judge(answer, config, sent as EncodedRequest<HttpRequest>)
    const shown = [verdict].flat().map(each => (typeof each === 'string' ? each : each.code))
    return new Set(shown).size === 1 ? shown[0] : shown
  }
  const answer = (status: number, headers = {}, body = '') => ({ status, headers, body })
  const FAILED = 'E_DELIVERY_FAILED'

  test.each<[number, string]>([
    ...[401, 403, 407].map((status): [number, string] => [status, 'rest']),
    ...[408, 429, 500, 502, 503, 504, 599].map((status): [number, string] => [status, 'again']),
    ...[301, 302, 304, 307, 308, 400, 404, 405, 409, 410, 422, 451, 501].map((status): [number, string] => [
      status,
      FAILED,
    ]),
    [413, 'halve'],
  ])('after status %i: %s, unless the protocol narrows it down', (status, verdict) => {
    expect(verdictOn(answer(status))).toEqual(given.verdicts?.[status] ?? verdict)
    // An answer that is not of the protocol is judged by its status alone.
    expect(verdictOn(answer(status, {}, '<html>no</html>'))).toEqual(given.verdicts?.[status] ?? verdict)
  })

  test('an accepted request is delivered', () => {
    const [sent] = requestsOf(sender, batchOf([padded('x', 0), padded('y', 1)]))
    const { request } = sent as EncodedRequest<HttpRequest>
    const verdict = destination.judge(answer(200, {}, given.accepted?.(request) ?? ''), config, sent as never)
    expect([...new Set<Verdict>([verdict].flat())]).toEqual(['delivered'])
  })

  test.each(['UNRESOLVED', 'NOT_CONNECTED', 'NOT_VERIFIED', 'TIMED_OUT', 'BROKEN'] as const)(
    'without a complete answer (%s) the request is repeated',
    failure => {
      expect(verdictOn({ failure })).toBe('again')
    },
  )

  test('a denied address fails, without a word about it but its name', () => {
    const [sent] = requestsOf(sender, batchOf([padded('x')]))
    const { request } = sent as EncodedRequest<HttpRequest>
    const verdicts = [destination.judge({ failure: 'DENIED' }, config, sent as never)].flat()
    const { hostname } = new URL(request.url)
    expect(verdicts).toEqual([
      { code: FAILED, field: null, message: `Connections to ${hostname} are not allowed` },
    ])
    expect(verdictOn({ failure: 'INVALID' })).toBe(FAILED)
  })

  test('one event that is too large fails alone', () => {
    expect(verdictOn(answer(413), 1)).toBe(FAILED)
    expect(verdictOn(answer(400), 1)).toBe(FAILED)
  })
})

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

const REACHABLE = DESTINATION_CASES.filter(({ at }) => at !== undefined)

test.each(REACHABLE.map(each => [each.title, each] as const))('%s over a network', async (_title, given) => {
  const arrived: JsonValue[] = []
  const server = createServer(async (request, reply) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const { 'content-encoding': coding, ...headers } = request.headers
    const received: ReceivedRequest = {
      method: request.method ?? '',
      url: `http://${headers.host}${request.url}`,
      headers: {
        ...(headers as Record<string, string>),
        ...(coding !== undefined && { 'content-encoding': coding }),
      },
      body: coding === undefined ? body : coding === 'gzip' ? gunzipSync(body) : decompressSnappy(body),
    }
    try {
      arrived.push(...given.receive(received))
      reply.end(given.accepted?.(received) ?? '')
    } catch (error) {
      reply.writeHead(400).end(String(error))
    }
  }).listen(0, '127.0.0.1')
  servers.push(server)
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const sender = sendingNode(given.type, given.at?.(origin) ?? {})
  const outbound = networkOutbound({ ...TEST_OUTBOUND, rules: () => undefined, logId: 'log-1' })
  const batch = batchOf(given.messages ?? MESSAGES)
  try {
    for (const sent of requestsOf(sender, batch)) {
      const outcome = await outbound.request(sent.request, new AbortController().signal)
      const verdicts = [sender.destination.judge(outcome, sender.config, sent)].flat()
      expect([outcome.body, ...new Set<Verdict>(verdicts)]).toEqual([outcome.body, 'delivered'])
    }
  } finally {
    await outbound.close()
  }
  expect(arrived).toEqual(
    batch.events.map((event, index) => given.expected(event, batch.eventIds[index] as string)),
  )
})
