import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { QuotaRecord, QuotaWrite } from '../../schemas/http/account/line-rules-api.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { AccountQuotas } from './account-quotas.ts'

const PATH = '/v1/config/usage-quotas'
const config = { needs: 'admin' as const }
const tags = ['line rules']
const response = { 200: QuotaRecord, ...V1_ERROR_REPLIES }

/** Bytes that may be stored in a day and in a month, and the consequences of more. */
export const quotaRoutes: FastifyPluginAsyncTypebox = async app => {
  const accountQuotas = new AccountQuotas(app.ports)

  app.get(
    PATH,
    {
      config,
      schema: {
        summary: 'Read the quotas for stored bytes per day and per month, and their present effects',
        tags,
        response,
      },
    },
    ({ caller }) => accountQuotas.record(caller),
  )

  app.put(
    PATH,
    {
      config,
      schema: {
        summary: 'Set the quotas for stored bytes per day and per month',
        description: 'Changing a limit switches off its rules; the first limit accepts the rules as sent.',
        tags,
        body: QuotaWrite,
        response,
      },
    },
    async ({ caller, body }) => {
      await accountQuotas.set(caller, body)
      return accountQuotas.record(caller)
    },
  )
}
