import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  StateVariableQuery,
  StateVariableRecord,
  StateVariableWrite,
} from '../../../schemas/http/pipeline/state-variable-api.ts'
import { isJsonObject } from '../../../schemas/json.ts'
import { STRANGERS } from '../../http/bodies/body-room.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { ApiError, badRequest } from '../../http/errors.ts'
import { parseBoundedJson } from '../../http/json-body.ts'
import { STATE_VARIABLES } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { PipelineStates } from './state-variables.ts'

const PATH = '/v3/pipeline/state-variable'
const tags = ['pipelines']

/** State variables of pipelines, which their scripts read: pipeline API, appendix C. */
export const stateVariableRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const states = new PipelineStates(pipelines, app.ports)

  app.get(
    PATH,
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List the state variables of one pipeline, or of all',
        tags,
        querystring: StateVariableQuery,
        response: { 200: EnvelopeOf(Type.Array(StateVariableRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async request => {
      const id = request.query.pipeline_id ?? (await idInBody(app, request))
      return envelope({ ...STATE_VARIABLES, page: NO_FURTHER_PAGES }, states.list(request.caller, id))
    },
  )

  app.put(
    `${PATH}/:stateId`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Replace the state variables of a pipeline; its scripts read them from the next event on',
        tags,
        params: Type.Object({ stateId: Type.String() }),
        body: StateVariableWrite,
        response: { 200: EnvelopeOf(StateVariableRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, body }) =>
      envelope(STATE_VARIABLES, await states.set(caller, params.stateId, body)),
  )
}

/** The id in the body of a GET, which the server does not read elsewhere. @throws ApiError 400 when the body is not JSON */
async function idInBody(app: FastifyInstance, { raw, headers }: FastifyRequest): Promise<string | undefined> {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
  if (!hasBody) return undefined
  const received = await new Promise<Parameters<Parameters<typeof app.receivedBodies.collect>[3]>[0]>(
    resolve => app.receivedBodies.collect(raw, headers, STRANGERS, resolve),
  )
  if (received instanceof ApiError) throw received
  try {
    const value = parseBoundedJson(Buffer.concat(received.chunks).toString())
    const id = isJsonObject(value) ? value.pipeline_id : undefined
    return typeof id === 'string' ? id : undefined
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw badRequest([{ message: `The body is not valid JSON: ${error.message}`, key: 'body' }])
  }
}
