import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { eventColumns, eventsIn } from '../../engine/event/event-columns.ts'
import { Gathered } from '../../engine/event/outcome.ts'
import { UNMETERED } from '../../engine/expressions/cost-meter.ts'
import { type DeadLetter, deadLetterValues, lettersIn } from '../../engine/fold/dead-letters/dead-letter.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { LineReader } from '../../engine/lines/scan/line-reader.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { dropFields } from '../../engine/nodes/processors/drop-fields.ts'
import { reduce } from '../../engine/nodes/processors/reduce/reduce.ts'
import { Reductions } from '../../engine/nodes/processors/reduce/reductions.ts'
import { setTimestamp } from '../../engine/nodes/processors/set-timestamp/set-timestamp.ts'
import { decodingMessages } from '../../engine/nodes/sources/http/http-decoding.ts'
import { finish } from '../../engine/steps.ts'
import { BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { deadLettersType } from '../../schemas/log/dead-letters.ts'
import { isLineTable } from '../../schemas/log/tables.ts'
import {
  compactText,
  type DrawnValue,
  drawnMembers,
  drawnSpelling,
  drawnValue,
  spelledText,
} from '../support/drawn-json.ts'
import { SAMPLE_ACCOUNT, SAMPLE_ROUTE } from '../support/line-batches.ts'
import { rowsOfBlock } from '../support/mapped-row.ts'
import { node } from '../support/world.ts'

/** Components, section 1.2: keys keep the order sent, and numbers keep digits that a double cannot represent. */

const NOW_MS = 1_772_600_767_089
const FACTS = {
  hostname: '',
  mac: '',
  ip: '',
  remoteAddress: '127.0.0.1',
  tags: [],
  receivedAtMs: NOW_MS,
  driftMs: null,
  idempotency: null,
}
const RUNS = { numRuns: 300 }

/** The events that a body sent to a gateway route becomes. */
function pushed(body: string): Event[] {
  const builder = new LineBatchBuilder()
  builder.addRequest(batch => {
    const request = { body: Buffer.from(body), limitBytes: 2_000_000, eventLimitBytes: 2_000_000 }
    const decoded = finish(decodingMessages(request, 'json'))
    if (!Array.isArray(decoded)) throw new Error('it was not taken')
    for (const message of decoded) batch.addEvent(message, NOW_MS)
    return { facts: FACTS }
  })
  const batch = LineBatchView.decode(builder.encode(SAMPLE_ACCOUNT, SAMPLE_ROUTE))
  return Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
}

const text = (event: Event | undefined) => jsonText((event as Event).message)

/** Ways that an event takes without being meant to change. */
const WAYS: readonly (readonly [string, (event: Event) => Event | undefined])[] = [
  ['as it came in', event => event],
  ['to another partition', event => eventsIn(eventColumns([event], SAMPLE_ACCOUNT, SAMPLE_ROUTE))[0]],
  [
    'to another partition, changed',
    event => eventsIn(eventColumns([event.withMessage(event.message)], SAMPLE_ACCOUNT, SAMPLE_ROUTE))[0],
  ],
  ['held while a checkpoint is taken', event => gathered([event], {})],
  ['merged with its like', event => gathered([event, event], { group_by: ['.'] })],
  ['as a dead letter', deadLetter],
  [
    'past a processor that touches another field',
    event =>
      dropFields.compile({ fields: ['.zz', '.list[3]'] }, () => {}, UNMETERED)(
        event,
        undefined,
        NOW_MS,
      ) as Event,
  ],
]

function gathered(events: readonly Event[], options: object): Event | undefined {
  const config = { duration_ms: 1_000, ...options }
  const process = reduce.compile(config, () => {}, UNMETERED)
  let state = new Reductions()
  for (const event of events) {
    expect(process(event, state, 0)).toBeInstanceOf(Gathered)
    state = finish(Reductions.restore(finish(state.snapshot())))
  }
  const [ended] = reduce.windows?.release(config)(state, 1_000, 1_000) ?? []
  return ended?.event
}

function deadLetter(event: Event): Event | undefined {
  const origin = { topic: 'weir.ingest', partition: 0, offset: 1, row: 0, failedAtMs: NOW_MS }
  const failed = { pipeline: 'p', version: 1, node: 'n', code: 'E_NOT_FOUND', field: null, message: '' }
  const letter: DeadLetter = { ...origin, ...failed, event }
  const [value] = deadLetterValues(SAMPLE_ACCOUNT, [letter])
  const [part] = deadLettersType.decode(value as Buffer).parts
  return part !== undefined && 'weir.FailedEvents' in part
    ? lettersIn(part['weir.FailedEvents'])[0]?.event
    : undefined
}

describe('an event keeps the order of its keys and its numbers', () => {
  test.each(WAYS)('%s', (_what, way) => {
    fc.assert(
      fc.property(drawnMembers, drawnSpelling, (value, spelling) => {
        for (const event of pushed(spelledText(value, spelling)))
          expect(text(way(event))).toBe(compactText(value))
      }),
      RUNS,
    )
  })

  test('as an element of a list', () => {
    fc.assert(
      fc.property(
        fc.array(drawnValue, { minLength: 1, maxLength: 4 }),
        drawnSpelling,
        (elements, spelling) => {
          const body = spelledText({ elements }, spelling)
          expect(pushed(body).map(event => text(event))).toEqual(elements.map(compactText))
        },
      ),
      RUNS,
    )
  })

  test('after a member is removed, and when its time is taken from a member', () => {
    const zz = ['zz', { text: '1772600767' }] as const
    const at = setTimestamp.compile(
      { parsers: [{ field: '.zz', options: { format: '%s' } }] } as never,
      () => {},
      UNMETERED,
    )
    const drop = dropFields.compile({ fields: ['.zz'] }, () => {}, UNMETERED)
    fc.assert(
      fc.property(drawnMembers, fc.nat(6), drawnSpelling, ({ members }, place, spelling) => {
        const value: DrawnValue = { members: members.toSpliced(place, 0, zz) }
        const [event] = pushed(spelledText(value, spelling)) as [Event]
        const timed = at(event, undefined, NOW_MS) as Event
        expect(timed.timestamp).toBe('2026-03-04T05:06:07Z')
        expect(text(timed)).toBe(compactText(value))
        expect(text(drop(timed, undefined, NOW_MS) as Event)).toBe(compactText({ members }))
      }),
      RUNS,
    )
  })

  test('when values are collected', () => {
    const strategies = ['array', 'retain', 'concat', 'flat_unique', 'discard', 'longest_array'] as const
    fc.assert(
      fc.property(drawnValue, drawnSpelling, fc.constantFrom(...strategies), (value, spelling, strategy) => {
        const list = { elements: [value] }
        const sent = strategy === 'concat' || strategy === 'longest_array' ? list : value
        const [event] = pushed(`{"x":0,"7":${spelledText(sent, spelling)}}`) as [Event]
        const result = gathered([event, event], {
          group_by: ['.x'],
          merge_strategies: [{ field: '."7"', strategy }],
        })
        const once = compactText(sent)
        const expected: Record<(typeof strategies)[number], string | undefined> = {
          array: `[${once},${once}]`,
          retain: once,
          concat: `[${compactText(value)},${compactText(value)}]`,
          flat_unique: undefined, // Members of a value, each once.
          discard: once,
          longest_array: once,
        }
        if (expected[strategy] !== undefined) expect(text(result)).toBe(`{"x":0,"7":${expected[strategy]}}`)
        else expect(text(result)).toMatch(/^\{"x":0,"7":\[/)
      }),
      RUNS,
    )
  })

  test('a line of a log: meta and unknown members', () => {
    fc.assert(
      fc.property(drawnMembers, drawnMembers, drawnSpelling, (meta, { members }, spelling) => {
        const known = ['line', 'meta', 'timestamp', 't', 'f', 'app', 'host', 'hostname', 'tags']
        const others = { members: members.filter(([key]) => !known.includes(key)) }
        const [, ...rest] = spelledText(others, spelling)
        const separator = others.members.length === 0 ? '' : ','
        const body = `{"lines":[{"line":"x","meta":${spelledText(meta, spelling)}${separator}${rest.join('')}]}`
        const reader = new LineReader()
        reader.load([Buffer.from(body)])
        const builder = new LineBatchBuilder()
        builder.addRequest(batch => {
          reader.readLines(batch, timeBounds(NOW_MS, 30), [], 2_000_000)
          return { facts: { ...FACTS, hostname: 'web-1' } }
        })
        const event = Event.ofLine(LineBatchView.decode(builder.encode(SAMPLE_ACCOUNT, 'ingest')), 0)
        const line = { line: 'x', host: 'web-1' }
        const unknown = compactText(others).slice(1)
        const expected = `${JSON.stringify(line).slice(0, -1)},"meta":${compactText(meta)}${separator}${unknown}`
        expect(text(event)).toBe(expected)
        expect(text(WAYS[2]?.[1](event))).toBe(expected)
      }),
      RUNS,
    )
  })
})

describe('by the behaviour in force', () => {
  const BODY = '{"line":"x","b":1,"7":1e400,"a":12345678901234567890}'
  const NODES = [
    { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
    node('sink', 'store', 'mezmo', ['door'], { message: { line: '.' } }),
  ]

  /** Texts that a fold stores for pushed events after a record that puts a behaviour into force. */
  function storedBy(behaviour: number): unknown[] {
    const fold = new PartitionFold(CATALOGUE, {
      topic: 'weir.ingest',
      partition: 0,
      partitions: 1,
      logId: '00000000-0000-4000-8000-000000000000',
    })
    let offset = 0n
    const apply = (value: Buffer, appendTimeMs = NOW_MS) => {
      const record: LogRecord = { offset: offset++, appendTimeMs, value, producer: null }
      return fold.apply(record).flatMap(({ tables }) => tables)
    }
    const payload = JSON.stringify({
      id: 'p',
      accountId: SAMPLE_ACCOUNT,
      title: 'p',
      revision: 1,
      nodes: NODES,
    })
    const cut = { kind: 'pipeline' as const, entity: 'p', version: 1, payload }
    apply(controlType.encode({ behaviour: FOURTH_BEHAVIOUR, body: { 'weir.Cut': cut } }))
    apply(controlType.encode({ behaviour, body: { 'weir.Owner': { worker: 'w' } } }))
    const builder = new LineBatchBuilder()
    builder.addRequest(batch => {
      batch.addEvent(BODY, NOW_MS)
      return { facts: FACTS }
    })
    apply(builder.encode(SAMPLE_ACCOUNT, SAMPLE_ROUTE))
    const tick = { 'weir.Tick': { deadlineMs: NOW_MS + 10_000 } }
    const tables = apply(controlType.encode({ behaviour, body: tick }), NOW_MS + 10_000)
    const lines = tables.find(({ table }) => isLineTable(table))
    return lines === undefined ? [] : rowsOfBlock(lines.table, lines.block).map(({ line }) => line)
  }

  test('the fifth behaviour keeps order and numbers, and the fourth stores the same as before', () => {
    expect(storedBy(BEHAVIOUR)).toEqual([BODY])
    expect(storedBy(FOURTH_BEHAVIOUR)).toEqual(['{"7":null,"line":"x","b":1,"a":12345678901234567890}'])
  })
})
