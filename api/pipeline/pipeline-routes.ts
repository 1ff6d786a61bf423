import type { FastifyPluginAsync } from 'fastify'
import { withPresentConfiguration } from '../auth/present-configuration.ts'
import { alertRoutes } from './alerts/alert-routes.ts'
import { deadLetterRoutes } from './dead-letters/dead-letter-routes.ts'
import { deliveryRoutes } from './deliveries/delivery-routes.ts'
import { explanationRoutes } from './explain/explanation-routes.ts'
import { fileRoutes } from './file/file-routes.ts'
import { PipelineFiles } from './file/pipeline-files.ts'
import { gatewayRouteRoutes } from './gateway-route-routes.ts'
import { graphRoutes } from './graph/graph-routes.ts'
import { liveMetricsRoutes } from './metrics/live-metrics-routes.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import { nodeRoutes } from './node-routes.ts'
import { nodeTypeRoutes } from './node-types/node-type-routes.ts'
import { pausingRoutes } from './pausing-routes.ts'
import { pipelineErrorRoutes } from './pipeline-error-routes.ts'
import { pipelineResourceRoutes } from './pipeline-resource-routes.ts'
import { Pipelines } from './pipelines.ts'
import { previewRoutes } from './previews/preview-routes.ts'
import { simulationRoutes } from './previews/simulation-routes.ts'
import { profileRoutes } from './profile/profile-routes.ts'
import { publishRoutes } from './publish-routes.ts'
import { revisionRoutes } from './revisions/revision-routes.ts'
import { stateVariableRoutes } from './state-variables/state-variable-routes.ts'
import { tapRoutes } from './taps/tap-routes.ts'
import { throttleRoutes } from './throttle/throttle-routes.ts'

/** Size of a body with a node, an alert or settings: one comparison may have 10,000 address blocks. (Our choice.) */
const MAX_PART_BYTES = 524_288
/** Requests with a whole pipeline, or with samples. */
const WHOLE = new Set([
  '/v3/pipeline/import',
  '/v3/pipeline/:pipelineId/graph',
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
  const pipelines = new Pipelines(app.ports)
  const files = new PipelineFiles(pipelines, app.ports, nodeSettings)
  await app.register(nodeTypeRoutes)
  await app.register(pipelineResourceRoutes, { pipelines })
  await app.register(publishRoutes, { pipelines })
  await app.register(gatewayRouteRoutes, { pipelines })
  await app.register(throttleRoutes, { pipelines })
  await app.register(profileRoutes, { pipelines })
  await app.register(deliveryRoutes, { pipelines })
  await app.register(stateVariableRoutes, { pipelines })
  await app.register(deadLetterRoutes, { pipelines })
  if (store !== undefined) {
    await app.register(pipelineErrorRoutes, { pipelines, store })
    await app.register(metricsRoutes, { pipelines, store })
  }
  await app.register(liveMetricsRoutes, { pipelines })
  await app.register(revisionRoutes, { pipelines })
  await app.register(pausingRoutes, { pipelines })
  await app.register(simulationRoutes, { pipelines, files })
  await app.register(explanationRoutes, { pipelines })
  await app.register(previewRoutes, { pipelines, files })
  await app.register(fileRoutes, { files })
  await app.register(graphRoutes, { pipelines, files })
  await app.register(alertRoutes, { pipelines })
  await app.register(tapRoutes, { pipelines })
  await app.register(nodeRoutes, { pipelines })
}
