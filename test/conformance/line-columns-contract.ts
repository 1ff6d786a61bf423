import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { LineBatchBuilder, type RequestFacts } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { type BodyReader, type LineCodec, lineCodec } from '../../engine/lines/line-codec.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { BodyError } from '../../engine/lines/scan/body-error.ts'
import type { ReadLines } from '../../engine/lines/scan/line-reader.ts'
import type { Envelope } from '../../engine/lines/scan/parse-lines.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { finish } from '../../engine/steps.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import {
  BODY_CASES,
  type BodyCase,
  CODEC_NOW_MS,
  RECORD_CASES,
  type RecordCase,
} from '../support/codec-cases.ts'
import { type CodecRule, everyCaseExists, ruleOfEach } from '../support/codec-rules.ts'
import { goldenCases } from '../support/golden-cases.ts'

/** Golden columns that every codec makes of request bodies. */

interface GoldenBody {
  readonly title: string
  /** Base64. */
  readonly body: string
  readonly tags: readonly string[] | null
  readonly limitBytes: number
  readonly gives: GivenColumns | GivenFault
  /** Members beside the lines. */
  readonly envelope: Envelope | GivenFault
}

interface GivenFault {
  readonly fault: BodyError['fault']
}

interface GivenColumns extends GivenRead, Contents {}

/** An envelope without any content is null here: a scanner does not look for one. */
interface GivenRead extends ReadLines {}

/** Open columns with lines. */
interface Contents {
  /** Host, app, level, env and file per row. The order of the dictionary is free, so words stand for their numbers. */
  readonly words: readonly (readonly string[])[]
  /** Base64 of each column. */
  readonly columns: Readonly<Record<string, string>>
  /** Digest of the block that the own store makes of them. */
  readonly stored: string
}

/** Requests that become one record. Each request that fails is rolled back. */
interface GoldenRecord {
  readonly title: string
  readonly requests: readonly GoldenRequest[]
  readonly gives: GivenRecord
}

interface GoldenRequest extends Pick<GoldenBody, 'body' | 'tags' | 'limitBytes'> {
  readonly receivedAtMs: number
  readonly retentionDays: number
}

interface GivenRecord extends Contents {
  /** One per request. */
  readonly reads: readonly (GivenRead | GivenFault)[]
  /** Number of lines of each request that left lines. */
  readonly lines: readonly number[]
}

/** Longer bodies are not tried with chunks of every length. */
const SHORT_BODY_BYTES = 64
const RETENTION_DAYS = 30

const FACTS: RequestFacts = {
  hostname: 'h',
  mac: '',
  ip: '',
  remoteAddress: '',
  tags: [],
  receivedAtMs: CODEC_NOW_MS,
  driftMs: null,
  idempotency: null,
}

type ReadArguments = Parameters<BodyReader['readLines']>
/** A way in which a body is read into columns. */
type Way = (reader: BodyReader, ...given: ReadArguments) => ReadLines

const readAtOnce: Way = (reader, ...given) => reader.readLines(...given)
const parse: Way = (reader, ...given) => finish(reader.parsingLines(...given))
const scanElseParse: Way = (reader, ...given) => {
  const [columns] = given
  const before = recordOf(columns)
  const read = reader.scanLines(...given)
  if (read !== undefined) return read
  expect(recordOf(columns).equals(before), 'the columns are as before the scan').toBe(true)
  return parse(reader, ...given)
}
const WAYS: readonly (readonly [string, Way])[] = [
  ['at once', readAtOnce],
  ['by a scan, else by the complete rules', scanElseParse],
  ['by the complete rules', parse],
]

/** Numbers of lines around a size at which readers may divide a body. */
const MANY_LINES = [2_047, 2_048, 5_000]
const MEMBERS_OF_LINE = '{"line":"x","app":"web"},'
/** The first is a usual one. Readers may leave the second to the complete rules, and refuse the last. */
const LAST_LINES = ['"x"', '{"line":"last","pid":7}', '{"line":"last"']

const bodies = goldenCases('line-codec-columns', BODY_CASES, newBody)
const records = goldenCases('line-codec-records', RECORD_CASES, newRecord)

