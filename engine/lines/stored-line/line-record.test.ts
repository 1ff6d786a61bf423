import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JsonObject, type JsonValue, NumberText } from '../../../schemas/json.ts'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { parseLineId } from '../../../schemas/log/position.ts'
import { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { sentEvent } from '../../../test/support/sent-lines.ts'
import { Event } from '../../event/event.ts'
import { jsonText, parseJson } from '../../json/json-text.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { compileOwnStore } from '../../nodes/destinations/log-analysis/own-store.ts'
import { FieldNames } from './line-fields.ts'
import { idOfRow, type LineRow, renderRecord } from './line-record.ts'
import type { StoredLine } from './stored-line.ts'
import { newStoredLine } from './stored-line.ts'

const ROW: LineRow = {
  account: '507f1f77bc',
  t: 1_772_600_767_089,
  ts: 1_772_600_767_089,
  topic: 0,
  partition: 3,
  offset: '123456',
  row: 7,
  host: 'web-1',
  app: 'nginx',
  level: '',
  file: '',
  env: '',
  mac: '',
  ip: '',
  remote: '',
  tags: [],
  line: 'plain',
  meta: '',
  extra: '',
  size: 5,
  retention: 30,
}

function record(row: Partial<LineRow>): JsonObject {
  return JSON.parse(renderRecord({ ...ROW, ...row })) as JsonObject
}

test("the specification's example gives the same bytes, except for the id", () => {
  const row: LineRow = {
    ...ROW,
    level: 'INFO',
    file: '/var/log/nginx/access.log',
    env: 'production',
    mac: 'c0:ff:ee:c0:ff:ee',
    ip: '10.0.0.1',
    tags: ['prod'],
    line: '{"message":"GET /health 200","user_id":7}',
    meta: '{"user":{"id":12345}}',
    size: 62,
  }
  const id = idOfRow(row)
  expect(renderRecord(row)).toBe(
    `{"_id":"${id}","_lid":"${id}","_account":"507f1f77bc","_ts":1772600767089,"_host":"web-1","_app":"nginx",` +
      '"_line":"{\\"message\\":\\"GET /health 200\\",\\"user_id\\":7}","message":"GET /health 200","user_id":7,' +
      '"level":"INFO","_logtype":"json","_file":"/var/log/nginx/access.log","_tag":["prod"],' +
      '"_mac":"c0:ff:ee:c0:ff:ee","_ip":"10.0.0.1","_env":"production","_meta":{"user":{"id":12345}},' +
      '"_retention":30,"_mezmo_line_size":62}',
  )
})

test('a plain line has the members that every record has, and no others', () => {
  const id = idOfRow(ROW)
  expect(record({})).toEqual({
    _id: id,
    _lid: id,
    _account: '507f1f77bc',
    _ts: 1_772_600_767_089,
    _host: 'web-1',
    _app: 'nginx',
    _line: 'plain',
    level: '',
    _logtype: 'line',
    _retention: 30,
    _mezmo_line_size: 5,
  })
})

describe('the id', () => {
  test('contains the place of the line on the log, also for offsets beyond doubles', () => {
    const row = {
      ...ROW,
      topic: TOPIC_NUMBERS['weir.keyed'],
      partition: 4095,
      offset: '1099511627775',
      row: 2 ** 20,
    }
    expect(parseLineId(idOfRow(row))).toEqual({
      timeMs: ROW.t,
      topic: 'weir.keyed',
      partition: 4095,
      offset: 1_099_511_627_775n,
      row: 2 ** 20,
    })
  })

  test('of a topic without lines is refused', () => {
    expect(() => idOfRow({ ...ROW, topic: 9 })).toThrow(RangeError)
  })
})

describe('members of a JSON line', () => {
  test.each<[string, string, JsonObject]>([
    [
      'values keep their types',
      '{"a":[1,{"b":null}],"c":true,"d":1.5,"e":"x"}',
      { a: [1, { b: null }], c: true, d: 1.5, e: 'x' },
    ],
    ['nesting is not cut', '{"a":{"b":{"c":{"d":1}}}}', { a: { b: { c: { d: 1 } } } }],
    ['colliding names get an underscore', '{"status":1,"user":{"id":2}}', { _status: 1, _user: { id: 2 } }],
    ['both spellings are kept apart', '{"status":1,"_status":2}', { __status: 1, _status: 2 }],
    ['msg is the text for display', '{"msg":"m"}', { message: 'm', msg: 'm' }],
    ['a message that is not a text goes by another name', '{"message":{"a":1}}', { _message: { a: 1 } }],
    ['the level is the one of the row', '{"level":"warn"}', {}],
    ['a level that says nothing goes by another name', '{"level":null}', { _level: null }],
    [
      'what the service says is not replaced',
      '{"_app":"x","_id":"y","_line":1,"_account":2,"_retention":3,"_ts":4}',
      {},
    ],
    ['text before the object is allowed', 'took {"ms":3}', { ms: 3 }],
    ['an empty object has none', '{}', {}],
  ])('%s', (_rule, line, expected) => {
    const { message, ...plain } = { ...record({}), message: undefined }
    expect(record({ line })).toEqual({ ...plain, ...expected, _line: line, _logtype: 'json' })
  })

  test('integers keep all their digits', () => {
    expect(renderRecord({ ...ROW, line: '{"id":12345678901234567890}' })).toContain(
      '"id":12345678901234567890,',
    )
  })

  test('a prototype is an ordinary member', () => {
    expect(renderRecord({ ...ROW, line: '{"__proto__":{"a":1}}' })).toContain(',"__proto__":{"a":1},')
  })

  test('names that the service uses only sometimes are free otherwise', () => {
    const line = '{"tag":"t","_file":"f","timestamp":1,"_meta":2,"_env":3,"_mac":4,"_ip":5,"_ipremote":6}'
    expect(record({ line })).toMatchObject({
      _tag: 't',
      _file: 'f',
      _timestamp: 1,
      _meta: 2,
      _env: 3,
      _mac: 4,
      _ip: 5,
      _ipremote: 6,
    })
    const own = {
      tags: ['a'],
      file: 'b',
      extra: '{"_timestamp":"c"}',
      meta: '"d"',
      env: 'e',
      mac: 'm',
      ip: 'i',
      remote: 'r',
    }
    const text = renderRecord({ ...ROW, ...own, line })
    expect(JSON.parse(text)).toMatchObject({
      _tag: ['a'],
      _file: 'b',
      _timestamp: 'c',
      _meta: 'd',
      _env: 'e',
      _mac: 'm',
      _ip: 'i',
      _ipremote: 'r',
    })
    expect(text.match(/"_(tag|file|timestamp|meta|env|mac|ip|ipremote)":/g)).toHaveLength(8)
  })
})

describe('a rare member', () => {
  test('is printed as it is stored', () => {
    const extra = '{"_label":{"a":"b"},"_drift":-6000,"_truncated":true}'
    expect(record({ extra })).toMatchObject({ _label: { a: 'b' }, _drift: -6000, _truncated: true })
  })

  test.each([
    ['{ "a" : [ 1 , "x y" ] }', '{"a":[1,"x y"]}'],
    ['{\n\t"a": 1\r\n}', '{"a":1}'],
    ['{"a": 12345678901234567890 }', '{"a":12345678901234567890}'],
    ['{"a":1 }', '{"a":1}'],
    ['{"a":1\n}', '{"a":1}'],
    ['{"a":1\r}', '{"a":1}'],
    ['{"a":1\t}', '{"a":1}'],
    [' 7', '7'],
    ['7 ', '7'],
    ['{"a":true  }', '{"a":true}'],
    ['"a text, with \\"blanks\\" : and more"', '"a text, with \\"blanks\\" : and more"'],
    ['{"a":"b c"}', '{"a":"b c"}'],
  ])('meta %j is printed as %j', (meta, printed) => {
    expect(renderRecord({ ...ROW, meta })).toContain(`,"_meta":${printed},"_retention"`)
  })
})

test('for any text, _line is the text and the record is one line of JSON', () => {
  const json = fc.dictionary(fc.string(), fc.jsonValue()).map(value => JSON.stringify(value))
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    json,
    fc.tuple(fc.string(), json).map(parts => parts.join('')),
  )
  fc.assert(
    fc.property(text, raw => {
      const line = Buffer.from(raw).toString()
      const rendered = renderRecord({ ...ROW, line })
      expect(rendered).not.toMatch(/[\n\r]/)
      const parsed = JSON.parse(rendered) as JsonObject
      expect(parsed._line).toBe(line)
      expect(parsed).toMatchObject({ _host: 'web-1', _app: 'nginx', _retention: 30, _account: '507f1f77bc' })
    }),
  )
})

