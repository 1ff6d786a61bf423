import type { FastifyPluginAsync } from 'fastify'
import { PresetAlertRecord, PresetAlertWrite } from '../../schemas/http/account/preset-alert.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { presetAlertResource } from './preset-alerts.ts'

/** Configuration and account API, section 6. */
export const presetAlertRoutes: FastifyPluginAsync = async app => {
  const names = {
    path: '/v1/config/presetalert',
    one: 'preset alert',
    many: 'preset alerts',
    write: PresetAlertWrite,
    record: PresetAlertRecord,
  }
  resourceRoutes(app, names, presetAlertResource(app.ports))
}
