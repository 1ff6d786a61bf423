import Type from 'typebox'
import { describe, expect, test } from 'vitest'
import type { ErrorCode } from '../../engine/event/errors.ts'
import { Event } from '../../engine/event/event.ts'
import { parseJson } from '../../engine/json/json-text.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { lineCodec } from '../../engine/lines/line-codec.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkConfig } from '../../engine/nodes/contract/config-schema.ts'
import {
  type Batch,
  type EncodedRequest,
  NO_TRANSPORT,
  type SendingDestination,
  type ShownVerdict,
  type Verdict,
} from '../../engine/nodes/contract/define-destination.ts'
import type { PullExample, PullExampleBatch } from '../../engine/nodes/contract/define-pull-source.ts'
import type { PushHead } from '../../engine/nodes/contract/define-push-source.ts'
import { COMMON_KEY_PLACES } from '../../engine/nodes/contract/key-place.ts'
import type { NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import type { DeliveryFailure } from '../../engine/nodes/contract/own-store.ts'
import { Secret, secretPlaces } from '../../engine/nodes/contract/secret.ts'
import type { HttpRequest } from '../../engine/outbound/http-exchange.ts'
import { finish } from '../../engine/steps.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../../schemas/json.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { INGEST_ENTRANCE } from '../../schemas/log/line-batch.ts'
import { catalogueWith } from '../support/catalogue-with.ts'
import { quietDestination } from '../support/quiet-destination.ts'
import { storedOptions } from '../support/stored-options.ts'
import { notes, parcels, relay, type Shelf } from '../support/toy-nodes.ts'

const LIMIT_BYTES = 20_971_520
const RECEIVED_MS = 1_930_000_000_000
const REQUEST_FACTS = {
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: RECEIVED_MS,
  driftMs: null,
  idempotency: null,
}

/** Options as they are stored, and checked. */
function checkedOptions({ config: schema, check }: NodeDeclaration, sent: JsonObject): JsonObject {
  const checked = checkConfig(schema, sent, 'the node')
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  expect(check?.(checked.stored, {}) ?? []).toEqual([])
  return checked.stored
}

const { runningSources, destinations } = CATALOGUE
const pushSources = [...runningSources.filter(source => source.entrance === 'gateway'), parcels]
const lineSources = runningSources.filter(source => source.entrance === 'ingest')
const pullSources = [...runningSources.filter(source => source.entrance === 'pull'), notes]
const ownStores = destinations.filter(destination => destination.delivery === 'lines')
const sending = [...CATALOGUE.sendingDestinations, relay]

/** Pairs of a type and its node, as `describe.each` takes them. */
function named<Node extends { readonly type: string }>(nodes: readonly Node[]): [string, Node][] {
  return nodes.map(node => [node.type, node])
}

/** Pairs of a title and its example. */
function titled<Example extends { readonly title: string }>(
  examples: readonly Example[],
): [string, Example][] {
  return examples.map(example => [example.title, example])
}

/** Every declared code has an example, and no other code is shown. An example of its cost would be too long to read. */
function expectAllShown(errors: readonly ErrorCode[], shown: readonly ErrorCode[]): void {
  const declared = errors.filter(code => code !== 'E_EXPRESSION_COST')
  expect([...new Set(shown)].sort()).toEqual(declared.toSorted())
}

const shownFailure = (failure: DeliveryFailure | undefined) => failure && [failure.code, failure.field]

function textOf({ textBytes, textStart, textEnd }: StoredLine): string {
  return Buffer.from(textBytes.subarray(textStart, textEnd)).toString()
}

const HEAD: PushHead = { path: '', query: {}, headers: {}, receivedAtMs: 1_930_000_000_000 }

describe.each(named(pushSources))('push source %s', (_type, source) => {
  test.each(titled(source.examples))('%s', (_title, example) => {
    const head = { ...HEAD, ...example.head }
    const limits = { limitBytes: LIMIT_BYTES, eventLimitBytes: LIMIT_BYTES }
    const request = { head, body: Buffer.from(example.body), ...limits }
    const outcome = finish(source.decode(request, checkedOptions(source, example.config)))
    const messages = 'messages' in outcome ? outcome.messages.map(parseJson) : undefined
    const refused = 'refusal' in outcome ? [outcome.refusal.code, outcome.refusal.field] : undefined
    expect({ messages, refused }).toEqual({ messages: example.messages, refused: example.refused })
    if (example.reply === undefined) return
    if ('refusal' in outcome) {
      const failure = { ...outcome.refusal, status: 400, hasKey: true }
      expect(source.refusedReply?.(failure, head)).toEqual(example.reply)
    } else expect('reply' in outcome && outcome.reply).toEqual(example.reply)
  })

  test('has an example for each declared error, and for no other error', () => {
    expectAllShown(
      source.errors,
      source.examples.flatMap(({ refused }) => refused?.[0] ?? []),
    )
  })

  test('accepts the key in at least one place', () => {
    expect(source.keys ?? COMMON_KEY_PLACES).not.toEqual([])
  })
})

describe.each(named(lineSources))('line source %s', (_type, source) => {
  test.each(titled(source.examples))('%s', (_title, { hostname, body, messages }) => {
    const reader = lineCodec.newReader()
    reader.load([Buffer.from(body)])
    const batch = new LineBatchBuilder()
    batch.addRequest(columns => {
      reader.readLines(columns, timeBounds(RECEIVED_MS, 7), null, LIMIT_BYTES)
      return { facts: { ...REQUEST_FACTS, hostname } }
    })
    const view = LineBatchView.decode(batch.encode(CONTEXT.account, INGEST_ENTRANCE))
    const events = Array.from({ length: view.count }, (_, row) => Event.ofLine(view, row))
    expect(events.map(({ message }) => message)).toEqual(messages)
  })
})

describe.each(named(pullSources))('pull source %s', (_type, source) => {
  const opened = (example: PullExample, from = example.from) => {
    const shelf = new ShelfInMemory(example.remote as readonly string[])
    const config = checkedOptions(source, example.config)
    return { shelf, reader: source.open(shelf, config, from) }
  }

  test.each(titled(source.examples))('%s', async (_title, example) => {
    const { shelf, reader } = opened(example)
    const found: PullExampleBatch[] = []
    for await (const { messages, refusals, position } of reader.batches(AbortSignal.timeout(60_000))) {
      const refused = refusals.map(({ code, field }) => [code, field] as const)
      found.push({
        messages: messages.map(parseJson),
        ...(refused.length > 0 && { refused }),
        position,
      })
      await reader.acknowledge(position)
      expect(shelf.removedTo).toEqual(position)
    }
    await reader.close()
    expect(found).toEqual(example.batches)
  })

  test('continues behind any position: what was not acknowledged comes again, and nothing else', async () => {
    for (const example of source.examples)
      for (const [index, { position }] of example.batches.entries()) {
        const positions: JsonValue[] = []
        for await (const batch of opened(example, position).reader.batches(AbortSignal.timeout(60_000)))
          positions.push(batch.position)
        expect(positions).toEqual(example.batches.slice(index + 1).map(each => each.position))
      }
  })

  test('has an example for each declared error, and for no other error', () => {
    expectAllShown(
      source.errors,
      source.examples.flatMap(({ batches }) =>
        batches.flatMap(({ refused = [] }) => refused.map(([code]) => code)),
      ),
    )
  })
})

/** Stand-in of the transport of `notes`. It ends instead of waiting. */
class ShelfInMemory implements Shelf {
  removedTo = 0
  readonly #notes: readonly string[]

  constructor(notes: readonly string[]) {
    this.#notes = notes
  }

  async notesBehind(number: number): Promise<readonly string[]> {
    if (number < this.removedTo) throw new RangeError(`note ${number + 1} was removed`)
    return this.#notes.slice(number)
  }

  async removeTo(number: number): Promise<void> {
    this.removedTo = number
  }
}

describe.each(named(ownStores))('own store %s', (_type, destination) => {
  test.each(titled(destination.examples))('%s', (_title, example) => {
    const line = newStoredLine()
    const failure = destination
      .compile(checkedOptions(destination, example.config))
      .fill(Event.of(example.event, {}, '2031-03-09T08:15:30.250Z'), line, {
        account: '507f1f77bc',
        timeMs: 1_930_000_000_000,
        retentionDays: 7,
        poolDays: 0,
        fieldNames: new FieldNames(),
        behaviour: BEHAVIOUR,
      })
    expect(shownFailure(failure)).toEqual(example.failed)
    expect({ ...line, text: textOf(line) }).toMatchObject(example.line ?? {})
  })

  test('has an example for each declared error, and for no other error', () => {
    expectAllShown(
      destination.errors,
      destination.examples.flatMap(({ failed }) => failed?.[0] ?? []),
    )
  })

  test('the fold makes the same line from the given options', () => {
    for (const example of destination.configs) {
      const stored = storedOptions(example)
      const given = CATALOGUE.foldOptionsOf(
        { ...SINK, type: destination.type, user_config: stored },
        REVISION,
      )
      const lineBy = (config: JsonObject) => {
        const line = newStoredLine()
        const event = Event.of({ host: 'h', text: 't', app: 'a', line: 'l' }, {}, '2031-03-09T08:15:30.250Z')
        const failure = destination
          .compile(config)
          .fill(event, line, { ...CONTEXT, fieldNames: new FieldNames() })
        return { ...line, textBytes: undefined, text: textOf(line), textStart: 0, textEnd: 0, failure }
      }
      expect(lineBy(given)).toEqual(lineBy(stored))
      expect(Object.keys(given).every(name => destination.foldOptions.includes(name))).toBe(true)
    }
  })
})

const SINK = { id: 's', kind: 'sink' as const, title: null, inputs: [] }
const REVISION = { id: 'p', revision: 1 }
const CONTEXT = {
  account: '507f1f77bc',
  timeMs: 1_930_000_000_000,
  retentionDays: 7,
  poolDays: 0,
  behaviour: BEHAVIOUR,
}

describe.each(named(sending))('destination %s', (_type, destination) => {
  const eventOf = (message: JsonValue) => Event.of(message, {}, '2031-03-09T08:15:30.250Z')

  test.each(titled(destination.examples))('%s', (_title, { config: sent, events, ...example }) => {
    const config = checkedOptions(destination, sent)
    const all = events.map(eventOf)
    const inFold = catalogueWith({ destinations: [relay] }).foldOptionsOf(
      { ...SINK, type: destination.type, user_config: config },
      REVISION,
    )
    const never = all.map(event => shownFailure(destination.neverSent(event, inFold)))
    expect(never).toEqual(events.map((_, index) => example.never?.[index]))
    const sendable = all.filter((_, index) => never[index] === undefined)
    const known = destination.transport === NO_TRANSPORT ? inFold : config
    const requests = [...destination.encode(batchOf(sendable), known)]
    expect(requests.map(({ request }) => shownRequest(request))).toEqual(example.requests)
    // Without a request nothing is left to do; with some, each event is part of one.
    const inRequests = requests.reduce((sum, { events: count }) => sum + count, 0)
    expect([0, sendable.length]).toContain(inRequests)
    for (const { answer, verdict } of example.answers ?? []) {
      const judged = destination.judge(fullAnswer(answer), known, requests[0] as EncodedRequest<unknown>)
      expect(verdictsOf(judged).map(shownVerdict)).toEqual([verdict].flat())
    }
  })

  test('has an example for each declared error, and for no other error', () => {
    const failed = (verdict: ShownVerdict) => (typeof verdict === 'string' ? [] : [verdict.failed[0]])
    expectAllShown(
      destination.errors,
      destination.examples.flatMap(({ never = {}, answers = [] }) => [
        ...Object.values(never).map(([code]) => code),
        ...answers.flatMap(({ verdict }) => [verdict].flat().flatMap(failed)),
      ]),
    )
  })

  test('an example shows each kind of verdict, if it sends requests', () => {
    const answers = destination.examples.flatMap(({ answers = [] }) => answers)
    const kinds = answers.flatMap(({ verdict }) =>
      [verdict].flat().map(each => (typeof each === 'string' ? each : 'failed')),
    )
    if (destination.transport === NO_TRANSPORT) expect(kinds).toEqual([])
    else if (destination.transport !== relay.transport)
      expect([...new Set(kinds)].sort()).toEqual(['again', 'delivered', 'failed', 'halve', 'rest'])
    else expect([...new Set(kinds)].sort()).toEqual(['again', 'delivered', 'failed'])
  })
})

/** Id of the batch of an example; its events have the ids 1, 2 and so on. */
const EXAMPLE_BATCH = '7d0ff2a4-56a3-4a0e-8d5d-2f0a9f7a5d10'
const EXAMPLE_CLOSED_MS = Date.parse('2031-03-09T08:20:31.999Z')

function batchOf(events: readonly Event[]): Batch {
  const eventIds = events.map((_, index) => String(index + 1))
  return { id: EXAMPLE_BATCH, events, eventIds, closedMs: EXAMPLE_CLOSED_MS }
}

/** A request in JSON: a body that is not text is shown in base64. */
function shownRequest(request: unknown): unknown {
  if (!isHttpRequest(request)) return request
  const { body, ...others } = request
  const text = body.toString()
  return { ...others, body: Buffer.from(text).equals(body) ? text : body.toString('base64') }
}

function isHttpRequest(request: unknown): request is HttpRequest {
  return Buffer.isBuffer((request as Partial<HttpRequest>).body)
}

/** An answer by HTTP with all of its members. */
function fullAnswer(answer: JsonValue): JsonValue {
  return isJsonObject(answer) && 'status' in answer ? { headers: {}, body: '', ...answer } : answer
}

function verdictsOf(judged: ReturnType<SendingDestination['judge']>): Verdict[] {
  return [judged].flat()
}

function shownVerdict(verdict: Verdict): ShownVerdict {
  return typeof verdict === 'string' ? verdict : { failed: [verdict.code, verdict.field] }
}

describe('a sending destination', () => {
  test('is enough to deliver: each event is delivered once or fails once, in order, whatever is answered', () => {
    const events = [
      { room: 'a', n: 1 },
      { n: 2 },
      { room: 'a', n: 3 },
      { room: 'a', n: 4 },
      { room: 'b', n: 5 },
      { room: 'b', n: 6 },
    ].map(message => Event.of(message, {}, '2031-03-09T08:15:30.250Z'))
    const answers = ['busy', ['ok', 'busy'], ['ok', 'bad'], ['bad', 'ok']]
    const { ended, requests } = deliver(relay, events, () => answers.shift() ?? 'ok')
    expect(ended).toEqual([
      [2, 'E_NOT_FOUND'],
      [1, 'delivered'],
      [3, 'delivered'],
      [4, 'E_DELIVERY_FAILED'],
      [5, 'E_DELIVERY_FAILED'],
      [6, 'delivered'],
    ])
    // The first request is repeated while the other system is busy; the second event of it goes with the next one.
    expect(requests).toEqual([
      [1, 3],
      [1, 3],
      [3, 4],
      [5, 6],
    ])
  })
})

/** Sends one request after the other, and what is to be sent again before anything else. */
function deliver(
  destination: SendingDestination,
  events: readonly Event[],
  answerTo: (request: JsonObject) => JsonValue,
): { readonly ended: [JsonValue, string][]; readonly requests: JsonValue[] } {
  const numberOf = (event: Event) => (event.message as JsonObject).n as JsonValue
  const ended: [JsonValue, string][] = []
  const requests: JsonValue[] = []
  let waiting = events.filter(event => {
    const failure = destination.neverSent(event, {})
    if (failure !== undefined) ended.push([numberOf(event), failure.code])
    return failure === undefined
  })
  while (waiting.length > 0) {
    const [first] = destination.encode(batchOf(waiting), {})
    if (first === undefined) throw new Error('events that can be sent need a request')
    const request = first.request as JsonObject
    requests.push((request.messages as JsonObject[]).map(({ n }) => n as JsonValue))
    const judged = destination.judge(answerTo(request), {}, first)
    const again: Event[] = []
    for (const [index, event] of waiting.slice(0, first.events).entries()) {
      const verdict = (Array.isArray(judged) ? judged[index] : judged) as Verdict
      if (verdict === 'again') again.push(event)
      else ended.push([numberOf(event), typeof verdict === 'string' ? verdict : verdict.code])
    }
    waiting = [...again, ...waiting.slice(first.events)]
  }
  return { ended, requests }
}

describe('the node types of this program', () => {
  test('are exactly those that can be published, and each kind of contract has a node', () => {
    expect([pushSources, lineSources, ownStores, sending].map(({ length }) => length)).not.toContain(0)
    for (const kind of ['source', 'transform', 'sink'] as const)
      for (const { type } of CATALOGUE.declarations[kind]) {
        const runs = {
          source: CATALOGUE.runningSources,
          transform: CATALOGUE.processors,
          sink: CATALOGUE.destinations,
        }
        expect(CATALOGUE.isBuilt(kind, type)).toBe(runs[kind].some(each => each.type === type))
      }
  })

  test('do not read secrets in the fold, unless they are sealed', () => {
    for (const { config, foldSecrets = [] } of CATALOGUE.processors)
      expect(secretPlaces(config)).toEqual(expect.arrayContaining(foldSecrets.map(name => [name])))
  })

  test('do not pull, and send requests by HTTP or to Kafka, which programs do since the thirteenth behaviour', () => {
    expect(runningSources.filter(({ entrance }) => entrance === 'pull')).toEqual([])
    const sendingTypes = destinations.filter(each => 'transport' in each && each.transport !== 'none')
    for (const destination of sendingTypes)
      expect(destination).toMatchObject({ transport: expect.stringMatching(/^(http|kafka)$/), since: 13 })
  })

  test('do not hand secrets of destinations to the fold', () => {
    const config = Type.Object({ app: Secret({ description: 'Key' }) })
    const leaking: SendingDestination = { ...quietDestination(), config }
    expect(() => catalogueWith({ destinations: [leaking] })).toThrow(
      'the fold of destination "quiet" cannot read the secret option "app"',
    )
  })
})
