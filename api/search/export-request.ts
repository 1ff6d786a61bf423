import type { Clock } from '../../engine/clock/clock.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { LinePage, LineSelection } from '../../engine/store/search/line-selection.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { QueryParameters } from '../http/query-parameters.ts'
import { decodePageToken } from './page-token.ts'

/** Parameters of an export: export and search, section 6.1. */
export interface ExportRequest {
  readonly selection: LineSelection
  readonly page: LinePage
}

/** A request for one page of several. */
export interface PagedExportRequest extends ExportRequest {
  /** Everything that determines the answer, for the token of the next page. */
  readonly parameters: string
  readonly startedMs: number
}

/** Names of the parameters that `readSelection` reads. */
export const SELECTION_PARAMETERS = ['from', 'to', 'query', 'q', 'hosts', 'apps', 'levels', 'tags'] as const

const PREFERENCES = ['head', 'tail'] as const
/**
 * Time for which all pages hide the same lines as the first one. After it, lines whose retention has ended in the
 * meantime are hidden, too.
 */
const STEADY_MS = DAY_MS

/** @throws ApiError 400 with all findings about the parameters */
export function readExport(
  parameters: QueryParameters,
  account: string,
  maxLines: { readonly most: number; readonly usual: number },
  clock: Clock,
): ExportRequest {
  const selection = readSelection(parameters, account, clock.wallMs())
  const page = readPage(parameters, maxLines)
  parameters.check()
  return { selection, page }
}

/** Like `readExport`, with `pagination_id`. */
export function readPagedExport(
  parameters: QueryParameters,
  account: string,
  maxLines: { readonly most: number; readonly usual: number },
  clock: Clock,
): PagedExportRequest {
  const nowMs = clock.wallMs()
  const selection = readSelection(parameters, account, nowMs)
  const page = readPage(parameters, maxLines)
  const token = parameters.text('pagination_id') ?? ''
  parameters.check()
  const asked = fixedForm(selection, page, parameters)
  if (token === '') return { selection, page, parameters: asked, startedMs: nowMs }
  const decoded = decodePageToken(token, asked)
  if (decoded === undefined) parameters.refuse('pagination_id', 'does not belong to these parameters')
  parameters.check()
  const { position, startedMs } = decoded as NonNullable<typeof decoded>
  return {
    selection: {
      ...selection,
      ...readPeriod(parameters, startedMs),
      asOfMs: Math.max(startedMs, nowMs - STEADY_MS),
    },
    page: { ...page, behind: position },
    parameters: asked,
    startedMs,
  }
}

/** The lines that a request asks for; an invalid time is 0. */
export function readSelection(parameters: QueryParameters, account: string, asOfMs: number): LineSelection {
  const period = readPeriod(parameters, asOfMs)
  const filters = readFilters(parameters)
  const query = readQuery(parameters, 'query')
  return { account, ...period, asOfMs, filters, query }
}

/** @param nowMs UNIX ms to which relative times refer */
function readPeriod(parameters: QueryParameters, nowMs: number): Pick<LineSelection, 'fromMs' | 'toMs'> {
  const fromMs = parameters.timeMs('from', 'first', nowMs)
  const toMs = parameters.timeMs('to', 'last', nowMs)
  parameters.inOrder(fromMs, toMs)
  return { fromMs: fromMs ?? 0, toMs: toMs ?? 0 }
}

function readPage(
  parameters: QueryParameters,
  { most, usual }: { readonly most: number; readonly usual: number },
): LinePage {
  const limit = parameters.integer('size', { min: 1, max: most }) ?? usual
  return { limit, prefer: parameters.oneOf('prefer', PREFERENCES, 'tail') }
}

export function readFilters(parameters: QueryParameters): LineFilters {
  return {
    hosts: parameters.list('hosts'),
    apps: parameters.list('apps'),
    levels: parameters.list('levels'),
    tags: parameters.list('tags'),
  }
}

/**
 * Reads the query, which clients call `query` or `q`.
 *
 * @param reportedAs its name in findings
 */
export function readQuery(parameters: QueryParameters, reportedAs: 'query' | 'q'): Query {
  const name = parameters.has('query') ? 'query' : 'q'
  const text = parameters.text(name) ?? ''
  try {
    return parseQuery(text)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    parameters.refuseAs(reportedAs, error.message)
    return { kind: 'all' }
  }
}

/** A relative time takes part as it is written: for all pages it refers to the time of the first one. */
function fixedForm(selection: LineSelection, page: LinePage, parameters: QueryParameters): string {
  const { account, filters } = selection
  const fromMs = parameters.isRelative('from') ? parameters.text('from') : selection.fromMs
  const toMs = parameters.isRelative('to') ? parameters.text('to') : selection.toMs
  const query = parameters.text('query') ?? parameters.text('q') ?? ''
  return JSON.stringify([account, fromMs, toMs, filters, query, page.prefer, page.limit])
}
