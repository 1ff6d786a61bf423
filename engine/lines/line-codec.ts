import { eventParser } from '../json/exact-json.ts'
import type { Steps } from '../steps.ts'
import type { LineBatchBuilder } from './columns/line-batch-builder.ts'
import { type FieldColumns, ROW_FORM } from './native-block/field-columns.ts'
import { LineReader, type ReadLines } from './scan/line-reader.ts'
import type { Envelope } from './scan/parse-lines.ts'
import type { TimeBounds } from './scan/timestamp.ts'
import { levelOfLine } from './stored-line/level.ts'
import { addParsedFields, clearFields, type FieldNames } from './stored-line/line-fields.ts'
import { parseLineObject } from './stored-line/parsed-line.ts'
import { newRowFields } from './stored-line/stored-line.ts'

/**
 * The two steps of the hot path that read texts: from request bodies to open columns, and from texts of lines to field
 * columns. Both work on many lines per call and end at columns, so an implementation may work column by column. Each
 * implementation must give the golden bytes of test/conformance/line-codec-contract.ts.
 */
export interface LineCodec {
  /** A reader of bodies; it keeps memory of its own, so each ingesting process has one. */
  newReader(): BodyReader

  /**
   * Appends level and fields of the lines of a run to columns: one row per line, in order, each with its form. A row that
   * the implementation leaves to the complete rules (those of `lineCodec`) falls back and ends the call. The reason is that names
   * of fields are accepted in the order of lines. The caller makes the complete rules append that row, and continues
   * behind it.
   *
   * @param from first row of the run to append
   * @returns the row that falls back; `run.rows` when all were appended
   */
  fill(run: LineRun, from: number, names: FieldNames, columns: FieldColumns): number
}

/**
 * Reads request bodies into open columns. `load` and the calls that use the body belong to one turn of the event loop;
 * only the steps of `parsingLines` may be taken later.
 */
export interface BodyReader {
  /** Makes these chunks the loaded body. */
  load(chunks: readonly Buffer[]): void

  /** The loaded body; a view, valid until the next `load`. */
  readonly body: Buffer

  /**
   * Members of the body beside its lines.
   *
   * @throws BodyError for malformed JSON
   */
  envelope(): Envelope

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
   * Does the same if that needs little time.
   *
   * @returns undefined, and leaves the columns as they were, for a body that needs the complete rules
   */
  scanLines(
    columns: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): ReadLines | undefined

  /** Does the same by the complete rules, in short steps. Other bodies may be loaded between them. */
  parsingLines(
    columns: LineBatchBuilder,
    bounds: TimeBounds,
    tags: readonly string[] | null,
    limitBytes: number,
  ): Steps<ReadLines>
}

/** Texts of lines of one account under one log time. */
export interface LineRun {
  readonly rows: number
  /** The text of a row is `bytes[starts[row]] … bytes[ends[row] - 1]`, UTF-8. */
  readonly bytes: Buffer
  readonly starts: ArrayLike<number>
  readonly ends: ArrayLike<number>
  /** Level that was sent with each line; empty: none. */
  readonly sentLevels: readonly string[]
  /** Members that the service itself gives each record: sums of OWN_MEMBERS. */
  readonly own: ArrayLike<number>
  /** Log time, UNIX ms: names of fields count per day. */
  readonly timeMs: number
  /** Whether values are read as from the fifth behaviour on, see `Event.isExact`. */
  readonly isExact: boolean
}

/** Appends all rows of a run: the complete rules append those that fall back. */
export function fillAll(
  codec: LineCodec,
  run: LineRun,
  names: FieldNames,
  columns: FieldColumns,
  from = 0,
): void {
  let row = codec.fill(run, from, names, columns)
  while (row < run.rows) {
    lineCodec.fill({ ...run, rows: row + 1 }, row, names, columns)
    row = codec.fill(run, row + 1, names, columns)
  }
}

/** The codec in TypeScript: the complete rules. No row falls back. */
export const lineCodec: LineCodec = {
  newReader: () => new LineReader(),
  fill: fillRun,
}

function fillRun(run: LineRun, from: number, names: FieldNames, columns: FieldColumns): number {
  const { bytes, starts, ends, sentLevels, own, timeMs } = run
  const parse = eventParser(run.isExact)
  const fields = newRowFields()
  for (let row = from; row < run.rows; row++) {
    const start = starts[row] as number
    const end = ends[row] as number
    const object = parseLineObject(bytes, start, end, parse)
    const level = levelOfLine(object, sentLevels[row] as string, bytes, start, end)
    names.beginLine(timeMs)
    clearFields(fields)
    if (object !== undefined) addParsedFields(fields, object, own[row] as number, names)
    columns.append(object === undefined ? ROW_FORM.text : ROW_FORM.object, level, fields)
  }
  return run.rows
}
