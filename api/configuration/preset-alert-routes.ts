import type { FastifyPluginAsync } from 'fastify'
import { PresetAlertRecord, PresetAlertWrite } from '../../schemas/http/preset-alert.ts'
import type { ConfigurationPorts } from './configuration-routes.ts'
import { PresetAlerts } from './preset-alerts.ts'
import { resourceRoutes } from './resource-routes.ts'

/** Configuration and account API, section 6. */
export const presetAlertRoutes: FastifyPluginAsync<ConfigurationPorts> = async (app, ports) => {
  const names = {
    path: '/v1/config/presetalert',
    one: 'preset alert',
    many: 'preset alerts',
    write: PresetAlertWrite,
    record: PresetAlertRecord,
  }
  resourceRoutes(app, names, new PresetAlerts(ports))
}