describe('from an event to the record', () => {
  test('a member that is searchable is in the record, under the same name', () => {
    const key = fc.oneof(
      fc.constantFrom('status', '_tag', '_app', 'level', 'message', 'msg', 'user', '_status', 'a'),
      fc.string(),
    )
    const object = fc.dictionary(key, fc.jsonValue({ maxDepth: 5 }))
    const sinks = [
      CATALOGUE.defaultOwnStore(),
      compileOwnStore({ message: { scheme: 'Message pass-through' } }),
    ]
    fc.assert(
      fc.property(object, fc.constantFrom(...sinks), fc.boolean(), (value, sink, tagged) => {
        const line = newStoredLine()
        const text = JSON.stringify(value)
        const event = sentEvent({ line: text }, { tags: tagged ? ['t'] : [] })
        for (const each of [event, Event.of(text, {}, event.timestamp)]) {
          sink.fill(each, line, {
            account: 'a',
            timeMs: ROW.t,
            retentionDays: 30,
            poolDays: 0,
            behaviour: BEHAVIOUR,
            fieldNames: new FieldNames(),
          })
          const members = parseJson(renderRecord({ ...ROW, ...rowOf(line) }))
          for (const [name, found] of fieldsOf(line)) expect(valuesAt(members, name)).toContainEqual(found)
        }
      }),
    )
  })
})

