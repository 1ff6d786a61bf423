import type { FastifyInstance } from 'fastify'
import { PATH_HEADER } from '../../engine/outbound/http-exchange.ts'
import { ApiError } from '../http/errors.ts'

/**
 * Refuses requests to the routes of an app that the installation itself sent, directly or through others: their events would
 * go round without end.
 */
export function refuseOwnRequests(app: FastifyInstance, logId: string): void {
  app.addHook('onRequest', async ({ headers: { [PATH_HEADER]: path } }) => {
    if (path === undefined) return
    const passed = [path].flat().flatMap(list => list.split(',').map(id => id.trim()))
    if (passed.includes(logId))
      throw new ApiError(508, 'LoopDetected', 'The request comes from a pipeline of this installation')
  })
}
