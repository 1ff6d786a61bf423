import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { recordOf } from '../../engine/lines/stored-line/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { LinePage, LineSearch, LineSelection } from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import { accessScopeOf, narrowed } from '../auth/access-scope.ts'
import type { Caller } from '../auth/caller.ts'
import { badRequest } from '../http/errors.ts'
import type { Visibility } from './line-answers.ts'

/** Options of the routes that answer with lines. */
export interface SearchRoutesOptions {
  readonly store: Pick<Store, 'search' | 'fullFieldDays'>
}

export interface VisibleSelection {
  readonly selection: LineSelection
  readonly isVisible: Visibility
}

/** Restricts the requested lines to those that the caller may see. */
export function visibleTo(
  configuration: ConfigurationLog,
  caller: Caller,
  selection: LineSelection,
): VisibleSelection {
  const scope = accessScopeOf(configuration, caller)
  const query = narrowed(selection.query, scope)
  return { selection: { ...selection, query }, isVisible: visibilityIn(scope) }
}

/**
 * The store has the parsed fields of a line, without names of fields beyond a day's limit. A scope therefore hides a line
 * by the record that would be shown, as in a tail.
 */
function visibilityIn(scope: Query | undefined): Visibility {
  return scope === undefined ? () => true : row => evaluate(scope, recordOf(row))
}

/** @throws ApiError 400 for a query with more terms than the store can search for */
export function searchFor(
  store: Pick<Store, 'search'>,
  selection: LineSelection,
  page: LinePage,
): LineSearch {
  try {
    return store.search(selection, page)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw badRequest([{ message: error.message, key: 'query' }])
  }
}

/** The selection with the days on which the store lacks fields that the query names. */
export async function withFullDays(
  store: Pick<Store, 'fullFieldDays'>,
  selection: LineSelection,
): Promise<LineSelection> {
  const fullDays = await store.fullFieldDays(selection)
  return fullDays.length === 0 ? selection : { ...selection, fullDays }
}
