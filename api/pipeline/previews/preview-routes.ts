import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import { PreviewRecord, PreviewRequest } from '../../../schemas/http/pipeline/preview-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import type { PipelineFiles } from '../file/pipeline-files.ts'
import { PipelineGraphs } from '../graph/pipeline-graphs.ts'
import { PREVIEW } from '../links.ts'
import { PipelinePath } from '../pipeline-path.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { Previews } from './previews.ts'

const PreviewPath = Type.Object({ pipelineId: Type.String(), previewId: Type.String() })
const OnePreview = { 200: EnvelopeOf(PreviewRecord), ...V3_ERROR_REPLIES }
const tags = ['simulation']

/** Comparison of the draft's results for the lines of the last minutes with the stored ones. */
export const previewRoutes: FastifyPluginAsyncTypebox<
  PipelineRouteOptions & { readonly files: PipelineFiles }
> = async (app, { pipelines, files }) => {
  const graphs = new PipelineGraphs(pipelines, files, app.ports)
  const previews = new Previews(pipelines, { files, graphs }, app.ports)
  app.addHook('onClose', async () => previews.close())
  const config = { needs: 'write', reveals: 'any line' } as const

  app.post(
    '/v3/pipeline/:pipelineId/preview',
    {
      config,
      schema: {
        summary:
          'Start a preview: run the draft, a revision, or a pipeline in the request, on the lines of the last minutes',
        tags,
        params: PipelinePath,
        body: PreviewRequest,
        response: OnePreview,
      },
    },
    async ({ caller, params, body }) =>
      envelope(PREVIEW, await previews.begin(caller, params.pipelineId, body)),
  )

  app.get(
    '/v3/pipeline/:pipelineId/preview',
    {
      config,
      schema: {
        summary: 'List the previews of a pipeline in this process, newest first',
        tags,
        params: PipelinePath,
        response: { 200: EnvelopeOf(Type.Array(PreviewRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope({ ...PREVIEW, page: NO_FURTHER_PAGES }, previews.list(caller, params.pipelineId)),
  )

  app.get(
    '/v3/pipeline/:pipelineId/preview/:previewId',
    {
      config,
      schema: {
        summary: 'Read the progress of a preview, and its result',
        tags,
        params: PreviewPath,
        response: OnePreview,
      },
    },
    async ({ caller, params }) =>
      envelope(PREVIEW, previews.get(caller, params.pipelineId, params.previewId)),
  )

  app.delete(
    '/v3/pipeline/:pipelineId/preview/:previewId',
    {
      config,
      schema: { summary: 'Cancel a preview', tags, params: PreviewPath, response: OnePreview },
    },
    async ({ caller, params }) =>
      envelope(PREVIEW, previews.cancel(caller, params.pipelineId, params.previewId)),
  )
}
