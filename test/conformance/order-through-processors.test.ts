import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { Gathered, PassedWithError, Routed, Split } from '../../engine/event/outcome.ts'
import { UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { ExampleStep, Processor } from '../../engine/nodes/contract/define-processor.ts'
import { checkStoredOptions } from '../../engine/nodes/contract/node-declaration.ts'
import { decodingMessages } from '../../engine/nodes/sources/http/http-decoding.ts'
import { finish } from '../../engine/steps.ts'
import { isJsonObject, type JsonObject } from '../../schemas/json.ts'
import {
  compactText,
  type DrawnValue,
  drawnSpelling,
  drawnValue,
  spelledText,
} from '../support/drawn-json.ts'
import { SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../support/line-batches.ts'

/** Components, section 1.2: keys keep the order sent, and numbers their digits, through every processor that runs. */

const NOW_MS = 1_772_600_767_089

/** A way through a processor: a message around a drawn value, and the message that must leave. */
interface Way {
  readonly config: object
  /** @param value text of the drawn value @returns the message, as its compact text */
  sent(value: string): string
  left(value: string, drawn: DrawnValue): string
}

const around = (value: string) => `{"b":1,"7":${value},"a":{"10":2,"x":3},"1":"z"}`
const unchanged = (config: object): Way => ({ config, sent: around, left: around })
const always = { expressions: [{ field: '.nothing', str_operator: 'exists', value: '', negate: true }] }

const ENCRYPTION = { field: '.s', algorithm: 'AES-128-CTR', key: 'sixteen byte key', iv_field: '.a."5"' }

/** Ways through processors that change the message around the value, or the value. The others have that of a worked example. */
const WAYS: Readonly<Record<string, Way>> = {
  aggregate: unchanged({
    window: { type: 'tumbling', interval: 60 },
    evaluate: { operation: 'CUSTOM', script: 'function f(total) { return total }' },
    conditional: always,
  }),
  'compact-fields': {
    config: { fields: ['."7"'] },
    sent: value => around(`[${value}]`),
    left: (_value, drawn) => around(compactedText({ elements: [drawn] }) ?? '[]'),
  },
  'decrypt-fields': {
    config: ENCRYPTION,
    sent: value => `{"b":1,"7":${value},"s":"6MnzMjo=","a":{"10":2,"5":"C5+rPeF1fS8U7oOyFLVx7g=="},"1":"z"}`,
    left: value => `{"b":1,"7":${value},"s":"clear","a":{"10":2,"5":"C5+rPeF1fS8U7oOyFLVx7g=="},"1":"z"}`,
  },
  'drop-fields': {
    config: { fields: ['.zz', '.a."10"'] },
    sent: around,
    left: value => around(value).replace('"10":2,', ''),
  },
  'encrypt-fields': {
    config: ENCRYPTION,
    sent: value => `{"b":1,"s":"clear","7":${value},"a":{"10":2},"1":"z"}`,
    left: value => `{"b":1,"s":"6MnzMjo=","7":${value},"a":{"10":2,"5":"C5+rPeF1fS8U7oOyFLVx7g=="},"1":"z"}`,
  },
  'event-to-metric': {
    config: {
      metric_name: 'm',
      metric_kind: 'absolute',
      metric_type: 'gauge',
      value: { value_type: 'field', value: '.n' },
      tags: [{ name: 'one', value_type: 'field', value: '.t' }],
    },
    // A metric has nothing of the event but scalars: large integers as its number and as a tag.
    sent: value => `{"7":${value},"n":12345678901234567890,"t":-9007199254740993}`,
    left: () =>
      '{"name":"m","kind":"absolute","value":{"type":"gauge","value":12345678901234567890},"tags":{"one":"-9007199254740993"}}',
  },
  'flatten-fields': {
    config: { fields: ['.a'] },
    sent: value => `{"b":1,"a":{"10":[${value}],"x":{"3":3}},"1":"z"}`,
    left: value => `{"b":1,"a_10":[${value}],"a_x_3":3,"1":"z"}`,
  },
  'js-script': {
    config: {
      script:
        'function f(m) { return { b: m.b, "7": m["7"], copies: [m["7"]], a: m.a, text: JSON.stringify(m["7"]), 1: m["1"] } }',
    },
    sent: around,
    left: value =>
      `{"b":1,"7":${value},"copies":[${value}],"a":{"10":2,"x":3},"text":${JSON.stringify(value)},"1":"z"}`,
  },
  'map-fields': {
    config: { mappings: [{ source_field: '."7"', target_field: '.a."5"', drop_source: true }] },
    sent: around,
    left: value => `{"b":1,"a":{"10":2,"x":3,"5":${value}},"1":"z"}`,
  },
  'metrics-tag-cardinality-limit': {
    config: { value_limit: 1, action: 'drop_tag' },
    sent: value => `{"b":1,"7":${value},"tags":{"9":"a","b":"c","8":"d"},"1":"z"}`,
    left: value => `{"b":1,"7":${value},"tags":{"9":"a","b":"c","8":"d"},"1":"z"}`,
  },
  parse: {
    config: { field: '.line', parser: 'parse_json' },
    sent: value => `{"b":1,"line":${JSON.stringify(around(value))},"1":"z"}`,
    left: value => `{"b":1,"line":${around(value)},"1":"z"}`,
  },
  'parse-sequentially': {
    config: { field: '."7"', parsers: [{ parser: 'parse_int' }, { parser: 'parse_json' }] },
    sent: value => `{"b":1,"7":${JSON.stringify(around(value))},"a":0}`,
    left: value => `{"b":1,"7":${around(value)},"a":0}`,
  },
  redact: {
    config: { patterns: [{ pattern: 'custom', expression: '^S-00[4]2$', action: 'replace' }] },
    sent: value => `{"b":"S-0042","7":${value},"a":{"10":2,"x":"S-0042"},"1":"z"}`,
    left: value => `{"b":"[REDACTED]","7":${value},"a":{"10":2,"x":"[REDACTED]"},"1":"z"}`,
  },
  reduce: unchanged({ max_events: 1 }),
  route: unchanged({ conditionals: [{ label: 'all', conditional: always, _output_name: 'all' }] }),
  stringify: { config: {}, sent: around, left: value => JSON.stringify(around(value)) },
  unroll: {
    config: { field: '.a', values_only: false },
    sent: value => `{"b":1,"a":[${around(value)}],"1":"z"}`,
    left: value => `{"b":1,"a":${around(value)},"1":"z"}`,
  },
}

/**
 * The way of a worked example: the first whose first event continues. Its message gets one more member, which the processor does not
 * know.
 */
function wayOfExample({ type, examples }: Processor): Way {
  for (const { config, steps } of examples) {
    const { event, outcome } = steps[0] as ExampleStep
    if (!isJsonObject(event) || !isMessage(outcome)) continue
    const withMember = (message: JsonObject) => (value: string) =>
      `{"b":1,"7":${value},${JSON.stringify(message).slice(1)}`
    return { config, sent: withMember(event), left: withMember(outcome as JsonObject) }
  }
  throw new Error(`no worked example of ${type} shows an event that continues: add a way through it`)
}

/** Whether an outcome is a message that continues. */
function isMessage(outcome: unknown): outcome is JsonObject {
  return Object.getPrototypeOf(outcome) === Object.prototype
}

/** A plain form of compact-fields. @returns undefined when nothing is left */
function compactedText(value: DrawnValue): string | undefined {
  if ('elements' in value) {
    const left = value.elements.flatMap(element => compactedText(element) ?? [])
    return left.length === 0 ? undefined : `[${left.join(',')}]`
  }
  if ('members' in value) {
    const left = value.members.flatMap(([key, member]) => {
      const text = compactedText(member)
      return text === undefined ? [] : `${JSON.stringify(key)}:${text}`
    })
    return left.length === 0 ? undefined : `{${left.join(',')}}`
  }
  const text = compactText(value)
  return text === 'null' || text === '""' ? undefined : text
}

/** The event that a body sent to a gateway route becomes. */
function pushed(body: string): Event {
  const builder = new LineBatchBuilder()
  builder.addRequest(batch => {
    const request = { body: Buffer.from(body), limitBytes: 2_000_000, eventLimitBytes: 2_000_000 }
    const decoded = finish(decodingMessages(request, 'json'))
    if (!Array.isArray(decoded)) throw new Error('it was not taken')
    for (const message of decoded) batch.addEvent(message, NOW_MS)
    const facts = { hostname: '', mac: '', ip: '', remoteAddress: '', tags: [], receivedAtMs: NOW_MS }
    return { facts: { ...facts, driftMs: null, idempotency: null } }
  })
  return Event.ofLine(LineBatchView.decode(builder.encode(SAMPLE_ACCOUNT, SAMPLE_ROUTE)), 0)
}

/** The first event that leaves a processor. */
function passedBy(processor: Processor, config: object, event: Event): Event {
  const checked = checkStoredOptions(processor, config as JsonObject)
  if ('problems' in checked) throw new Error(JSON.stringify(checked.problems))
  const state = processor.state?.create(1)
  const outcome = processor.compile(checked.stored, () => {}, UNMETERED, { place: () => 'a place' })(
    event,
    state,
    NOW_MS,
  )
  if (outcome instanceof Split) return [...outcome.events][0] as Event
  if (outcome instanceof Gathered) return outcome.released[0] as Event
  return outcome instanceof Routed || outcome instanceof PassedWithError ? outcome.event : (outcome as Event)
}

test('every way leads through a processor that runs', () => {
  const types = CATALOGUE.processors.map(({ type }) => type)
  expect(Object.keys(WAYS).filter(type => !types.includes(type))).toEqual([])
})

test('a processor without a way and without an example of an event that continues is named', () => {
  const silent = { ...(CATALOGUE.processors[0] as Processor), type: 'silent', examples: [] }
  expect(() => wayOfExample(silent)).toThrow('no worked example of silent shows an event that continues')
})

test.each(CATALOGUE.processors.map(processor => [processor.type, processor] as const))(
  'keys keep their order and numbers their digits through %s',
  (type, processor) => {
    const way = WAYS[type] ?? wayOfExample(processor)
    fc.assert(
      fc.property(drawnValue, drawnSpelling, (drawn, spelling) => {
        const value = compactText(drawn)
        for (const text of [way.sent(value), way.sent(spelledText(drawn, spelling))]) {
          const left = passedBy(processor, way.config, pushed(text))
          expect(jsonText(left.message)).toBe(way.left(value, drawn))
        }
      }),
      { numRuns: 150 },
    )
  },
)
