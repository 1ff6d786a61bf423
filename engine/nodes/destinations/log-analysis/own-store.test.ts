import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { BEHAVIOUR } from '../../../../schemas/log/behaviour-numbers.ts'
import type { IngestRequest } from '../../../../schemas/log/line-batch.ts'
import { pushedEvents } from '../../../../test/support/pushed-events.ts'
import {
  ACCOUNT,
  RECEIVED_MS,
  type SentLine,
  sentBatch,
  sentEvent,
} from '../../../../test/support/sent-lines.ts'
import { Event } from '../../../event/event.ts'
import { fieldAt } from '../../../event/field-path.ts'
import { FieldNames } from '../../../lines/stored-line/line-fields.ts'
import { newStoredLine } from '../../../lines/stored-line/stored-line.ts'
import { DAY_MS } from '../../../times/duration.ts'
import type { DeliveryFailure, OwnStoreSink } from '../../contract/own-store.ts'
import { compileOwnStore } from './own-store.ts'

const EXPLICIT = 'Explicit field selection'
const PASS_THROUGH = 'Message pass-through'

/** Expected members; undefined means that the record must not have the member. */
type Expected = Readonly<Record<string, JsonValue | undefined>>

/** A stored line in readable form, without empty members. */
function stored(event: Event, sink?: OwnStoreSink, behaviour?: number): JsonObject {
  const line = newStoredLine()
  const failure = (sink ?? compileOwnStore({})).fill(event, line, context(behaviour))
  if (failure !== undefined) throw new Error(failure.code)
  const text = Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString()
  const columns: JsonObject = {
    host: line.host,
    app: line.app,
    level: line.level,
    file: line.file,
    env: line.env,
    mac: line.mac,
    ip: line.ip,
    remote: line.remoteAddress,
    tags: [...line.tags],
    text,
    meta: line.meta === '' ? '' : (JSON.parse(line.meta) as JsonValue),
    extra: line.extra === '' ? '' : (JSON.parse(line.extra) as JsonValue),
    size: line.sizeBytes,
    ts: line.timestampMs,
    fields: fields(line.textFieldNames, line.textFieldValues, line.textFieldCount),
    numbers: fields(line.numberFieldNames, line.numberFieldValues, line.numberFieldCount),
  }
  const isEmpty = (value: JsonValue) =>
    value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0)
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => !isEmpty(value)))
}

function failure(event: Event, config: JsonObject): DeliveryFailure | undefined {
  return compileOwnStore(config).fill(event, newStoredLine(), context())
}

function context(behaviour = BEHAVIOUR) {
  return {
    account: ACCOUNT,
    timeMs: RECEIVED_MS,
    retentionDays: 30,
    poolDays: 0,
    behaviour,
    fieldNames: new FieldNames(),
  }
}

function fields(names: readonly string[], values: readonly JsonValue[], count: number): JsonObject {
  return Object.fromEntries(names.slice(0, count).map((name, index) => [name, values[index] as JsonValue]))
}

function explicit(message: JsonObject, query: JsonObject = {}): OwnStoreSink {
  return compileOwnStore({
    query: { hostname: 'mezmo', ...query },
    message: { scheme: EXPLICIT, ...message },
  })
}

const passThrough = compileOwnStore({ query: { hostname: 'mezmo' }, message: { scheme: PASS_THROUGH } })

const REQUEST: Partial<IngestRequest> = {
  hostname: 'web-1',
  mac: 'c0:ff:ee:c0:ff:ee',
  ip: '10.0.0.1',
  remoteAddress: '192.0.2.7',
  tags: ['prod'],
}
const FULL_LINE: SentLine = {
  line: 'took 3 ms, error',
  app: 'nginx',
  level: 'info',
  env: 'production',
  file: '/var/log/nginx/access.log',
  meta: '{"user":{"id":7}}',
  rest: { tags: ['eu'], label: { 'k8s.io/name': 'n' }, annotation: { a: 'b' } },
}
const FULL_RECORD = {
  host: 'web-1',
  app: 'nginx',
  level: 'INFO',
  file: '/var/log/nginx/access.log',
  env: 'production',
  mac: 'c0:ff:ee:c0:ff:ee',
  ip: '10.0.0.1',
  remote: '192.0.2.7',
  tags: ['prod', 'eu'],
  text: 'took 3 ms, error',
  meta: { user: { id: 7 } },
  extra: { _label: { 'k8s.io/name': 'n' }, _annotation: { a: 'b' } },
  size: 16 + 17,
  ts: RECEIVED_MS,
  fields: { '_label.k8s.io/name': 'n', '_annotation.a': 'b' },
  numbers: { '_meta.user.id': 7 },
}

