import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { eventColumns, eventsIn } from '../../engine/event/event-columns.ts'
import { LineStand } from '../../engine/fold/tailed-line.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { LineReader } from '../../engine/lines/scan/line-reader.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { FieldNames } from '../../engine/lines/stored-line/line-fields.ts'
import {
  type LineRow,
  recordOf,
  renderRecord,
  rowOfLine,
} from '../../engine/lines/stored-line/line-record.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { compileOwnStore } from '../../engine/nodes/destinations/log-analysis/own-store.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { TOPIC_NUMBERS } from '../../schemas/log/topics.ts'
import { compactText, drawnMembers, drawnSpelling, drawnValue, spelledText } from '../support/drawn-json.ts'
import { SAMPLE_ROUTE } from '../support/line-batches.ts'

const RECEIVED_MS = 1_772_600_767_089
const RETENTION_DAYS = 30
const ACCOUNT = '507f1f77bc'

/** The way of a line without a network, a log and a store: a request's body in, records out. */
function recordsOf(body: string, request: Partial<RequestFacts> = {}): JsonObject[] {
  const view = batchOf(body, { ...SOME_REQUEST, ...request })
  const sink = CATALOGUE.defaultOwnStore()
  const line = newStoredLine()
  const fieldNames = new FieldNames()
  return Array.from({ length: view.count }, (_, row) => {
    const context = {
      account: ACCOUNT,
      timeMs: RECEIVED_MS,
      retentionDays: RETENTION_DAYS,
      poolDays: 0,
      behaviour: BEHAVIOUR,
      fieldNames,
    }
    expect(sink.fill(Event.ofLine(view, row), line, context)).toBeUndefined()
    const { host, app, level, file, env, mac, ip, tags, meta, extra } = line
    const stored: LineRow = {
      ...{ host, app, level, file, env, mac, ip, tags, meta, extra },
      account: line.account,
      t: line.timeMs,
      ts: line.timestampMs,
      topic: TOPIC_NUMBERS['weir.ingest'],
      partition: 3,
      offset: '17',
      row,
      remote: line.remoteAddress,
      line: Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString(),
      size: line.sizeBytes,
      retention: line.retentionDays,
    }
    const parsed = parseExactJson(renderRecord(stored)) as JsonObject
    expect(recordOf(stored)).toEqual(parsed)
    const { _id, _lid, ...record } = parsed
    expect(_lid).toBe(_id)
    return record
  })
}

interface RequestFacts {
  readonly hostname: string
  readonly mac: string
  readonly ip: string
  readonly remoteAddress: string
  readonly tags: readonly string[]
  readonly driftMs: number | null
}

const SOME_REQUEST: RequestFacts = {
  hostname: 'web-1',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  driftMs: null,
}

function batchOf(body: string, request: RequestFacts): LineBatchView {
  const reader = new LineReader()
  reader.load([Buffer.from(body)])
  const batch = new LineBatchBuilder()
  batch.addRequest(() => {
    reader.readLines(batch, timeBounds(RECEIVED_MS, RETENTION_DAYS), request.tags, 2_097_152)
    return { facts: { ...request, receivedAtMs: RECEIVED_MS, idempotency: null } }
  })
  return LineBatchView.decode(batch.encode(ACCOUNT, 'ingest'))
}

const BARE = {
  _account: ACCOUNT,
  _ts: RECEIVED_MS,
  _host: 'web-1',
  _app: 'unknown',
  level: '',
  _logtype: 'line',
  _retention: RETENTION_DAYS,
}

test("a line gives the record of the specification's example", () => {
  const line = '{"message":"GET /health 200","user_id":7}'
  const body = JSON.stringify({
    lines: [
      {
        line,
        timestamp: RECEIVED_MS,
        app: 'nginx',
        level: 'info',
        env: 'production',
        file: '/var/log/nginx/access.log',
        meta: { user: { id: 12345 } },
      },
    ],
  })
  expect(recordsOf(body, { mac: 'c0:ff:ee:c0:ff:ee', ip: '10.0.0.1', tags: ['prod'] })).toEqual([
    {
      ...BARE,
      _app: 'nginx',
      _line: line,
      message: 'GET /health 200',
      user_id: 7,
      level: 'INFO',
      _logtype: 'json',
      _file: '/var/log/nginx/access.log',
      _tag: ['prod'],
      _mac: 'c0:ff:ee:c0:ff:ee',
      _ip: '10.0.0.1',
      _env: 'production',
      _meta: { user: { id: 12345 } },
      _mezmo_line_size: 62,
    },
  ])
})

