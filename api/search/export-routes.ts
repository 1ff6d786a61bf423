import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import { recordOf } from '../../engine/lines/line-record.ts'
import { evaluate } from '../../engine/query-language/evaluate.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import {
  type LinePage,
  type LineSearch,
  type LineSelection,
  type SelectedLine,
  searchLines,
} from '../../engine/store/search/line-selection.ts'
import { rowsOf } from '../../engine/store/search/sliced-search.ts'
import type { Store } from '../../engine/store/store.ts'
import { accessScopeOf, narrowed } from '../auth/access-scope.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { ApiError, badRequest } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { sendRows } from '../http/streamed-rows.ts'
import type { ConcurrentExports } from './concurrent-exports.ts'
import { readExport, readPagedExport } from './export-request.ts'
import { ACCESS_HEADER, exportSchema, INCOMPLETE_HEADER, pagedExportSchema } from './export-schema.ts'
import { fullFieldDays, incompleteText } from './full-field-days.ts'
import { recordLines, recordPage, type Visibility } from './line-answers.ts'
import { encodePageToken } from './page-token.ts'

export interface ExportRoutesOptions {
  readonly configuration: ConfigurationView
  readonly store: Store
  readonly clock: Clock
  /** Most lines of one `/v1/export`, and their number when `size` is left out. */
  readonly maxLines: number
  /** Absent: any number of exports of an account run at once. */
  readonly concurrent?: ConcurrentExports | undefined
  /** Called for each answer that may lack lines, since names of fields were left out. */
  readonly onIncomplete?: (() => void) | undefined
}

/** Export, section 6.1. How many pages there are is not limited. */
const MAX_PAGE_LINES = 10_000

/** Validation is done by hand: its messages are part of the interface, and times keep all their digits. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/** `/v1/export` and `/v2/export`: export and search, section 6. */
export const exportRoutes: FastifyPluginAsync<ExportRoutesOptions> = async (
  app,
  { configuration, store, clock, maxLines, concurrent, onIncomplete = () => {} },
) => {
  /** Of the lines that are asked for, those that the caller may see. */
  const visibleTo = (caller: Caller, selection: LineSelection): VisibleSelection => {
    const scope = accessScopeOf(configuration, caller)
    const query = narrowed(selection.query, scope)
    return { selection: { ...selection, query }, isVisible: visibilityIn(scope) }
  }

  /** The header is sent before the lines, which may take long to be found. */
  const tellIncomplete = async (selection: LineSelection, reply: FastifyReply) => {
    const statement = fullFieldDays(selection)
    if (statement === undefined) return
    const days = await store.query<{ day: string }>(statement)
    if (days.length === 0) return
    reply.header(INCOMPLETE_HEADER, incompleteText(days.map(({ day }) => day)))
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
      const search = searchFor(visible.selection, page)
      concurrent?.begin(account, reply.raw)
      await tellIncomplete(visible.selection, reply)
      return sendLines({ store, clock }, search, reply, rows => {
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
      const search = searchFor(visible.selection, { ...page, limit: page.limit + 1 })
      concurrent?.begin(account, reply.raw)
      await tellIncomplete(visible.selection, reply)
      return sendLines({ store, clock }, search, reply, rows => {
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
 * The store knows of a line what was parsed of it, which leaves out names of fields beyond the most of a day. What a scope
 * hides it hides by the record that would be shown, as in a tail.
 */
function visibilityIn(scope: Query | undefined): Visibility {
  return scope === undefined ? () => true : row => evaluate(scope, recordOf(row))
}

function searchFor(selection: LineSelection, page: LinePage): LineSearch {
  try {
    return searchLines(selection, page)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw badRequest([{ message: error.message, key: 'query' }])
  }
}

function sendLines(
  { store, clock }: Pick<ExportRoutesOptions, 'store' | 'clock'>,
  search: LineSearch,
  reply: FastifyReply,
  render: (rows: AsyncIterable<readonly SelectedLine[]>) => AsyncIterable<string>,
): Promise<FastifyReply> {
  return sendRows(reply, {
    clock,
    rows: signal => rowsOf(store, search, signal),
    render: rows => {
      reply.header(ACCESS_HEADER, search.access)
      return render(rows)
    },
  })
}
