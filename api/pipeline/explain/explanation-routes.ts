import { Readable } from 'node:stream'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { jsonText } from '../../../engine/json/json-text.ts'
import { parseQuery } from '../../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../../engine/query-language/query-syntax-error.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { ExplainedLine, ExplanationQuery } from '../../../schemas/http/pipeline/explanation-api.ts'
import type { JsonValue } from '../../../schemas/json.ts'
import { accountOf } from '../../auth/permission.ts'
import { envelope } from '../../http/envelope.ts'
import { ApiError } from '../../http/errors.ts'
import { QueryParameters } from '../../http/query-parameters.ts'
import { EXPLANATION } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Explanations } from './explanations.ts'

const USUAL_LIMIT = 20

/**
 * Explains missing lines. The answers contain lines and messages of nodes about them, so they need the same right as
 * nodes.
 */
export const explanationRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const explanations = new Explanations(app.ports)

  app.get(
    '/v3/pipeline/:pipelineId/explain',
    {
      config: { needs: 'write', reveals: 'any line' },
      schema: {
        summary: 'Explain lines: the nodes that they passed, and the rule that ended them',
        description:
          'Replays the kept log. With line_id or batch_id the answer is a document. With query it is a stream of JSON lines: ' +
          '`line`, `progress`, and finally `end` or `error`.',
        tags: ['simulation'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: ExplanationQuery,
        response: { 200: EnvelopeOf(Type.Array(ExplainedLine)), ...V3_ERROR_REPLIES },
      },
    },
    async (request, reply) => {
      const { caller, params, query } = request
      const { pipeline } = pipelines.get(caller, params.pipelineId)
      const account = accountOf(caller).shortId
      const asked = [query.line_id, query.batch_id, query.query].filter(each => each !== undefined)
      if (asked.length !== 1)
        throw new ApiError(400, 'EVALIDATION', 'Exactly one of line_id, batch_id and query must be given')
      if (query.line_id !== undefined)
        return envelope(EXPLANATION, await explanations.ofLine(account, pipeline.id, query.line_id))
      if (query.batch_id !== undefined)
        return envelope(EXPLANATION, await explanations.ofBatch(account, pipeline.id, query.batch_id))
      const wanted = {
        query: queryOf(query.query ?? ''),
        fromMs: instantOf(query, 'from'),
        toMs: query.to === undefined ? app.ports.clock.wallMs() : instantOf(query, 'to'),
        limit: Number(query.limit ?? USUAL_LIMIT),
      }
      if (wanted.fromMs > wanted.toMs) throw new ApiError(400, 'EVALIDATION', 'from is later than to')
      const gone = new AbortController()
      reply.raw.once('close', () => gone.abort())
      const pieces = explanations.found(account, pipeline.id, wanted, gone.signal)
      reply.type('application/x-ndjson')
      // A stream of pieces does not fit any schema.
      reply.serializer(payload => payload as string)
      return reply.send(Readable.from(jsonLines(pieces)) as never)
    },
  )
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

/** UNIX time by its magnitude, as in searches: `to` includes the whole of a second. */
function instantOf(query: ExplanationQuery, name: 'from' | 'to'): number {
  const text = query[name]
  if (text === undefined) throw new ApiError(400, 'EVALIDATION', `${name} is required with query`)
  const ms = /^\d+$/.test(text)
    ? new QueryParameters(query).timeMs(name, name === 'from' ? 'first' : 'last')
    : Date.parse(text)
  if (ms === undefined || !Number.isFinite(ms))
    throw new ApiError(400, 'EVALIDATION', `${name} must be a UNIX time, or a time as in RFC 3339`)
  return ms
}
