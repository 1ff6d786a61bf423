import type { FastifyInstance, FastifyPluginAsync, FastifyReply } from 'fastify'
import { jsonTextInSteps } from '../../engine/json/json-text.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import { assertSearchable } from '../../engine/store/search/exact-condition.ts'
import { asksForField, isParsedName } from '../../engine/store/search/full-field-days.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import { inTurns } from '../../engine/turns/loop-turns.ts'
import { FACET, HISTOGRAM } from '../../schemas/http/lines/count-api.ts'
import { INCOMPLETE_HEADER } from '../../schemas/http/lines/export-api.ts'
import { accessScopeOf, narrowed } from '../auth/access-scope.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope } from '../http/envelope.ts'
import { badRequest } from '../http/errors.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { type FacetRequest, readFacets, readHistogram } from './count-request.ts'
import { histogramOf } from './counted-lines.ts'
import { type Counting, timesWithin } from './counting.ts'
import { facetsOf } from './facets.ts'
import { incompleteText } from './incomplete-text.ts'
import { whileConnected } from './while-connected.ts'

export interface CountRoutesOptions {
  readonly store: Pick<Store, 'countByTime' | 'countByValue' | 'fullFieldDays'>
  /** Called for each answer that may lack lines because names of fields were left out. */
  readonly onIncomplete?: (() => void) | undefined
}

/** Levels of an answer above the values of a field. */
const DEPTH_OF_VALUES = 4

/** Validation is done by hand, as for exports: times keep all their digits. */
const OWN_VALIDATION = { config: { needs: 'read' as const }, validatorCompiler: () => () => true }

/** `/v3/search/histogram` and `/v3/search/facet`: how many lines a search finds, by time and by values of fields. */
export const countRoutes: FastifyPluginAsync<CountRoutesOptions> = async (
  app,
  { store, onIncomplete = () => {} },
) => {
  const { configuration, clock, bodyTurns } = app.ports
  const parts = { store, onIncomplete, configuration }

  app.get('/v3/search/histogram', { schema: HISTOGRAM, ...OWN_VALIDATION }, async (request, reply) => {
    const account = accountOf(request.caller).shortId
    const asked = readHistogram(new QueryParameters(request.query), account, clock)
    const fields = asked.by === undefined ? [] : [asked.by]
    const { selection, hasAll, lacksNames } = await visible(
      parts,
      request.caller,
      { ...asked, fields },
      reply,
    )
    const { fromMs: from, toMs: to } = selection
    const { intervalMs, starts } = asked.buckets
    return whileConnected(reply, async signal => {
      const counted = await histogramOf({ store, clock, signal }, { ...asked, selection })
      const { series, other, lines, complete, coveredFromMs } = counted
      return envelope(META_OF_HISTOGRAM, {
        ...{ from, to, interval_ms: intervalMs, starts, series, other, lines },
        ...{ complete: complete && hasAll && !fields.some(lacksNames), covered_from: coveredFromMs },
      })
    })
  })

  app.get('/v3/search/facet', { schema: FACET, ...OWN_VALIDATION }, async (request, reply) => {
    const account = accountOf(request.caller).shortId
    const asked = readFacets(new QueryParameters(request.query), account, clock)
    const seen = await visible(parts, request.caller, asked, reply)
    return whileConnected(reply, async signal => {
      const answer = envelope(META_OF_FACETS, await countedFacets({ store, clock, signal }, asked, seen))
      reply.serializer(payload => payload as string)
      // Ten fields with a thousand values may have 40 MB.
      return inTurns(jsonTextInSteps(answer, DEPTH_OF_VALUES), bodyTurns.begin())
    })
  })
}

interface Parts extends Pick<FastifyInstance['ports'], 'configuration'> {
  readonly store: CountRoutesOptions['store']
  readonly onIncomplete: () => void
}

/**
 * The lines of a selection that the caller may see. The store does not have fields beyond the names of a day. A scope
 * that names a field cannot be decided from the store there, so lines of such days are not counted.
 */
async function visible(
  { store, onIncomplete, configuration }: Parts,
  caller: Caller,
  { selection, fields }: Pick<FacetRequest, 'selection' | 'fields'>,
  reply: FastifyReply,
): Promise<Visible> {
  const scope = accessScopeOf(configuration, caller)
  const query = narrowed(selection.query, scope)
  assertCountable(query)
  const incomplete = await store.fullFieldDays({ ...selection, query }, { fields })
  const isIncomplete = incomplete.length > 0
  if (isIncomplete) {
    reply.header(INCOMPLETE_HEADER, incompleteText(incomplete))
    onIncomplete()
  }
  const lacksNames = (field: string) => isIncomplete && isParsedName(field)
  const findsAll = !isIncomplete || !asksForField(query)
  if (scope === undefined || !asksForField(scope))
    return { selection: { ...selection, query }, hasAll: findsAll, lacksNames }
  // Lines may be much older or newer than the day on which they came.
  const always = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER }
  const exceptDays = await store.fullFieldDays({ ...selection, ...always, query: scope })
  return {
    selection: { ...selection, query, exceptDays },
    hasAll: findsAll && exceptDays.length === 0,
    lacksNames,
  }
}

/** Counts of all fields, as the answer shows them. */
async function countedFacets(
  counting: Counting,
  { fields, limit, budgetMs }: FacetRequest,
  { selection, hasAll, lacksNames }: Visible,
): Promise<object[]> {
  const bounds = { limit, ...timesWithin(counting.clock, budgetMs) }
  const facets = await facetsOf(counting, selection, fields, bounds)
  return facets.map(({ lines, coveredFromMs, ...facet }) => {
    const hasAllValues = hasAll && !lacksNames(facet.field)
    const complete = facet.complete && hasAllValues
    return {
      ...facet,
      ...{ exact: facet.exact && hasAllValues, of_lines: lines, complete, covered_from: coveredFromMs },
    }
  })
}

interface Visible {
  readonly selection: LineSelection
  /** False if lines that the caller may see are left out, or may be. */
  readonly hasAll: boolean
  /** Whether values of a field are missing on days with too many names of fields. */
  lacksNames(field: string): boolean
}

const META_OF_HISTOGRAM = { pk: 'histogram', type: 'histogram', links: {} }
const META_OF_FACETS = { pk: 'facet', type: 'facet', links: {} }

/** @throws ApiError 400 for a query with more terms than the store can search for */
function assertCountable(query: LineSelection['query']): void {
  try {
    assertSearchable(query)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw badRequest([{ message: error.message, key: 'query' }])
  }
}
