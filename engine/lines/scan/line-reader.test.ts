import { describe, expect, test } from 'vitest'
import { NumberText } from '../../../schemas/json.ts'
import {
  TIMESTAMP_ABSENT,
  TIMESTAMP_NUMBER_MS,
  TIMESTAMP_OTHER,
  TIMESTAMP_TEXT_MS,
} from '../../../schemas/log/line-batch.ts'
import { DAY_MS } from '../../times/duration.ts'
import { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { LineBatchView } from '../columns/line-batch-view.ts'
import { rareMembersOf } from '../columns/rare-members.ts'
import { LineReader } from './line-reader.ts'
import { timeBounds } from './timestamp.ts'

const NOW_MS = 1_767_225_600_000
const RECEIVED = { timestampMs: NOW_MS, timestampKind: TIMESTAMP_ABSENT }

interface SeenLine {
  line: string
  host: string
  app: string
  level: string
  env: string
  file: string
  timestampMs: number
  timestampKind: number
  meta: string
  rest: unknown
}

/** Reads a body twice, the second time only by the complete parser, and expects the same result. */
function read(body: string | Buffer, tags: readonly string[] = []): SeenLine[] {
  const asItComes = readOnce(body, tags, false)
  expect(readOnce(body, tags, true)).toEqual(asItComes)
  return asItComes
}

const LIMIT_BYTES = 2_097_152

function readOnce(body: string | Buffer, tags: readonly string[], isParsed: boolean): SeenLine[] {
  const reader = new LineReader()
  const bytes = Buffer.from(body)
  reader.load([bytes.subarray(0, 3), bytes.subarray(3)])
  if (isParsed) reader.envelope()
  const batch = new LineBatchBuilder()
  batch.addRequest(() => {
    reader.readLines(batch, timeBounds(NOW_MS, 30), tags, LIMIT_BYTES)
    const idempotency = null
    return {
      facts: {
        hostname: 'web-1',
        mac: '',
        ip: '',
        remoteAddress: '',
        tags,
        receivedAtMs: NOW_MS,
        driftMs: null,
        idempotency,
      },
    }
  })
  const view = LineBatchView.decode(batch.encode('account', 'ingest'))
  return Array.from({ length: view.count }, (_, index) => ({
    line: view.lineText(index),
    host: view.host(index),
    app: view.app(index),
    level: view.level(index),
    env: view.env(index),
    file: view.file(index),
    timestampMs: view.timestampMs(index),
    timestampKind: view.timestampKind(index),
    meta: view.metaText(index),
    rest: rareMembersOf(view, index),
  }))
}

const BARE: SeenLine = {
  line: 'x',
  host: 'web-1',
  app: '',
  level: '',
  env: '',
  file: '',
  ...RECEIVED,
  meta: '',
  rest: undefined,
}

/** A line with a text and these members, as JSON text. */
function readMembers(members: string): SeenLine {
  const [line] = read(`{"lines":[{"line":"x"${members === '' ? '' : `,${members}`}}]}`)
  return line as SeenLine
}

test.each<[string, Partial<SeenLine>]>([
  ['', {}],
  [
    '"app":"web","level":"Info","env":"prod","file":"/a/b.log"',
    { app: 'web', level: 'Info', env: 'prod', file: '/a/b.log' },
  ],
  ['"app":"","level":"","env":"","file":"","hostname":"","host":""', {}],
  [
    '"app":null,"level":null,"env":null,"file":null,"meta":null,"timestamp":null,"tags":null,"label":null',
    {},
  ],
  [
    '"app":5,"level":true,"env":[1,2],"file":{"a":1}',
    { app: '5', level: 'true', env: '[1,2]', file: '{"a":1}' },
  ],
  [
    '"app":12345678901234567890,"level":1.50,"env":1e3',
    { app: '12345678901234567890', level: '1.50', env: '1000' },
  ],
  ['"app":"a\\u00e9\\ud83d"', { app: 'aé\ufffd' }],
  ['"hostname":"db-1"', { host: 'db-1' }],
  ['"host":"db-2"', { host: 'db-2' }],
  ['"host":"db-2","hostname":"db-1"', { host: 'db-1', rest: { other: { host: 'db-2' } } }],
  ['"hostname":" \\t\u00a0"', {}],
  ['"host":" "', {}],
  ['"hostname":" ","host":"db-2"', { host: 'db-2' }],
  ['"hostname":" db 1 "', { host: ' db 1 ' }],
  ['"app":"first","app":"last"', { app: 'last' }],
  ['"f":"/a.log"', { file: '/a.log' }],
  ['"f":"/a.log","file":"/b.log"', { file: '/b.log', rest: { other: { f: '/a.log' } } }],
  [
    '"pid":7,"prival":"13","containerid":"c","x":{"b":2,"a":1}',
    { rest: { other: { pid: 7, prival: '13', containerid: 'c', x: { b: 2, a: 1 } } } },
  ],
  ['"label":{"a":"b"},"annotation":{"c":"d"}', { rest: { label: { a: 'b' }, annotation: { c: 'd' } } }],
  ['"label":"text","annotation":[1]', { rest: { other: { label: 'text', annotation: [1] } } }],
  ['"__proto__":{"a":1}', { rest: { other: JSON.parse('{"__proto__":{"a":1}}') } }],
  ['"x":"\\udc00\\ud83d\\ude00"', { rest: { other: { x: '\ufffd😀' } } }],
])('members: %s', (members, expected) => {
  expect(readMembers(members)).toEqual({ ...BARE, ...expected })
})

test('a name of a built-in property is kept', () => {
  expect(JSON.stringify(readMembers('"__proto__":1,"constructor":2').rest)).toBe(
    '{"other":{"__proto__":1,"constructor":2}}',
  )
})

describe('numbers keep their digits in the record', () => {
  test.each(['12345678901234567890', '1.50', '-0', '1e3', '0.1e-7'])('%s', source => {
    const reader = new LineReader()
    reader.load([Buffer.from(`{"lines":[{"line":"x","x":[ ${source} ],"meta":{"n":${source}}}]}`)])
    const batch = new LineBatchBuilder()
    reader.readLines(batch, timeBounds(NOW_MS, 30), null, LIMIT_BYTES)
    expect(batch.rest.view().subarray(1).toString()).toBe(`{"other":{"x":[ ${source} ]}}`)
    expect(batch.meta.view().subarray(1).toString()).toBe(`{"n":${source}}`)
  })

  test('also one that a double cannot represent', () => {
    expect(readMembers('"x":1e999').rest).toEqual({ other: { x: new NumberText('1e999') } })
  })
})

describe('time', () => {
  test.each<[string, Partial<SeenLine>]>([
    [`"timestamp":${NOW_MS - 5}`, { timestampMs: NOW_MS - 5, timestampKind: TIMESTAMP_NUMBER_MS }],
    [`"timestamp":"${NOW_MS - 5}"`, { timestampMs: NOW_MS - 5, timestampKind: TIMESTAMP_TEXT_MS }],
    [
      '"timestamp":1767225599.5',
      { timestampMs: NOW_MS - 500, timestampKind: TIMESTAMP_OTHER, rest: { timestamp: 1767225599.5 } },
    ],
    [
      '"timestamp":"2025-12-31T23:59:59Z"',
      {
        timestampMs: NOW_MS - 1000,
        timestampKind: TIMESTAMP_OTHER,
        rest: { timestamp: '2025-12-31T23:59:59Z' },
      },
    ],
    ['"timestamp":0', { timestampKind: TIMESTAMP_OTHER, rest: { timestamp: 0 } }],
    ['"timestamp":-7', { timestampKind: TIMESTAMP_OTHER, rest: { timestamp: -7 } }],
    ['"timestamp":"soon"', { timestampKind: TIMESTAMP_OTHER, rest: { timestamp: 'soon' } }],
    [`"timestamp":${NOW_MS + DAY_MS}`, { timestampMs: NOW_MS + DAY_MS, timestampKind: TIMESTAMP_NUMBER_MS }],
    [
      `"timestamp":${NOW_MS + DAY_MS + 1}`,
      { timestampKind: TIMESTAMP_OTHER, rest: { timestamp: NOW_MS + DAY_MS + 1, clamped: true } },
    ],
    [
      `"timestamp":${NOW_MS - 30 * DAY_MS - 1}`,
      { timestampKind: TIMESTAMP_OTHER, rest: { timestamp: NOW_MS - 30 * DAY_MS - 1, clamped: true } },
    ],
    ['"timestamp":[1]', { rest: { other: { timestamp: [1] } } }],
    [`"t":${NOW_MS - 5}`, { timestampMs: NOW_MS - 5, timestampKind: TIMESTAMP_NUMBER_MS }],
    [
      `"t":7,"timestamp":${NOW_MS - 5}`,
      { timestampMs: NOW_MS - 5, timestampKind: TIMESTAMP_NUMBER_MS, rest: { other: { t: 7 } } },
    ],
    [`"timestamp":null,"t":${NOW_MS - 5}`, { timestampMs: NOW_MS - 5, timestampKind: TIMESTAMP_NUMBER_MS }],
  ])('%s', (members, expected) => {
    expect(readMembers(members)).toEqual({ ...BARE, ...expected })
  })
})

describe('text', () => {
  test.each<[string, string]>([
    ['{"line":""}', ''],
    ['{"line":"a\\n\\"b\\""}', 'a\n"b"'],
    ['{"line":"\\ud83d\\ude00 \\ud83d!"}', '😀 \ufffd!'],
    ['{"line":{"a": [1, "b"]}}', '{"a": [1, "b"]}'],
    ['{"line":5}', '5'],
    ['{"line":false}', 'false'],
    ['{"line":["a"]}', '["a"]'],
    ['"bare"', 'bare'],
  ])('%s', (line, text) => {
    expect(read(`{"lines":[${line}]}`)).toEqual([{ ...BARE, line: text }])
  })

  test.each([
    ['x', 16_384, 16_384],
    ['x', 16_385, 16_384],
    ['é', 8192, 16_384],
    ['é', 8193, 16_384],
    ['€', 5461, 16_383],
    ['€', 5462, 16_383],
    ['😀', 4097, 16_384],
    ['\n', 16_385, 16_384],
  ])('%j × %i is kept to the last whole character within 16,384 bytes', (character, count, bytes) => {
    const [line] = read(JSON.stringify({ lines: [{ line: character.repeat(count) }] }))
    const isCut = Buffer.byteLength(character) * count > 16_384
    expect(Buffer.byteLength(line?.line ?? '')).toBe(bytes)
    expect(character.repeat(count).startsWith(line?.line ?? '?')).toBe(true)
    expect(line?.rest).toEqual(isCut ? { truncated: true } : undefined)
  })

  test('bytes that are not UTF-8 become replacement characters', () => {
    const body = Buffer.concat([Buffer.from('{"lines":["a'), Buffer.from([0xff]), Buffer.from('b"]}')])
    expect(read(body).map(({ line }) => line)).toEqual(['a\ufffdb'])
  })

  test('a byte order mark and blanks around the body do not belong to it', () => {
    expect(read('\ufeff\r\n{"lines":["x"]}\n\t \n')).toEqual([BARE])
  })
})

describe('meta', () => {
  const KB32 = 32_768
  test.each<[string, Partial<SeenLine>]>([
    ['{"a":1}', { meta: '{"a":1}' }],
    ['{ "b" : 1, "a":2, "1":3 }', { meta: '{ "b" : 1, "a":2, "1":3 }' }],
    ['{}', { meta: '{}' }],
    ['""', {}],
    ['"{}"', {}],
    ['"\\u007b}"', {}],
    ['"{\\"a\\":1}"', { meta: '"{\\"a\\":1}"' }],
    ['"\\ud83d"', { meta: '"\\ufffd"' }],
    ['[1,2]', { meta: '[1,2]' }],
    ['5', { meta: '"5"' }],
    ['true', { meta: '"true"' }],
  ])('%s', (meta, expected) => {
    expect(readMembers(`"meta":${meta}`)).toEqual({ ...BARE, ...expected })
  })

  test('32,768 bytes are kept, of a text or of an object', () => {
    const text = JSON.stringify('x'.repeat(KB32))
    expect(readMembers(`"meta":${text}`)).toEqual({ ...BARE, meta: text })
    const object = `{"a":"${'x'.repeat(KB32 - 8)}"}`
    expect(object.length).toBe(KB32)
    expect(readMembers(`"meta":${object}`)).toEqual({ ...BARE, meta: object })
  })

  test('one byte more is kept as text, cut at a character', () => {
    const cut = { rest: { metaCut: true } }
    expect(readMembers(`"meta":"${'x'.repeat(KB32 + 1)}"`)).toEqual({
      ...BARE,
      meta: 'x'.repeat(KB32),
      ...cut,
    })
    const object = `{"a":"${'x'.repeat(KB32 - 7)}"}`
    expect(readMembers(`"meta":${object}`)).toEqual({ ...BARE, meta: object.slice(0, KB32), ...cut })
    expect(readMembers(`"meta":"${'€'.repeat(11_000)}"`)).toEqual({
      ...BARE,
      meta: '€'.repeat(10_922),
      ...cut,
    })
  })
})

describe('limits in characters', () => {
  test.each([
    ['app', 512],
    ['level', 80],
    ['hostname', 256],
  ])('%s is cut at %i', (name, limit) => {
    const column = name === 'hostname' ? 'host' : (name as 'app' | 'level')
    for (const character of ['x', 'é', '😀']) {
      expect(readMembers(`"${name}":"${character.repeat(limit)}"`)[column]).toBe(character.repeat(limit))
      expect(readMembers(`"${name}":"${character.repeat(limit + 1)}"`)[column]).toBe(character.repeat(limit))
    }
  })

  test('a tag is cut at 80', () => {
    const tags = ['x'.repeat(81), '😀'.repeat(81), 'y'.repeat(80)]
    expect(readMembers(`"tags":${JSON.stringify(tags)}`).rest).toEqual({
      tags: ['x'.repeat(80), '😀'.repeat(80), 'y'.repeat(80)],
    })
  })
})

test('tags of a line are added to those of the request, without duplicates', () => {
  const tagsOf = (source: string) => read(`{"lines":[{"line":"x","tags":${source}}]}`, ['a'])[0]?.rest
  expect(tagsOf('"a, b,,c ,b"')).toEqual({ tags: ['b', 'c'] })
  expect(tagsOf('["a","b",5," ",["c"]]')).toEqual({ tags: ['b', '5', '["c"]'] })
  expect(tagsOf('"a"')).toBeUndefined()
  expect(tagsOf('[]')).toBeUndefined()
})

test('an array of lines takes precedence over a value of another type, and lines over ls', () => {
  const texts = (body: string) => read(body).map(({ line }) => line)
  expect(texts('{"lines":null,"ls":["b"]}')).toEqual(['b'])
  expect(texts('{"ls":["b"],"lines":["a"]}')).toEqual(['a'])
  expect(texts('{"lines":["a"],"lines":["b"]}')).toEqual(['b'])
  expect(texts('{"l\\u0069nes":["a"],"e":5,"x":[{"lines":1}]}')).toEqual(['a'])
})

test('256 levels are read, one more is refused', () => {
  const nested = (levels: number) =>
    `{"lines":[{"line":"x","meta":${'['.repeat(levels - 3)}${']'.repeat(levels - 3)}}]}`
  expect(read(nested(256))).toHaveLength(1)
  expect(() => readOnce(nested(257), [], false)).toThrow('nested more than 256')
})

describe('lines without a text', () => {
  const read = (body: string) => {
    const reader = new LineReader()
    const bytes = Buffer.from(body)
    reader.load([bytes])
    return reader.readLines(new LineBatchBuilder(), timeBounds(NOW_MS, 30), null, LIMIT_BYTES).count
  }
  const bodyOf = (count: number, line: string, frame: string) =>
    frame.replace('?', Array(count).fill(line).join(','))
  /** Frames for the scanner, and for the complete parser. */
  const FRAMES = ['{"lines":[?]}', '{"e":"ls","ls":[?]}', '{"other":1,"lines":[?]}']

  test.each(['""', '{"line":""}', '{ "line" : "" }', '{"line":"","app":"é"}'])(
    'of %s are limited as if each had 64 bytes, in every form of the body',
    line => {
      for (const frame of FRAMES) {
        const spare = LIMIT_BYTES - (frame.length - 1) + 1
        const most = Math.floor(spare / 65)
        expect(read(bodyOf(most, line, frame))).toBe(most)
        expect(() => read(bodyOf(most + 1, line, frame))).toThrow('Request Entity Too Large')
      }
    },
  )

  test.each(['{}', 'null', '0', '[]', '{"app":"a"}'])(
    '%s, which is refused, counts in the same way',
    line => {
      const most = Math.floor((LIMIT_BYTES - 20) / 65)
      expect(
        read(
          `{"lines":["a",${Array(most - 1)
            .fill(line)
            .join(',')}]}`,
        ),
      ).toBe(most)
      expect(() =>
        read(
          `{"lines":["a",${Array(most + 1)
            .fill(line)
            .join(',')}]}`,
        ),
      ).toThrow('Too Large')
    },
  )

  test('with more members than 64 bytes count these, and texts count only their bytes', () => {
    const long = `{"line":"","app":"${'a'.repeat(100)}"}`
    for (const frame of FRAMES)
      for (const line of [long, '"a"', '{"line":"a"}']) {
        const most = Math.floor((LIMIT_BYTES - frame.length + 2) / (line.length + 1))
        expect(read(bodyOf(most, line, frame))).toBe(most)
      }
  })
})