describe('an unchanged line', () => {
  test('is stored with everything that was sent', () => {
    expect(stored(sentEvent(FULL_LINE, REQUEST))).toEqual(FULL_RECORD)
  })

  test('reading the message is not a change', () => {
    const event = sentEvent(FULL_LINE, REQUEST)
    expect(event.message).toBeTypeOf('object')
    expect(stored(event)).toEqual(FULL_RECORD)
  })

  test.each([
    ['mezmo', EXPLICIT],
    ['log-analysis', EXPLICIT],
    ['log-store', EXPLICIT],
    ['mezmo', PASS_THROUGH],
  ])('keeps its form with defaults that were not written: %s, %s', (hostname, scheme) => {
    const sink = compileOwnStore({ query: { hostname }, message: { scheme } })
    expect(stored(sentEvent(FULL_LINE, REQUEST), sink)).toEqual(FULL_RECORD)
  })

  test('refers to its batch instead of being copied', () => {
    const batch = sentBatch([{ line: 'a' }, { line: 'héllo' }])
    const line = newStoredLine()
    compileOwnStore({}).fill(Event.ofLine(batch, 1), line, context())
    expect(line.textBytes).toBe(batch.lineBytes)
    expect([line.textStart, line.textEnd]).toEqual([batch.lineStart(1), batch.lineEnd(1)])
  })

  test('is stored byte for byte, and its size is the bytes of its text and its meta', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 })
    fc.assert(
      fc.property(text, fc.option(fc.dictionary(fc.string(), fc.jsonValue())), (raw, metaValue) => {
        const bytes = Buffer.from(raw)
        const meta = metaValue === null ? '' : JSON.stringify(metaValue)
        const line = newStoredLine()
        const sent = { line: bytes.toString(), meta }
        compileOwnStore({}).fill(sentEvent(sent), line, context())
        expect(Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd))).toEqual(bytes)
        expect(line.meta).toBe(meta)
        expect(line.sizeBytes).toBe(bytes.length + Buffer.byteLength(meta))
      }),
    )
  })

  test.each<[string, SentLine, Partial<IngestRequest>, JsonObject]>([
    ['an empty line is stored', { line: '' }, {}, { size: 0 }],
    [
      'app falls back to the base name of the file',
      { line: 'x', file: '/var/log/syslog' },
      {},
      { app: 'syslog' },
    ],
    ['the same under Windows', { line: 'x', file: 'C:\\logs\\app.log' }, {}, { app: 'app.log' }],
    ['app of a folder is unknown', { line: 'x', file: '/var/log/' }, {}, { app: 'unknown' }],
    ['app as sent is kept', { line: 'x', app: 'a', file: '/b' }, {}, { app: 'a' }],
    ["a line's own host wins", { line: 'x', host: 'own' }, {}, { host: 'own' }],
    [
      'a level as sent wins over one in the text',
      { line: 'error', level: 'Warning' },
      {},
      { level: 'WARNING' },
    ],
    ['a level in the text is found', { line: 'a warning' }, {}, { level: 'WARN' }],
    [
      'a parsed level wins over both',
      { line: '{"level":"fatal","m":"error"}', level: 'info' },
      {},
      { level: 'FATAL', fields: { m: 'error' } },
    ],
    [
      'a parsed level that says nothing does not',
      { line: '{"level":""}', level: 'info' },
      {},
      { level: 'INFO', fields: { _level: '' } },
    ],
    ['a parsed level may be a number', { line: '{"level":30}', level: 'info' }, {}, { level: '30' }],
    [
      'a level is found in a JSON line without one',
      { line: '{"m":"an error"}' },
      {},
      { level: 'ERROR', fields: { m: 'an error' } },
    ],
    ['a drift of 5 s is not kept', { line: 'x' }, { driftMs: 5000 }, {}],
    ['a drift of more than 5 s is', { line: 'x' }, { driftMs: -5001 }, { extra: { _drift: -5001 } }],
    ['a cut line says so', { line: 'x', rest: { truncated: true } }, {}, { extra: { _truncated: true } }],
    [
      'a replaced time is kept as text',
      { line: 'x', timestamp: '12', rest: { clamped: true } },
      {},
      { extra: { _timestamp: '12' } },
    ],
    [
      'unknown members become meta',
      { line: 'x', rest: { other: { pid: 7 } } },
      {},
      { meta: { pid: 7 }, size: 1 + 9, numbers: { '_meta.pid': 7 } },
    ],
    [
      'meta wins over an unknown member of the same name',
      { line: 'x', meta: '{"pid":1}', rest: { other: { pid: 7, f: 2 } } },
      {},
      {
        meta: { f: 2, pid: 1 },
        extra: { _other: { pid: 7 } },
        size: 1 + 15,
        numbers: { '_meta.f': 2, '_meta.pid': 1, '_other.pid': 7 },
      },
    ],
    [
      'a string as meta is not indexed',
      { line: 'x', meta: '"{\\"a\\":1}"' },
      {},
      { meta: '{"a":1}', size: 1 + 11 },
    ],
    [
      'beside a string as meta unknown members stand alone',
      { line: 'x', meta: '"m"', rest: { other: { pid: 7 } } },
      {},
      { meta: 'm', extra: { _other: { pid: 7 } }, size: 1 + 3, numbers: { '_other.pid': 7 } },
    ],
    [
      'cut meta is a string',
      { line: 'x', meta: '{"a":"b', rest: { metaCut: true } },
      {},
      { meta: '{"a":"b', size: 1 + 12 },
    ],
    [
      'a label that is not an object is an unknown member',
      { line: 'x', rest: { label: 'l' } },
      {},
      { meta: { label: 'l' }, size: 1 + 13, fields: { '_meta.label': 'l' } },
    ],
    ['tags come once', { line: 'x', rest: { tags: ['a', 'b'] } }, { tags: ['b'] }, { tags: ['b', 'a'] }],
    ['a time of its own', { line: 'x', timestamp: RECEIVED_MS - 7 }, {}, { ts: RECEIVED_MS - 7 }],
    ['text before an object', { line: 'took {"ms":3}' }, {}, { numbers: { ms: 3 } }],
  ])('%s', (_rule, line, request, expected) => {
    const plain = { host: 'web-1', app: 'unknown', ts: RECEIVED_MS }
    const text = line.line === '' ? {} : { text: line.line, size: Buffer.byteLength(line.line) }
    expect(stored(sentEvent(line, request))).toEqual({
      ...plain,
      ...text,
      ...(line.file === undefined ? {} : { file: line.file }),
      ...expected,
    })
  })

  test('integers beyond doubles keep their digits in meta', () => {
    const line = newStoredLine()
    const sent = { line: 'x', rest: { other: { id: 12345678901234567890n } } }
    compileOwnStore({}).fill(sentEvent(sent), line, context())
    expect(line.meta).toBe('{"id":12345678901234567890}')
    expect(line.textFieldValues[0]).toBe('12345678901234567890')
  })

  test('the members of a reused line are never those of the previous one', () => {
    const sink = compileOwnStore({})
    const reused = newStoredLine()
    sink.fill(sentEvent(FULL_LINE, REQUEST), reused, context())
    sink.fill(sentEvent({ line: 'x' }), reused, context())
    const fresh = newStoredLine()
    sink.fill(sentEvent({ line: 'x' }), fresh, context())
    const comparable = ({
      textBytes: _t,
      textFieldNames: _a,
      textFieldValues: _b,
      numberFieldNames: _c,
      numberFieldValues: _d,
      ...rest
    }: typeof fresh) => rest
    expect(comparable(reused)).toEqual(comparable(fresh))
  })
})

