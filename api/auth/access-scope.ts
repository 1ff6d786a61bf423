import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { accessGroups, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { Caller } from './caller.ts'

const NOTHING: Query = { kind: 'not', operand: { kind: 'all' } }

/**
 * Lines of its account that a caller can see: configuration and account API, section 11. They match the query of at
 * least one of the caller's groups. Groups limit only callers with the role member who use a personal token. The scope
 * is evaluated for every request, because groups and roles change.
 *
 * @returns undefined when the caller can see every line
 */
export function accessScopeOf(configuration: ConfigurationView, caller: Caller): Query | undefined {
  if (caller.accessType !== 'user' || caller.account === undefined) return undefined
  const member = configuration.get(members, memberKey(caller.account.shortId, caller.subjectEmail ?? ''))
  if (member === undefined) return NOTHING
  const { role, groups } = member.value
  if (role !== 'member' || groups.length === 0) return undefined
  const operands = groups.flatMap(group => queryOf(configuration, group))
  return operands.length === 0 ? NOTHING : { kind: 'or', operands }
}

/** @returns the query that a scope leaves of another */
export function narrowed(query: Query, scope: Query | undefined): Query {
  return scope === undefined ? query : { kind: 'and', operands: [scope, query] }
}

/** A group without an effect is skipped: its query is empty or unreadable, or the group no longer exists. */
function queryOf(configuration: ConfigurationView, group: string): Query[] {
  const text = configuration.get(accessGroups, group)?.value.accessScopes.trim() ?? ''
  if (text === '') return []
  try {
    return [parseQuery(text)]
  } catch (error) {
    if (error instanceof QuerySyntaxError) return []
    throw error
  }
}
