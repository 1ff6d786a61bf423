import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { mappedRow } from '../../test/support/mapped-row.ts'
import { readNativeBlock } from '../../test/support/native-reader.ts'
import { type SentLine, sentBatch } from '../../test/support/sent-lines.ts'
import { exclusion } from '../../test/support/world.ts'
import { Event } from '../event/event.ts'
import { LineBatchBuilder } from '../lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { type LineCodec, lineCodec } from '../lines/line-codec.ts'
import { newStoredLine } from '../lines/stored-line/stored-line.ts'
import { MOST_ASKED } from '../lines/wasm/known-names.ts'
import { WasmCodec } from '../lines/wasm/wasm-codec.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import type { OwnStoreSink } from '../nodes/contract/own-store.ts'
import { finish } from '../steps.ts'
import { AccountState } from './account-state.ts'
import { FoldMoment } from './fold-moment.ts'
import { LineOutput } from './line-output.ts'
import { OpenTables } from './tables/open-tables.ts'

const PLACE = { topic: 'weir.ingest', partition: 0 }
const NODE = { account: 'a', pipeline: 'p', node: 'store' }

/** Delivers a run of lines, each of the app in its text. @returns the rows, and the events that are not stored */
function deliver(
  apps: readonly string[],
  { owner = new AccountState(CATALOGUE, 'a'), firstRow = 0, query = {} } = {},
) {
  const batch = LineBatchView.decode(lineBatchValue([{ lines: apps.map(app => ({ line: app, app })) }]))
  const events = apps.map((_, index) => Event.ofLine(batch, index))
  const moment = new FoldMoment()
  const tables = new OpenTables()
  const left: string[] = []
  moment.enter(7n, 1_000, 0)
  for (let row = 0; row < firstRow; row++) moment.nextRow()
  const run = {
    sink: CATALOGUE.ownStoresOf([{ nodeId: 'store', type: 'log-analysis', config: { query } }]).get(
      'store',
    ) as OwnStoreSink,
    owner,
    node: NODE,
    events,
    left: {
      failed: ({ message }: { readonly message: string }) => left.push(`failed: ${message}`),
      dropped: (_event: Event, { rule }: { readonly rule?: unknown }) => left.push(`dropped: ${rule}`),
    },
  }
  finish(new LineOutput(PLACE, moment, tables, true).deliver(run as never))
  const rows = readNativeBlock(tables.lines.take()?.block ?? []).rows
  return { rows: rows.map(({ offset, row, app }) => [offset, row, app]), left, tables }
}

test('the events of a run become rows in order, each with the next position of the present record', () => {
  expect(deliver(['one', 'two'], { firstRow: 3 })).toMatchObject({
    rows: [
      [7n, 3, 'one'],
      [7n, 4, 'two'],
    ],
    left: [],
  })
})

test('an event that cannot be stored is reported, and uses its position', () => {
  const { rows, left, tables } = deliver(['', 'two'], { query: { hostname: '{{ .app }}' } })
  expect(rows).toEqual([[7n, 1, 'two']])
  expect(left).toHaveLength(1)
  expect(tables.minute.activity.take().errors).toMatchObject([{ ...NODE, count: 1 }])
})

test('an event that a rule excludes is dropped, with the rule as the reason', () => {
  const owner = new AccountState(CATALOGUE, 'a')
  owner.rules.set({ accountId: 'a', exclusions: [exclusion('r', { apps: ['noise'] })], retentionRules: [] })
  const { rows, left } = deliver(['noise', 'signal'], { owner })
  expect(rows).toEqual([[7n, 1, 'signal']])
  expect(left).toEqual(['dropped: exclusion rule (r)'])
})

