import type { LineRun } from '../../engine/lines/line-codec.ts'
import { fillAll, type LineCodec } from '../../engine/lines/line-codec.ts'
import { FieldColumns } from '../../engine/lines/native-block/field-columns.ts'
import type { LineColumns } from '../../engine/lines/native-block/line-block.ts'
import { nativeBlock } from '../../engine/lines/native-block/native-block.ts'
import { SlottedColumns } from '../../engine/lines/native-block/slotted-columns.ts'
import { addSlotFields, readShape, rebuiltLine } from '../../engine/lines/slots/line-shape.ts'
import type { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { newRowFields, type RowFields } from '../../engine/lines/stored-line/stored-line.ts'
import { SLOT_NAMES } from '../../schemas/log/tables.ts'
import { type NativeValue, readNativeBlock } from './native-reader.ts'

/** A line as it is read back, from either form. */
export interface ReadLine {
  readonly text: Buffer
  readonly level: string
  /** Names with their values; values of one name are in their order. */
  readonly fields: readonly (readonly [name: string, value: string | number])[]
  readonly form: number
}

/** A row of slotted columns. */
export type SlottedRow = Readonly<Record<string, NativeValue>>

/** Lines as each form gives them back, read by a codec. */
export function linesOfBothForms(codec: LineCodec, run: LineRun, names: () => FieldNames) {
  const plainNames = names()
  const slottedNames = names()
  plainNames.beginRun()
  slottedNames.beginRun()
  const plain = filledRows(codec, run, plainNames, new FieldColumns())
  const slotted = filledRows(codec, run, slottedNames, new SlottedColumns())
  return {
    plain: plain.rows.map((row, index) => plainLine(row, textOf(run, index), plain.forms[index] as number)),
    slotted: slotted.rows.map((row, index) =>
      slottedLine(row, slotted.forms[index] as number, run.apps[index] as string),
    ),
    rows: slotted.rows,
    names: [plainNames, slottedNames].map(each => ({
      names: Buffer.from(each.snapshot()).toString(),
      full: each.takeFull(),
    })),
  }
}

function filledRows(codec: LineCodec, run: LineRun, names: FieldNames, columns: LineColumns) {
  fillAll(codec, run, names, columns)
  const forms = [...columns.forms]
  // Texts that are not UTF-8 keep their bytes.
  const { rows } = readNativeBlock(nativeBlock(columns.named(), columns.rows), 'latin1')
  return { rows: rows.map(withMaps), forms }
}

/** Lists of names and values as entries, as table `lines` has them. */
function withMaps(row: SlottedRow): SlottedRow {
  const { text_names, text_values, number_names, number_values, ...others } = row
  if (text_names === undefined) return row
  return {
    ...others,
    text_fields: pairs(text_names, text_values),
    number_fields: pairs(number_names, number_values),
  }
}

function textOf({ bytes, starts, ends }: LineRun, row: number): Buffer {
  return bytes.subarray(starts[row], ends[row])
}

function plainLine(row: SlottedRow, text: Buffer, form: number): ReadLine {
  return { text, form, level: utf8(row.level as string), fields: sorted(mapFields(row)) }
}

/** The inverse of the slotted form. */
export function slottedLine(row: SlottedRow, form: number, app: string): ReadLine {
  const level = utf8(row.level as string)
  const fields = mapFields(row)
  if (row.shape === '')
    return { text: Buffer.from(row.whole_line as string, 'latin1'), form, level, fields: sorted(fields) }
  const shape = readShape(utf8(row.shape as string))
  const slots = SLOT_NAMES.map(name => utf8(row[name] as string))
  const inSlots = newRowFields()
  addSlotFields(inSlots, shape, slots, { app, level })
  const text = Buffer.from(rebuiltLine(shape, slots, { app, level }))
  return { text, form, level, fields: sorted([...rowFields(inSlots), ...fields]) }
}

function mapFields(row: SlottedRow): [string, string | number][] {
  const text = row.text_fields as [string, string][]
  const number = row.number_fields as [string, number][]
  return [
    ...text.map(([name, value]): [string, string] => [utf8(name), utf8(value)]),
    ...number.map(([name, value]): [string, number] => [utf8(name), value]),
  ]
}

function pairs(names: NativeValue | undefined, values: NativeValue | undefined): [string, NativeValue][] {
  return (names as string[]).map((name, at) => [name, (values as NativeValue[])[at] as NativeValue])
}

function rowFields(fields: RowFields): [string, string | number][] {
  const texts = fields.textFieldNames.map((name, at): [string, string] => [
    name,
    fields.textFieldValues[at] ?? '',
  ])
  const numbers = fields.numberFieldNames.map((name, at): [string, number] => [
    name,
    fields.numberFieldValues[at] ?? 0,
  ])
  return [...texts, ...numbers]
}

/** Fields by name and type; a stable sort keeps the order of the values of one name. */
function sorted(
  fields: readonly [string, string | number][],
): readonly (readonly [string, string | number])[] {
  const key = ([name, value]: readonly [string, string | number]) => `${typeof value} ${name}`
  return [...fields].sort((one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : 0))
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString()
}
