import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Clock } from '../../../engine/clock/clock.ts'
import { jsonText } from '../../../engine/json/json-text.ts'
import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../../engine/query-language/query-syntax-error.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  AccountExplainedLine,
  ExplainedLine,
  ExplanationQuery,
} from '../../../schemas/http/pipeline/explanation-api.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { accountOf } from '../../auth/permission.ts'
import { type Envelope, envelope, type Meta } from '../../http/envelope.ts'
import { ApiError } from '../../http/errors.ts'
import { QueryParameters } from '../../http/query-parameters.ts'
import { ACCOUNT_EXPLANATION, EXPLANATION } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Explanations, FORM_OF_ACCOUNT, formOfPipeline, type ShownLine } from './explanations.ts'

const USUAL_LIMIT = 20

/**
 * Explains missing lines. The answers contain lines and messages of nodes about them, so they need the same right as
 * nodes.
 */
export const explanationRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const about =
    'Replays the kept log. With line_id or batch_id the answer is a document. With query it is a stream of JSON lines: ' +
    '`line`, `progress`, and finally `end` or `error`.'
  const config = { needs: 'write', reveals: 'any line' } as const

  app.get(
    '/v3/explain',
    {
      config,
      schema: {
        summary:
          'Explain lines: their way through all pipelines and the default graph, and the rule that ended them',
        description: about,
        tags: ['simulation'],
        querystring: ExplanationQuery,
        response: { 200: EnvelopeOf(Type.Array(AccountExplainedLine)), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply) => {
      const explanations = new Explanations(app.ports, FORM_OF_ACCOUNT)
      return answer(request, reply, { clock: app.ports.clock, explanations, meta: ACCOUNT_EXPLANATION })
    },
  )

  app.get(
    '/v3/pipeline/:pipelineId/explain',
    {
      config,
      schema: {
        summary: 'Explain lines: the nodes that they passed, and the rule that ended them',
        description: about,
        tags: ['simulation'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: ExplanationQuery,
        response: { 200: EnvelopeOf(Type.Array(ExplainedLine)), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply) => {
      const { pipeline } = pipelines.get(request.caller, request.params.pipelineId)
      const explanations = new Explanations(app.ports, formOfPipeline(pipeline.id))
      return answer(request, reply, { clock: app.ports.clock, explanations, meta: EXPLANATION })
    },
  )
}

interface Answering<Shown extends ShownLine> {
  readonly clock: Clock
  readonly explanations: Explanations<Shown>
  readonly meta: Meta
}

/** A stream of pieces fits no schema: its type is that of a document. */
async function answer<Shown extends ShownLine>(
  request: FastifyRequest,
  reply: FastifyReply,
  { clock, explanations, meta }: Answering<Shown>,
): Promise<Envelope<Shown[]>> {
  const query = request.query as ExplanationQuery
  const account = accountOf(request.caller).shortId
  const asked = [query.line_id, query.batch_id, query.query].filter(each => each !== undefined)
  if (asked.length !== 1)
    throw new ApiError(400, 'EVALIDATION', 'Exactly one of line_id, batch_id and query must be given')
  if (query.line_id !== undefined) return envelope(meta, await explanations.ofLine(account, query.line_id))
  if (query.batch_id !== undefined) return envelope(meta, await explanations.ofBatch(account, query.batch_id))
  const nowMs = clock.wallMs()
  const wanted = {
    query: queryOf(query.query ?? ''),
    fromMs: instantOf(query, 'from', nowMs),
    toMs: query.to === undefined ? nowMs : instantOf(query, 'to', nowMs),
    limit: Number(query.limit ?? USUAL_LIMIT),
    onlyMissing: query.missing === 'true',
  }
  if (wanted.fromMs > wanted.toMs) throw new ApiError(400, 'EVALIDATION', 'from is later than to')
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  const pieces = explanations.found(account, wanted, gone.signal)
  reply.type('application/x-ndjson')
  reply.serializer(payload => payload as string)
  // The schema of the reply describes one line of the stream.
  return reply.send(Readable.from(jsonLines(pieces))) as never
}

/** Errors after the start are reported within the stream, because the status has already been sent. */
async function* jsonLines(pieces: AsyncIterable<object>): AsyncIterable<string> {
  let lines = 0
  try {
    for await (const piece of pieces) {
      if ('line' in piece) lines++
      yield `${jsonText(piece as JsonValue)}\n`
    }
    yield `${jsonText({ end: { lines } })}\n`
  } catch (error) {
    yield `${jsonText({ error: { message: (error as Error).message } })}\n`
  }
}

function queryOf(text: string) {
  try {
    return parseQuery(text)
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw new ApiError(400, 'EVALIDATION', `query ${error.message}`)
  }
}

/** A time as in searches: `to` includes the whole of a second or date. */
function instantOf(query: ExplanationQuery, name: 'from' | 'to', nowMs: number): number {
  const text = query[name]
  if (text === undefined) throw new ApiError(400, 'EVALIDATION', `${name} is required with query`)
  const ms = new QueryParameters(query).timeMs(name, name === 'from' ? 'first' : 'last', nowMs)
  if (ms === undefined)
    throw new ApiError(400, 'EVALIDATION', `${name} must be a UNIX time, or a time as in RFC 3339`)
  return ms
}
