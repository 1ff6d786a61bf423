import { isUtf8 } from 'node:buffer'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import { eventParser } from '../json/exact-json.ts'
import { finish, MEMBER_BYTE_UNITS, STRETCH_UNITS, type Steps, Stretch } from '../steps.ts'
import type { LineBatchBuilder } from './columns/line-batch-builder.ts'
import { type FieldColumns, ROW_FORM } from './native-block/field-columns.ts'
import type { LineColumns } from './native-block/line-block.ts'
import { SlottedColumns } from './native-block/slotted-columns.ts'
import { LineReader, type ReadLines } from './scan/line-reader.ts'
import type { Envelope } from './scan/parse-lines.ts'
import type { TimeBounds } from './scan/timestamp.ts'
import { splitLine } from './slots/split-line.ts'
import { levelOfLine } from './stored-line/level.ts'
import { addParsedFields, clearFields, type FieldNames } from './stored-line/line-fields.ts'
import { parseLineObject, parseWholeText } from './stored-line/parsed-line.ts'
import { newRowFields, type RowFields } from './stored-line/stored-line.ts'

/**
 * The two steps of the hot path that read texts: from request bodies to open columns, and from texts of lines to field
 * columns. Both work on many lines per call and end at columns, so an implementation may work column by column. Each
 * implementation must give the golden bytes of test/conformance/line-codec-contract.ts.
 */
export interface LineCodec {
  /** A reader of bodies; it keeps memory of its own, so each ingesting process has one. */
  newReader(): BodyReader

  /**
   * Appends level and fields of the lines of a run to columns: one row per line, in order, each with its form. Columns of
   * slotted lines also receive the text, in parts or as a whole. A row that the implementation leaves to the complete
   * rules (those of `lineCodec`) falls back and ends the call. The reason is that names of fields are accepted in the order
   * of lines. The caller makes the complete rules append that row, and continues behind it.
   *
   * Names are those of the day of `run.timeMs`. Each row counts as one line of the present run of `names`, which learns the
   * first line that lost a name.
   *
   * @param from first row of the run to append
   * @param stretch counts work of the call that the bytes of its rows do not suggest; absent: nothing counts it
   * @returns the row that falls back; `run.rows` when all were appended
   */
  fill(run: LineRun, from: number, names: FieldNames, columns: LineColumns, stretch?: Stretch): number
}

/**
 * Reads request bodies into open columns. `load` and the calls that use the body belong to one turn of the event loop;
 * only the steps of `parsingLines` may be taken later.
 */
export interface BodyReader {
  /** Makes these chunks the loaded body. */
  load(chunks: readonly Buffer[]): void

  /** The loaded body, byte for byte; a view, valid until the next `load`. */
  readonly body: Buffer

  /**
   * Members of the body beside its lines.
   *
   * @throws BodyError for malformed JSON
   */
  envelope(): Envelope

  /** Like `envelope`, in short steps, with the body that is loaded when it is called. Others may be loaded meanwhile. */
  readingEnvelope(): Steps<Envelope>

  /**
   * Appends the lines of the loaded body to open columns.
   *
   * @param tags  the tags of the request; null: those of the body, if any
   * @param limitBytes  limit of a body; parts that take more time than their size suggests count as more bytes
   * @throws BodyError; the columns then contain some of the lines and must be rolled back
   */
  readLines(
    columns: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): ReadLines

  /**
   * Like `readLines`, if that needs little time.
   *
   * @returns undefined, and leaves the columns as they were, for a body that needs the complete rules
   */
  scanLines(
    columns: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): ReadLines | undefined

  /**
   * Like `readLines`, by the complete rules and in short steps. It reads the body that is loaded when it is called. Other bodies
   * may be loaded before the first step and between steps.
   */
  parsingLines(
    columns: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): Steps<ReadLines>
}

/** Texts of lines of one account under one log time. */
export interface LineRun {
  readonly account: string
  readonly rows: number
  /**
   * The text of a row is `bytes[starts[row]] … bytes[ends[row] - 1]`, UTF-8. Texts may be in any order and at the same
   * place, and there may be any other bytes between them.
   */
  readonly bytes: Buffer
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
  /** Level that was sent with each line; empty: none. */
  readonly sentLevels: readonly string[]
  /** App of each line's row. */
  readonly apps: readonly string[]
  /** Members that the service itself gives each record: sums of OWN_MEMBERS. */
  readonly own: ArrayLike<number>
  /** Log time, UNIX ms: names of fields count per day. */
  readonly timeMs: number
  /** Whether values are read as from the fifth behaviour on, see `ValueForms.isExact`. */
  readonly isExact: boolean
}

