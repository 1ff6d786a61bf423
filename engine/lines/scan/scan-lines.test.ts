import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineBatchType } from '../../../schemas/log/line-batch.ts'
import { finish } from '../../steps.ts'
import { DAY_MS } from '../../times/duration.ts'
import { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { LineBatchView } from '../columns/line-batch-view.ts'
import { openingBody, parsingLines } from './parse-lines.ts'
import { LineScanner, SENTINEL_BYTES } from './scan-lines.ts'
import { timeBounds } from './timestamp.ts'

const NOW_MS = 1_767_225_600_000
const BOUNDS = timeBounds(NOW_MS, 30)
const FACTS = {
  hostname: 'h',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: NOW_MS,
  driftMs: null,
  idempotency: null,
}

/** The record that the scanner gives for a body; null when it gave up. */
function scanned(body: Buffer): Buffer | null {
  const batch = new LineBatchBuilder()
  const memory = Buffer.allocUnsafeSlow(body.length + SENTINEL_BYTES)
  // The bytes behind the body are remains of the previous one, and here they could continue it.
  memory.fill('"line":"x"}', body.length)
  body.copy(memory)
  const { filled } = batch.addRequest(() => ({
    facts: FACTS,
    isRead: new LineScanner(batch, BOUNDS, 1_000_000).scan(memory, body.length),
  }))
  if (!filled.isRead) {
    expect(memory.toString('latin1', 0, body.length).trimEnd()).toBe(body.toString('latin1').trimEnd())
    return null
  }
  return batch.encode('account', 'ingest')
}

/** All parts of a record that readers can see; the order of its dictionary has no meaning. */
function contents(record: Buffer): unknown {
  const { dictionary, hostIndex, appIndex, levelIndex, envIndex, fileIndex, ...columns } =
    lineBatchType.decode(record)
  const words = [hostIndex, appIndex, levelIndex, envIndex, fileIndex].map(column => {
    const bytes = Buffer.from(column)
    return Array.from({ length: bytes.length / 4 }, (_, row) => dictionary[bytes.readUInt32LE(row * 4)])
  })
  return { columns, words, known: dictionary.toSorted() }
}

/** The record of the complete parser, which throws the error that a client gets. */
function parsed(body: Buffer): Buffer {
  const batch = new LineBatchBuilder()
  const { filled } = batch.addRequest(() => ({
    facts: FACTS,
    ...finish(parsingLines(finish(openingBody(body)), batch, BOUNDS, [], 1_000_000)),
  }))
  expect(filled.refused).toEqual([])
  return batch.encode('account', 'ingest')
}

function expectSame(body: Buffer): boolean {
  const fast = scanned(body)
  if (fast === null) return false
  expect(contents(fast)).toEqual(contents(parsed(body)))
  return true
}

describe('the scanner reads the usual bodies', () => {
  test.each([
    '{"lines":[]}',
    ' {"lines" : [ { "line" : "a" , "app" : "b" } , "bare" ] } \r\n',
    '{"e":"ls","ls":[{"line":"a"}]}',
    '{"ls":[{"line":"a"}],"e":""}',
    '{"lines":[{"line":""},{"line":"a\\nb\\t\\"c\\" \\\\ \\/ \\u0041 \\u00e9 \\u20ac \\ud83d\\ude00 \\b\\f\\r"}]}',
    '{"lines":[{"line":"\\ud83d lone \\ude00 \\ud83d\\ud83d\\ude00 \\ud83d\\u0041 \\udfff"}]}',
    '{"lines":[{"line":"é€😀"},"é\\u0000€😀"]}',
    `{"lines":[{"timestamp":${NOW_MS},"line":"a","app":"web","level":"info","env":"prod","file":"/a","host":"h2"}]}`,
    `{"lines":[{"timestamp":"${NOW_MS}","line":"a"},{"timestamp":"2026-01-01T00:00:00Z","line":"b"}]}`,
    `{"lines":[{"timestamp":${NOW_MS / 1000},"line":"a"},{"timestamp":${NOW_MS / 1000}.25,"line":"b"}]}`,
    '{"lines":[{"timestamp":1,"line":"a"},{"timestamp":"nonsense","line":"b"},{"timestamp":"","line":"b"}]}',
    '{"lines":[{"line":"a","file":"C:\\\\logs\\\\a.log","app":"","level":"","env":"","hostname":"h3"}]}',
    '{"lines":[{"line":"a","meta":{"a":[1,-2.5e3,0,"x\\n",true,false,null,{}],"b":{"c":"\\u00e9"}}}]}',
    '{"lines":[{"line":"a","host":" a "},{"line":"b","host":"\\tb"},{"line":"c","host":"\u00e9"},{"line":"d","host":""}]}',
    '{"lines":[{"line":"a","meta":""},{"line":"b","meta":"{}"},{"line":"c","meta":"{\\"key\\":\\"value\\"}"},{"line":"d"}]}',
  ])('%s', body => {
    expect(expectSame(Buffer.from(body))).toBe(true)
  })

  test.each([0, 1, 126, 127, 128, 129, 16_382, 16_383, 16_384, 16_385, 20_000, 40_000])(
    'a text of %i bytes, plain and escaped',
    length => {
      for (const text of [
        'x'.repeat(length),
        `${'x'.repeat(Math.max(0, length - 1))}\n`,
        'é'.repeat(length / 2),
      ])
        expect(expectSame(Buffer.from(JSON.stringify({ lines: ['a', { line: text, app: 'z' }, 'b'] })))).toBe(
          true,
        )
    },
  )
})

describe('the scanner gives up', () => {
  test.each([
    '',
    '{',
    '{"',
    '{"lines":[',
    '{"lines":["',
    '{"lines":["a',
    '{"lines":["a\\',
    '{"lines":["a\\u00',
    '{"lines":[{"line":"a"}]',
    '{"lines":[{"line":"a"}]}x',
    '{"lines":[{"line":"a"},]}',
    '{"lines":[{"line":"a",}]}',
    '{"lines":[{"line":"a","app":"b',
    '{"lines":[{"line":"a","meta":{"b":"',
    '{"lines":[{"line":"a\tb"}]}',
    '{"lines":[{"line":"a"}],"lines":[]}',
    '{"lines":[{"line":"a","line":"b"}]}',
    '{"lines":[{"line":"a","host":"b","hostname":"c"}]}',
    '{"lines":[{"line":"a","host":" "}]}',
    '{"lines":[{"line":"a","hostname":"\\u0020\\t\u00a0\u3000"}]}',
    '{"lines":[{"line":"a","app":5}]}',
    '{"lines":[{"line":"a","pid":5}]}',
    '{"lines":[{"line":"a","timestamp":01}]}',
    '{"lines":[{"line":"a","timestamp":1e9}]}',
    '{"lines":[{"line":"a","meta":{"b":01}}]}',
    '{"lines":[{"line":"a","meta":"\\u007b}"}]}',
    '{"lines":[{"line":"a","meta":"\\ud83d"}]}',
    '{"lines":[{"l\\u0069ne":"a"}]}',
    '{"lines":[null]}',
    '{"lines":[{}]}',
    '{"lines":[{"line":{}}]}',
    '{"apikey":"x","lines":[]}',
    '{"e":"ls"}',
    '[]',
  ])('%s', body => {
    expect(scanned(Buffer.from(body))).toBeNull()
  })
})

/** JSON text with blanks in unusual places and unnecessary escapes. */
function looseJson(value: unknown, choose: () => number): string {
  const blank = () => (choose() % 8 === 0 ? ' ' : '')
  const string = (text: string, escapeOneIn: number) => {
    if (choose() % escapeOneIn !== 0) return JSON.stringify(text)
    const units = Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
    const escaped = (unit: number) => `\\u${unit.toString(16).padStart(4, '0')}`
    return `"${units.map(unit => (choose() % 2 === 0 || unit < 0x20 || unit === 0x22 || unit === 0x5c || unit > 0xd7ff ? escaped(unit) : String.fromCharCode(unit))).join('')}"`
  }
  const text = (part: unknown): string => {
    if (typeof part === 'string') return string(part, 3)
    if (part === null || typeof part !== 'object') return JSON.stringify(part)
    const members = Array.isArray(part)
      ? part.map(element => blank() + text(element) + blank())
      : Object.entries(part).map(
          ([key, member]) => `${blank()}${string(key, 90)}${blank()}:${blank()}${text(member)}${blank()}`,
        )
    const inner = members.join(',')
    return Array.isArray(part) ? `[${inner}]` : `{${inner}}`
  }
  return blank() + text(value) + blank()
}

const word = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('web', 'INFO'),
)
const timestamp = fc.oneof(
  fc.integer({ min: NOW_MS - 90 * DAY_MS, max: NOW_MS + 2 * DAY_MS }),
  fc.integer({ min: 0, max: 2 ** 53 - 1 }),
  fc.double({ noNaN: true }),
  fc.date({ noInvalidDate: true }).map(date => date.toISOString()),
  fc.integer({ min: NOW_MS - 1e9, max: NOW_MS }).map(String),
  word,
)
const anything = fc.jsonValue({ maxDepth: 3 })
const usualLine = fc.record(
  {
    timestamp,
    line: fc.oneof(
      word,
      fc.string({ unit: 'binary', maxLength: 300 }),
      anything.map(value => JSON.stringify(value)),
    ),
    app: word,
    level: word,
    env: word,
    file: word,
    meta: fc.oneof(fc.dictionary(fc.string(), anything), word),
    hostname: fc.oneof(word, fc.constantFrom(' ', '\t \u00a0', ' a')),
  },
  { requiredKeys: ['line'] },
)
const oddLine = fc.oneof(
  anything,
  fc.dictionary(
    fc.constantFrom('line', 'app', 'timestamp', 't', 'f', 'tags', 'label', 'pid', 'host'),
    anything,
  ),
)
const usualBody = fc.oneof(
  fc.record({ lines: fc.array(fc.oneof(usualLine, word), { maxLength: 6 }) }),
  fc.record({ e: fc.constant('ls'), ls: fc.array(usualLine, { maxLength: 4 }) }),
)
const choices = fc.array(fc.nat(100), { minLength: 8, maxLength: 40, size: 'max' })