/** Promises of a codec about bodies. */
export const COLUMN_RULES: readonly CodecRule[] = [
  everyCaseExists(bodies, BODY_CASES),
  everyCaseExists(records, RECORD_CASES),
  ...ruleOfEach(bodies, (codec, golden) => {
    expect(columnsOf(codec.newReader(), golden)).toEqual(golden.gives)
  }),
  ...ruleOfEach(records, (codec, golden) => {
    for (const [title, way] of WAYS) expect(recordsOf(codec, golden, way), title).toEqual(golden.gives)
  }),
  {
    title: 'a reader that has read one body reads the next one in the same way',
    check(codec) {
      const reader = codec.newReader()
      for (const golden of bodies) expect(columnsOf(reader, golden), golden.title).toEqual(golden.gives)
    },
  },
  {
    title: 'the rules for a body that was opened before are the same',
    check(codec) {
      const reader = codec.newReader()
      for (const golden of bodies)
        expect(columnsOf(reader, golden, { isOpened: true }), golden.title).toEqual(golden.gives)
    },
  },
  {
    title: 'a body gives the same columns by a scan, or else by the complete rules',
    check: codec => expectEqualColumns(codec, scanElseParse),
  },
  {
    title: 'a body gives the same columns by the complete rules alone',
    check: codec => expectEqualColumns(codec, parse),
  },
  {
    title: 'the steps of the complete rules go on after other bodies were loaded',
    check(codec) {
      const reader = codec.newReader()
      for (const golden of bodies)
        expect(columnsOf(reader, golden, { way: withOthersBetween }), golden.title).toEqual(golden.gives)
    },
  },
  {
    title: 'the loaded body is kept until the next one, and its envelope is that of the body',
    check(codec) {
      const reader = codec.newReader()
      for (const golden of bodies) {
        const bytes = bytesOf(golden)
        reader.load([bytes])
        expect(reader.body.equals(bytes), golden.title).toBe(true)
        expect(envelopeOf(reader), golden.title).toEqual(golden.envelope)
        columnsOf(reader, golden)
        expect(reader.body.equals(bytes), `${golden.title}, after it was read`).toBe(true)
        expect(envelopeOf(reader), `${golden.title}, after it was read`).toEqual(golden.envelope)
      }
    },
  },
  {
    title: 'readers of one codec have bodies of their own',
    check(codec) {
      const read = bodies.slice(0, 8).map(golden => {
        const reader = codec.newReader()
        load(reader, golden)
        return { reader, golden }
      })
      for (const { reader, golden } of read) {
        expect(reader.body.equals(bytesOf(golden)), golden.title).toBe(true)
        expect(columnsOfLoaded(reader, golden), golden.title).toEqual(golden.gives)
      }
    },
  },
  {
    title: 'a chunk may end at every byte',
    check(codec) {
      const reader = codec.newReader()
      const columns = new LineBatchBuilder()
      for (const golden of bodies) {
        const bytes = bytesOf(golden)
        if (bytes.length > SHORT_BODY_BYTES) continue
        expect(columnsOf(reader, golden, { firstBytes: 0 }), golden.title).toEqual(golden.gives)
        const expected = loadedRecord(reader, golden, columns)
        const expectSame = (chunks: readonly Buffer[], split: string) => {
          reader.load(chunks)
          expect(loadedRecord(reader, golden, columns).equals(expected), `${golden.title}, ${split}`).toBe(
            true,
          )
        }
        for (let end = 1; end <= bytes.length; end++)
          expectSame([bytes.subarray(0, end), bytes.subarray(end)], `${end} bytes in the first chunk`)
        expectSame(
          [...bytes].flatMap(byte => [Buffer.of(byte), Buffer.alloc(0)]),
          'a byte in each chunk',
        )
      }
    },
  },
  {
    title: 'a body of many lines gives the columns of the complete rules, whatever its last line is',
    check(codec) {
      const reader = codec.newReader()
      for (const lines of MANY_LINES)
        for (const last of LAST_LINES) {
          const body = Buffer.from(`{"lines":[${MEMBERS_OF_LINE.repeat(lines)}${last}]}`)
          const expected = recordBehindAnother(lineCodec.newReader(), body, parse)
          for (const [title, way] of WAYS)
            expect(recordBehindAnother(reader, body, way), `${lines} lines and ${last}, ${title}`).toEqual(
              expected,
            )
        }
    },
  },
  {
    title: 'columns that were emptied are filled in the same way',
    check(codec) {
      const reader = codec.newReader()
      const columns = new LineBatchBuilder()
      for (const golden of bodies) {
        expect(columnsOf(reader, golden, { columns }), golden.title).toEqual(golden.gives)
        columns.clear()
      }
    },
  },
]

