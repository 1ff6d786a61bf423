import { isJsonObject, type JsonValue } from './file.ts'
import { isSame } from './merge.ts'

/** A member that one of two values has, or that they have with other values. */
export interface MemberDifference {
  /** Names on the way to the member, joined by dots. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly before?: JsonValue
  readonly after?: JsonValue
}

/** Differences between two values, member by member in the order of the later one. Lists are compared as a whole. */
export function memberDifferences(
  before: JsonValue,
  after: JsonValue,
  path = '',
): readonly MemberDifference[] {
  if (isSame(before, after)) return []
  if (!isJsonObject(before) || !isJsonObject(after)) return [{ path, change: 'changed', before, after }]
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])]
  return names.flatMap(name => {
    const at = path === '' ? name : `${path}.${name}`
    const [old, next] = [before[name], after[name]]
    if (old === undefined)
      return next === undefined ? [] : [{ path: at, change: 'added' as const, after: next }]
    if (next === undefined) return [{ path: at, change: 'removed' as const, before: old }]
    return memberDifferences(old, next, at)
  })
}