function rowOf(line: StoredLine): Partial<LineRow> {
  const text = Buffer.from(line.textBytes.subarray(line.textStart, line.textEnd)).toString()
  const { host, app, level, file, env, mac, ip, tags, meta, extra } = line
  return { host, app, level, file, env, mac, ip, tags, meta, extra, line: text, remote: line.remoteAddress }
}

function fieldsOf(line: StoredLine): readonly (readonly [string, string | number])[] {
  const texts = line.textFieldNames.slice(0, line.textFieldCount)
  const numbers = line.numberFieldNames.slice(0, line.numberFieldCount)
  return [
    ...texts.map((name, index) => [name, line.textFieldValues[index] as string] as const),
    ...numbers.map((name, index) => [name, line.numberFieldValues[index] as number] as const),
  ]
}

/** All possible meanings of a dotted name in a record; keys may contain dots themselves. */
function valuesAt(value: JsonValue, name: string, depth = 0): (string | number)[] {
  if (Array.isArray(value)) {
    return value.length === 0 && name === ''
      ? ['[]']
      : value.flatMap(element => valuesAt(element, name, depth))
  }
  if (value === null || typeof value !== 'object' || value instanceof NumberText) {
    if (name !== '') return []
    if (typeof value === 'bigint') return [String(value), Number(value)]
    return typeof value === 'number' ? [value] : [String(value)]
  }
  const here = name === '' ? [jsonText(value)] : []
  if (depth === 3) return here
  const below = Object.keys(value).flatMap(key => {
    const prefix = depth === 0 ? key : `.${key}`
    return name.startsWith(prefix)
      ? valuesAt(value[key] as JsonValue, name.slice(prefix.length), depth + 1)
      : []
  })
  return [...here, ...below]
}
