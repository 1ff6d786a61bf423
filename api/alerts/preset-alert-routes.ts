import type { FastifyPluginAsync } from 'fastify'
import { PresetAlertRecord, PresetAlertWrite } from '../../schemas/http/preset-alert.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { PresetAlerts } from './preset-alerts.ts'

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
