import type { FastifyPluginAsync } from 'fastify'
import { ACCESS_HEADER } from '../../schemas/http/lines/export-api.ts'
import { SEARCH } from '../../schemas/http/lines/search-api.ts'
import { accountOf } from '../auth/permission.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { sendRows } from '../http/streamed-rows.ts'
import { searchPieces } from './search-pieces.ts'
import { readSearch } from './search-request.ts'
import { type SearchRoutesOptions, searchFor, visibleTo, withFullDays } from './visible-search.ts'

/** Validation is done by hand, as for exports: times keep all their digits. */
const OWN_VALIDATION = { config: { needs: 'read' as const }, validatorCompiler: () => () => true }

/** `/v3/search`: lines as they are found. */
export const searchRoutes: FastifyPluginAsync<SearchRoutesOptions> = async (app, { store }) => {
  const { configuration, clock, exports } = app.ports

  app.get('/v3/search', { schema: SEARCH, ...OWN_VALIDATION }, async (request, reply) => {
    const account = accountOf(request.caller).shortId
    const asked = readSearch(new QueryParameters(request.query), account, clock)
    const { selection, isVisible } = visibleTo(configuration, request.caller, asked.selection)
    const search = searchFor(store, await withFullDays(store, selection), asked.page)
    exports?.begin(account, reply.raw)
    return sendRows(reply, {
      clock,
      rows: signal => oneByOne(search.parts(signal)),
      render: parts => {
        reply.type('application/x-ndjson').header(ACCESS_HEADER, search.access)
        return searchPieces(parts, { limit: asked.page.limit, access: search.access, isVisible })
      },
    })
  })
}

async function* oneByOne<Item>(items: AsyncIterable<Item>): AsyncGenerator<readonly [Item]> {
  for await (const item of items) yield [item]
}
