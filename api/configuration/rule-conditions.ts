import { badRequest } from '../errors.ts'

/**
 * A changed rule still says which lines it means; that is known only once what stays and what is sent are put together.
 *
 * @param conditions members of which one at least must not be empty
 * @throws ApiError 400
 */
export function assertCondition<Rule extends object>(
  rule: Rule,
  conditions: readonly (keyof Rule & string)[],
): void {
  if (hasCondition(rule, conditions)) return
  throw badRequest([
    { message: `"value" must contain at least one of [${conditions.join(', ')}]`, key: 'value' },
  ])
}

/** A member of a wrong type is at fault itself: it says something. A query of blanks alone says no more than none. */
export function hasCondition(rule: object, conditions: readonly string[]): boolean {
  return conditions.some(name => {
    const value = (rule as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string') return (name === 'query' ? value.trim() : value) !== ''
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
}
