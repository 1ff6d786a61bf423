import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { isCountable } from '../../engine/store/search/counted-field.ts'
import type { LineSelection } from '../../engine/store/search/line-selection.ts'
import { BUDGET_MS } from '../../schemas/http/lines/count-api.ts'
import { COMPLETIONS, FIELDS, MAX_READ_LINES, VALUES } from '../../schemas/http/lines/field-api.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope } from '../http/envelope.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { fieldsOfLines, type NewestLines, valuesOfField, type Wanted } from './completion.ts'
import { NOT_COUNTABLE } from './count-request.ts'
import { readSelection, SELECTION_PARAMETERS } from './export-request.ts'
import { type SearchRoutesOptions, searchFor, visibleTo, withFullDays } from './visible-search.ts'
import { whileConnected } from './while-connected.ts'

/** Validation is done by hand, as for exports: times keep all their digits. */
const OWN_VALIDATION = { config: { needs: 'read' as const }, validatorCompiler: () => () => true }

/** `/v3/search/field` and `/v3/search/value`: names and values that complete a query. */
export const fieldRoutes: FastifyPluginAsync<SearchRoutesOptions> = async (app, { store }) => {
  const { configuration, clock, exports } = app.ports

  /** Answers with the result of the work, which ends when the client leaves. */
  const answered = async <Data>(
    { caller }: FastifyRequest,
    reply: FastifyReply,
    { selection: asked, budgetMs }: CompletionRequest,
    read: (newest: NewestLines) => Promise<Data>,
  ): Promise<Data | FastifyReply> => {
    const { selection, isVisible } = visibleTo(configuration, caller, asked)
    const whole = await withFullDays(store, selection)
    const search = searchFor(store, whole, { prefer: 'tail', limit: MAX_READ_LINES })
    exports?.begin(selection.account, reply.raw)
    const untilMs = clock.monotonicMs() + budgetMs
    return whileConnected(reply, signal => read({ search, selection, isVisible, clock, untilMs, signal }))
  }

  app.get('/v3/search/field', { schema: FIELDS, ...OWN_VALIDATION }, async (request, reply) => {
    const account = accountOf(request.caller).shortId
    const parameters = new QueryParameters(request.query)
    const asked = readCompletion(parameters, account, clock)
    parameters.check()
    return answered(request, reply, asked, async newest => {
      const { fields, more, lines, complete, coveredFromMs } = await fieldsOfLines(newest, asked.wanted)
      const covered = { more, of_lines: lines, complete, covered_from: coveredFromMs }
      return envelope(META_OF_FIELDS, { fields, ...covered })
    })
  })

  app.get('/v3/search/value', { schema: VALUES, ...OWN_VALIDATION }, async (request, reply) => {
    const account = accountOf(request.caller).shortId
    const asked = readValues(new QueryParameters(request.query), account, clock)
    const { field, wanted } = asked
    return answered(request, reply, asked, async newest => {
      const { values, more, lines, complete, coveredFromMs } = await valuesOfField(newest, field, wanted)
      const covered = { more, of_lines: lines, complete, covered_from: coveredFromMs }
      return envelope(META_OF_VALUES, { field, values, ...covered })
    })
  })
}

const META_OF_FIELDS = { pk: 'field', type: 'field', links: {} }
const META_OF_VALUES = { pk: 'value', type: 'value', links: {} }

interface CompletionRequest {
  readonly selection: LineSelection
  readonly wanted: Wanted
  readonly budgetMs: number
}

interface ValuesRequest extends CompletionRequest {
  readonly field: string
}

/** Reads what both requests have in common. The caller checks the parameters. */
function readCompletion(
  parameters: QueryParameters,
  account: string,
  clock: Clock,
  further: readonly string[] = [],
): CompletionRequest {
  parameters.only([...SELECTION_PARAMETERS, 'prefix', 'limit', 'budget_ms', ...further])
  const selection = readSelection(parameters, account, clock.wallMs())
  const prefix = parameters.text('prefix') ?? ''
  const limit = parameters.integer('limit', COMPLETIONS) ?? COMPLETIONS.usual
  const budgetMs = parameters.integer('budget_ms', BUDGET_MS) ?? BUDGET_MS.usual
  return { selection, wanted: { prefix, limit }, budgetMs }
}

/** @throws ApiError 400 with all findings about the parameters */
function readValues(parameters: QueryParameters, account: string, clock: Clock): ValuesRequest {
  const asked = readCompletion(parameters, account, clock, ['field'])
  const field = parameters.text('field') ?? ''
  if (!parameters.has('field')) parameters.refuse('field', 'is required')
  else if (!isCountable(field)) parameters.refuse('field', NOT_COUNTABLE)
  parameters.check()
  return { ...asked, field }
}