describe('a line as sent', () => {
  test.each<[string, string, JsonObject]>([
    ['a bare text', '"x"', { _line: 'x', _mezmo_line_size: 1 }],
    [
      'an object as text',
      '{"line":{"a":1}}',
      { _line: '{"a":1}', a: 1, _logtype: 'json', _mezmo_line_size: 7 },
    ],
    ['an empty text', '{"line":""}', { _line: '', _mezmo_line_size: 0 }],
    ['a host of its own', '{"line":"x","hostname":"own"}', { _line: 'x', _host: 'own', _mezmo_line_size: 1 }],
    [
      'seconds',
      '{"line":"x","timestamp":1772600766}',
      { _line: 'x', _ts: 1_772_600_766_000, _mezmo_line_size: 1 },
    ],
    [
      'a time too old',
      '{"line":"x","timestamp":"12"}',
      { _line: 'x', _timestamp: '12', _mezmo_line_size: 1 },
    ],
    [
      'a text as meta',
      '{"line":"x","meta":"{\\"a\\":1}"}',
      { _line: 'x', _meta: '{"a":1}', _mezmo_line_size: 12 },
    ],
    ['empty meta', '{"line":"x","meta":"{}"}', { _line: 'x', _mezmo_line_size: 1 }],
    ['meta with blanks', '{"line":"x","meta":{ "a" :\\n 1 }}', { _line: 'x', _meta: { a: 1 } }],
    [
      'labels',
      '{"line":"x","label":{"a.b/c":"d"}}',
      { _line: 'x', _label: { 'a.b/c': 'd' }, _mezmo_line_size: 1 },
    ],
    [
      'members of an older agent',
      '{"line":"x","pid":7,"f":"/a/b"}',
      { _line: 'x', _meta: { pid: 7 }, _file: '/a/b', _app: 'b', _mezmo_line_size: 10 },
    ],
    [
      'unknown members keep their digits',
      '{"line":"x","id":12345678901234567890}',
      { _line: 'x', _meta: { id: 12345678901234567890n }, _mezmo_line_size: 28 },
    ],
    ['tags of its own', '{"line":"x","tags":["a"]}', { _line: 'x', _tag: ['a'], _mezmo_line_size: 1 }],
    [
      'a line that is too long',
      `{"line":"${'x'.repeat(16_385)}"}`,
      { _line: 'x'.repeat(16_384), _truncated: true, _mezmo_line_size: 16_384 },
    ],
  ])('%s', (_what, line, expected) => {
    const [record] = recordsOf(`{"lines":[${line.replaceAll('\\n', '\n')}]}`)
    const size = record?._mezmo_line_size as JsonValue
    expect(record).toEqual({ ...BARE, _mezmo_line_size: size, ...expected })
  })

  test('the drift of a sender is stored from 5,001 ms on', () => {
    expect(recordsOf('{"lines":["x"]}', { driftMs: 5001 })[0]).toMatchObject({ _drift: 5001 })
    expect(recordsOf('{"lines":["x"]}', { driftMs: 5000 })[0]).not.toHaveProperty('_drift')
  })
})

test('a key that is sent with an escape keeps its name, even if another line has another key in its place', () => {
  // `JSON.parse` alone gives the second of each pair the key of the first.
  const line = (key: string) => `{"shares":1,${key}:"x"}`
  const sent = ['"C:\\\\"', '"C:\\t"', '"\\\\"', '"\\u0061"'].map(line)
  const records = recordsOf(
    `{"lines":[${sent.map(text => `{"line":${JSON.stringify(text)},"meta":${text}}`)}]}`,
  )
  expect(records.map(({ _meta, ...record }) => [_meta, record])).toEqual(
    ['C:\\', 'C:\t', '\\', 'a'].map(key => [
      { shares: 1, [key]: 'x' },
      expect.objectContaining({ _line: expect.any(String), shares: 1, [key]: 'x' }),
    ]),
  )
})

