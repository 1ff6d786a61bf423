import type { FastifyPluginAsync } from 'fastify'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { bucketRoutes } from './bucket-routes.ts'
import { exemptionRoutes } from './exemption-routes.ts'

/** Throttles that run: keys that they let pass for a time, and events that they have let pass. */
export const throttleRoutes: FastifyPluginAsync<PipelineRouteOptions> = async (app, { pipelines }) => {
  await app.register(exemptionRoutes, { pipelines })
  await app.register(bucketRoutes, { pipelines })
}