function chooser(numbers: readonly number[]): () => number {
  let at = 0
  return () => numbers[at++ % numbers.length] as number
}

describe('scanner and parser agree', () => {
  test('on usual bodies, of which the scanner reads most', () => {
    const isScanned = (body: Parameters<typeof looseJson>[0], numbers: readonly number[]) =>
      expectSame(Buffer.from(looseJson(body, chooser(numbers))))
    fc.assert(
      fc.property(usualBody, choices, (body, numbers) => void isScanned(body, numbers)),
      { numRuns: 1500 },
    )
    // The bodies are the same in each run, because the share of random ones varies.
    const sample = fc.sample(fc.tuple(usualBody, choices), { numRuns: 1500, seed: 1 })
    const scanned = sample.filter(([body, numbers]) => isScanned(body, numbers))
    expect(scanned.length / sample.length).toBeGreaterThan(0.3)
  })

  test('on odd and on damaged bodies: the parser reads the same as the scanner', () => {
    const damage = fc.array(
      fc.record({
        at: fc.nat(),
        remove: fc.nat(3),
        put: fc.constantFrom('', '"', '\\', ',', '}', ']', '{', '0', '\u0000', 'é', '\\ud83d'),
      }),
      { maxLength: 2 },
    )
    const body = fc.oneof(
      usualBody,
      fc.record({ lines: fc.array(fc.oneof(usualLine, oddLine), { maxLength: 4 }) }),
    )
    fc.assert(
      fc.property(body, choices, damage, (value, numbers, damages) => {
        let bytes = Buffer.from(looseJson(value, chooser(numbers)))
        for (const { at, remove, put } of damages) {
          const start = at % (bytes.length + 1)
          bytes = Buffer.concat([bytes.subarray(0, start), Buffer.from(put), bytes.subarray(start + remove)])
        }
        const text = bytes.toString()
        if (Buffer.from(text).equals(bytes)) expectSame(bytes) // the scanner is only given valid UTF-8
      }),
      { numRuns: 3000 },
    )
  })

  test('texts equal those of JSON.parse', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 80 }), { minLength: 1 }),
        choices,
        (texts, numbers) => {
          const record = scanned(
            Buffer.from(looseJson({ lines: texts.map(line => ({ line })) }, chooser(numbers))),
          )
          if (record === null) return
          const view = LineBatchView.decode(record)
          expect(texts.map((_, index) => view.lineText(index))).toEqual(
            texts.map(text => text.toWellFormed()),
          )
        },
      ),
      { numRuns: 500 },
    )
  })
})
