import { type LineText, membersOf, shownValue } from '../api/records.ts'
import { rfc3339 } from '../times/time.ts'
import { fieldText } from './record-fields.ts'

/** Forms in which chosen lines are copied. */
export type CopyForm = 'sent' | 'ndjson' | 'table'

/** A spreadsheet takes a cell that begins with one of these for a formula. */
const FORMULA = /^[=+\-@\t\r]/

/**
 * Lines as text: as they were sent, as records, or as a table whose cells are separated by tabs.
 *
 * @param columns fields of the table, by their names in the query language
 */
export function copyOf(
  lines: readonly LineText[],
  form: CopyForm,
  { columns, zone }: { readonly columns: readonly string[]; readonly zone: string },
): string {
  if (form === 'sent') return lines.map(line => shownValue(membersOf(line)._line)).join('\n')
  if (form === 'ndjson') return lines.map(({ text }) => `${text}\n`).join('')
  const rows = lines.map(line => {
    const members = membersOf(line)
    const cells = [...columns.map(each => fieldText(members, each)), shownValue(members._line)]
    return [rfc3339(line.timeMs, zone), ...cells].map(cellOf).join('\t')
  })
  return [['time', ...columns, 'line'].join('\t'), ...rows].join('\n')
}

function cellOf(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return safe.replaceAll(/[\t\r\n]+/g, ' ')
}