function expectEqualColumns(codec: LineCodec, way: Way): void {
  const reader = codec.newReader()
  for (const golden of bodies) expect(columnsOf(reader, golden, { way }), golden.title).toEqual(golden.gives)
}

interface Reading {
  readonly way?: Way
  /** Size of the first of two chunks. */
  readonly firstBytes?: number
  /** Whether the envelope is asked for first, as for a key in the body. */
  readonly isOpened?: boolean
  readonly columns?: LineBatchBuilder
}

function columnsOf(reader: BodyReader, golden: GoldenBody, reading: Reading = {}): GivenColumns | GivenFault {
  load(reader, golden, reading.firstBytes)
  return columnsOfLoaded(reader, golden, reading)
}

function load(reader: BodyReader, { body }: Pick<GoldenBody, 'body'>, firstBytes = 3): void {
  const bytes = Buffer.from(body, 'base64')
  reader.load([bytes.subarray(0, firstBytes), bytes.subarray(firstBytes)])
}

function columnsOfLoaded(
  reader: BodyReader,
  { tags, limitBytes }: Pick<GoldenBody, 'tags' | 'limitBytes'>,
  { way = readAtOnce, isOpened = false, columns = new LineBatchBuilder() }: Reading = {},
): GivenColumns | GivenFault {
  return orFault(() => {
    if (isOpened) reader.envelope()
    const { filled } = columns.addRequest(batch => ({
      facts: { ...FACTS, tags: tags ?? [] },
      read: way(reader, batch, timeBounds(CODEC_NOW_MS, RETENTION_DAYS), tags, limitBytes),
    }))
    return { ...givenRead(filled.read), ...contentsOf(recordOf(columns)) }
  })
}

/**
 * The record of the lines of a loaded body; a fault by its name.
 *
 * @param columns  they are emptied first
 */
function loadedRecord(
  reader: BodyReader,
  { tags, limitBytes }: GoldenBody,
  columns: LineBatchBuilder,
): Buffer {
  columns.clear()
  const bounds = timeBounds(CODEC_NOW_MS, RETENTION_DAYS)
  const read = orFault(() => reader.readLines(columns, bounds, tags, limitBytes))
  return 'fault' in read ? Buffer.from(read.fault) : recordOf(columns)
}

/** Lines of a body as a second request, and the digest of the record; a fault leaves the first request alone. */
function recordBehindAnother(reader: BodyReader, body: Buffer, way: Way) {
  const columns = new LineBatchBuilder()
  const bounds = timeBounds(CODEC_NOW_MS, RETENTION_DAYS)
  const reads = [Buffer.from('{"lines":[{"line":"first","app":"web","level":"info"}]}'), body].map(each =>
    orFault(() => {
      reader.load([each])
      const { filled } = columns.addRequest(batch => ({
        facts: FACTS,
        read: way(reader, batch, bounds, null, 2 * body.length),
      }))
      return givenRead(filled.read)
    }),
  )
  const { words, columns: texts } = contentsOfRecord(recordOf(columns))
  return { reads, rows: words.length, digest: hash('sha256', JSON.stringify([words, texts])) }
}

/** Other bodies, which are read while the complete rules read one. */
const OTHERS = ['{"lines":["other"]}', '{"hostname":"h","lines":[{"line":"other","app":"other"}]}'].map(
  body => Buffer.from(body),
)

const withOthersBetween: Way = (reader, columns, bounds, tags, limitBytes) => {
  const steps = reader.parsingLines(columns, bounds, tags, limitBytes)
  for (let step = 0; ; step++) {
    const other = OTHERS[step % OTHERS.length] as Buffer
    reader.load([other])
    reader.readLines(new LineBatchBuilder(), bounds, ['other'], other.length)
    const { done, value } = steps.next()
    if (done === true) return value
  }
}

