import { fieldPaths } from '../../query-language/field-paths.ts'
import type { Query } from '../../query-language/syntax-tree.ts'
import { DAY_MS } from '../../times/duration.ts'
import type { StatementRunner } from '../statement.ts'
import type { LineSelection } from './line-selection.ts'
import { isParsedField } from './stored-field.ts'

/** Days of `full_field_days` in the period of a search, oldest first; none if the query does not name a field. */
export async function fullFieldDays(
  runner: StatementRunner,
  { account, fromMs, toMs, query }: LineSelection,
  signal?: AbortSignal,
): Promise<string[]> {
  if (!asksForField(query)) return []
  const rows = await runner.query<{ day: string }>(
    {
      sql: `SELECT DISTINCT toString(toDate(t)) AS day FROM full_field_days
WHERE account = {account:String} AND toUnixTimestamp64Milli(t) BETWEEN {from:Int64} AND {to:Int64} ORDER BY day`,
      parameters: {
        account,
        from: Math.floor(fromMs / DAY_MS) * DAY_MS,
        to: (Math.floor(toMs / DAY_MS) + 1) * DAY_MS - 1,
      },
    },
    signal,
  )
  return rows.map(({ day }) => day)
}

/** Whether a query names a field that is found by its parsed name. */
export function asksForField(query: Query): boolean {
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
