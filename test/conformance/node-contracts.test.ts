import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { parseJson } from '../../engine/json/json-text.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import { newStoredLine, type StoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { checkConfig } from '../../engine/nodes/contract/config-schema.ts'
import type { OwnStore, SendingDestination } from '../../engine/nodes/contract/define-destination.ts'
import type { LineSource, PushSource } from '../../engine/nodes/contract/define-source.ts'
import type { NodeDeclaration } from '../../engine/nodes/contract/node-declaration.ts'
import { secretPlaces } from '../../engine/nodes/contract/secret.ts'
import { finish } from '../../engine/steps.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { sentEvent } from '../support/sent-lines.ts'
import { storedOptions } from '../support/stored-options.ts'

const LIMIT_BYTES = 20_971_520

/** Options as they are stored, and checked. */
function checkedOptions({ config: schema, check }: NodeDeclaration, sent: JsonObject): JsonObject {
  const checked = checkConfig(schema, sent)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  expect(check?.(checked.stored, {}) ?? []).toEqual([])
  return checked.stored
}

function isA<Kind extends { readonly type: string }>(
  nodes: readonly { readonly type: string }[],
  is: (node: object) => boolean,
): [string, Kind][] {
  return nodes.filter(is).map(node => [node.type, node as Kind])
}

const pushSources = isA<PushSource>(
  CATALOGUE.runningSources,
  node => 'entrance' in node && node.entrance === 'gateway',
)
const lineSources = isA<LineSource>(
  CATALOGUE.runningSources,
  node => 'entrance' in node && node.entrance === 'ingest',
)
const ownStores = isA<OwnStore>(
  CATALOGUE.destinations,
  node => 'delivery' in node && node.delivery === 'lines',
)
const sending = isA<SendingDestination>(
  CATALOGUE.destinations,
  node => 'delivery' in node && node.delivery === 'requests',
)

function textOf({ textBytes, textStart, textEnd }: StoredLine): string {
  return Buffer.from(textBytes.subarray(textStart, textEnd)).toString()
}

describe.each(pushSources)('push source %s', (_type, source) => {
  const decoded = (body: string, config: JsonObject) =>
    finish(
      source.decode(
        { body: Buffer.from(body), headers: {}, limitBytes: LIMIT_BYTES, eventLimitBytes: LIMIT_BYTES },
        checkedOptions(source, config),
      ),
    )

  test.each(source.examples.map(example => [example.title, example] as const))('%s', (_title, example) => {
    const outcome = decoded(example.body, example.config)
    const messages = 'messages' in outcome ? outcome.messages.map(parseJson) : undefined
    const refused = 'refusal' in outcome ? [outcome.refusal.code, outcome.refusal.field] : undefined
    expect({ messages, refused }).toEqual({ messages: example.messages, refused: example.refused })
  })

  test('has an example for each declared error, and for no other error', () => {
    const shown = source.examples.flatMap(({ refused }) => (refused === undefined ? [] : [refused[0]]))
    expect([...new Set(shown)].sort()).toEqual(source.errors.toSorted())
  })

  test('accepts the key in at least one place', () => {
    expect(source.keyHeaders.length).toBeGreaterThan(0)
  })
})

describe.each(lineSources)('line source %s', (_type, source) => {
  test.each(source.examples.map(example => [example.title, example] as const))(
    '%s',
    (_title, { sent, message }) => {
      expect(sentEvent(sent).message).toEqual(message)
    },
  )
})

describe.each(ownStores)('own store %s', (_type, destination) => {
  test.each(destination.examples.map(example => [example.title, example] as const))(
    '%s',
    (_title, example) => {
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
      expect(failure && [failure.code, failure.field]).toEqual(example.failed)
      expect({ ...line, text: textOf(line) }).toMatchObject(example.line ?? {})
    },
  )

  test('has an example for each declared error, and for no other error', () => {
    const shown = destination.examples.flatMap(({ failed }) => (failed === undefined ? [] : [failed[0]]))
    // An example of its cost would be too long to read.
    const declared = destination.errors.filter(code => code !== 'E_EXPRESSION_COST')
    expect([...new Set(shown)].sort()).toEqual(declared.toSorted())
  })

  test('the fold makes the same line from the given options', () => {
    for (const example of destination.configs) {
      const stored = storedOptions(example)
      const given = CATALOGUE.foldOptionsOf({ ...SINK, type: destination.type, user_config: stored })
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
const CONTEXT = {
  account: '507f1f77bc',
  timeMs: 1_930_000_000_000,
  retentionDays: 7,
  poolDays: 0,
  behaviour: BEHAVIOUR,
}

describe.each(sending)('destination %s', (_type, destination) => {
  test.each(destination.examples.map(example => [example.title, example] as const))(
    '%s',
    (_title, example) => {
      const config = checkedOptions(destination, example.config)
      const events = example.events.map(message => Event.of(message, {}, '2031-03-09T08:15:30.250Z'))
      for (const event of events) expect(destination.neverSent(event, config)).toBeUndefined()
      const requests = [...destination.encode(events, config)]
      expect(requests.map(({ request }) => request as JsonValue)).toEqual(example.requests)
      // Without a request nothing is left to do; with some, each event is part of one.
      const sent = requests.reduce((sum, { events: count }) => sum + count, 0)
      expect([0, events.length]).toContain(sent)
    },
  )
})

describe('the node types of this program', () => {
  test('are exactly those that can be published, and each kind of contract has a node', () => {
    const counts = [pushSources, lineSources, ownStores, sending].map(({ length }) => length)
    expect(counts.every(count => count > 0)).toBe(true)
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
    for (const { type, config, foldOptions } of CATALOGUE.destinations)
      for (const [name] of secretPlaces(config)) expect([type, foldOptions]).not.toContain(name)
  })
})
