import type { Clock } from '../../engine/clock/clock.ts'
import type { LinePage, LineSelection } from '../../engine/store/search/line-selection.ts'
import { SEARCH_LINES } from '../../schemas/http/lines/search-api.ts'
import type { QueryParameters } from '../http/query-parameters.ts'
import { readSelection, SELECTION_PARAMETERS } from './export-request.ts'
import { decodeLinePosition } from './line-position.ts'

export interface SearchRequest {
  readonly selection: LineSelection
  readonly page: LinePage
}

const ORDERS = ['newest', 'oldest'] as const

/** @throws ApiError 400 with all findings about the parameters */
export function readSearch(parameters: QueryParameters, account: string, clock: Clock): SearchRequest {
  parameters.only([...SELECTION_PARAMETERS, 'order', 'limit', 'after'])
  const selection = readSelection(parameters, account, clock.wallMs())
  const limit = parameters.integer('limit', SEARCH_LINES) ?? SEARCH_LINES.usual
  const order = parameters.oneOf('order', ORDERS, 'newest')
  const after = parameters.text('after')
  const behind = after === undefined ? undefined : decodeLinePosition(after)
  if (after !== undefined && behind === undefined)
    parameters.refuse('after', 'must be the position of a line: its "_ts", a hyphen and its "_id"')
  parameters.check()
  const prefer = order === 'newest' ? 'tail' : 'head'
  return { selection, page: { prefer, limit, ...(behind === undefined ? {} : { behind }) } }
}
