import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  FileSimulationRequest,
  SimulationRecord,
  SimulationRequest,
} from '../../../schemas/http/pipeline/simulation-api.ts'
import { envelope } from '../../http/envelope.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import { SIMULATION } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Simulations } from './simulations.ts'

/**
 * Simulation of samples on a pipeline, without any effect. Its answers may show contents of nodes, so it needs the right
 * to read those.
 */
export const simulationRoutes: FastifyPluginAsyncTypebox<
  PipelineRouteOptions & { readonly files: PipelineFiles }
> = async (app, { pipelines, files }) => {
  const simulations = new Simulations(pipelines, files, app.ports)

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
    async ({ caller, body }) => envelope(SIMULATION, await simulations.ofFile(caller, body)),
  )

  app.post(
    '/v3/pipeline/:pipelineId/simulate',
    {
      config: { needs: 'write', exactMember: 'samples' },
      schema: {
        summary: 'Simulate samples on the draft, or on a revision; nothing is sent or stored',
        tags: ['simulation'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: Type.Object({
          revision: Type.Optional(Type.String({ description: 'Number of a revision' })),
        }),
        body: SimulationRequest,
        response: { 200: EnvelopeOf(SimulationRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query, body }) =>
      envelope(SIMULATION, await simulations.ofPipeline(caller, params.pipelineId, query.revision, body)),
  )
}
