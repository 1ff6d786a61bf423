import type { FastifyPluginAsync } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Store } from '../../engine/store/store.ts'
import type { CutsInEffect } from '../../schemas/log/cuts.ts'
import { withPresentConfiguration } from '../present-configuration.ts'
import { archivingRoutes } from './archiving-routes.ts'
import type { ArchivingSettings } from './archivings.ts'
import { boardRoutes } from './board-routes.ts'
import { categoryRoutes } from './category-routes.ts'
import { groupRoutes } from './group-routes.ts'
import { indexRateRoutes } from './index-rate-routes.ts'
import { ingestionRoutes } from './ingestion-routes.ts'
import type { SuspensionSettings } from './ingestion-suspension.ts'
import { keyRoutes } from './key-routes.ts'
import type { KeySettings } from './keys.ts'
import { lineRuleRoutes } from './line-rule-routes.ts'
import { memberRoutes } from './member-routes.ts'
import { presetAlertRoutes } from './preset-alert-routes.ts'
import { quotaRoutes } from './quota-routes.ts'
import type { Reach } from './reach.ts'
import { retentionRoutes } from './retention-routes.ts'
import { streamRoutes } from './stream-routes.ts'
import { viewRoutes } from './view-routes.ts'

export interface ConfigurationSettings extends KeySettings, ArchivingSettings, SuspensionSettings {}

import type { ConfigurationAuthenticator } from '../auth/authenticator.ts'
import type { TokenUses } from '../auth/token-uses.ts'
import { auditRoutes } from './audit-routes.ts'
import { tokenRoutes } from './token-routes.ts'

export interface ConfigurationPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly reach: Reach
  readonly settings: ConfigurationSettings
  /** What the engine of this process has in effect; absent where none runs. */
  readonly inEffect?: CutsInEffect | undefined
  readonly authenticator: ConfigurationAuthenticator
  readonly uses: TokenUses
  /** Absent where none can be asked. */
  readonly store?: Store | undefined
}

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
