import type { FastifyRequest } from 'fastify'
import { QueryParameters } from '../http/query-parameters.ts'
import { isUpgrade } from '../http/web-sockets.ts'
import { readFilters, readQuery } from '../search/export-request.ts'
import type { TailWishes } from './tail.ts'

/** @throws ApiError 400 with all findings about the parameters */
export function readTail({ query, raw }: FastifyRequest): TailWishes {
  const parameters = new QueryParameters(query)
  const wishes = { filters: readFilters(parameters), query: readQuery(parameters, 'q') }
  if (!isUpgrade(raw)) parameters.refuseAs('upgrade', '"upgrade" header must be websocket')
  parameters.check()
  return wishes
}
