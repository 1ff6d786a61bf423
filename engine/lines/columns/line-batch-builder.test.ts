import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TIMESTAMP_ABSENT, TIMESTAMP_NUMBER_MS } from '../../../schemas/log/line-batch.ts'
import { LineBatchBuilder, type NewLine, type RequestFacts } from './line-batch-builder.ts'
import { LineBatchView } from './line-batch-view.ts'
import { rareMembersOf } from './rare-members.ts'

const FACTS: RequestFacts = {
  hostname: 'web-1',
  mac: '',
  ip: '',
  remoteAddress: '192.0.2.1',
  tags: ['a'],
  receivedAtMs: 1_767_225_600_000,
  driftMs: -7,
  idempotency: null,
}

const word = fc.constantFrom('', 'a', 'b', 'web', 'ü')
const text = fc.string({ unit: 'grapheme', maxLength: 200 })
const someLine: fc.Arbitrary<NewLine> = fc.record({
  line: text.map(value => Buffer.from(value)),
  host: word,
  app: fc.oneof(word, text),
  level: word,
  env: word,
  file: fc.oneof(word, text),
  timestampMs: fc.integer({ min: 0, max: 2 ** 45 }),
  timestampKind: fc.constantFrom(TIMESTAMP_ABSENT, TIMESTAMP_NUMBER_MS),
  meta: fc.constantFrom('', '{"a":1}'),
  rest: fc.constantFrom('', '{"truncated":true}'),
})
const someRequests = fc.array(
  fc.record({ lines: fc.array(someLine, { maxLength: 8 }), fails: fc.boolean() }),
  { maxLength: 6 },
)

function add(batch: LineBatchBuilder, lines: readonly NewLine[]) {
  return batch.addRequest(() => {
    for (const line of lines) batch.add(line)
    return { facts: FACTS }
  })
}

function addAndFail(batch: LineBatchBuilder, lines: readonly NewLine[]): void {
  const failing = () =>
    batch.addRequest(() => {
      for (const line of lines) batch.add(line)
      throw new Error('no')
    })
  expect(failing).toThrow('no')
}

test('all lines of another batch are the same as if each had been added here', () => {
  const rows = fc.array(someLine, { maxLength: 8 })
  fc.assert(
    fc.property(rows, rows, (before, after) => {
      const [one, other, joined] = [new LineBatchBuilder(), new LineBatchBuilder(), new LineBatchBuilder()]
      add(one, [...before, ...after])
      add(other, after)
      add(joined, before)
      joined.addRequest(() => {
        joined.addAll(other)
        return { facts: FACTS }
      })
      const views = [one, joined].map(batch => LineBatchView.decode(batch.encode('account', 'ingest')))
      const [expected, found] = views.map(view =>
        Array.from({ length: view.count }, (_, index) => [
          view.lineText(index),
          view.metaText(index),
          view.ownHost(index),
          view.app(index),
          view.level(index),
          view.env(index),
          view.file(index),
          view.timestampMs(index),
          view.timestampKind(index),
          rareMembersOf(view, index),
        ]),
      )
      expect(found).toEqual(expected)
    }),
  )
})

test('lines and requests are read back one by one as added, and failed ones leave no trace', () => {
  const batch = new LineBatchBuilder() // one for all runs: it must not remember the run before
  fc.assert(
    fc.property(someRequests, requests => {
      const clean = new LineBatchBuilder()
      for (const { lines, fails } of requests) {
        if (fails) addAndFail(batch, lines)
        else expect(add(batch, lines).index).toBe(add(clean, lines).index)
      }
      const kept = requests.filter(({ lines, fails }) => !fails && lines.length > 0)
      const record = batch.encode('account', 'ingest')
      expect(record.equals(clean.encode('account', 'ingest'))).toBe(true)
      expect(record.length).toBeLessThanOrEqual(batch.bytes)
      batch.clear()
      const view = LineBatchView.decode(record)
      expect(view.requests.map(({ lines }) => lines)).toEqual(kept.map(({ lines }) => lines.length))
      for (const [index, line] of kept.flatMap(({ lines }) => lines).entries()) {
        expect(view.lineText(index)).toBe(line.line.toString())
        expect(view.host(index)).toBe(line.host || FACTS.hostname)
        expect([view.app(index), view.level(index), view.env(index), view.file(index)]).toEqual([
          line.app,
          line.level,
          line.env,
          line.file,
        ])
        expect([view.timestampMs(index), view.timestampKind(index)]).toEqual([
          line.timestampMs,
          line.timestampKind,
        ])
        expect(view.metaText(index)).toBe(line.meta)
        expect(rareMembersOf(view, index)).toEqual(line.rest === '' ? undefined : JSON.parse(line.rest))
      }
    }),
    { numRuns: 300 },
  )
})

test('columns that no line uses take no space', () => {
  const batch = new LineBatchBuilder()
  const plain = {
    host: '',
    app: '',
    level: '',
    env: '',
    file: '',
    timestampMs: 5,
    timestampKind: 0,
    meta: '',
    rest: '',
  }
  add(
    batch,
    Array.from({ length: 1000 }, () => ({ ...plain, line: Buffer.from('abc') })),
  )
  expect(batch.encode('a', 'ingest').length).toBeLessThan(1000 * (4 + 8) + 100)
})

test('thousands of distinct words are distinguished', () => {
  const batch = new LineBatchBuilder()
  const indexes = Array.from({ length: 50_000 }, (_, number) => batch.words.internText(`word ${number}`))
  expect(new Set(indexes).size).toBe(50_000)
  expect(batch.words.internText('word 777')).toBe(indexes[777])
  expect(batch.words.texts()[indexes[49_999] as number]).toBe('word 49999')
  batch.words.truncate(101)
  expect(batch.words.internText('word 50')).toBe(indexes[50])
  expect(batch.words.internText('word 777')).toBe(101)
})
