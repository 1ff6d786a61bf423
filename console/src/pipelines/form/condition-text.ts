import { isJsonObject, type JsonObject } from '../document/file.ts'

/** A condition in one line, such as `.level equal "debug" AND (.kg greater 20 OR .tag exists)`. */
export function conditionText(condition: JsonObject): string {
  const { expressions, logical_operation: join = 'AND' } = condition
  const rows = (Array.isArray(expressions) ? expressions : []).filter(isJsonObject)
  return rows
    .map(row => {
      if ('expressions' in row) return rows.length > 1 ? `(${conditionText(row)})` : conditionText(row)
      const { field, str_operator: operator, value, negate } = row
      const compared = value === undefined || value === '' ? '' : ` ${JSON.stringify(value)}`
      return `${negate === true ? 'not ' : ''}${field} ${operator}${compared}`
    })
    .join(` ${join} `)
}
