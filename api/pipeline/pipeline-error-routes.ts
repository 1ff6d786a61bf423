import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { PipelineErrorEntry } from '../../engine/store/pipeline-errors.ts'
import type { Store } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { PipelineErrorQuery, PipelineErrorRecord } from '../../schemas/http/pipeline/pipeline-error-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import { isoTime } from '../http/iso-time.ts'
import { ProblemsError } from '../http/problems-error.ts'
import { instantMs } from './instant.ts'
import { PIPELINE_ERRORS } from './links.ts'
import type { PipelineRouteOptions } from './pipelines.ts'

export interface PipelineErrorRouteOptions extends PipelineRouteOptions {
  readonly store: Pick<Store, 'pipelineErrors'>
}

const DEFAULT_LIMIT = 100

/** Errors that nodes reported. They show contents of lines, so reading them needs the same right as an explanation. */
export const pipelineErrorRoutes: FastifyPluginAsyncTypebox<PipelineErrorRouteOptions> = async (
  app,
  { pipelines, store },
) => {
  const { clock } = app.ports
  app.get(
    '/v3/pipeline/:pipelineId/error',
    {
      config: { needs: 'write', reveals: 'any line' },
      schema: {
        summary: 'List the errors that nodes reported, newest first; equal errors are one entry',
        description: 'An error appears once its minute of log time is over, and stays for ten days.',
        tags: ['pipelines'],
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: PipelineErrorQuery,
        response: { 200: EnvelopeOf(Type.Array(PipelineErrorRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const { pipeline } = pipelines.get(caller, pipelineId)
      const entries = await store.pipelineErrors({
        account: pipeline.value.account,
        pipeline: pipeline.id,
        node: query.node_id,
        ...periodOf(query, clock.wallMs()),
        limit: Number(query.limit ?? DEFAULT_LIMIT),
      })
      const records = entries.map(entry => errorRecord(pipeline.id, entry))
      return envelope({ ...PIPELINE_ERRORS, page: NO_FURTHER_PAGES }, records)
    },
  )
}

/** @throws ProblemsError for a period that ends before it begins */
function periodOf({ from, to }: PipelineErrorQuery, nowMs: number): { fromMs: number; toMs?: number } {
  const toMs = to === undefined ? undefined : instantMs(to)
  const fromMs = from === undefined ? (toMs ?? nowMs) - DAY_MS : instantMs(from)
  if (fromMs > (toMs ?? fromMs))
    throw new ProblemsError([{ instancePath: '/from', message: 'must NOT be later than to' }])
  return { fromMs, ...(toMs !== undefined && { toMs }) }
}

function errorRecord(pipeline: string, entry: PipelineErrorEntry): PipelineErrorRecord {
  const { node, nodeKind, code, field, message, captured, firstMs, lastMs, count } = entry
  return {
    id: hash('sha256', JSON.stringify([pipeline, node, nodeKind, code, field, message])),
    pipeline_id: pipeline,
    node_id: node,
    node_kind: nodeKind as PipelineErrorRecord['node_kind'],
    code,
    field,
    message,
    captured,
    first_seen: isoTime(firstMs),
    last_seen: isoTime(lastMs),
    count,
  }
}
