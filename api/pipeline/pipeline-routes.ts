import type { FastifyInstance, FastifyPluginAsync, FastifyRequest } from 'fastify'
import { withPresentConfiguration } from '../auth/present-configuration.ts'
import { notFound } from '../http/errors.ts'
import { alertRoutes } from './alerts/alert-routes.ts'
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.ts'
import { explanationRoutes } from './explain/explanation-routes.ts'
import { fileRoutes } from './file/file-routes.ts'
import { PipelineFiles } from './file/pipeline-files.ts'
import { gatewayRouteRoutes } from './gateway-route-routes.ts'
import { nodeRoutes } from './node-routes.ts'
import { pausingRoutes } from './pausing-routes.ts'
import { pipelineErrorRoutes } from './pipeline-error-routes.ts'
import { pipelineResourceRoutes } from './pipeline-resource-routes.ts'
import { Pipelines } from './pipelines.ts'
import { previewRoutes } from './previews/preview-routes.ts'
import { simulationRoutes } from './previews/simulation-routes.ts'
import { publishRoutes } from './publish-routes.ts'
import { revisionRoutes } from './revisions/revision-routes.ts'
import { tapRoutes } from './taps/tap-routes.ts'
import { throttleRoutes } from './throttle/throttle-routes.ts'

/** Segments that stand where a pipeline's id does and belong to parts of the contract that are not built yet. */
const RESERVED_SEGMENTS = ['state-variable']

/** Size of a body with a node, an alert or settings: one comparison may have 10,000 address blocks. (Our choice.) */
const MAX_PART_BYTES = 524_288
/** Requests with a whole pipeline, or with samples. */
const WHOLE = new Set([
  '/v3/pipeline/import',
  '/v3/pipeline/simulate',
  '/v3/pipeline/:pipelineId/simulate',
  '/v3/pipeline/:pipelineId/preview',
])

/** `/v3/pipeline` (pipeline API, section 2): one plugin per resource. */
export const pipelineRoutes: FastifyPluginAsync = async app => {
  const { store, nodeSettings } = app.ports
  app.addHook('preHandler', withPresentConfiguration(app.ports))
  app.addHook('onRoute', route => {
    if (!WHOLE.has(route.url)) route.config = { ...route.config, maxBodyBytes: MAX_PART_BYTES }
  })
  refuseReservedSegments(app)
  const pipelines = new Pipelines(app.ports)
  const files = new PipelineFiles(pipelines, app.ports, nodeSettings)
  await app.register(pipelineResourceRoutes, { pipelines })
  await app.register(publishRoutes, { pipelines })
  await app.register(gatewayRouteRoutes, { pipelines })
  await app.register(throttleRoutes, { pipelines })
  await app.register(deadLetterRoutes, { pipelines })
  if (store !== undefined) await app.register(pipelineErrorRoutes, { pipelines, store })
  await app.register(revisionRoutes, { pipelines })
  await app.register(pausingRoutes, { pipelines })
  await app.register(simulationRoutes, { pipelines, files })
  await app.register(explanationRoutes, { pipelines })
  await app.register(previewRoutes, { pipelines })
  await app.register(fileRoutes, { files })
  await app.register(alertRoutes, { pipelines })
  await app.register(tapRoutes, { pipelines })
  await app.register(nodeRoutes, { pipelines })
}

function refuseReservedSegments(app: FastifyInstance): void {
  for (const segment of RESERVED_SEGMENTS) {
    const refuse = async (_request: FastifyRequest) => {
      throw notFound(`${segment} is not available in this version`)
    }
    const hidden = { config: { needs: 'read' as const }, schema: { hide: true } }
    app.all(`/v3/pipeline/${segment}`, hidden, refuse)
    app.all(`/v3/pipeline/${segment}/*`, hidden, refuse)
  }
}