describe('a line that a node changed', () => {
  const changed = (path: string, value: JsonValue | undefined, line = FULL_LINE) => {
    const event = sentEvent(line, REQUEST)
    return value === undefined ? fieldAt(path).remove(event) : fieldAt(path).write(event, value)
  }

  test('keeps everything else', () => {
    expect(stored(changed('.app', 'other'))).toEqual({ ...FULL_RECORD, app: 'other' })
    expect(stored(changed('.line', 'new'))).toEqual({ ...FULL_RECORD, text: 'new', size: 3 + 17 })
  })

  test.each<[string, string, JsonValue | undefined, Expected]>([
    ['a new host', '.host', 'h', { host: 'h' }],
    ['a host cannot be removed', '.host', undefined, { host: 'web-1' }],
    ['a new level', '.level', 'debug', { level: 'DEBUG' }],
    ['a removed level is looked for in the text', '.level', undefined, { level: 'ERROR' }],
    ['a removed app falls back', '.app', undefined, { app: 'access.log' }],
    ['a removed env', '.env', undefined, { env: undefined }],
    ['a removed file', '.file', undefined, { file: undefined }],
    ['removed tags', '.tags', undefined, { tags: undefined }],
    ['tags as a text', '.tags', 'a, b,,a', { tags: ['a', 'b'] }],
    ['a number as tag', '.tags', [1, 'x', null], { tags: ['1', 'x'] }],
    ['removed meta', '.meta', undefined, { meta: undefined, size: 16, numbers: undefined }],
    ['a member of meta removed', '.meta.user', undefined, { meta: undefined, size: 16, numbers: undefined }],
    [
      'a member of meta changed',
      '.meta.user.id',
      'x',
      {
        meta: { user: { id: 'x' } },
        size: 16 + 19,
        numbers: undefined,
        fields: { ...FULL_RECORD.fields, '_meta.user.id': 'x' },
      },
    ],
    ['meta as an array', '.meta', [1, 2], { meta: '[1,2]', size: 16 + 7, numbers: undefined }],
    [
      'removed labels',
      '.label',
      undefined,
      { extra: { _annotation: { a: 'b' } }, fields: { '_annotation.a': 'b' } },
    ],
    [
      'a new member goes under meta',
      '.extra',
      1,
      {
        meta: { extra: 1, user: { id: 7 } },
        size: 16 + 27,
        numbers: { '_meta.extra': 1, '_meta.user.id': 7 },
      },
    ],
    [
      'an object as line is its JSON text',
      '.line',
      { a: 1 },
      { text: '{"a":1}', size: 7 + 17, numbers: { a: 1, '_meta.user.id': 7 } },
    ],
    ['a line that is removed leaves the rest', '.line', undefined, { text: '{}', size: 2 + 17 }],
  ])('%s', (_rule, path, value, expected) => {
    const record = Object.entries({ ...FULL_RECORD, ...expected }).filter(
      ([, member]) => member !== undefined,
    )
    expect(stored(changed(path, value))).toEqual(Object.fromEntries(record))
  })

  test('tags of a metric are no tags of a line, and were lost', () => {
    const metric = { name: 'ms', kind: 'incremental', tags: { door: 'north' } }
    const event = sentEvent({ line: 'x' }).withMessage(metric)
    expect(stored(event)).toMatchObject({ text: JSON.stringify(metric) })
    expect(stored(event, undefined, 13).text).toBe('{"name":"ms","kind":"incremental"}')
  })

  test.each<[string, JsonValue]>([
    ['app', { name: 'nginx' }],
    ['level', [1]],
    ['env', {}],
    ['file', ['a', 'b']],
    ['host', { name: 'h' }],
    ['timestamp', { seconds: 1 }],
    ['tags', ['x', { door: 'north' }]],
  ])('%s of a type that its place does not take is kept in meta', (name, value) => {
    expect(stored(changed(`.${name}`, value)).meta).toEqual({ user: { id: 7 }, [name]: value })
    expect(stored(changed(`.${name}`, value), undefined, 13).meta).toEqual({ user: { id: 7 } })
  })

  test('without a text, the members without a place of their own are the text', () => {
    const event = sentEvent({ line: 'x', app: 'a' }).withMessage({ app: 'a', parsed: { b: 1 }, c: 'd' })
    expect(stored(event)).toMatchObject({ app: 'a', text: '{"parsed":{"b":1},"c":"d"}', fields: { c: 'd' } })
    expect(stored(event)).not.toHaveProperty('meta')
  })

  test('a message that is a text is the text', () => {
    expect(stored(sentEvent(FULL_LINE, REQUEST).withMessage('just text'))).toEqual({
      host: 'web-1',
      app: 'unknown',
      mac: 'c0:ff:ee:c0:ff:ee',
      ip: '10.0.0.1',
      remote: '192.0.2.7',
      text: 'just text',
      size: 9,
      ts: RECEIVED_MS,
    })
  })

  test('a text of 16,384 bytes is kept, a longer one is cut at a character', () => {
    const cut = (text: string) => stored(changed('.line', text, { line: 'x' }))
    expect(cut('x'.repeat(16_384))).toMatchObject({ size: 16_384 })
    expect(cut('x'.repeat(16_384))).not.toHaveProperty('extra')
    expect(cut('x'.repeat(16_385))).toMatchObject({ size: 16_384, extra: { _truncated: true } })
    expect(cut(`x${'😀'.repeat(4096)}`)).toMatchObject({ size: 16_381, extra: { _truncated: true } })
    expect(cut('😀'.repeat(4096))).toMatchObject({ size: 16_384 })
  })

  test('a cut text stays marked as long as it is the same text', () => {
    const line = { line: 'cut', app: 'a', rest: { truncated: true } }
    expect(stored(changed('.app', 'b', line))).toMatchObject({ extra: { _truncated: true } })
    expect(stored(changed('.line', 'b', line))).not.toHaveProperty('extra')
  })

  test('mac and ip are those of its metadata', () => {
    expect(stored(changed('metadata.query.ip', '10.0.0.2'))).toEqual({ ...FULL_RECORD, ip: '10.0.0.2' })
    expect(stored(changed('metadata.query.ip', 'no address'))).not.toHaveProperty('ip')
    expect(stored(changed('metadata.query', undefined))).not.toHaveProperty('mac')
    expect(stored(fieldAt('metadata.query.mac').remove(changed('.app', 'x')))).not.toHaveProperty('mac')
  })

  test.each<[JsonValue, number, string | undefined]>([
    [RECEIVED_MS - 5, RECEIVED_MS - 5, undefined],
    [1_772_600_767, 1_772_600_767_000, undefined],
    ['1772600767089000', RECEIVED_MS, undefined],
    ['2026-03-04T05:06:07.089Z', RECEIVED_MS, undefined],
    ['no time', RECEIVED_MS, undefined],
    [RECEIVED_MS + DAY_MS, RECEIVED_MS + DAY_MS, undefined],
    [RECEIVED_MS + DAY_MS + 1, RECEIVED_MS, String(RECEIVED_MS + DAY_MS + 1)],
    [RECEIVED_MS - 30 * DAY_MS, RECEIVED_MS - 30 * DAY_MS, undefined],
    [RECEIVED_MS - 30 * DAY_MS - 1, RECEIVED_MS, String(RECEIVED_MS - 30 * DAY_MS - 1)],
    ['1999-01-01T00:00:00Z', RECEIVED_MS, '1999-01-01T00:00:00Z'],
  ])('timestamp %j becomes %d', (value, timestampMs, replaced) => {
    const record = stored(changed('.timestamp', value, { line: 'x' }))
    expect(record.ts).toBe(timestampMs)
    expect(record.extra).toEqual(replaced === undefined ? undefined : { _timestamp: replaced })
  })

  test('a timestamp as sent keeps the resolved time', () => {
    const line = {
      line: 'x',
      timestamp: '1772600',
      timestampMs: RECEIVED_MS,
      rest: { clamped: true as const },
    }
    expect(stored(changed('.app', 'b', line))).toMatchObject({
      ts: RECEIVED_MS,
      extra: { _timestamp: '1772600' },
    })
  })

  test('a timestamp that a node set is the time of the line', () => {
    const event = sentEvent({ line: 'x', timestamp: RECEIVED_MS }).withTimestamp('2026-03-01T00:00:00Z')
    expect(stored(event).ts).toBe(Date.parse('2026-03-01T00:00:00Z'))
    expect(stored(event.withMessage({ line: 'y', timestamp: RECEIVED_MS })).ts).toBe(
      Date.parse('2026-03-01T00:00:00Z'),
    )
    const old = sentEvent({ line: 'x' }).withTimestamp('1970-01-01T00:00:00Z')
    expect(stored(old)).toMatchObject({ ts: RECEIVED_MS, extra: { _timestamp: '1970-01-01T00:00:00Z' } })
  })

  test('nesting that cannot be printed does not cause an error', () => {
    const deep = JSON.parse(`${'['.repeat(5000)}${']'.repeat(5000)}`) as JsonValue
    const message = { line: deep, meta: { deep }, label: { deep }, x: deep, y: 1 }
    expect(stored(sentEvent({ line: 'x' }).withMessage(message))).toMatchObject({ text: '{"y":1}' })
    expect(stored(Event.of(message, {}, new Date(RECEIVED_MS).toISOString()))).toMatchObject({
      text: '{"y":1}',
    })
    expect(stored(Event.of(deep, {}, new Date(RECEIVED_MS).toISOString()))).not.toHaveProperty('text')
  })
})

