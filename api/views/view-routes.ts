import type { FastifyPluginAsync } from 'fastify'
import { ViewRecord, ViewWrite } from '../../schemas/http/account/view.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { viewResource } from './views.ts'

/** Configuration and account API, section 4. */
export const viewRoutes: FastifyPluginAsync = async app => {
  const names = {
    path: '/v1/config/view',
    one: 'view',
    many: 'views',
    write: ViewWrite,
    record: ViewRecord,
  }
  resourceRoutes(app, names, viewResource(app.ports))
}
