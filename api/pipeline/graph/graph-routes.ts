import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { printingJson } from '../../../engine/json/json-printing.ts'
import { inTurns } from '../../../engine/turns/loop-turns.ts'
import { READ_GRAPH, WRITE_GRAPH } from '../../../schemas/http/pipeline/graph-api.ts'
import { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import { askerOf } from '../../auth/permission.ts'
import { envelope, type Meta } from '../../http/envelope.ts'
import { ApiError } from '../../http/errors.ts'
import { validatorCompiler } from '../../http/validation.ts'
import { whileConnected } from '../account-queue.ts'
import { dryRunQuery, onlyParameters } from '../act-queries.ts'
import { sentFile } from '../file/file-routes.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import { PipelinePath } from '../pipeline-path.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { OvertakenGraphError, PipelineGraphs } from './pipeline-graphs.ts'

const META: Meta = { pk: 'id', type: 'pipeline-graph', links: {} }
const tags = ['pipelines']

const ETAG_REQUIRED = 'The header if-match is required: the etag of the document, or *'

const RevisionQuery = Type.Object(
  {
    revision: Type.Optional(
      Type.String({
        pattern: '^(draft|deployed|[1-9][0-9]{0,14})$',
        default: 'draft',
        description: 'draft, deployed, or the number of a revision.',
      }),
    ),
  },
  { additionalProperties: false },
)

const READ = {
  summary: 'Read the draft, or a revision, as one document without secrets',
  description: 'Secrets are masked. A mask that is sent back stands for the secret that it masks.',
  tags,
  params: PipelinePath,
  querystring: RevisionQuery,
  ...READ_GRAPH,
}

const WRITE = {
  summary: 'Replace the draft by a document; a publication deploys it',
  description:
    'The header if-match has the etag of the document that was changed, or *. It is required, except with dry_run. ' +
    'If the draft was changed since, the answer is 409 with the newer one in data. Otherwise `graph` is the draft after ' +
    'the change; with dry_run, as it is.',
  tags,
  params: PipelinePath,
  querystring: dryRunQuery('true: only return the changes'),
  headers: Type.Object({
    'if-match': Type.Optional(Type.String({ description: 'Etag of the document that was changed.' })),
  }),
  body: { content: { 'application/json': { schema: PipelineFile } } },
  ...WRITE_GRAPH,
}

/** `/v3/pipeline/{id}/graph`: a pipeline as one document without secrets, for editors. */
export const graphRoutes: FastifyPluginAsyncTypebox<
  PipelineRouteOptions & { readonly files: PipelineFiles }
> = async (app, { pipelines, files }) => {
  const graphs = new PipelineGraphs(pipelines, files, app.ports)
  const printed = (answer: object) => inTurns(printingJson(answer), files.turns.begin())
  // The body is read in the way of an import.
  app.receivedBodies.parseAll(app, async (_request, body) => body)

  app.get(
    '/v3/pipeline/:pipelineId/graph',
    { config: { needs: 'read' }, schema: READ },
    async ({ caller, params, query }, reply) => {
      const read = async () => {
        const turn = files.turns.begin()
        const reading = graphs.reading(caller, params.pipelineId, query.revision ?? 'draft')
        const graph = await inTurns(reading, turn)
        reply.header('etag', graph.etag)
        return inTurns(printingJson(envelope(META, graph)), turn)
      }
      return whileConnected(reply, async gone =>
        sendJson(reply, await files.queue.run(askerOf(caller), gone, read)),
      )
    },
  )

  app.put(
    '/v3/pipeline/:pipelineId/graph',
    {
      config: { needs: 'write' },
      preValidation: onlyParameters('dry_run'),
      // The schema of the body is for the API document: reading the file reports the same problems, and more.
      validatorCompiler: part => (part.httpPart === 'body' ? () => true : validatorCompiler(part)),
      schema: WRITE,
    },
    async (request, reply) => {
      const { caller, params, query, headers } = request
      const match = headers['if-match']
      const isTried = query.dry_run === 'true'
      if (match === undefined && !isTried) throw new ApiError(400, 'EVALIDATION', ETAG_REQUIRED)
      try {
        const writeSent = async () => {
          const sent = await inTurns(sentFile(request), files.turns.begin())
          const { pipelineId } = params
          const change = isTried
            ? await graphs.difference(caller, pipelineId, sent, match)
            : await graphs.write(caller, pipelineId, sent, match)
          reply.header('etag', change.graph.etag)
          return printed(envelope(META, change))
        }
        return await whileConnected(reply, async gone => {
          const text = await files.queue.run(askerOf(caller), gone, writeSent)
          return sendJson(reply, text)
        })
      } catch (error) {
        if (!(error instanceof OvertakenGraphError)) throw error
        reply.header('etag', error.graph.etag)
        return sendJson(reply.code(409), await printed(overtakenAnswer(error)))
      }
    },
  )
}

/** Body of an answer that shows the newer document. */
function overtakenAnswer({ status, code, message, graph }: OvertakenGraphError): object {
  return { status, code, message, error: message, data: graph }
}

/** Sends an answer that was printed in turns. */
function sendJson(reply: FastifyReply, text: string): never {
  reply.type('application/json; charset=utf-8').send(Buffer.from(text))
  return reply as never
}