describe('written options determine the stored line', () => {
  test.each<[string, JsonObject, JsonObject, Expected]>([
    ['a hostname', {}, { hostname: 'h-{{.app}}' }, { host: 'h-nginx' }],
    ['tags', {}, { tags: ['{{.env}}', 'x'] }, { tags: ['production', 'x'] }],
    ['tags that do not render', {}, { tags: ['{{.nope}}'] }, {}],
    ['an ip', {}, { ip: '10.9.9.9' }, { ip: '10.9.9.9' }],
    ['an ip that is none', {}, { ip: '{{.app}}' }, {}],
    ['a mac', {}, { mac: '00-11-22-33-44-55' }, { mac: '00-11-22-33-44-55' }],
    ['an app', { app: '{{.env}}-{{.app}}' }, {}, { app: 'production-nginx' }],
    ['an app that does not render', { app: '{{.nope}}' }, {}, {}],
    ['a file', { file: '/x/{{.app}}' }, {}, { file: '/x/nginx' }],
    ['an env', { env: 'e' }, {}, { env: 'e' }],
    ['a line as path', { line: '.app' }, {}, { text: 'nginx', size: 5 + 17, level: 'INFO' }],
    [
      'a line as template',
      { line: '{{.app}}: {{.line}}' },
      {},
      { text: 'nginx: took 3 ms, error', size: 23 + 17 },
    ],
    ['a line that is the line', { line: '.line' }, {}, {}],
    ['a line that does not render', { line: '{{.nope}}' }, {}, {}],
    [
      'meta',
      { meta_field: '.label' },
      {},
      {
        meta: { 'k8s.io/name': 'n' },
        size: 16 + 19,
        numbers: undefined,
        fields: { '_meta.k8s.io/name': 'n', ...FULL_RECORD.fields },
      },
    ],
    ['meta that is missing', { meta_field: '.nope' }, {}, {}],
    ['a timestamp that is missing', { timestamp_field: '.nope' }, {}, {}],
  ])('%s', (_rule, message, query, expected) => {
    const record = Object.entries({ ...FULL_RECORD, ...expected }).filter(
      ([, member]) => member !== undefined,
    )
    expect(stored(sentEvent(FULL_LINE, REQUEST), explicit(message, query))).toEqual(
      Object.fromEntries(record),
    )
  })

  test('a timestamp', () => {
    const event = sentEvent({ line: 'x', meta: `{"at":${RECEIVED_MS - 9}}` })
    expect(stored(event, explicit({ timestamp_field: '.meta.at' })).ts).toBe(RECEIVED_MS - 9)
  })

  test('members that an option uses are not stored under meta as well', () => {
    const event = sentEvent({ line: 'x', rest: { other: { service: 's', pid: 7 } } })
    expect(stored(event, explicit({ app: '{{.service}}' }))).toMatchObject({ app: 's', meta: { pid: 7 } })
    expect(stored(fieldAt('.host').write(event, 'h'), explicit({ app: '{{.service}}' }))).toMatchObject({
      app: 's',
      meta: { pid: 7 },
    })
  })

  test('a line option on a changed message leaves the other members to meta', () => {
    const event = sentEvent({ line: 'x' }).withMessage({ text: 'hi', a: 1 })
    expect(stored(event, explicit({ line: '{{.text}}' }))).toMatchObject({ text: 'hi', meta: { a: 1 } })
  })

  test('a line option with the text as sent leaves it in its place', () => {
    const event = sentEvent({ line: 'x', rest: { truncated: true } })
    const line = newStoredLine()
    explicit({ line: '{{.line}}' }).fill(event, line, context())
    expect(line.textBytes).toBe(event.origin?.batch.lineBytes)
    expect(line.extra).toBe('{"_truncated":true}')
  })

  test('the whole message as line leaves nothing for meta', () => {
    const event = sentEvent({ line: 'x', rest: { other: { a: 1 } } })
    expect(stored(event, explicit({ line: '.' }))).not.toHaveProperty('meta')
    expect(stored(fieldAt('.b').write(event, 2), explicit({ line: '.' }))).toMatchObject({
      text: '{"line":"x","host":"web-1","a":1,"b":2}',
    })
    expect(stored(fieldAt('.b').write(event, 2), explicit({ line: '.' }))).not.toHaveProperty('meta')
  })

  test('pass-through omits members that nodes added, and keeps the sent ones', () => {
    const event = fieldAt('.added').write(sentEvent({ line: 'x', rest: { other: { pid: 7 } } }), 1)
    expect(stored(event, passThrough)).toMatchObject({ text: 'x', meta: { pid: 7 } })
  })

  test('a hostname that does not render fails the event and names the path', () => {
    expect(failure(sentEvent(FULL_LINE), { query: { hostname: '{{.app}}{{.nope}}' } })).toMatchObject({
      code: 'E_NOT_FOUND',
      field: '.nope',
    })
  })

  test('a hostname that renders to nothing leaves the host as it was sent', () => {
    expect(stored(sentEvent({ line: 'x' }), explicit({}, { hostname: '{{.line}}' })).host).toBe('x')
    expect(stored(sentEvent({ line: '' }), explicit({}, { hostname: '{{.line}}' })).host).toBe('web-1')
  })
})

