import type { FastifyPluginAsync } from 'fastify'
import { BoardRecord, BoardWrite } from '../../schemas/http/board.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { resourceRoutes } from '../configuration/resource-routes.ts'
import { Boards } from './boards.ts'

/** Configuration and account API, section 12. */
export const boardRoutes: FastifyPluginAsync<ConfigurationPorts> = async (app, ports) => {
  const names = {
    path: '/v1/config/board',
    one: 'board',
    many: 'boards',
    write: BoardWrite,
    record: BoardRecord,
  }
  resourceRoutes(app, names, new Boards(ports))
}