/** Ways by which meta of an event can reach the own store. */
const META_WAYS: readonly (readonly [string, (event: Event) => Event])[] = [
  ['as it came in', event => event],
  ['changed by a pipeline', event => event.withMessage({ ...(event.message as JsonObject), line: 'y' })],
  ['through another partition', event => eventsIn(eventColumns([event], ACCOUNT, 'ingest'))[0] as Event],
  [
    'changed, through another partition',
    event => eventsIn(eventColumns([event.withMessage(event.message)], ACCOUNT, 'ingest')).at(0) ?? event,
  ],
]

describe('meta is stored as compact JSON', () => {
  const storedMeta = (body: string, way = (event: Event) => event) => {
    const line = newStoredLine()
    const event = way(Event.ofLine(batchOf(body, SOME_REQUEST), 0))
    const context = { account: ACCOUNT, timeMs: RECEIVED_MS, retentionDays: RETENTION_DAYS, poolDays: 0 }
    const fieldNames = new FieldNames()
    CATALOGUE.defaultOwnStore().fill(event, line, { ...context, behaviour: BEHAVIOUR, fieldNames })
    expect(line.sizeBytes).toBe(1 + Buffer.byteLength(line.meta))
    return line.meta
  }
  const body = (meta: string, ...more: string[]) =>
    `{"lines":[{"line":"x",${[`"meta":${meta}`, ...more].join(',')}}]}`

  test.each(META_WAYS)('in any spelling: %s', (_what, way) => {
    fc.assert(
      fc.property(drawnMembers, drawnSpelling, (value, spelling) => {
        const text = compactText(value)
        const spelled = spelledText(value, spelling)
        expect(storedMeta(body(spelled), way)).toBe(text)
        expect(storedMeta(body(text), way)).toBe(text)
        // Unknown members make the scanner leave the body to the complete parser.
        expect(storedMeta(body(spelled, '"env":null'), way)).toBe(text)
      }),
      { numRuns: 300 },
    )
  })

  test.each(META_WAYS)('a text unchanged: %s', (_what, way) => {
    fc.assert(
      fc.property(drawnValue, drawnSpelling, (value, spelling) => {
        if (!('text' in value)) return
        const isEmpty = value.text === '' || value.text === '{}'
        expect(storedMeta(body(spelledText(value, spelling)), way)).toBe(isEmpty ? '' : compactText(value))
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['an array becomes text', '[1, 2]', '"[1,2]"'],
    ['a number becomes text', '1.0', '"1"'],
    ['one that no double holds, too', '1e400', '"1e400"'],
    ['one of 308 digits, too', '9'.repeat(308), `"${'9'.repeat(308)}"`],
    ['one of 309 digits, too', '9'.repeat(309), `"${'9'.repeat(309)}"`],
    ['a word, too', 'true', '"true"'],
    ['half a surrogate pair is not a character', '{"a":"\\ud83d"}', '{"a":"\ufffd"}'],
    ['blanks do not count towards the limit', `{"a":${' '.repeat(40_000)}1}`, '{"a":1}'],
    ['what is over the limit is cut text', `{"a" : "${'x'.repeat(40_000)}"}`, cutMeta()],
    ['also when only its compact text is', `{"a":[${'1e20,'.repeat(6_000)}1]}`, cutMeta('1e20')],
  ])('%s', (_what, meta, expected) => {
    for (const [, way] of META_WAYS) expect(storedMeta(body(meta), way)).toBe(expected)
  })

  test('an unknown member is added in the same form', () => {
    const meta = '{"ok": true,"n":"Stra\\u00dfe"}'
    expect(storedMeta(body(meta))).toBe('{"ok":true,"n":"Straße"}')
    expect(storedMeta(body(meta, '"pid": 1.0', '"7":1e400'))).toBe(
      '{"pid":1,"7":1e400,"ok":true,"n":"Straße"}',
    )
  })

  test('a tail shows, and rules judge, exactly the stored text', () => {
    const stand = new LineStand(CATALOGUE)
    const place = { timeMs: RECEIVED_MS, retentionDays: RETENTION_DAYS, partition: 0, offset: 1n, row: 0 }
    fc.assert(
      fc.property(drawnMembers, drawnSpelling, (value, spelling) => {
        const sent = body(spelledText(value, spelling))
        const tailed = stand.line(batchOf(sent, SOME_REQUEST), 0, { ...place, behaviour: BEHAVIOUR })
        const stored = storedMeta(sent)
        expect(tailed.text).toContain(`,"_meta":${stored},"_retention"`)
        expect(jsonText(tailed.record._meta as JsonValue)).toBe(stored)
        const row = rowOfLine(tailed.stored, { ...place, topic: 'weir.ingest' })
        expect(jsonText(recordOf(row)._meta as JsonValue)).toBe(stored)
        expect(renderRecord(row)).toBe(tailed.text)
      }),
      { numRuns: 300 },
    )
  })

  test('also for an event from a gateway route', () => {
    const sink = compileOwnStore({ message: { line: '.line', meta_field: '.meta' } })
    fc.assert(
      fc.property(drawnMembers, drawnSpelling, (value, spelling) => {
        const builder = new LineBatchBuilder()
        builder.addRequest(batch => {
          batch.addEvent(`{"line":"x","meta":${spelledText(value, spelling)}}`, RECEIVED_MS)
          return { facts: { ...SOME_REQUEST, hostname: '', receivedAtMs: RECEIVED_MS, idempotency: null } }
        })
        const event = Event.ofLine(LineBatchView.decode(builder.encode(ACCOUNT, SAMPLE_ROUTE)), 0)
        const line = newStoredLine()
        const context = { account: ACCOUNT, timeMs: RECEIVED_MS, retentionDays: RETENTION_DAYS, poolDays: 0 }
        sink.fill(event, line, { ...context, behaviour: BEHAVIOUR, fieldNames: new FieldNames() })
        expect(line.meta).toBe(compactText(value))
      }),
      { numRuns: 300 },
    )
  })

  test('before the fifth behaviour it is stored as sent', () => {
    const line = newStoredLine()
    const event = Event.ofLine(batchOf(body('{"ok": true,"n":"Stra\\u00dfe"}'), SOME_REQUEST), 0)
    const context = { account: ACCOUNT, timeMs: RECEIVED_MS, retentionDays: RETENTION_DAYS, poolDays: 0 }
    CATALOGUE.defaultOwnStore().fill(event, line, {
      ...context,
      behaviour: FOURTH_BEHAVIOUR,
      fieldNames: new FieldNames(),
    })
    expect(line.meta).toBe('{"ok": true,"n":"Stra\\u00dfe"}')
  })
})

/** Compact JSON of the array of numbers, or a long text, as the text that is left of it. */
function cutMeta(number?: string): string {
  const numbers = [...Array.from({ length: 6_000 }, () => Number(number)), 1].map(String)
  const whole = number === undefined ? `{"a":"${'x'.repeat(40_000)}"}` : `{"a":[${numbers.join(',')}]}`
  return JSON.stringify(whole.slice(0, 32_768))
}

test('any sent line becomes a record with its text and its size', () => {
  const text = fc.string({ unit: 'grapheme' }).map(raw => Buffer.from(raw).toString())
  const sent = fc.record(
    {
      line: text,
      app: fc.string(),
      level: fc.string(),
      env: fc.string(),
      file: fc.string(),
      meta: fc.jsonValue(),
      timestamp: fc.oneof(fc.double(), fc.string()),
      label: fc.jsonValue(),
      annotation: fc.jsonValue(),
      tags: fc.oneof(fc.string(), fc.array(fc.string())),
      host: fc.string(),
      other: fc.jsonValue(),
    },
    { requiredKeys: ['line'] },
  )
  fc.assert(
    fc.property(fc.array(sent, { minLength: 1, maxLength: 5 }), lines => {
      const records = recordsOf(JSON.stringify({ lines }))
      expect(records.map(record => record._line)).toEqual(lines.map(({ line }) => line))
      for (const record of records) {
        expect(record._host).not.toBe('')
        expect(record._app).not.toBe('')
        expect(record._mezmo_line_size).toBeGreaterThanOrEqual(Buffer.byteLength(record._line as string))
      }
    }),
  )
})