describe('an event that does not come from a line', () => {
  const event = (message: JsonValue, metadata: JsonObject = {}) =>
    Event.of(message, metadata, new Date(RECEIVED_MS).toISOString())
  const plain = { host: 'mezmo', app: 'mezmo-pipeline', env: 'production', ts: RECEIVED_MS }

  test.each<[string, JsonObject, JsonValue, JsonObject]>([
    ['the message is the line', {}, { a: 1 }, { text: '{"a":1}', size: 7, numbers: { a: 1 } }],
    ['a text is the line', {}, 'plain', { text: 'plain', size: 5 }],
    ['a number is the line', {}, 7, { text: '7', size: 1 }],
    [
      'keys of other options are left out of the line',
      { app: '{{.app}}', env: '{{.e.f}}' },
      { app: 'x', e: { f: 'y' }, b: 'z' },
      { app: 'x', env: 'y', text: '{"e":{"f":"y"},"b":"z"}', size: 23, fields: { 'e.f': 'y', b: 'z' } },
    ],
    [
      'the remainder is meta beside a line',
      { line: '{{.text}}' },
      { text: 'hi', a: 1 },
      { text: 'hi', size: 2 + 7, meta: { a: 1 }, numbers: { '_meta.a': 1 } },
    ],
    ['an empty remainder is not meta', { line: '.text' }, { text: 'hi' }, { text: 'hi', size: 2 }],
    [
      'there is no remainder of the whole message',
      { line: '.' },
      { a: 'b' },
      { text: '{"a":"b"}', size: 9, fields: { a: 'b' } },
    ],
    ['a line in text form', { line: '.o' }, { o: [1] }, { text: '[1]', size: 3 }],
    [
      'a line that does not render uses nothing up',
      { line: '{{.a}} {{.nope}}' },
      { a: 'x' },
      { text: '{"a":"x"}', size: 9, fields: { a: 'x' } },
    ],
    [
      'a line that does not render is the rest',
      { line: '{{.nope}}' },
      { a: 1 },
      { text: '{"a":1}', size: 7, numbers: { a: 1 } },
    ],
    [
      'meta at its path',
      { line: '.t', meta_field: '.m' },
      { t: 'hi', m: { x: 1 }, other: 2 },
      { text: 'hi', meta: { x: 1 }, size: 2 + 7, numbers: { '_meta.x': 1 } },
    ],
    [
      'meta as a text',
      { line: '.t', meta_field: '.m' },
      { t: 'hi', m: 'text' },
      { text: 'hi', meta: 'text', size: 2 + 6 },
    ],
    [
      'meta beside the rest',
      { meta_field: '.m' },
      { a: 1, m: { x: 1 } },
      { text: '{"a":1}', meta: { x: 1 }, size: 14, numbers: { a: 1, '_meta.x': 1 } },
    ],
    [
      'a file names the app',
      { file: '/var/log/{{.f}}' },
      { f: 'x.log' },
      { app: 'x.log', file: '/var/log/x.log', text: '{}', size: 2 },
    ],
    ['a file that does not render does not', { file: '{{.nope}}' }, 'x', { text: 'x', size: 1 }],
    ['a level of the message', {}, { level: 'warn' }, { level: 'WARN', text: '{"level":"warn"}', size: 16 }],
    [
      'a level that is not a string',
      { line: '.t' },
      { t: 'x', level: 3 },
      { text: 'x', meta: { level: 3 }, size: 12, numbers: { '_meta.level': 3 } },
    ],
  ])('%s', (_rule, message, body, expected) => {
    expect(stored(event(body), explicit(message))).toEqual({ ...plain, ...expected })
  })

  test.each<[JsonValue, number]>([
    [RECEIVED_MS - 1, RECEIVED_MS - 1],
    [String(RECEIVED_MS - 1), RECEIVED_MS - 1],
    ['2026-03-04T06:06:07+01:00', RECEIVED_MS - 89],
    ['2026-03-04T05:06:07', RECEIVED_MS - 89],
    [0, RECEIVED_MS],
    [-5, RECEIVED_MS],
    ['soon', RECEIVED_MS],
    [null, RECEIVED_MS],
    [{}, RECEIVED_MS],
  ])('a timestamp field of %j gives %d', (at, timestampMs) => {
    expect(stored(event({ at }), explicit({ timestamp_field: '.at' })).ts).toBe(timestampMs)
  })

  test.each<[string, JsonValue, JsonObject]>([
    [
      'the keys of a line are taken over, others dropped',
      {
        line: 'l',
        timestamp: RECEIVED_MS - 1,
        app: 'a',
        level: 'warn',
        meta: { m: 1 },
        env: 'e',
        file: 'f',
        x: 1,
      },
      {
        text: 'l',
        ts: RECEIVED_MS - 1,
        app: 'a',
        level: 'WARN',
        meta: { m: 1 },
        size: 1 + 7,
        numbers: { '_meta.m': 1 },
      },
    ],
    ['a text is the line', 'l', { text: 'l', app: 'unknown', ts: RECEIVED_MS, size: 1 }],
    ['a line in text form', { line: [1] }, { text: '[1]', app: 'unknown', ts: RECEIVED_MS, size: 3 }],
    [
      'no line: the whole message',
      { a: 1 },
      { text: '{"a":1}', app: 'unknown', ts: RECEIVED_MS, size: 7, numbers: { a: 1 } },
    ],
    [
      'meta without content is none',
      { line: 'l', meta: '{}' },
      { text: 'l', app: 'unknown', ts: RECEIVED_MS, size: 1 },
    ],
  ])('passed through: %s', (_rule, message, expected) => {
    expect(stored(event(message), passThrough)).toEqual({ host: 'mezmo', ...expected })
  })

  test('the default hostname is the id of the type', () => {
    for (const hostname of ['mezmo', 'log-analysis', 'log-store']) {
      expect(stored(event('x'), compileOwnStore({ query: { hostname } })).host).toBe(hostname)
    }
  })

  test('the query is rendered, and an invalid address is omitted', () => {
    const query = {
      hostname: '{{.h}}',
      tags: ['{{.t}}', '{{.nope}}', '{{.list}}', ''],
      ip: '{{.i}}',
      mac: '{{.m}}',
    }
    const message = { h: 'web', t: ' x ', list: '["a","b"]', i: '::1', m: 'no mac' }
    expect(stored(event(message), compileOwnStore({ query }))).toMatchObject({
      host: 'web',
      tags: ['x', 'a', 'b'],
      ip: '::1',
    })
    expect(stored(event(message), compileOwnStore({ query }))).not.toHaveProperty('mac')
  })

  test('a tag that looks like a list of something else is one tag', () => {
    const query = { hostname: 'h', tags: ['[1,2]', '[x'] }
    expect(stored(event('x'), compileOwnStore({ query })).tags).toEqual(['[1,2]', '[x'])
  })

  test('a hostname that does not render, or renders to nothing, fails the event', () => {
    const config = { query: { hostname: '{{.h}}' } }
    expect(failure(event({ a: 1 }), config)).toMatchObject({ code: 'E_NOT_FOUND', field: '.h' })
    expect(failure(event({ h: '' }), config)).toMatchObject({ code: 'E_DELIVERY_FAILED', field: null })
    expect(failure(event({ h: 'x' }), config)).toBeUndefined()
  })

  test('meta above 32,768 bytes is stored as cut text', () => {
    const meta = (length: number) =>
      stored(event({ t: 'x', m: { a: 'x'.repeat(length - 8) } }), explicit({ line: '.t', meta_field: '.m' }))
        .meta
    expect(meta(32_768)).toBeTypeOf('object')
    expect(meta(32_769)).toBeTypeOf('string')
    expect((meta(40_000) as string).length).toBe(32_768)
  })
})

