import type { FastifyPluginAsync } from 'fastify'
import { Archiving } from '../../schemas/http/account/archiving.ts'
import { singleResourceRoutes } from '../configuration/resource-routes.ts'
import { Archivings } from './archivings.ts'

/**
 * `/v1/config/archiving` (configuration and account API, section 8; specification, endpoint 3). Answers hold the credentials of
 * the object store in clear.
 */
export const archivingRoutes: FastifyPluginAsync = async app => {
  const names = {
    path: '/v1/config/archiving',
    tag: 'archiving',
    summaries: {
      get: 'Read the archiving configuration',
      post: 'Create the archiving configuration',
      put: 'Replace the archiving configuration, possibly with another provider',
      delete: 'Delete the archiving configuration',
    },
    write: Archiving,
    record: Archiving,
  }
  singleResourceRoutes(app, names, new Archivings(app.ports))
}
