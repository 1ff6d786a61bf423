import { factsOf, tagsOf } from '../../engine/lines/slots/line-facts.ts'
import { addSlotFields, knownShape, rebuiltLine } from '../../engine/lines/slots/line-shape.ts'
import { newRowFields } from '../../engine/lines/stored-line/stored-line.ts'
import { type SideTable, SLOT_NAMES, type StoreTable } from '../../schemas/log/tables.ts'
import { type NativeValue, readNativeBlock } from './native-reader.ts'

type Row = Readonly<Record<string, NativeValue>>

/** Rows of a block as the store gives them; lines have the columns of table `lines`, whatever their table is. */
export function rowsOfBlock(table: StoreTable | SideTable, block: readonly Uint8Array[]): readonly Row[] {
  const { rows } = readNativeBlock(block)
  return table === 'slotted_lines' ? rows.map(mappedRow) : rows
}

/** A row of table `slotted_lines` as one of table `lines`. Fields are in no particular order. */
export function mappedRow(row: Row): Row {
  const {
    tag_list,
    facts,
    shape,
    whole_line,
    text_names,
    text_values,
    number_names,
    number_values,
    ...rest
  } = row
  const others = Object.fromEntries(Object.entries(rest).filter(([name]) => !SLOT_NAMES.includes(name)))
  const fields = newRowFields()
  const words = { app: row.app as string, level: row.level as string }
  const slots = SLOT_NAMES.map(name => row[name] as string)
  if (shape !== '') addSlotFields(fields, knownShape(shape as string), slots, words)
  return {
    ...others,
    ...factsOf(facts as string),
    tags: tagsOf(tag_list as string),
    line: shape === '' ? whole_line : rebuiltLine(knownShape(shape as string), slots, words),
    text_fields: [
      ...entries(fields.textFieldNames, fields.textFieldValues),
      ...entries(text_names, text_values),
    ],
    number_fields: [
      ...entries(fields.numberFieldNames, fields.numberFieldValues),
      ...entries(number_names, number_values),
    ],
  } as Row
}

function entries(names: NativeValue | undefined, values: NativeValue | undefined): [string, NativeValue][] {
  return (names as string[]).map((name, index) => [name, (values as NativeValue[])[index] as NativeValue])
}
