import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import {
  FileSimulationRequest,
  SimulationRecord,
  SimulationRequest,
} from '../../../schemas/http/simulation-api.ts'
import { EnvelopeOf, envelope, V3_ERROR_REPLIES } from '../../http/envelope.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import { SIMULATION } from '../links.ts'
import type { PipelinePorts } from '../pipeline-ports.ts'
import type { Pipelines } from '../pipelines.ts'
import { Simulations } from './simulations.ts'

/** Samples on a pipeline, without any effect. What it answers may show what nodes hold, so it asks for as much as they do. */
export const simulationRoutes: FastifyPluginAsyncTypebox<
  PipelinePorts & { pipelines: Pipelines; files: PipelineFiles }
> = async (app, { pipelines, files, ...ports }) => {
  const simulations = new Simulations(pipelines, files, ports)

  app.post(
    '/v3/pipeline/simulate',
    {
      config: { needs: 'write', exactMember: 'samples' },
      schema: {
        summary: 'Try samples on a pipeline that comes with them; nothing is sent, stored or kept',
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
        summary: 'Try samples on the nodes as they are edited, or on a revision; nothing is sent or stored',
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