test('any event and any message gives a line with a host, an app and an exact size', () => {
  const message = fc.jsonValue({ maxDepth: 4 }).map(value => JSON.parse(JSON.stringify(value)) as JsonValue)
  const member = fc.constantFrom(
    '.line',
    '.host',
    '.app',
    '.level',
    '.tags',
    '.meta',
    '.label',
    '.timestamp',
    '.new',
  )
  const sinks = [compileOwnStore({}), passThrough, explicit({ line: '{{.line}}', meta_field: '.meta' })]
  fc.assert(
    fc.property(message, member, fc.constantFrom(...sinks), fc.boolean(), (value, path, sink, replaces) => {
      const ingested = sentEvent(FULL_LINE, REQUEST)
      const event = replaces ? ingested.withMessage(value) : fieldAt(path).write(ingested, value)
      for (const each of [event, Event.of(event.message, {}, event.timestamp)]) {
        const line = newStoredLine()
        expect(sink.fill(each, line, context())).toBeUndefined()
        expect(line.host).not.toBe('')
        expect(line.app).not.toBe('')
        expect(line.sizeBytes).toBe(line.textEnd - line.textStart + Buffer.byteLength(line.meta))
        for (const json of [line.meta, line.extra]) if (json !== '') JSON.parse(json)
      }
    }),
  )
})

