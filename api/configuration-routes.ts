import type { FastifyPluginAsync } from 'fastify'
import { indexRateRoutes } from './alerts/index-rate-routes.ts'
import { presetAlertRoutes } from './alerts/preset-alert-routes.ts'
import { archivingRoutes } from './archiving/archiving-routes.ts'
import { auditRoutes } from './audit/audit-routes.ts'
import { withPresentConfiguration } from './auth/present-configuration.ts'
import { boardRoutes } from './boards/board-routes.ts'
import { categoryRoutes } from './categories/category-routes.ts'
import type { ConfigurationPorts } from './configuration/configuration-ports.ts'
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
 * `/v1/config` (configuration and account API, sections 4 to 16; ingestion, search and usage, section 9): one plugin for
 * each resource.
 */
export const configurationRoutes: FastifyPluginAsync<ConfigurationPorts> = async (app, ports) => {
  app.addHook('preHandler', withPresentConfiguration(ports.configuration, ports.clock))
  await app.register(viewRoutes, ports)
  await app.register(presetAlertRoutes, ports)
  await app.register(categoryRoutes, ports)
  await app.register(boardRoutes, ports)
  await app.register(indexRateRoutes, ports)
  await app.register(archivingRoutes, ports)
  await app.register(keyRoutes, ports)
  await app.register(memberRoutes, ports)
  await app.register(groupRoutes, ports)
  await app.register(streamRoutes, ports)
  await app.register(ingestionRoutes, ports)
  await app.register(retentionRoutes, ports)
  await app.register(lineRuleRoutes, ports)
  await app.register(quotaRoutes, ports)
  await app.register(tokenRoutes, ports)
  await app.register(auditRoutes, ports)
}
