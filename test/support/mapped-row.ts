import { factsOf, tagsOf } from '../../engine/lines/slots/line-facts.ts'
import { addSlotFields, readShape, rebuiltLine } from '../../engine/lines/slots/line-shape.ts'
import { newRowFields } from '../../engine/lines/stored-line/stored-line.ts'
import { SLOT_NAMES } from '../../schemas/log/tables.ts'
import type { NativeValue } from './native-reader.ts'

type Row = Readonly<Record<string, NativeValue>>

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
  const slots = SLOT_NAMES.map(name => row[name] as string)
  if (shape !== '') addSlotFields(fields, readShape(shape as string), slots)
  return {
    ...others,
    ...factsOf(facts as string),
    tags: tagsOf(tag_list as string),
    line: shape === '' ? whole_line : rebuiltLine(readShape(shape as string), slots),
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