describe('a pushed message that is passed through', () => {
  const member = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom<JsonValue>('info', 'ERROR', null, true, 7, -0.5, 1e21, {}, [], { a: { b: [1] } }, ['x']),
    fc.constantFrom<JsonValue>(RECEIVED_MS - 1_000, '2024-05-01T00:00:00Z', 'x'.repeat(17_000)),
  )
  const key = fc.constantFrom('app', 'level', 'line', 'meta', 'timestamp', 'msg', 'message', '_app', '7', 'é')
  const spelling = fc.constantFrom<(text: string) => string>(
    text => text,
    text => JSON.stringify(JSON.parse(text), null, 1),
    text => text.replaceAll('o', '\\u006f'),
    text => text.replace(/^\{(?=")/, '{"app":"first",'),
  )

  test('gives the line of the same message when it is parsed and printed', () => {
    fc.assert(
      fc.property(
        fc.dictionary(key, member, { maxKeys: 6, noNullPrototype: true }),
        spelling,
        (message, spell) => {
          const text = spell(JSON.stringify(message))
          const [sent, parsed] = pushedEvents([text, text]) as [Event, Event]
          expect(stored(sent, passThrough)).toEqual(stored(parsed.withMessage(parsed.message), passThrough))
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('stays where it is if it is compact and short, so that others can be read with it', () => {
    const texts = [
      '{"a":1,"level":"info"}',
      '{"a": 1}',
      '"a"',
      '{"line":"a"}',
      `{"a":"${'x'.repeat(17_000)}"}`,
    ]
    const alone = pushedEvents(texts).map(event => {
      passThrough.fillHead(event, newStoredLine(), context())
      return passThrough.head.isSentTextAlone
    })
    expect(alone).toEqual([true, false, false, false, false])
  })
})
