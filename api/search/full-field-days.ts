import { fieldPaths } from '../../engine/query-language/field-paths.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import { isParsedField } from '../../engine/store/search/line-fields-sql.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import type { Statement } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'

/** A header has no room for years. */
const MAX_DAYS = 31

/**
 * The UTC days within the time of a search on which the account sent more names of fields than are indexed, oldest first.
 *
 * @returns undefined where the query asks for no field by name: it finds all there is
 */
export function fullFieldDays({ account, fromMs, toMs, query }: LineSelection): Statement | undefined {
  if (!asksForField(query)) return undefined
  return {
    sql: `SELECT DISTINCT toString(toDate(t)) AS day FROM full_field_days
WHERE account = {account:String} AND toUnixTimestamp64Milli(t) BETWEEN {from:Int64} AND {to:Int64} ORDER BY day`,
    parameters: {
      account,
      from: Math.floor(fromMs / DAY_MS) * DAY_MS,
      to: (Math.floor(toMs / DAY_MS) + 1) * DAY_MS - 1,
    },
  }
}

/** Value of the header that names the days. */
export function incompleteText(days: readonly string[]): string {
  const more = days.length - MAX_DAYS
  return `fields; days="${days.slice(-MAX_DAYS).join(', ')}"${more > 0 ? `; more=${more}` : ''}`
}

function asksForField(query: Query): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.some(asksForField)
    case 'not':
      return asksForField(query.operand)
    case 'field':
      return fieldPaths(query.name).some(isParsedField)
    default:
      return false
  }
}
