import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import {
  IngestionChange,
  IngestionStatus,
  SuspensionConfirmation,
  SuspensionOffer,
} from '../../schemas/http/account/ingestion-state.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { IngestionSuspension } from './ingestion-suspension.ts'

const INGESTION = '/v1/config/ingestion'
const tags = ['ingestion']
const config = { needs: 'admin' as const }

/** Suspending and resuming ingestion (configuration and account API, section 15). */
export const ingestionRoutes: FastifyPluginAsyncTypebox = async app => {
  const suspension = new IngestionSuspension(app.ports)

  app.get(
    `${INGESTION}/status`,
    {
      config: { needs: 'read' },
      schema: {
        summary: 'Read whether the account accepts lines',
        tags,
        response: { 200: IngestionStatus, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => ({ is_ingesting: suspension.isIngesting(caller) }),
  )

  app.post(
    `${INGESTION}/suspend`,
    {
      config,
      schema: {
        summary: 'Request a token that confirms the suspension; nothing is suspended yet',
        tags,
        response: { 200: SuspensionOffer, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => ({ token: await suspension.offer(caller) }),
  )

  app.post(
    `${INGESTION}/suspend/confirm`,
    {
      config,
      schema: {
        summary: 'Suspend ingestion of the account: its lines are answered with 403, and not stored',
        tags,
        body: SuspensionConfirmation,
        response: { 200: IngestionChange, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller, body }) => {
      await suspension.confirm(caller, body.token)
      return { status: 'suspended' as const }
    },
  )

  app.post(
    `${INGESTION}/resume`,
    {
      config,
      schema: {
        summary: 'Resume ingestion of the account',
        tags,
        response: { 200: IngestionChange, ...V1_ERROR_REPLIES },
      },
    },
    async ({ caller }) => {
      await suspension.resume(caller)
      return { status: 'ingesting' as const }
    },
  )
}
