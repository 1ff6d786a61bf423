import type { FastifyRequest } from 'fastify'
import { MAX_PER_S } from '../../schemas/http/lines/tail-api.ts'
import { type LineIdParts, parseLineId } from '../../schemas/log/position.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { QueryParameters } from '../http/query-parameters.ts'
import { isUpgrade } from '../http/web-sockets.ts'
import { readFilters, readQuery } from '../search/export-request.ts'
import type { TailWishes } from './tail.ts'

/** @throws ApiError 400 with all findings about the parameters */
export function readTail({ query, raw }: FastifyRequest): TailWishes {
  const parameters = new QueryParameters(query)
  const wishes = {
    filters: readFilters(parameters),
    query: readQuery(parameters, 'q'),
    maxPerS: parameters.integer('max_per_s', MAX_PER_S),
    after: readAfter(parameters),
  }
  if (!isUpgrade(raw)) parameters.refuseAs('upgrade', '"upgrade" header must be websocket')
  parameters.check()
  return wishes
}

function readAfter(parameters: QueryParameters): LineIdParts | undefined {
  const text = parameters.text('after')
  if (text === undefined) return undefined
  const place = parseLineId(text)
  if (place?.topic === INGEST_TOPIC) return place
  parameters.refuse('after', 'must be the "_id" of a line of a live tail')
  return undefined
}