function recordsOf(codec: LineCodec, { requests }: Pick<GoldenRecord, 'requests'>, way: Way): GivenRecord {
  const reader = codec.newReader()
  const batch = new LineBatchBuilder()
  const reads = requests.map((request, number) =>
    orFault(() => {
      load(reader, request)
      const { body: _, tags, limitBytes, receivedAtMs, retentionDays } = request
      const { filled } = batch.addRequest(columns => ({
        facts: { ...FACTS, hostname: `host ${number}`, receivedAtMs, tags: tags ?? [] },
        read: way(reader, columns, timeBounds(receivedAtMs, retentionDays), tags, limitBytes),
      }))
      return givenRead(filled.read)
    }),
  )
  const value = recordOf(batch)
  return {
    reads,
    lines: lineBatchType.decode(value).requests.map(({ lines }) => lines),
    ...contentsOf(value),
  }
}

function recordOf(batch: LineBatchBuilder): Buffer {
  return batch.encode('account', 'ingest')
}

function orFault<Given>(read: () => Given): Given | GivenFault {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    return { fault: error.fault }
  }
}

function envelopeOf(reader: BodyReader): Envelope | GivenFault {
  return orFault(() => reader.envelope())
}

function givenRead({ envelope, ...read }: ReadLines): GivenRead {
  const isEmpty = Object.values(envelope ?? {}).every(value => value.length === 0)
  return { ...read, envelope: isEmpty ? null : envelope }
}

function contentsOf(value: Buffer): Contents {
  const stored = hash('sha256', Buffer.concat(storedBlock(LineBatchView.decode(value))))
  return { ...contentsOfRecord(value), stored }
}

function contentsOfRecord(value: Buffer): Omit<Contents, 'stored'> {
  const { count, dictionary, ...record } = lineBatchType.decode(value)
  const { hostIndex, appIndex, levelIndex, envIndex, fileIndex } = record
  const indexes = [hostIndex, appIndex, levelIndex, envIndex, fileIndex].map(column => Buffer.from(column))
  const wordAt = (column: Buffer, row: number) =>
    column.length === 0 ? '' : (dictionary[column.readUInt32LE(row * 4)] as string)
  const { timestampMs, timestampKind, line, meta, rest } = record
  const columns = { timestampMs, timestampKind, line, meta, rest }
  return {
    words: Array.from({ length: count }, (_, row) => indexes.map(column => wordAt(column, row))),
    columns: Object.fromEntries(
      Object.entries(columns).map(([name, column]) => [name, Buffer.from(column).toString('base64')]),
    ),
  }
}

/** All lines of a batch as the default pipeline stores them. */
function storedBlock(batch: LineBatchView): Uint8Array[] {
  const ownStore = CATALOGUE.defaultOwnStore()
  const line = newStoredLine()
  const block = newLineBlock()
  const context = {
    account: batch.account,
    timeMs: CODEC_NOW_MS,
    retentionDays: RETENTION_DAYS,
    poolDays: 0,
    fieldNames: new FieldNames(),
    behaviour: BEHAVIOUR,
  }
  for (let row = 0; row < batch.count; row++) {
    expect(ownStore.fill(Event.ofLine(batch, row), line, context)).toBeUndefined()
    block.append(1n, row, line)
  }
  return block.take()
}

function bytesOf({ body }: Pick<GoldenBody, 'body'>): Buffer {
  return Buffer.from(body, 'base64')
}

function newBody({ title, body, tags = null, limitBytes = 0 }: BodyCase): GoldenBody {
  const input = { title, body: Buffer.from(body).toString('base64'), tags, limitBytes }
  const reader = lineCodec.newReader()
  load(reader, input)
  return { ...input, gives: columnsOfLoaded(reader, input), envelope: envelopeOf(reader) }
}

function newRecord({ title, requests }: RecordCase): GoldenRecord {
  const given = requests.map(
    ({ body, tags = null, limitBytes = 0, receivedAtMs = CODEC_NOW_MS, retentionDays = RETENTION_DAYS }) => ({
      ...{ body: Buffer.from(body).toString('base64'), tags, limitBytes },
      ...{ receivedAtMs, retentionDays },
    }),
  )
  return { title, requests: given, gives: recordsOf(lineCodec, { requests: given }, readAtOnce) }
}