/** Neighbouring lines, some of which the codec reads, while others have fields beyond a sent text. */
const OF_EVERY_KIND: readonly SentLine[] = [
  { line: 'took {"ms":3}', level: 'warn' },
  { line: 'error: a text' },
  { line: '{"a":1,"b":{"c":"x"}}', meta: '{"m":1,"a":2}' },
  { line: '{"b":{"c":"y"},"_meta":5}', meta: '"a text"' },
  { line: '{"_label":1}', rest: { label: { team: 'red' }, other: { odd: true } } },
  { line: `{${Array.from({ length: 486 }, (_, index) => `"n${index}":${index}`).join()}}`, app: 'many' },
  { line: '{"first":1}', meta: '{"a":{"b":{"c":{"d":1}}},"second":2}' },
  { line: '{"third":1,"fourth":2,"fifth":3,"sixth":4}', rest: { tags: ['x'] } },
  { line: '{"left":1,"out":2,"a":3}' },
  { line: '{"late":1}', meta: '{"later":1}' },
]

/**
 * Rows of the tables that a run gives, and the names of fields. @param byLine each line is filled and appended separately
 */
function tablesOf(
  events: readonly Event[],
  { codec = lineCodec, byLine = false, behaviour = TENTH_BEHAVIOUR },
) {
  const owner = new AccountState(CATALOGUE, 'a')
  const moment = new FoldMoment()
  const tables = new OpenTables()
  const sink = CATALOGUE.defaultOwnStore()
  moment.bringIntoForce(behaviour)
  moment.enter(7n, 1_000, 0)
  const full: unknown[] = []
  if (byLine) {
    const { account, retentionDays, fieldNames } = owner
    const line = newStoredLine()
    const context = { account, retentionDays, fieldNames, timeMs: 1_000, poolDays: 0, behaviour }
    for (const [row, event] of events.entries()) {
      expect(sink.fill(event, line, context)).toBeUndefined()
      tables.lines.begin(1_000, behaviour)
      tables.lines.append({ offset: 7n, row }, line)
      if (fieldNames.takeFull() !== undefined) full.push(row)
    }
  } else {
    const run = { sink, owner, node: NODE, events, left: {} }
    finish(new LineOutput(PLACE, moment, tables, true, codec).deliver(run as never))
    for (const { block } of tables.fullDays.take())
      full.push(...readNativeBlock(block).rows.map(row => row.row))
  }
  const block = Buffer.concat(tables.lines.take()?.block ?? [])
  return { block, full, names: Buffer.from(owner.fieldNames.snapshot()).toString() }
}

test('a run gives the same bytes as its lines one by one, whichever lines the codec reads', () => {
  const events = eventsOfEveryKind()
  const oneByOne = tablesOf(events, { byLine: true })
  expect(oneByOne.full).toEqual([8])
  const rows: number[] = []
  const watched: LineCodec = {
    ...lineCodec,
    fill(run, from, names, columns) {
      rows.push(run.rows)
      return lineCodec.fill(run, from, names, columns)
    },
  }
  expect(tablesOf(events, { codec: watched })).toEqual(oneByOne)
  expect(rows).toEqual([2, 1, 1, 2, 2, 1, 1, 2])
  expect(tablesOf(events, { codec: reluctant })).toEqual(oneByOne)
  expect(tablesOf(events, { codec: new WasmCodec() })).toEqual(oneByOne)
})

test('a run of slotted lines gives the same bytes by each codec, and the lines that it gives one by one', () => {
  const events = eventsOfEveryKind()
  const given = tablesOf(events, { behaviour: BEHAVIOUR })
  for (const codec of [reluctant, new WasmCodec()])
    expect(tablesOf(events, { codec, behaviour: BEHAVIOUR })).toEqual(given)
  const oneByOne = tablesOf(events, { byLine: true, behaviour: BEHAVIOUR })
  expect(linesIn(given.block)).toEqual(linesIn(oneByOne.block))
  expect(given).toMatchObject({ full: oneByOne.full, names: oneByOne.names })
  const shapes = readNativeBlock([given.block]).rows.map(({ shape }) => shape !== '')
  expect(shapes.filter(Boolean)).not.toEqual([])
  expect(shapes.filter(isSlotted => !isSlotted)).not.toEqual([])
})

function eventsOfEveryKind(): Event[] {
  const batch = sentBatch([...OF_EVERY_KIND, ...OF_EVERY_KIND])
  return Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
}

/** A codec that leaves every second row of a run to the complete rules. */
const reluctant: LineCodec = {
  ...lineCodec,
  fill(run, from, names, columns) {
    if (from < run.rows && from % 2 === 1) return from
    return lineCodec.fill({ ...run, rows: Math.min(run.rows, from + 1) }, from, names, columns)
  },
}

