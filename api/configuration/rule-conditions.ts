import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import { badRequest, type ValidationDetail } from '../errors.ts'

/**
 * What the schema of a rule cannot tell.
 *
 * @param conditions members of which one at least must say something
 * @param path of the rule, with a dot behind it, where it is part of a whole
 */
export function conditionDetails<Rule extends { readonly query: string }>(
  rule: Rule,
  conditions: readonly (keyof Rule & string)[],
  path = '',
): ValidationDetail[] {
  const details = queryDetails(rule.query, `${path}query`)
  if (conditions.every(name => (rule[name] as string | readonly string[]).length === 0)) {
    const key = path === '' ? 'value' : path.slice(0, -1)
    details.push({ message: `"${key}" must contain at least one of [${conditions.join(', ')}]`, key })
  }
  return details
}

/** @throws ApiError 400 when there are any */
export function refuse(details: readonly ValidationDetail[]): void {
  if (details.length > 0) throw badRequest(details)
}

function queryDetails(query: string, key: string): ValidationDetail[] {
  try {
    parseQuery(query)
    return []
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    return [{ message: error.message.replace('"query"', `"${key}"`), key }]
  }
}
