import { describe, expect, test } from 'vitest'
import { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import { LineBatchView } from '../columns/line-batch-view.ts'
import { LineReader } from './line-reader.ts'
import { timeBounds } from './timestamp.ts'

const LIMIT_BYTES = 2_097_152
const TOO_LARGE = 'Request Entity Too Large'

/** @returns texts of meta */
function read(body: string, tags: readonly string[] | null = null): string[] {
  const reader = new LineReader()
  reader.load([Buffer.from(body)])
  const batch = new LineBatchBuilder()
  reader.readLines(batch, timeBounds(1_767_225_600_000, 30), tags, LIMIT_BYTES)
  const view = LineBatchView.decode(batch.encode('account', 'ingest'))
  return Array.from({ length: view.count }, (_, index) => view.metaText(index))
}

const ofLength = (length: number, part: (index: number) => string) =>
  Array.from({ length }, (_, index) => part(index)).join(',')
/** Members in descending order, which takes the most time. */
const numbered = (count: number) => ofLength(count, index => `"${120_000 - index}":${index}`)
const lined = (members: string, lines = 1) =>
  `{"lines":[${ofLength(lines, () => `{"line":"x",${members}}`)}]}`
const tagged = (count: number) => ofLength(count, index => `"t${index}"`)

describe('one line with very many members, which made all other work wait', () => {
  test.each([
    ['members', numbered(110_000)],
    ['members of one member', `"a":{${numbered(110_000)}}`],
    ['labels', `"label":{${numbered(110_000)}}`],
    ['empty objects', `"a":[${ofLength(400_000, () => '{}')}]`],
    ['empty arrays', `"a":[${ofLength(400_000, () => '[]')}]`],
  ])('%s: refused', (_what, members) => {
    expect(() => read(lined(members))).toThrow(TOO_LARGE)
  })

  test.each([
    ['exponents', '1e400'],
    ['more digits than a double keeps', '0.12345678901234567'],
  ])('%s of many numbers: refused', (_what, number) => {
    expect(() => read(lined(`"label":{"a":[${ofLength(90_000, () => number)}]}`))).toThrow(TOO_LARGE)
  })

  test('is refused before its members are read', () => {
    const refused = (body: string) => () => expect(() => read(body)).toThrow(TOO_LARGE)
    const ordinary = cpuMsOf(() => read(lined(`"q":1,"meta":{"a":1,"b":"c"}`, 30_000)))
    const numbers = lined(numbered(110_000))
    const least = Math.min(...[1, 2, 3].map(() => cpuMsOf(refused(numbers))))
    expect(least).toBeLessThan(ordinary / 2)
  })

  test('a thousand members of each line are free, and each further one counts as 256 bytes', () => {
    const body = lined(numbered(999))
    const most = Math.floor((LIMIT_BYTES - body.length) / (256 + '"119001":0000,'.length))
    expect(read(lined(numbered(most)))).toHaveLength(1)
    expect(() => read(lined(numbered(most + 1_100)))).toThrow(TOO_LARGE)
    expect(read(lined(numbered(998), 140))).toHaveLength(140)
  })

  test('a member with a hundred thousand numbers or texts counts as one', () => {
    expect(read(lined(`"a":[${ofLength(200_000, String)}],"b":[${tagged(50_000)}]`))).toHaveLength(1)
  })
})

/** Number of steps in which a body is read. */
function stepsOf(body: string): number {
  const reader = new LineReader()
  reader.load([Buffer.from(body)])
  const steps = reader.parsingLines(new LineBatchBuilder(), timeBounds(0, 30), null, LIMIT_BYTES)
  let count = 0
  try {
    while (!steps.next().done) count++
  } catch (error) {
    expect((error as Error).message).toBe(TOO_LARGE)
  }
  return count
}

describe('150,000 parts in one body, which made all other work wait for a tenth of a second or more', () => {
  test.each([
    ['members of the body', `{"lines":["x"],${numbered(150_000)}}`],
    ['members of a line', lined(numbered(110_000))],
    ['tags of the body', `{"lines":["x"],"tags":[${tagged(150_000)}]}`],
    ['tags of a line', lined(`"tags":[${tagged(150_000)}]`)],
  ])('%s are read in steps', (_what, body) => {
    expect(stepsOf(body)).toBeGreaterThan(50)
  })

  test.each(['{}', '""', '1', '[[[]]]'])(
    '690,000 bytes of lines such as %s are passed over in steps',
    line => {
      const lines = ofLength(Math.ceil(690_000 / line.length), () => line)
      expect(stepsOf(`{"lines":[${lines}]}`)).toBeGreaterThan(40)
    },
  )

  test('are passed over in steps for the key of the body, too', () => {
    const reader = new LineReader()
    reader.load([Buffer.from(`{"lines":["x"],${numbered(150_000)},"apikey":"key"}`)])
    const steps = reader.readingEnvelope()
    reader.load([Buffer.from('{"lines":["y"],"apikey":"other"}')])
    let count = 0
    let step = steps.next()
    for (; !step.done; step = steps.next()) count++
    expect([step.value.apikey, reader.envelope().apikey]).toEqual(['key', 'other'])
    expect(count).toBeGreaterThan(50)
  })
})

describe('1.9 MB in one part of a line, which made all other work wait for 15 to 40 ms', () => {
  const LONG = 1_900_000
  const parts: readonly (readonly [what: string, value: string])[] = [
    ['digits', '7'.repeat(LONG)],
    ['blanks', `{"a":1${' '.repeat(LONG)}}`],
    ['numbers', `[${'1,'.repeat(LONG / 2)}1]`],
    ['texts', `[${'"",'.repeat(LONG / 3)}1]`],
    ['escaped quotes', `["${'\\"'.repeat(LONG / 2)}"]`],
    ['halves of surrogate pairs', `["${'\\ud800'.repeat(LONG / 6)}"]`],
  ]
  const members = ['meta', 'app', 'timestamp', 'tags', 'unknown']

  test.each(parts)('%s are walked over in steps', (_what, value) => {
    for (const member of members)
      expect(stepsOf(lined(`"${member}":${value}`)), member).toBeGreaterThanOrEqual(80)
  })

  test('blanks before or behind the members of a line are walked over in steps', () => {
    const blanks = ' '.repeat(LONG)
    for (const line of [`{${blanks}"line":"x","q":1}`, `{"line":"x","q":1${blanks}}`])
      expect(stepsOf(`{"lines":[${line}]}`)).toBeGreaterThanOrEqual(50)
  })

  test('a word that is a list or an object is kept as sent, without a parse', () => {
    const words = ['[1, {"a":1.0}]', '{"a" : "\\ud800"}']
    const reader = new LineReader()
    reader.load([Buffer.from(lined(`"app":${words[0]},"env":${words[1]},"q":1`))])
    const batch = new LineBatchBuilder()
    reader.readLines(batch, timeBounds(1_767_225_600_000, 30), null, LIMIT_BYTES)
    const view = LineBatchView.decode(batch.encode('account', 'ingest'))
    expect([view.app(0), view.env(0)]).toEqual([words[0], '{"a" : "\\ufffd"}'])
  })

  test('a body whose brackets never end is refused after a walk in steps', () => {
    const reader = new LineReader()
    reader.load([Buffer.from(`{"lines":["x"],"q":${'['.repeat(LONG)}`)])
    const steps = reader.parsingLines(new LineBatchBuilder(), timeBounds(0, 30), null, LIMIT_BYTES)
    let count = 0
    expect(() => {
      while (!steps.next().done) count++
    }).toThrow('256 levels')
    expect(count).toBeGreaterThan(25)
  })
})

describe('meta with very many members', () => {
  test('is cut like all meta above the limit', () => {
    const meta = `{${numbered(110_000)}}`
    expect(read(lined(`"meta":${meta.replaceAll(',', ' ,\n ')}`))).toEqual([meta.slice(0, 32_768)])
  })

  test('is kept whole if only its blanks or escapes exceed the limit', () => {
    const meta = `{${ofLength(3_000, index => `"é${index}":1`)}}`
    expect(Buffer.byteLength(meta)).toBeLessThan(32_768)
    const escaped = meta.replaceAll('é', '\\u00e9')
    expect(escaped.length).toBeGreaterThan(32_768)
    expect(read(lined(`"meta":${escaped}`))).toEqual([meta])
    expect(read(lined(`"meta":${meta.replaceAll(',', ',            ')}`))).toEqual([meta])
  })

  test('counts only its bytes if it is within its limit', () => {
    expect(read(lined(`"meta":{${numbered(2_200)}}`, 60))).toHaveLength(60)
  })

  test.each([
    ['members', `{${numbered(100_000)}}`],
    ['numbers with an exponent', `[${ofLength(190_000, () => '1e400')}]`],
  ])('made all other work wait: %s are passed over in steps', (_what, meta) => {
    const reader = new LineReader()
    reader.load([Buffer.from(lined(`"meta":${meta}`))])
    const batch = new LineBatchBuilder()
    const steps = reader.parsingLines(batch, timeBounds(1_767_225_600_000, 30), null, LIMIT_BYTES)
    let count = 0
    while (!steps.next().done) count++
    expect(count).toBeGreaterThan(5)
    expect(batch.count).toBe(1)
  })

  test('takes no longer than ordinary meta', () => {
    const cpuMs = (body: string) => Math.min(...[1, 2, 3].map(() => cpuMsOf(() => read(body))))
    const ordinary = cpuMs(lined(`"q":1,"meta":{"a":1,"b":"c"}`, 30_000))
    expect(cpuMs(lined(`"meta":{${numbered(110_000)}}`))).toBeLessThan(ordinary)
    expect(cpuMs(lined(`"meta":{${numbered(2_500)}}`, 50))).toBeLessThan(ordinary)
  })
})

describe('very many tags', () => {
  test.each([
    ['200,000 of a line', lined(`"tags":[${tagged(200_000)}]`)],
    ['the same one 400,000 times', lined(`"tags":[${ofLength(400_000, () => '"a"')}]`)],
    ['with commas', lined(`"tags":"${'a,'.repeat(400_000)}"`)],
    ['of the body', `{"tags":[${tagged(200_000)}],"lines":["a"]}`],
    [
      'of the body, stored with each line',
      `{"tags":[${tagged(3_000)}],"lines":[${ofLength(100, () => '"a"')}]}`,
    ],
  ])('%s: refused', (_what, body) => {
    expect(() => read(body)).toThrow(TOO_LARGE)
  })

  test('of a query count for each of its lines, however the lines are read', () => {
    const tags = Array.from({ length: 1_100 }, (_, index) => `t${index}`)
    for (const frame of ['{"lines":[?]}', '{"other":1,"lines":[?]}']) {
      const of = (lines: number) =>
        frame.replace(
          '?',
          ofLength(lines, () => '"a"'),
        )
      expect(read(of(32), tags)).toHaveLength(32)
      expect(() => read(of(33), tags)).toThrow(TOO_LARGE)
    }
  })

  test('are free by dozens', () => {
    const tags = Array.from({ length: 50 }, (_, index) => `q${index}`)
    expect(read(lined(`"tags":[${tagged(50)}]`, 5_000), tags)).toHaveLength(5_000)
  })
})

function cpuMsOf(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}
