import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply } from 'fastify'
import Type from 'typebox'
import { jsonTextInSteps } from '../../../engine/json/json-text.ts'
import { inTurns } from '../../../engine/turns/loop-turns.ts'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  FileSimulationRequest,
  SimulationRecord,
  SimulationRequest,
} from '../../../schemas/http/pipeline/simulation-api.ts'
import { envelope } from '../../http/envelope.ts'
import { whileConnected } from '../account-queue.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import { PipelineGraphs } from '../graph/pipeline-graphs.ts'
import { SIMULATION } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Simulations } from './simulations.ts'

/** Levels of an answer above its events: it may have 12 MB, and is printed in turns with other work. */
const DEPTH_OF_EVENTS = 6

/**
 * Simulation of samples on a pipeline, without any effect. Its answers may show contents of nodes, so it needs the right
 * to read those.
 */
export const simulationRoutes: FastifyPluginAsyncTypebox<
  PipelineRouteOptions & { readonly files: PipelineFiles }
> = async (app, { pipelines, files }) => {
  const graphs = new PipelineGraphs(pipelines, files, app.ports)
  const simulations = new Simulations(pipelines, { files, graphs }, app.ports)
  const { replayTurns } = app.ports
  const answered = (reply: FastifyReply, simulate: (gone: AbortSignal) => Promise<SimulationRecord>) =>
    whileConnected(reply, async gone => {
      const answer = envelope(SIMULATION, await simulate(gone))
      reply.serializer(payload => payload as string)
      // The text of the answer, which the serializer passes on.
      return (await inTurns(jsonTextInSteps(answer, DEPTH_OF_EVENTS), replayTurns.begin())) as never
    })

  app.post(
    '/v3/pipeline/simulate',
    {
      config: { needs: 'write', exactMember: 'samples' },
      schema: {
        summary: 'Simulate samples on a pipeline in the request; nothing is sent or stored',
        tags: ['simulation'],
        body: FileSimulationRequest,
        response: { 200: EnvelopeOf(SimulationRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, body }, reply) => answered(reply, gone => simulations.ofFile(caller, body, gone)),
  )

  app.post(
    '/v3/pipeline/:pipelineId/simulate',
    {
      config: { needs: 'write', exactMember: 'samples' },
      schema: {
        summary:
          'Simulate samples on the draft, on a revision, or on a pipeline in the request; nothing is sent or stored',
        tags: ['simulation'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: Type.Object({
          revision: Type.Optional(Type.String({ description: 'Number of a revision' })),
        }),
        body: SimulationRequest,
        response: { 200: EnvelopeOf(SimulationRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query, body }, reply) =>
      answered(reply, gone => simulations.ofPipeline(caller, params.pipelineId, query.revision, body, gone)),
  )
}
