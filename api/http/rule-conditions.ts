import type { ValidationDetail } from './errors.ts'

/** @param conditions members that select lines: at least one of them must do so */
export function conditionDetails(rule: object, conditions: readonly string[]): ValidationDetail[] {
  if (hasCondition(rule, conditions)) return []
  return [{ message: `"value" must contain at least one of [${conditions.join(', ')}]`, key: 'value' }]
}

/**
 * Whether a rule has a condition. A member of a wrong type counts, because it is reported itself. A query of blanks does
 * not.
 */
export function hasCondition(rule: object, conditions: readonly string[]): boolean {
  return conditions.some(name => {
    const value = (rule as Readonly<Record<string, unknown>>)[name]
    if (typeof value === 'string') return (name === 'query' ? value.trim() : value) !== ''
    return value !== undefined && !(Array.isArray(value) && value.length === 0)
  })
}
