import { badRequest, type ValidationDetail } from '../errors.ts'

/**
 * A rule says something about lines; that is known only once what stays and what is sent are put together.
 *
 * @param conditions members of which one at least must not be empty
 * @param key of the rule, where it is part of a whole
 */
export function conditionDetails<Rule extends object>(
  rule: Rule,
  conditions: readonly (keyof Rule & string)[],
  key = 'value',
): ValidationDetail[] {
  if (conditions.some(name => isCondition(name, rule[name] as string | readonly string[]))) return []
  return [{ message: `"${key}" must contain at least one of [${conditions.join(', ')}]`, key }]
}

/** A query of blanks alone says no more than none. */
function isCondition(name: string, value: string | readonly string[]): boolean {
  return (name === 'query' ? (value as string).trim() : value).length > 0
}

/** @throws ApiError 400 when there are any */
export function refuse(details: readonly ValidationDetail[]): void {
  if (details.length > 0) throw badRequest(details)
}