/** Appends all rows of a run: the complete rules append those that fall back. */
export function fillAll(
  codec: LineCodec,
  run: LineRun,
  names: FieldNames,
  columns: LineColumns,
  from = 0,
): void {
  finish(fillingAll(codec, run, names, columns, new Stretch(), from))
}

/**
 * Like `fillAll`, with pauses. Rows that fall back count for the stretch, since their members are read one by one. After a call that
 * took more work than the bytes of its rows suggest, the next one has as many rows as a stretch has room for.
 */
export function* fillingAll(
  codec: LineCodec,
  run: LineRun,
  names: FieldNames,
  columns: LineColumns,
  stretch: Stretch,
  from = 0,
): Steps {
  let most = Number.POSITIVE_INFINITY
  let row = from
  for (;;) {
    const first = row
    const { left } = stretch
    const part = first + most < run.rows ? { ...run, rows: first + most } : run
    row = codec.fill(part, first, names, columns, stretch)
    if (row < part.rows) {
      const bytes = (run.ends[row] as number) - (run.starts[row] as number)
      lineCodec.fill({ ...run, rows: row + 1 }, row, names, columns)
      stretch.left -= bytes * MEMBER_BYTE_UNITS
      row++
    }
    if (row === run.rows) return
    most = Math.max(1, Math.floor(((row - first) * STRETCH_UNITS) / (left - stretch.left)))
    if (stretch.left > 0) continue
    yield
    stretch.begin()
  }
}

/** The codec in TypeScript: the complete rules. No row falls back. */
export const lineCodec: LineCodec = {
  newReader: () => new LineReader(),
  fill: fillRun,
}

function fillRun(run: LineRun, from: number, names: FieldNames, columns: LineColumns): number {
  const fill = columns instanceof SlottedColumns ? slottedFill(columns) : plainFill(columns)
  const parse = eventParser(run.isExact)
  const fields = newRowFields()
  for (let row = from; row < run.rows; row++) {
    names.beginLine(run.timeMs)
    clearFields(fields)
    fill(run, row, names, fields, parse)
  }
  return run.rows
}

/** Appends a row. The fields are empty and may be used. */
type RowFill = (
  run: LineRun,
  row: number,
  names: FieldNames,
  fields: RowFields,
  parse: (text: string) => JsonValue,
) => void

function plainFill(columns: FieldColumns): RowFill {
  return ({ bytes, starts, ends, sentLevels, own }, row, names, fields, parse) => {
    const start = starts[row] as number
    const end = ends[row] as number
    const object = parseLineObject(bytes, start, end, parse)
    const level = levelOfLine(object, sentLevels[row] as string, bytes, start, end)
    if (object !== undefined) addParsedFields(fields, object, own[row] as number, names)
    columns.append(formOf(object), level, fields)
  }
}

function slottedFill(columns: SlottedColumns): RowFill {
  return ({ account, bytes, starts, ends, sentLevels, apps, own }, row, names, fields, parse) => {
    const textStart = starts[row] as number
    const textEnd = ends[row] as number
    const text = splittableText(bytes, textStart, textEnd)
    const whole = text === undefined ? undefined : parseWholeText(text, parse)
    const object = whole ?? parseLineObject(bytes, textStart, textEnd, parse)
    const level = levelOfLine(object, sentLevels[row] as string, bytes, textStart, textEnd)
    if (object !== undefined) addParsedFields(fields, object, own[row] as number, names)
    const context = {
      own: own[row] as number,
      words: { app: apps[row] as string, level },
      names,
      admits: (shape: string) => columns.admits(account, shape),
    }
    const split = whole === undefined ? undefined : splitLine(text as string, whole, context, fields)
    if (split !== undefined) columns.appendSlotted(ROW_FORM.object, level, fields, split)
    else columns.appendWhole(formOf(object), level, fields, { textBytes: bytes, textStart, textEnd })
  }
}

function formOf(object: JsonObject | undefined): number {
  return object === undefined ? ROW_FORM.text : ROW_FORM.object
}

const OPENING_BRACE = 0x7b

/** A text that begins like an object; undefined for others, and for one that is not UTF-8: its bytes would change. */
function splittableText(bytes: Buffer, start: number, end: number): string | undefined {
  const mayBeSplit = start < end && bytes[start] === OPENING_BRACE && isUtf8(bytes.subarray(start, end))
  return mayBeSplit ? bytes.toString('utf8', start, end) : undefined
}
