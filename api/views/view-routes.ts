import type { FastifyPluginAsync } from 'fastify'
import { ViewRecord, ViewWrite } from '../../schemas/http/view.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { Views } from './views.ts'

/** Configuration and account API, section 4. */
export const viewRoutes: FastifyPluginAsync<ConfigurationPorts> = async (app, ports) => {
  const names = {
    path: '/v1/config/view',
    one: 'view',
    many: 'views',
    write: ViewWrite,
    record: ViewRecord,
  }
  resourceRoutes(app, names, new Views(ports))
}
