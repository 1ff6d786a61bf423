import { hash } from 'node:crypto'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { errorLevel } from '../../engine/event/errors.ts'
import type { PipelineErrorEntry, PipelineErrorsQuery } from '../../engine/store/pipeline-errors.ts'
import type { Store } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import {
  AllPipelineErrorsQuery,
  HourlyPipelineErrorRecord,
  MOST_ERROR_COUNTS,
  PipelineErrorCount,
  PipelineErrorCountQuery,
  PipelineErrorQuery,
  PipelineErrorRecord,
} from '../../schemas/http/pipeline/pipeline-error-api.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { envelope, NO_FURTHER_PAGES } from '../http/envelope.ts'
import { givenTimeMs, isoTime } from '../http/iso-time.ts'
import { ProblemsError } from '../http/problems-error.ts'
import type { TypedApp } from '../http/typed-app.ts'
import { ALL_ERRORS, ERROR_COUNTS, PIPELINE_ERRORS } from './links.ts'
import type { PipelineRouteOptions } from './pipelines.ts'

export interface PipelineErrorRouteOptions extends PipelineRouteOptions {
  readonly store: Pick<Store, 'pipelineErrors' | 'pipelineErrorCounts'>
}

const DEFAULT_LIMIT = 100
const ABOUT_ERRORS =
  'An error appears once its minute of log time is over, that of a delivery after some ten seconds. It stays for ten days.'
const tags = ['pipelines']
const config = { needs: 'write', reveals: 'any line' } as const

/** Errors that nodes reported. They show contents of lines, so reading them needs the same right as an explanation. */
export const pipelineErrorRoutes: FastifyPluginAsyncTypebox<PipelineErrorRouteOptions> = async (
  app,
  { pipelines, store },
) => {
  const { clock } = app.ports
  serveAll(app, { pipelines, store })
  serveCounts(app, { pipelines, store })
  app.get(
    '/v3/pipeline/:pipelineId/error',
    {
      config,
      schema: {
        summary:
          'List the errors that nodes reported, newest first; those of one code and field are one entry',
        description: ABOUT_ERRORS,
        tags,
        params: Type.Object({ pipelineId: Type.String() }),
        querystring: PipelineErrorQuery,
        response: { 200: EnvelopeOf(Type.Array(PipelineErrorRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params: { pipelineId }, query }) => {
      const { pipeline } = pipelines.get(caller, pipelineId)
      const entries = await store.pipelineErrors({
        account: pipeline.value.account,
        pipelines: [pipeline.id],
        ...selectionOf(query, clock.wallMs()),
      })
      return envelope({ ...PIPELINE_ERRORS, page: NO_FURTHER_PAGES }, entries.map(errorRecord))
    },
  )
}

/** `/v3/pipeline/error`: errors of all pipelines of the account, with their numbers by hour. */
function serveAll(app: TypedApp, { pipelines, store }: PipelineErrorRouteOptions): void {
  const { clock } = app.ports
  app.get(
    '/v3/pipeline/error',
    {
      config,
      schema: {
        summary: 'List the errors that nodes of all pipelines reported, newest first, with counts by hour',
        description: ABOUT_ERRORS,
        tags,
        querystring: AllPipelineErrorsQuery,
        response: { 200: EnvelopeOf(Type.Array(HourlyPipelineErrorRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, query }) => {
      const entries = await store.pipelineErrors({
        ...pipelinesOf(pipelines, caller, query),
        ...selectionOf(query, clock.wallMs()),
      })
      const records = entries.map(entry => ({
        ...errorRecord(entry),
        hours: entry.hours.map(({ startMs, count }) => ({ start: isoTime(startMs), count })),
      }))
      return envelope({ ...ALL_ERRORS, page: NO_FURTHER_PAGES }, records)
    },
  )
}

/** `/v3/pipeline/error/count`: numbers of errors by pipeline, node and code. */
function serveCounts(app: TypedApp, { pipelines, store }: PipelineErrorRouteOptions): void {
  const { clock } = app.ports
  app.get(
    '/v3/pipeline/error/count',
    {
      config,
      schema: {
        summary: 'Count the errors of all pipelines by pipeline, node and code, the largest number first',
        description: `${ABOUT_ERRORS} The answer has at most ${MOST_ERROR_COUNTS} entries.`,
        tags,
        querystring: PipelineErrorCountQuery,
        response: { 200: EnvelopeOf(Type.Array(PipelineErrorCount)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, query }) => {
      const counts = await store.pipelineErrorCounts({
        ...pipelinesOf(pipelines, caller, query),
        ...periodOf(query, clock.wallMs()),
        limit: MOST_ERROR_COUNTS,
      })
      const records = counts.map(({ pipeline, node, ...counted }) => ({
        ...{ pipeline_id: pipeline, node_id: node },
        ...counted,
      }))
      return envelope({ ...ERROR_COUNTS, page: NO_FURTHER_PAGES }, records)
    },
  )
}

/** The pipelines of an account whose errors are wanted: all of them, or one. */
function pipelinesOf(
  pipelines: PipelineRouteOptions['pipelines'],
  caller: Caller,
  { pipeline_id: wanted }: PipelineErrorCountQuery,
): Pick<PipelineErrorsQuery, 'account' | 'pipelines'> {
  const ids = pipelines.list(caller).map(({ pipeline }) => pipeline.id)
  return {
    account: accountOf(caller).shortId,
    pipelines: wanted === undefined ? ids : ids.filter(id => id === wanted),
  }
}

/** @throws like `periodOf` */
function selectionOf(
  query: PipelineErrorQuery,
  nowMs: number,
): Omit<PipelineErrorsQuery, 'account' | 'pipelines'> {
  const { node_id: node, code, limit } = query
  return { node, code, ...periodOf(query, nowMs), limit: Number(limit ?? DEFAULT_LIMIT) }
}

/** @throws ProblemsError for a period that ends before it begins */
function periodOf({ from, to }: PipelineErrorCountQuery, nowMs: number): { fromMs: number; toMs?: number } {
  const toMs = to === undefined ? undefined : givenTimeMs(to, nowMs)
  const fromMs = from === undefined ? (toMs ?? nowMs) - DAY_MS : givenTimeMs(from, nowMs)
  if (fromMs > (toMs ?? fromMs))
    throw new ProblemsError([{ instancePath: '/from', message: 'must NOT be later than to' }])
  return { fromMs, ...(toMs !== undefined && { toMs }) }
}

function errorRecord(entry: PipelineErrorEntry): PipelineErrorRecord {
  const { pipeline, node, nodeKind, code, field, message, captured, firstMs, lastMs, count } = entry
  return {
    id: hash('sha256', JSON.stringify([pipeline, node, nodeKind, code, field])),
    pipeline_id: pipeline,
    node_id: node,
    node_kind: nodeKind as PipelineErrorRecord['node_kind'],
    code,
    level: errorLevel(code),
    field,
    message,
    captured,
    first_seen: isoTime(firstMs),
    last_seen: isoTime(lastMs),
    count,
  }
}
