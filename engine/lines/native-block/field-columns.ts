import { blockColumns, type LineTable } from '../../../schemas/log/tables.ts'
import type { Steps } from '../../steps.ts'
import type { RowFields } from '../stored-line/stored-line.ts'
import { ListedFields } from './list-columns.ts'
import type { NativeColumn } from './native-block.ts'
import { Float64Column } from './number-columns.ts'
import { TextColumn } from './text-column.ts'
import { MapColumn, type NumberedWords, WordColumn } from './word-columns.ts'

/** Form of the text of a row. A row that falls back has no form until the complete rules have read it. */
export const ROW_FORM = {
  /** A text without an object at its end: it has no fields. */
  text: 0,
  /** A text that ends with an object, whose members are fields. */
  object: 1,
  /** A row that no codec read, because its fields do not come from a sent text alone. */
  composed: 2,
} as const

/** Rows that a codec has read together, column by column. They have the members that `append` receives for a single row. */
export interface ReadRows {
  readonly forms: Uint8Array
  /** Words by which levels and names are numbered. */
  readonly words: NumberedWords
  readonly levels: Uint32Array
  /** Number of text entries up to the end of each row. */
  readonly textEnds: Uint32Array
  readonly textNames: Uint32Array
  /** Values in order, each with its length as a varint before it. */
  readonly textValues: Uint8Array
  readonly numberEnds: Uint32Array
  readonly numberNames: Uint32Array
  readonly numberValues: Float64Array
}

const INITIAL_ROWS = 64

export type NamedColumn = readonly [name: string, column: NativeColumn]
export type TypedColumn = readonly [name: string, type: string, column: NativeColumn]

/** Names of fields with their values, in the columns of a table. */
interface FieldEntries<Value, Values> {
  append(names: readonly string[], values: readonly Value[], count: number): void
  appending(names: readonly string[], values: readonly Value[], count: number): Steps
  appendNumbered(ends: Uint32Array, words: NumberedWords, numbers: Uint32Array): Values
  clear(): void
}

/** Fields in the form of a table. */
interface FieldsOfTable {
  readonly texts: FieldEntries<string, TextColumn>
  readonly numbers: FieldEntries<number, Float64Column>
  readonly columns: readonly NamedColumn[]
}

/** Columns of a table of lines that follow from the texts of lines: level and fields, with the form of each row. */
export class FieldColumns {
  readonly #level = new WordColumn()
  readonly #table: LineTable
  readonly #fields: FieldsOfTable
  #forms = new Uint8Array(INITIAL_ROWS)
  #rows = 0

  constructor(table: LineTable = 'lines') {
    this.#table = table
    this.#fields = table === 'lines' ? mappedFields() : listedFields()
  }

  get rows(): number {
    return this.#rows
  }

  /** Form of each row; a view, valid until the next change. */
  get forms(): Uint8Array {
    return this.#forms.subarray(0, this.#rows)
  }

  append(form: number, level: string, fields: RowFields): void {
    this.#appendHead(form, level)
    const { texts, numbers } = this.#fields
    texts.append(fields.textFieldNames, fields.textFieldValues, fields.textFieldCount)
    numbers.append(fields.numberFieldNames, fields.numberFieldValues, fields.numberFieldCount)
  }

  /** Like `append`, in steps. Nothing else may be appended between them. */
  *appending(form: number, level: string, fields: RowFields): Steps {
    this.#appendHead(form, level)
    const { texts, numbers } = this.#fields
    yield* texts.appending(fields.textFieldNames, fields.textFieldValues, fields.textFieldCount)
    yield* numbers.appending(fields.numberFieldNames, fields.numberFieldValues, fields.numberFieldCount)
  }

  /** Appends copies of rows. */
  appendAll(rows: ReadRows): void {
    const { forms, words } = rows
    this.#reserve(forms.length)
    this.#forms.set(forms, this.#rows)
    this.#rows += forms.length
    this.#level.appendNumbered(words, rows.levels)
    const { texts, numbers } = this.#fields
    texts.appendNumbered(rows.textEnds, words, rows.textNames).appendEncoded(rows.textValues)
    numbers.appendNumbered(rows.numberEnds, words, rows.numberNames).appendAll(rows.numberValues)
  }

  /** Starts again, after the columns were taken. */
  clear(): void {
    this.#rows = 0
    this.#fields.texts.clear()
    this.#fields.numbers.clear()
  }

  /** Names and types of the table's columns, for `nativeBlock`. */
  named(): readonly TypedColumn[] {
    return typedColumns(this.#table, [['level', this.#level], ...this.#fields.columns])
  }

  #appendHead(form: number, level: string): void {
    this.#reserve(1)
    this.#forms[this.#rows++] = form
    this.#level.append(level)
  }

  #reserve(rows: number): void {
    const needed = this.#rows + rows
    if (needed <= this.#forms.length) return
    const forms = new Uint8Array(Math.max(needed, this.#forms.length * 2))
    forms.set(this.#forms)
    this.#forms = forms
  }
}

/** Adds the types that the columns have in their table. */
export function typedColumns(table: LineTable, named: readonly NamedColumn[]): readonly TypedColumn[] {
  const types = new Map(blockColumns(table))
  return named.map(([name, column]) => [name, types.get(name) as string, column])
}

function mappedFields(): FieldsOfTable {
  const texts = new MapColumn<string, TextColumn>(new TextColumn())
  const numbers = new MapColumn<number, Float64Column>(new Float64Column())
  return {
    texts,
    numbers,
    columns: [
      ['text_fields', texts],
      ['number_fields', numbers],
    ],
  }
}

function listedFields(): FieldsOfTable {
  const texts = new ListedFields<string, TextColumn>(new TextColumn())
  const numbers = new ListedFields<number, Float64Column>(new Float64Column())
  return {
    texts,
    numbers,
    columns: [
      ['text_names', texts.names],
      ['text_values', texts.values],
      ['number_names', numbers.names],
      ['number_values', numbers.values],
    ],
  }
}
