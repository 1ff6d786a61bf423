import type { FastifyPluginAsync } from 'fastify'
import { indexRateRoutes } from './alerts/index-rate-routes.ts'
import { presetAlertRoutes } from './alerts/preset-alert-routes.ts'
import { archivingRoutes } from './archiving/archiving-routes.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import { withPresentConfiguration } from './auth/present-configuration.ts'
import { boardRoutes } from './boards/board-routes.ts'
import { categoryRoutes } from './categories/category-routes.ts'
import { groupRoutes } from './groups/group-routes.ts'
import { keyRoutes } from './keys/key-routes.ts'
import { lineRuleRoutes } from './line-rules/line-rule-routes.ts'
import { quotaRoutes } from './line-rules/quota-routes.ts'
import { retentionRoutes } from './line-rules/retention-routes.ts'
import { memberRoutes } from './members/member-routes.ts'
import { streamRoutes } from './streams/stream-routes.ts'
import { ingestionRoutes } from './suspension/ingestion-routes.ts'
import { tokenRoutes } from './tokens/token-routes.ts'
import { viewRoutes } from './views/view-routes.ts'

/**
 * `/v1/config` (configuration and account API, sections 4 to 16; ingestion, search and usage, section 9): one plugin per
 * resource.
 */
export const configurationRoutes: FastifyPluginAsync = async app => {
  app.addHook('preHandler', withPresentConfiguration(app.ports))
  const maxBodyBytes = app.ports.settings.maxObjectBytes
  app.addHook('onRoute', route => {
    route.config = { maxBodyBytes, ...route.config }
  })
  await app.register(viewRoutes)
  await app.register(presetAlertRoutes)
  await app.register(categoryRoutes)
  await app.register(boardRoutes)
  await app.register(indexRateRoutes)
  await app.register(archivingRoutes)
  await app.register(keyRoutes)
  await app.register(memberRoutes)
  await app.register(groupRoutes)
  await app.register(streamRoutes)
  await app.register(ingestionRoutes)
  await app.register(retentionRoutes)
  await app.register(lineRuleRoutes)
  await app.register(quotaRoutes)
  await app.register(tokenRoutes)
  await app.register(auditRoutes)
}
