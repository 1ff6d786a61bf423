import type { FastifyPluginAsync } from 'fastify'
import { BoardRecord, BoardWrite } from '../../schemas/http/account/board.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { boardResource } from './boards.ts'

/** Configuration and account API, section 12. */
export const boardRoutes: FastifyPluginAsync = async app => {
  const names = {
    path: '/v1/config/board',
    one: 'board',
    many: 'boards',
    write: BoardWrite,
    record: BoardRecord,
  }
  resourceRoutes(app, names, boardResource(app.ports))
}