/** Lines of a block of slotted ones, with their fields in the order of their names. */
function linesIn(block: Buffer) {
  return readNativeBlock([block]).rows.map(row => {
    const { text_fields, number_fields, ...line } = mappedRow(row)
    const sorted = (fields: unknown) => (fields as [string, unknown][]).map(String).sort()
    return { ...line, text_fields: sorted(text_fields), number_fields: sorted(number_fields) }
  })
}

test('neighbours of two batches are read in order', () => {
  const events = [['{"a":1}', 'one'], ['{"b":2}']].flatMap(texts => {
    const batch = sentBatch(texts.map(line => ({ line })))
    return texts.map((_, index) => Event.ofLine(batch, index))
  })
  expect(tablesOf(events, {})).toEqual(tablesOf(events, { byLine: true }))
})

describe('lines that are stored together', () => {
  const [FILES, ENVS, LEVELS] = [
    ['', '/var/log/a.log', '/b'],
    ['', 'prod'],
    ['', 'warn', 'ERROR'],
  ]
  const words = fc.constantFrom('', 'one', 'two', 'x'.repeat(600))
  const drawn = fc.record({
    line: fc.constantFrom('a text', '', '{"a":1,"b":"c"}', 'took {"ms":3}', '{"level":"debug","n":[1,2]}'),
    host: words,
    app: words,
    level: fc.constantFrom(...LEVELS),
    env: fc.constantFrom(...ENVS),
    file: fc.constantFrom(...FILES),
    timestampMs: fc.integer({ min: -1, max: 2_000_000_000_000 }),
    repeats: fc.integer({ min: 1, max: 4 }),
  })
  const facts = fc.record({
    hostname: fc.constantFrom('', 'web-1'),
    mac: fc.constantFrom('', '00:00:00:00:00:01'),
    ip: fc.constantFrom('', '10.0.0.1'),
    remoteAddress: fc.constantFrom('', '127.0.0.1'),
    tags: fc.constantFrom([], ['x', 'y']),
    driftMs: fc.constantFrom(null, 10, -60_000),
  })
  const request = fc.record({ facts, lines: fc.array(drawn, { minLength: 1, maxLength: 12 }) })
  const requests = fc.array(request, { minLength: 1, maxLength: 4 })

  function batchOf(given: typeof requests extends fc.Arbitrary<infer Given> ? Given : never): LineBatchView {
    const builder = new LineBatchBuilder()
    for (const { facts, lines } of given)
      builder.addRequest(batch => {
        for (const { line, repeats, ...members } of lines)
          for (let count = 0; count < repeats; count++)
            batch.add({ ...members, line: Buffer.from(line), timestampKind: 1, meta: '', rest: '' })
        return { facts: { ...facts, receivedAtMs: 1, idempotency: null } }
      })
    return LineBatchView.decode(builder.encode('a', 'ingest'))
  }

  function stored(batch: LineBatchView, indexes: readonly number[], behaviour: number, isTogether: boolean) {
    const owner = new AccountState(CATALOGUE, 'a')
    const moment = new FoldMoment()
    const tables = new OpenTables()
    const sink = CATALOGUE.defaultOwnStore()
    const output = new LineOutput(PLACE, moment, tables, true)
    moment.bringIntoForce(behaviour)
    moment.enter(7n, 1_000, 3)
    const events = indexes.map(index => Event.ofLine(batch, index))
    const run = { sink, owner, node: NODE, events, left: {} }
    if (isTogether) expect(output.storesTogether(owner, batch, indexes.length)).toBe(true)
    finish(isTogether ? output.storeTogether({ sink, owner, batch, indexes }) : output.deliver(run as never))
    const taken = tables.lines.take()
    return { ...taken, block: Buffer.concat(taken?.block ?? []), row: moment.row }
  }

  test('give the same bytes as their events', () => {
    const property = fc.property(
      requests,
      fc.array(fc.nat(3), { maxLength: 60, size: 'max' }),
      fc.constantFrom(TENTH_BEHAVIOUR, BEHAVIOUR),
      (given, left, behaviour) => {
        const batch = batchOf(given)
        if (!batch.hasTextsAlone) return
        const all = Array.from({ length: batch.count }, (_, index) => index)
        const indexes = all.filter(index => left[index] !== 0)
        if (indexes.length === 0) return
        const [together, apart] = [true, false].map(each => stored(batch, indexes, behaviour, each))
        expect(together).toEqual(apart)
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  test('are neither those with meta, nor of an account with rules, nor more than a record yields', () => {
    const owner = new AccountState(CATALOGUE, 'a')
    const moment = new FoldMoment()
    const output = new LineOutput(PLACE, moment, new OpenTables(), true)
    const plain = sentBatch([{ line: 'x' }, { line: 'y' }])
    moment.enter(7n, 1_000, 0)
    expect(output.storesTogether(owner, plain, 2)).toBe(true)
    expect(output.storesTogether(owner, sentBatch([{ line: 'x', meta: '"m"' }]), 1)).toBe(false)
    expect(output.storesTogether(owner, sentBatch([{ line: 'x', rest: { tags: ['t'] } }]), 1)).toBe(false)
    moment.watch = { observerOf: () => undefined, takesEffect: () => {}, stored: () => {} }
    expect(output.storesTogether(owner, plain, 2)).toBe(false)
    moment.watch = undefined
    moment.nextRows(MAX_ROWS_PER_RECORD - 1)
    expect([1, 2].map(lines => output.storesTogether(owner, plain, lines))).toEqual([true, false])
    moment.enter(8n, 1_000, 0)
    owner.rules.set({ accountId: 'a', exclusions: [exclusion('r', { apps: ['z'] })], retentionRules: [] })
    expect(output.storesTogether(owner, plain, 2)).toBe(false)
  })

  test('are read with pauses', () => {
    const batch = batchOf([
      {
        facts: { hostname: 'web-1', mac: '', ip: '', remoteAddress: '', tags: [], driftMs: null },
        lines: [
          {
            line: 'a text',
            host: '',
            app: '',
            level: '',
            env: '',
            file: '',
            timestampMs: 1,
            repeats: 20_000,
          },
        ],
      },
    ])
    const owner = new AccountState(CATALOGUE, 'a')
    const moment = new FoldMoment()
    moment.enter(7n, 1_000, 0)
    const indexes = Array.from({ length: batch.count }, (_, index) => index)
    const sent = { sink: CATALOGUE.defaultOwnStore(), owner, batch, indexes }
    const pauses = [...new LineOutput(PLACE, moment, new OpenTables(), true).storeTogether(sent)].length
    expect(pauses).toBeGreaterThan(10)
    expect(pauses).toBeLessThan(40)
  })
})

test('a record yields a limited number of rows', () => {
  const { rows, left } = deliver(['last', 'beyond'], { firstRow: MAX_ROWS_PER_RECORD - 1 })
  expect(rows).toEqual([[7n, MAX_ROWS_PER_RECORD - 1, 'last']])
  expect(left).toEqual(['failed: one record yields too many lines'])
})

test('the fold pauses after a few lines of very many members, and not after each text of that length', () => {
  const members = Object.fromEntries(Array.from({ length: 900 }, (_, index) => [`member${index}`, index]))
  const text = 'x'.repeat(JSON.stringify(members).length)
  const pausesOf = (line: SentLine) => {
    const batch = sentBatch(Array<SentLine>(40).fill(line))
    const moment = new FoldMoment()
    moment.enter(7n, 1_000, BEHAVIOUR)
    const owner = new AccountState(CATALOGUE, 'a')
    const sink = CATALOGUE.ownStoresOf([{ nodeId: 'store', type: 'log-analysis', config: {} }]).get('store')
    const events = Array.from({ length: batch.count }, (_, index) => Event.ofLine(batch, index))
    const run = { sink, owner, node: NODE, events, left: { failed: () => {}, dropped: () => {} } }
    let pauses = 0
    for (const _ of new LineOutput(PLACE, moment, new OpenTables(), true).deliver(run as never)) pauses++
    return pauses
  }
  expect(pausesOf({ line: 'x', meta: JSON.stringify(members) })).toBeGreaterThanOrEqual(20)
  expect(pausesOf({ line: text })).toBeLessThan(5)
})

describe('lines of long records made all other work wait', () => {
  const MEMBERS = 900

  /** Stores lines, of members that a function gives. @returns rows that fell back, and what a look after each pause gave */
  function stored<Seen>(
    membersOf: (line: number) => string,
    isTogether: boolean,
    look: (codec: WasmCodec) => Seen,
  ) {
    const codec = new WasmCodec()
    const lines = Array.from({ length: 40 }, (_, line) => ({ line: `{${membersOf(line)}}` }))
    const batch = sentBatch(lines)
    const owner = new AccountState(CATALOGUE, 'a')
    const moment = new FoldMoment()
    const tables = new OpenTables()
    moment.bringIntoForce(BEHAVIOUR)
    moment.enter(7n, 1_000, 0)
    const output = new LineOutput(PLACE, moment, tables, true, codec)
    const sink = CATALOGUE.defaultOwnStore()
    const indexes = [...lines.keys()]
    const events = indexes.map(index => Event.ofLine(batch, index))
    const steps = isTogether
      ? output.storeTogether({ sink, owner, batch, indexes })
      : output.deliver({ sink, owner, node: NODE, events, left: {} } as never)
    const seen = [look(codec)]
    for (const _ of steps) seen.push(look(codec))
    seen.push(look(codec))
    expect(tables.lines.take()?.rows).toBe(lines.length)
    return { fellBack: codec.fallenBackRows, seen }
  }

  const ofLine = (member: (index: number) => string) =>
    Array.from({ length: MEMBERS }, (_, at) => member(at)).join()
  const differing = (line: number) => ofLine(index => `"k${line}_${index}":${index}`)

  test.each([true, false])(
    'names that differ in each: pauses come after some of them (together: %s)',
    isTogether => {
      const { fellBack, seen } = stored(differing, isTogether, codec => codec.memory.exports.nameCount())
      const added = seen.slice(1).map((count, at) => count - (seen[at] as number))
      expect(Math.max(...added)).toBeLessThan(MOST_ASKED + MEMBERS)
      expect(seen.length).toBeGreaterThan(20)
      expect(fellBack).toBeLessThan(15)
    },
  )

  test.each([true, false])('that all fall back: pauses come after each (together: %s)', isTogether => {
    const repeating = (line: number) => `${differing(line)},"k${line}_0":1`
    const { fellBack, seen } = stored(repeating, isTogether, codec => codec.fallenBackRows)
    expect(fellBack).toBeGreaterThan(30)
    const fallen = seen.slice(1).map((rows, at) => rows - (seen[at] as number))
    expect(Math.max(...fallen)).toBeLessThanOrEqual(2)
  })

  test.each([
    ['each after a line of 60,000 characters', 30, 60_000, 30, 30],
    ['very often within a line of 900,000', 1, 900_000, 200, 1_000],
  ])('labels: pauses come %s', (_when, lines, characters, least, most) => {
    const label = { a: Array(characters / 3).fill('') }
    const batch = sentBatch(Array<SentLine>(lines).fill({ line: 'x', rest: { label } }))
    const owner = new AccountState(CATALOGUE, 'a')
    const moment = new FoldMoment()
    const tables = new OpenTables()
    moment.bringIntoForce(BEHAVIOUR)
    moment.enter(7n, 1_000, 0)
    const events = Array.from({ length: lines }, (_, index) => Event.ofLine(batch, index))
    const run = { sink: CATALOGUE.defaultOwnStore(), owner, node: NODE, events, left: {} }
    const pauses = [...new LineOutput(PLACE, moment, tables, true).deliver(run as never)].length
    expect(pauses).toBeGreaterThanOrEqual(least)
    expect(pauses).toBeLessThanOrEqual(most)
    expect(tables.lines.take()?.rows).toBe(lines)
  })

  test('members that all have are read with few pauses', () => {
    const { seen } = stored(
      () => ofLine(index => `"k${index}":${index}`),
      true,
      () => undefined,
    )
    expect(seen.length).toBeLessThan(8)
  })
})
