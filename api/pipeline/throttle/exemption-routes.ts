import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { EnvelopeOf } from '../../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../../schemas/http/error-replies.ts'
import {
  EndedExemption,
  ExemptionQuery,
  ExemptionRecord,
  ExemptionWrite,
} from '../../../schemas/http/pipeline/throttle-api.ts'
import { envelope, NO_FURTHER_PAGES } from '../../http/envelope.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { EXEMPTIONS } from '../links.ts'
import type { PipelineRouteOptions } from '../pipelines.ts'
import { ExemptionService } from './exemption-service.ts'
import { requestedThrottle, THROTTLE_PATH, ThrottleParams } from './requested-throttle.ts'

const tags = ['processors']

/** Keys that a running throttle lets pass for a time. */
export const exemptionRoutes: FastifyPluginAsyncTypebox<PipelineRouteOptions> = async (
  app,
  { pipelines },
) => {
  const exemptions = new ExemptionService(pipelines, app.ports)

  app.get(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'read' },
      schema: {
        summary: 'List the keys that are exempt from a throttle',
        tags,
        params: ThrottleParams,
        response: { 200: EnvelopeOf(Type.Array(ExemptionRecord)), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params }) =>
      envelope({ ...EXEMPTIONS, page: NO_FURTHER_PAGES }, exemptions.list(caller, requestedThrottle(params))),
  )

  app.put(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'Exempt a key from a throttle for a time: its events pass uncounted',
        tags,
        params: ThrottleParams,
        body: ExemptionWrite,
        response: { 200: EnvelopeOf(ExemptionRecord), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, body }) =>
      envelope(EXEMPTIONS, await exemptions.set(caller, requestedThrottle(params), body)),
  )

  app.delete(
    `${THROTTLE_PATH}/exemption`,
    {
      config: { needs: 'write' },
      schema: {
        summary: 'End the exemption of a key early',
        tags,
        params: ThrottleParams,
        querystring: ExemptionQuery,
        response: { 200: EnvelopeOf(EndedExemption), ...V3_ERROR_REPLIES },
      },
    },
    async ({ caller, params, query }) => {
      const key = keyOf(query)
      await exemptions.end(caller, requestedThrottle(params), key)
      return envelope(EXEMPTIONS, { key, deleted: true as const })
    },
  )
}

/** @throws ProblemsError unless exactly one of both is given */
function keyOf({ key, default: isDefault }: ExemptionQuery): string | null {
  if (key !== undefined && isDefault !== undefined)
    throw new ProblemsError([{ instancePath: '/default', message: 'must NOT be sent together with key' }])
  if (key === undefined && isDefault === undefined)
    throw new ProblemsError([{ instancePath: '', message: "must have required property 'key' or 'default'" }])
  return key ?? null
}
