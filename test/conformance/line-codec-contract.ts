import { hash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { fillAll, type LineCodec, type LineRun, lineCodec } from '../../engine/lines/line-codec.ts'
import { FieldColumns } from '../../engine/lines/native-block/field-columns.ts'
import { type LineColumns, newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { nativeBlock } from '../../engine/lines/native-block/native-block.ts'
import { SlottedColumns } from '../../engine/lines/native-block/slotted-columns.ts'
import { BodyError } from '../../engine/lines/scan/body-error.ts'
import type { ReadLines } from '../../engine/lines/scan/line-reader.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import {
  BODY_CASES,
  type BodyCase,
  CODEC_NOW_MS,
  RUN_CASES,
  type RunCase,
  SLOT_CASES,
} from '../support/codec-cases.ts'
import { linesOfBothForms } from '../support/slotted-rows.ts'

/**
 * Golden bytes that every codec of lines produces. The files also contain the input of each case, so an implementation in
 * another language can use them unchanged. LINE_CODEC=new adds the cases that a file does not have. To write a case
 * again, remove it from its file.
 */

const IS_NEW = process.env.LINE_CODEC === 'new'

interface GoldenBody {
  readonly title: string
  /** Base64. */
  readonly body: string
  readonly tags: readonly string[] | null
  readonly limitBytes: number
  readonly gives: GivenColumns | GivenFault
}

interface GivenFault {
  readonly fault: BodyError['fault']
}

interface GivenColumns extends ReadLines {
  /** Host, app, level, env and file per row. The order of the dictionary is free, so words stand for their numbers. */
  readonly words: readonly (readonly string[])[]
  /** Base64 of each column. */
  readonly columns: Readonly<Record<string, string>>
  /** Digest of the block that the own store makes of them. */
  readonly stored: string
}

interface GoldenRun {
  readonly title: string
  readonly timeMs: number
  readonly isExact: boolean
  readonly lines: readonly { readonly text: string; readonly sentLevel: string; readonly own: number }[]
  readonly gives: GivenFields
}

interface GoldenSlots extends Omit<GoldenRun, 'gives'> {
  readonly gives: GivenSlots
}

/** As GivenFields; the block has the columns of slotted lines that follow from their texts. */
interface GivenSlots extends GivenFields {
  /** Digest of the block that the own store makes of the lines, each with the same head. */
  readonly stored: string
}

interface GivenFields {
  /** Values of ROW_FORM. */
  readonly forms: readonly number[]
  /** Base64 of a Native block with the columns level, text_fields and number_fields. */
  readonly block: string
  /** Base64 of a snapshot of the names. */
  readonly names: string
}

/** Longer bodies are not tried with chunks of every length. */
const SHORT_BODY_BYTES = 64

const FACTS = {
  hostname: 'h',
  mac: '',
  ip: '',
  remoteAddress: '',
  receivedAtMs: CODEC_NOW_MS,
  driftMs: null,
  idempotency: null,
}

/** Head of the lines of a slotted block. */
const HEAD = {
  ...{
    account: 'account',
    timeMs: CODEC_NOW_MS,
    timestampMs: CODEC_NOW_MS,
    host: 'h',
    app: 'a',
    sizeBytes: 1,
  },
  ...{ file: '/f', tags: ['a', 'b'], retentionDays: 30, meta: '{"m":1}', extra: '{"_drift":7000}' },
}

const bodies = goldenOf('line-codec-columns', BODY_CASES, newBody)
const runs = goldenOf('line-codec-fields', RUN_CASES, newRun)
const slots = goldenOf('line-codec-slots', SLOT_CASES, newSlots)

export function lineCodecContract(name: string, codec: LineCodec): void {
  describe(`${name}: open columns of bodies`, () => {
    test('every case exists', () => {
      expect(bodies.map(({ title }) => title)).toEqual(BODY_CASES.map(({ title }) => title))
    })

    test.each(bodies.map(golden => [golden.title, golden] as const))('%s', (_title, golden) => {
      expect(columnsOf(codec, golden)).toEqual(golden.gives)
    })

    test('a reader that has read one body reads the next one in the same way', () => {
      const reader = codec.newReader()
      const one = { ...codec, newReader: () => reader }
      for (const golden of bodies) expect(columnsOf(one, golden), golden.title).toEqual(golden.gives)
    })

    test('the rules for a body that was opened before are the same', () => {
      for (const golden of bodies)
        expect(columnsOf(codec, golden, { isOpened: true }), golden.title).toEqual(golden.gives)
    })

    test('a chunk may end at every byte', () => {
      const reader = codec.newReader()
      for (const golden of bodies) {
        const { length } = Buffer.from(golden.body, 'base64')
        if (length > SHORT_BODY_BYTES) continue
        for (let firstBytes = 0; firstBytes <= length; firstBytes++)
          expect(
            columnsOf({ ...codec, newReader: () => reader }, golden, { firstBytes }),
            `${golden.title}, ${firstBytes} bytes in the first chunk`,
          ).toEqual(golden.gives)
      }
    })
  })

  describe(`${name}: field columns of lines`, () => {
    test('every case exists', () => {
      expect(runs.map(({ title }) => title)).toEqual(RUN_CASES.map(({ title }) => title))
    })

    test.each(runs.map(golden => [golden.title, golden] as const))('%s', (_title, golden) => {
      expect(fieldsOf(codec, golden)).toEqual(golden.gives)
    })

    test('a run in two parts gives the same result as in one', () => {
      for (const golden of runs) {
        const half = Math.floor(golden.lines.length / 2)
        expect(fieldsOf(codec, golden, half), golden.title).toEqual(golden.gives)
      }
    })
  })

  describe(`${name}: columns of slotted lines`, () => {
    test('every case exists', () => {
      expect(slots.map(({ title }) => title)).toEqual(SLOT_CASES.map(({ title }) => title))
    })

    test.each(slots.map(golden => [golden.title, golden] as const))('%s', (_title, golden) => {
      expect(slotsOf(codec, golden)).toEqual(golden.gives)
    })

    test('a run in two parts gives the same result as in one', () => {
      for (const golden of slots) {
        const half = Math.floor(golden.lines.length / 2)
        expect(slotsOf(codec, golden, half), golden.title).toEqual(golden.gives)
      }
    })

    test('texts and fields are those of the other form', () => {
      for (const golden of slots) {
        const { plain, slotted, names } = linesOfBothForms(codec, runOf(golden), () => new FieldNames())
        expect(slotted, golden.title).toEqual(plain)
        expect(names[1], golden.title).toEqual(names[0])
      }
    })
  })
}

/**
 * @param firstBytes  of the first of two chunks
 * @param isOpened  the envelope is asked for first, as for a key in the body
 */
function columnsOf(
  codec: LineCodec,
  { body, tags, limitBytes }: GoldenBody,
  { firstBytes = 3, isOpened = false } = {},
): GivenColumns | GivenFault {
  const reader = codec.newReader()
  const bytes = Buffer.from(body, 'base64')
  reader.load([bytes.subarray(0, firstBytes), bytes.subarray(firstBytes)])
  const batch = new LineBatchBuilder()
  try {
    if (isOpened) reader.envelope()
    const { filled } = batch.addRequest(columns => ({
      facts: { ...FACTS, tags: tags ?? [] },
      read: reader.readLines(columns, timeBounds(CODEC_NOW_MS, 30), tags, limitBytes),
    }))
    const { envelope, ...read } = filled.read
    return { ...read, envelope: saysNothing(envelope) ? null : envelope, ...contentsOf(batch) }
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    return { fault: error.fault }
  }
}

/** If there is no envelope, a reader may or may not look for one. */
function saysNothing(envelope: ReadLines['envelope']): boolean {
  return Object.values(envelope ?? {}).every(value => value.length === 0)
}

function contentsOf(batch: LineBatchBuilder): Pick<GivenColumns, 'words' | 'columns' | 'stored'> {
  const value = batch.encode('account', 'ingest')
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
    stored: hash('sha256', Buffer.concat(storedBlock(LineBatchView.decode(value)))),
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
    retentionDays: 30,
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

/** @param parts rows of the first call; all when left out */
function fieldsOf(codec: LineCodec, golden: GoldenRun, parts?: number): GivenFields {
  return filledOf(codec, golden, new FieldColumns(), parts)
}

function slotsOf(codec: LineCodec, golden: GoldenSlots, parts?: number): GivenSlots {
  const stored = hash('sha256', Buffer.concat(slottedBlock(codec, runOf(golden), parts)))
  return { ...filledOf(codec, golden, new SlottedColumns(), parts), stored }
}

function filledOf(
  codec: LineCodec,
  golden: Omit<GoldenRun, 'gives'>,
  columns: LineColumns,
  parts?: number,
): GivenFields {
  const names = new FieldNames()
  const run = runOf(golden)
  fillParts(codec, run, names, columns, parts)
  expect(columns.rows).toBe(run.rows)
  const forms = [...columns.forms]
  const bytes = Buffer.concat(nativeBlock(columns.named(), columns.rows))
  return {
    forms,
    block: bytes.toString('base64'),
    names: Buffer.from(names.snapshot()).toString('base64'),
  }
}

function fillParts(codec: LineCodec, run: LineRun, names: FieldNames, columns: LineColumns, parts?: number) {
  if (parts !== undefined) fillAll(codec, { ...run, rows: parts }, names, columns)
  fillAll(codec, run, names, columns, parts)
}

/** The lines of a run, and one that was composed, as the store takes them. */
function slottedBlock(codec: LineCodec, run: LineRun, parts?: number): Uint8Array[] {
  const block = newLineBlock('slotted_lines')
  const line = { ...newStoredLine(), ...HEAD }
  for (let row = 0; row < run.rows; row++) block.appendHead(1n, row, line)
  fillParts(codec, run, new FieldNames(), block.fields, parts)
  const text = Buffer.from('{"composed":true}')
  block.append(2n, 0, { ...line, textBytes: text, textEnd: text.length, tags: [] })
  expect(block.rows).toBe(run.rows + 1)
  const { bytes } = block
  const pieces = block.take()
  expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(bytes)
  return pieces
}

function runOf({ lines, timeMs, isExact }: Omit<GoldenRun, 'gives'>): LineRun {
  const texts = lines.map(({ text }) => Buffer.from(text, 'base64'))
  const ends = texts.map((_, row) => texts.slice(0, row + 1).reduce((sum, { length }) => sum + length, 0))
  return {
    rows: lines.length,
    bytes: Buffer.concat(texts),
    starts: ends.map((end, row) => end - (texts[row] as Buffer).length),
    ends,
    sentLevels: lines.map(({ sentLevel }) => sentLevel),
    own: lines.map(({ own }) => own),
    timeMs,
    isExact,
  }
}

function newBody({ title, body, tags = null, limitBytes = 0 }: BodyCase): GoldenBody {
  const input = { title, body: Buffer.from(body).toString('base64'), tags, limitBytes }
  const gives = columnsOf(lineCodec, { ...input, gives: { fault: 'unreadable' } })
  return { ...input, gives }
}

function newRun(of: RunCase): GoldenRun {
  const input = inputOf(of)
  return { ...input, gives: fieldsOf(lineCodec, { ...input, gives: { forms: [], block: '', names: '' } }) }
}

function newSlots(of: RunCase): GoldenSlots {
  const input = inputOf(of)
  const gives = { forms: [], block: '', names: '', stored: '' }
  return { ...input, gives: slotsOf(lineCodec, { ...input, gives }) }
}

function inputOf({
  title,
  lines,
  sentLevel = '',
  own = 0,
  isExact = true,
}: RunCase): Omit<GoldenRun, 'gives'> {
  return {
    title,
    timeMs: CODEC_NOW_MS,
    isExact,
    lines: lines.map(text => ({ text: Buffer.from(text).toString('base64'), sentLevel, own })),
  }
}

function goldenOf<Golden extends { readonly title: string }, Case extends { readonly title: string }>(
  name: string,
  cases: readonly Case[],
  written: (of: Case) => Golden,
): readonly Golden[] {
  const file = new URL(`../data/golden/${name}.json`, import.meta.url)
  const read = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Golden[]) : []
  if (!IS_NEW) return read
  const known = new Map(read.map(golden => [golden.title, golden]))
  const all = cases.map(each => known.get(each.title) ?? written(each))
  writeFileSync(file, `[\n${all.map(golden => JSON.stringify(golden)).join(',\n')}\n]\n`)
  return all
}
