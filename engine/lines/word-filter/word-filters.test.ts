import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { blockOf, newStoredLine } from '../../../test/support/line-blocks.ts'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { finish } from '../../steps.ts'
import type { StoredLine } from '../stored-line/stored-line.ts'
import { SECTIONS, SegmentFilter } from './segment-filter.ts'
import { ALL_SECTIONS, wordFilters } from './word-filters.ts'
import { bitsOf, keysOfTerm, wordOf } from './word-keys.ts'

interface FilterRow {
  readonly account: string
  readonly slice: number
  readonly ts_min: number
  readonly ts_max: number
  readonly segment: number
  readonly lines: number
  readonly filter: string
}

function line(text: string, members: Partial<StoredLine> = {}): StoredLine {
  const textBytes = Buffer.from(text)
  return newStoredLine({ textBytes, textEnd: textBytes.length, ...members })
}

function filtersOf(lines: readonly StoredLine[], segmentLines?: number): FilterRow[] {
  const { block, rows } = finish(wordFilters(blockOf(7n, lines), 'lines', segmentLines))
  const read = readNativeBlock(block, 'latin1').rows as unknown as FilterRow[]
  expect(read).toHaveLength(rows)
  return read
}

/** Segments whose filters have all keys of a term. */
function segmentsWith(rows: readonly FilterRow[], term: string): number[] {
  const [start] = keysOfTerm(term)
  if (start === undefined) throw new Error(`${term} has no key`)
  const { section, hashes } = start
  const holding = rows.filter(row => {
    if (row.slice !== section && row.slice !== ALL_SECTIONS) return false
    const bytes = Buffer.from(row.filter, 'latin1')
    const size = row.slice === ALL_SECTIONS ? bytes.length / SECTIONS : bytes.length
    const part = row.slice === ALL_SECTIONS ? bytes.subarray(section * size, (section + 1) * size) : bytes
    return hashes.every(hash => {
      const word = part.readBigUInt64LE(wordOf(hash, size / 8) * 8)
      return (word & bitsOf(hash)) === bitsOf(hash)
    })
  })
  return holding.map(({ segment }) => segment)
}

describe('a segment', () => {
  test('has lines of one account that follow each other in time', () => {
    const lines = [3, 1, 2, 9, 8, 7, 5].map((second, index) =>
      line(`order-${second}00000`, { account: index === 6 ? 'b' : 'a', timestampMs: second * 1000 }),
    )
    const rows = filtersOf(lines, 3)
    expect(rows.map(({ account, ts_min, ts_max, lines: count }) => [account, ts_min, ts_max, count])).toEqual(
      [
        ['a', 1000, 3000, 3],
        ['a', 7000, 9000, 3],
        ['b', 5000, 5000, 1],
      ],
    )
    expect(segmentsWith(rows, '800000')).toEqual([1])
    expect(segmentsWith(rows, '500000')).toEqual([2])
  })

  test('of 1,023 lines has one row, and one of 1,024 lines a row per section', () => {
    const lines = (count: number) =>
      Array.from({ length: count }, (_, index) => line(`entry ${index * 7919}`))
    expect(filtersOf(lines(1_023)).map(({ slice }) => slice)).toEqual([ALL_SECTIONS])
    const rows = filtersOf(lines(1_024))
    expect(rows.map(({ slice }) => slice)).toEqual(Array.from({ length: SECTIONS }, (_, section) => section))
    expect(segmentsWith(rows, 'entry')).toEqual([0])
  })

  test('of lines hours late does not lengthen the time of the others', () => {
    const lines = Array.from({ length: 40 }, (_, index) =>
      line('tick', { timestampMs: index % 10 === 3 ? index : 36_000_000 + index }),
    )
    const lengths = filtersOf(lines, 4).map(({ ts_min, ts_max }) => ts_max - ts_min)
    expect(lengths.filter(length => length < 3_000)).toHaveLength(10)
  })
})

