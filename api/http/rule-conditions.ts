import type { ValidationDetail } from './errors.ts'

/** @param conditions members that say which lines a rule means: one at least does */
export function conditionDetails(rule: object, conditions: readonly string[]): ValidationDetail[] {
  if (hasCondition(rule, conditions)) return []
  return [{ message: `"value" must contain at least one of [${conditions.join(', ')}]`, key: 'value' }]
}

/** A member of a wrong type is at fault itself: it says something. A query of blanks alone says no more than none. */
export function hasCondition(rule: object, conditions: readonly string[]): boolean {
  return conditions.some(name => {
    const value = (rule as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string') return (name === 'query' ? value.trim() : value) !== ''
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
}
