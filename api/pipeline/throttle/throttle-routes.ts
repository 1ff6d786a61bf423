import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import {
  BucketQuery,
  BucketRecord,
  BucketTotals,
  ExemptionQuery,
  ExemptionRecord,
  ExemptionWrite,
  OneBucketQuery,
  OneBucketRecord,
} from '../../../schemas/http/throttle-api.ts'
import { EnvelopeOf, envelope, NO_FURTHER_PAGES, V3_ERROR_REPLIES } from '../../http/envelope.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { BUCKETS, EXEMPTIONS } from '../links.ts'
import type { Pipelines } from '../pipelines.ts'
import { type BucketPorts, Buckets } from './buckets.ts'
import { type ExemptionPorts, Exemptions } from './exemptions.ts'

export interface ThrottleRouteOptions extends ExemptionPorts, BucketPorts {
  readonly configuration: ExemptionPorts['configuration']
  readonly pipelines: Pipelines
}

const NodePath = Type.Object({ pipelineId: Type.String(), nodeId: Type.String() })
const BucketPath = Type.Object({
  ...NodePath.properties,
  key: Type.String({ description: 'Percent-encoded; with `default=true` anything.' }),
})
const BucketList = Type.Object({
  meta: Type.Object({
    pk: Type.String(),
    type: Type.String(),
    links: Type.Unsafe<object>({ type: 'object' }),
    page: Type.Object({ next: Type.Null(), previous: Type.Null() }),
    totals: BucketTotals,
  }),
  data: Type.Array(BucketRecord),
})
const THROTTLE_PATH = '/v3/pipeline/:pipelineId/transform/:nodeId'
const tags = ['processors']

/** Throttles that run: what they have let pass, and keys that they let pass for a time. */
export const throttleRoutes: FastifyPluginAsyncTypebox<ThrottleRouteOptions> = async (
  app,
  { pipelines, ...ports },
) => {
  const exemptions = new Exemptions(pipelines, ports)
  const buckets = new Buckets(pipelines, ports)

  app.get(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List the keys that a throttle lets pass for a time',
        tags,
        params: NodePath,
        response: { 200: EnvelopeOf(Type.Array(ExemptionRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope({ ...EXEMPTIONS, page: NO_FURTHER_PAGES }, exemptions.list(caller, pathOf(params))),
  )

  app.put(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Let the events of one key pass a throttle, uncounted, for a time',
        tags,
        params: NodePath,
        body: ExemptionWrite,
        response: { 200: EnvelopeOf(ExemptionRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, body }) =>
      envelope(EXEMPTIONS, await exemptions.set(caller, pathOf(params), body)),
  )

  app.delete(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Judge the events of a key again before its exemption is over',
        tags,
        params: NodePath,
        querystring: ExemptionQuery,
        response: {
          200: EnvelopeOf(Type.Object({ key: ExemptionRecord.properties.key, deleted: Type.Literal(true) })),
          ...V3_ERROR_REPLIES,
        },
      },
    },
    async ({ caller, params, query }) => {
      const key = keyOf(query)
      await exemptions.end(caller, pathOf(params), key)
      return envelope(EXEMPTIONS, { key, deleted: true as const })
    },
  )

  app.get(
    `${THROTTLE_PATH}/bucket`,
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'List the buckets of a throttle that let most pass in the window that ends now',
        tags,
        params: NodePath,
        querystring: BucketQuery,
        response: { 200: BucketList, ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query: { limit = '20' } }) => {
      const { totals, buckets: data } = await buckets.busiest(caller, pathOf(params), Number(limit))
      return { meta: { ...BUCKETS, page: NO_FURTHER_PAGES, totals }, data }
    },
  )

  app.get(
    `${THROTTLE_PATH}/bucket/:key`,
    {
      config: { needs: 'read', reveals: 'any line' },
      schema: {
        summary: 'Read one bucket of a throttle, with its pass times',
        tags,
        params: BucketPath,
        querystring: OneBucketQuery,
        response: { 200: EnvelopeOf(OneBucketRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query }) => {
      const key = query.default === undefined ? params.key : null
      return envelope(BUCKETS, await buckets.one(caller, pathOf(params), key))
    },
  )
}

function pathOf({ pipelineId, nodeId }: { readonly pipelineId: string; readonly nodeId: string }) {
  return { pipeline: pipelineId, node: nodeId }
}

/** @throws ProblemsError unless exactly one of both is given */
function keyOf({ key, default: isDefault }: ExemptionQuery): string | null {
  if (key !== undefined && isDefault !== undefined)
    throw new ProblemsError([{ instancePath: '/default', message: 'must NOT be sent together with key' }])
  if (key === undefined && isDefault === undefined)
    throw new ProblemsError([{ instancePath: '', message: "must have required property 'key' or 'default'" }])
  return key ?? null
}
