import type { FastifyPluginAsync, FastifyReply } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LineSearch, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { ACCESS_HEADER, exportSchema, pagedExportSchema } from '../../schemas/http/lines/export-api.ts'
import { accountOf } from '../auth/permission.ts'
import { ApiError } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { sendRows } from '../http/streamed-rows.ts'
import { readExport, readPagedExport } from './export-request.ts'
import { recordLines, recordPage } from './line-answers.ts'
import { encodePageToken } from './page-token.ts'
import { type SearchRoutesOptions, searchFor, visibleTo, withFullDays } from './visible-search.ts'

/** Lines per page: export, section 6.1. The number of pages is not limited. */
const MAX_PAGE_LINES = 10_000

/** Validation is done by hand: its messages are part of the interface, and times keep all their digits. */
const OWN_VALIDATION = { validatorCompiler: () => () => true }

/** `/v1/export` and `/v2/export`: export and search, section 6. */
export const exportRoutes: FastifyPluginAsync<SearchRoutesOptions> = async (app, { store }) => {
  const { configuration, clock, exports, settings } = app.ports
  const { maxExportLines: maxLines } = settings

  app.get(
    '/v1/export',
    { config: { needs: 'read' }, schema: exportSchema(maxLines), ...OWN_VALIDATION },
    async (request, reply) => {
      const account = accountOf(request.caller).shortId
      const parameters = new QueryParameters(request.query)
      const { selection, page } = readExport(parameters, account, { most: maxLines, usual: maxLines }, clock)
      if ((parameters.text('email') ?? '') !== '')
        throw new ApiError(400, 'BadRequest', 'E-mail export is not supported')
      const visible = visibleTo(configuration, request.caller, selection)
      const search = searchFor(store, await withFullDays(store, visible.selection), page)
      exports?.begin(account, reply.raw)
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
      const visible = visibleTo(configuration, request.caller, selection)
      const whole = await withFullDays(store, visible.selection)
      const search = searchFor(store, whole, { ...page, limit: page.limit + 1 })
      exports?.begin(account, reply.raw)
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