describe('words are found, wherever they are', () => {
  const NOISE = Array.from({ length: 20 }, () => line('noise'))
  const found = (one: StoredLine, term: string) =>
    segmentsWith(filtersOf([...NOISE, one, ...NOISE], 1), term).length
  const fields = (value: string) => ({ textFieldNames: ['f'], textFieldValues: [value], textFieldCount: 1 })

  test.each<[string, StoredLine]>([
    ['in the text', line('a needle here')],
    ['at its end', line('a needle')],
    ['in a host', line('x', { host: 'needle-1' })],
    ['in an app', line('x', { app: 'needle' })],
    ['in a level', line('x', { level: 'NEEDLE' })],
    ['in a file', line('x', { file: '/var/log/needle.log' })],
    ['in an environment', line('x', { env: 'needle' })],
    ['in a tag', line('x', { tags: ['one', 'needle'] })],
    ['in an object of meta', line('x', { meta: '{"a":"needle"}' })],
    ['in a text of meta', line('x', { meta: '"a\\nneedle"' })],
    ['in a field whose text has an escape', line('{"f":"\\u006eeedle"}')],
    ['behind an escape', line('{"f":"a\\nneedle"}')],
    ['in a deep object', line('{{{{', fields('needle'))],
    ['in a field beside the text', line('x', { extra: '{"label":{"f":"needle"}}', ...fields('needle') })],
    ['in a text of 300,000 characters', line(`${'word '.repeat(60_000)}needle`)],
  ])('%s', (_place, one) => {
    expect(found(one, 'needle')).toBe(1)
  })

  test('with the long s and the Kelvin sign', () => {
    expect(found(line('meſſage'), 'message')).toBe(1)
    expect(found(line('\u212aelvin'), 'kelvin')).toBe(1)
    expect(found(line('x', { host: 'ho\u017ftname' }), 'hostname')).toBe(1)
    expect(found(line('{{{{', fields('meſſage')), 'message')).toBe(1)
    expect(found(line('{"f":"me\\u017f\\u017fage"}'), 'message')).toBe(1)
  })
})

test('lines of any order, account and length are all in a filter of their time', () => {
  const drawn = fc.record({
    account: fc.constantFrom('a', 'b', 'c'),
    timestampMs: fc.oneof(fc.integer({ min: 0, max: 50 }), fc.nat({ max: 10_000_000 })),
    word: fc.stringMatching(/^[a-z]{6,12}[0-9]{1,6}$/),
    before: fc.string({ maxLength: 200 }),
  })
  const property = fc.property(
    fc.array(drawn, { minLength: 1, maxLength: 60, size: 'max' }),
    fc.integer({ min: 1, max: 20 }),
    (all, most) => {
      const lines = all.map(({ word, before, ...members }) => line(`${before} ${word}`, members))
      const rows = filtersOf(lines, most)
      expect(rows.reduce((sum, { lines: count }) => sum + count, 0)).toBe(lines.length)
      for (const { word, account, timestampMs } of all) {
        const holding = new Set(segmentsWith(rows, word))
        const inTime = rows.some(
          row =>
            row.account === account &&
            row.ts_min <= timestampMs &&
            timestampMs <= row.ts_max &&
            holding.has(row.segment),
        )
        expect(inTime, word).toBe(true)
      }
    },
  )
  fc.assert(property, { numRuns: 200 })
})

test('lines whose accounts alternate, and long ones, have the filters of their texts one by one', () => {
  const lines = Array.from({ length: 3_000 }, (_, index) => {
    const long = index % 500 === 7 ? 'padding '.repeat(40_000) : ''
    return line(`${long}order ${index * 7919} for customer ${(index * 31) % 977}`, {
      account: index % 700 < 300 ? 'a' : (['a', 'b', 'c'][index % 3] as string),
      timestampMs: index - (index % 11),
    })
  })
  const filter = new SegmentFilter()
  for (const account of ['a', 'b', 'c']) {
    const own = lines.filter(each => each.account === account)
    filter.clear()
    for (const { textBytes } of own) filter.addText(Buffer.from(textBytes).toString())
    for (const each of own.slice(0, 1))
      for (const word of [each.host, each.app, each.level]) filter.addText(word)
    const rows = filtersOf(lines, 3_000).filter(row => row.account === account)
    const bytes = rows.map(row => Buffer.from(row.filter, 'latin1'))
    expect(bytes).toEqual(own.length < 1_024 ? [filter.whole()] : filter.sections())
  }
})
