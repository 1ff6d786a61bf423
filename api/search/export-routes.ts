import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { recordOf } from '../../engine/lines/stored-line/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type {
  LinePage,
  LineSearch,
  LineSelection,
  SelectedLine,
} from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import {
  ACCESS_HEADER,
  exportSchema,
  INCOMPLETE_HEADER,
  pagedExportSchema,
} from '../../schemas/http/lines/export-api.ts'
import { accessScopeOf, narrowed } from '../auth/access-scope.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { ApiError, badRequest } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { sendRows } from '../http/streamed-rows.ts'
import { readExport, readPagedExport } from './export-request.ts'
import { incompleteText } from './incomplete-text.ts'
import { recordLines, recordPage, type Visibility } from './line-answers.ts'
import { encodePageToken } from './page-token.ts'

type SearchedStore = Pick<Store, 'search' | 'fullFieldDays'>

export interface ExportRoutesOptions {
  readonly store: SearchedStore
  /** Called for each answer that may lack lines because names of fields were left out. */
  readonly onIncomplete?: (() => void) | undefined
}

/** Lines per page: export, section 6.1. The number of pages is not limited. */
const MAX_PAGE_LINES = 10_000

/** Validation is done by hand: its messages are part of the interface, and times keep all their digits. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/** `/v1/export` and `/v2/export`: export and search, section 6. */
export const exportRoutes: FastifyPluginAsync<ExportRoutesOptions> = async (
  app,
  { store, onIncomplete = () => {} },
) => {
  const { configuration, clock, exports, settings } = app.ports
  const { maxExportLines: maxLines } = settings
  /** Restricts the requested lines to those that the caller may see. */
  const visibleTo = (caller: Caller, selection: LineSelection): VisibleSelection => {
    const scope = accessScopeOf(configuration, caller)
    const query = narrowed(selection.query, scope)
    return { selection: { ...selection, query }, isVisible: visibilityIn(scope) }
  }

  /** The header is sent before the lines, whose search may take long. */
  const markIncomplete = async (selection: LineSelection, reply: FastifyReply) => {
    const days = await store.fullFieldDays(selection)
    if (days.length === 0) return
    reply.header(INCOMPLETE_HEADER, incompleteText(days))
    onIncomplete()
  }

  app.get(
    '/v1/export',
    { config: { needs: 'read' }, schema: exportSchema(maxLines), ...OWN_VALIDATION },
    async (request, reply) => {
      const account = accountOf(request.caller).shortId
      const parameters = new QueryParameters(request.query)
      const { selection, page } = readExport(parameters, account, { most: maxLines, usual: maxLines }, clock)
      if ((parameters.text('email') ?? '') !== '')
        throw new ApiError(400, 'BadRequest', 'E-mail export is not supported')
      const visible = visibleTo(request.caller, selection)
      const search = searchFor(store, visible.selection, page)
      exports?.begin(account, reply.raw)
      await markIncomplete(visible.selection, reply)
      return sendLines(clock, search, reply, rows => {
        reply.type('application/x-ndjson')
        return recordLines(rows, visible.isVisible)
      })
    },
  )

  app.get(
    '/v2/export',
    { config: { needs: 'read' }, schema: pagedExportSchema(MAX_PAGE_LINES), ...OWN_VALIDATION },
    async (request, reply) => {
      const account = accountOf(request.caller).shortId
      const limits = { most: MAX_PAGE_LINES, usual: MAX_PAGE_LINES }
      const asked = readPagedExport(new QueryParameters(request.query), account, limits, clock)
      const { selection, page, parameters, startedMs } = asked
      const visible = visibleTo(request.caller, selection)
      const search = searchFor(store, visible.selection, { ...page, limit: page.limit + 1 })
      exports?.begin(account, reply.raw)
      await markIncomplete(visible.selection, reply)
      return sendLines(clock, search, reply, rows => {
        reply.type('application/json; charset=utf-8')
        return recordPage(rows, page, {
          isVisible: visible.isVisible,
          tokenAt: position => encodePageToken({ position, startedMs }, parameters),
        })
      })
    },
  )
}

interface VisibleSelection {
  readonly selection: LineSelection
  readonly isVisible: Visibility
}

/**
 * The store has the parsed fields of a line, without names of fields beyond a day's limit. A scope therefore hides a line
 * by the record that would be shown, as in a tail.
 */
function visibilityIn(scope: Query | undefined): Visibility {
  return scope === undefined ? () => true : row => evaluate(scope, recordOf(row))
}

function searchFor(store: SearchedStore, selection: LineSelection, page: LinePage): LineSearch {
  try {
    return store.search(selection, page)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw badRequest([{ message: error.message, key: 'query' }])
  }
}

function sendLines(
  clock: Clock,
  search: LineSearch,
  reply: FastifyReply,
  render: (rows: AsyncIterable<readonly SelectedLine[]>) => AsyncIterable<string>,
): Promise<FastifyReply> {
  return sendRows(reply, {
    clock,
    rows: signal => search.rows(signal),
    render: rows => {
      reply.header(ACCESS_HEADER, search.access)
      return render(rows)
    },
  })
}
