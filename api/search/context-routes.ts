import type { FastifyPluginAsync } from 'fastify'
import { recordOf } from '../../engine/lines/stored-line/line-record.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import type { LinePage, LineSelection, SelectedLine } from '../../engine/store/search/line-selection.ts'
import { MAX_TIME_MS } from '../../engine/store/search/stored-times.ts'
import { CONTEXT, CONTEXT_LINES, LINE } from '../../schemas/http/lines/context-api.ts'
import { parseLineId } from '../../schemas/log/position.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope } from '../http/envelope.ts'
import { notFound } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { type SearchRoutesOptions, searchFor, visibleTo } from './visible-search.ts'
import { whileConnected } from './while-connected.ts'

const META = { pk: 'line', type: 'line', links: {} }
const NO_FILTERS: LineFilters = { hosts: [], apps: [], levels: [], tags: [] }
/** Validation is done by hand, as for searches. */
const OWN_VALIDATION = { config: { needs: 'read' as const }, validatorCompiler: () => () => true }

/** `/v3/search/line` and `/v3/search/context`: a line, and its neighbours in the order of the store. */
export const contextRoutes: FastifyPluginAsync<SearchRoutesOptions> = async (app, { store }) => {
  const { configuration, clock } = app.ports

  /** Lines that the caller may see, from the preferred end on, and whether there are more. */
  const linesOf = async (caller: Caller, asked: Asked, page: LinePage, signal: AbortSignal) => {
    const selection: LineSelection = {
      ...{ account: accountOf(caller).shortId, fromMs: 0, toMs: MAX_TIME_MS, asOfMs: clock.wallMs() },
      ...asked,
    }
    const visible = visibleTo(configuration, caller, selection)
    const search = searchFor(store, visible.selection, { ...page, limit: page.limit + 1 })
    const found: SelectedLine[] = []
    for await (const part of search.parts(signal)) if ('rows' in part) found.push(...part.rows)
    return { lines: found.slice(0, page.limit).filter(visible.isVisible), hasMore: found.length > page.limit }
  }

  const lineWith = async (caller: Caller, lineId: string, signal: AbortSignal): Promise<SelectedLine> => {
    if (parseLineId(lineId) === undefined) throw notFound()
    const asked = { query: withId(lineId), filters: NO_FILTERS }
    const { lines } = await linesOf(caller, asked, { prefer: 'tail', limit: 1 }, signal)
    const [line] = lines
    if (line === undefined) throw notFound()
    return line
  }

  app.get<{ Params: { lineId: string } }>(
    '/v3/search/line/:lineId',
    { schema: LINE, ...OWN_VALIDATION },
    async ({ caller, params, query }, reply) => {
      const parameters = new QueryParameters(query)
      parameters.only([])
      parameters.check()
      return whileConnected(reply, async signal =>
        envelope(META, recordOf(await lineWith(caller, params.lineId, signal))),
      )
    },
  )

  app.get('/v3/search/context', { schema: CONTEXT, ...OWN_VALIDATION }, async ({ caller, query }, reply) => {
    const { lineId, before, after, filters } = readContext(new QueryParameters(query))
    return whileConnected(reply, async signal => {
      const line = await lineWith(caller, lineId, signal)
      const around = (prefer: LinePage['prefer'], limit: number) =>
        linesOf(caller, { query: { kind: 'all' }, filters }, { prefer, limit, behind: line }, signal)
      const older = await around('tail', before)
      const newer = await around('head', after)
      return envelope(META, {
        before: older.lines.toReversed().map(row => recordOf(row)),
        line: recordOf(line),
        after: newer.lines.map(row => recordOf(row)),
        more_before: older.hasMore,
        more_after: newer.hasMore,
      })
    })
  })
}

type Asked = Pick<LineSelection, 'query' | 'filters'>

interface ContextRequest {
  readonly lineId: string
  /** Numbers of lines. */
  readonly before: number
  readonly after: number
  readonly filters: LineFilters
}

/** @throws ApiError 400 with all findings about the parameters */
function readContext(parameters: QueryParameters): ContextRequest {
  parameters.only(['line_id', 'before', 'after', 'hosts', 'apps'])
  const lineId = parameters.text('line_id')
  if (lineId === undefined) parameters.refuse('line_id', 'is required')
  else if (parseLineId(lineId) === undefined) parameters.refuse('line_id', 'must be the "_id" of a line')
  const before = parameters.integer('before', CONTEXT_LINES) ?? CONTEXT_LINES.usual
  const after = parameters.integer('after', CONTEXT_LINES) ?? CONTEXT_LINES.usual
  const filters = { ...NO_FILTERS, hosts: parameters.list('hosts'), apps: parameters.list('apps') }
  parameters.check()
  return { lineId: lineId as string, before, after, filters }
}

function withId(lineId: string): Query {
  const test = { kind: 'comparison', operator: '===', texts: [String(BigInt(lineId))] } as const
  return { kind: 'field', name: '_id', test }
}
