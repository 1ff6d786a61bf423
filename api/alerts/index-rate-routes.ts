import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { IndexRateAlertRecord, IndexRateAlertWrite } from '../../schemas/http/account/index-rate-alert.ts'
import { V1_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import { IndexRateAlerts } from './index-rate-alerts.ts'

const INDEX_RATE = '/v1/config/index-rate'

/** Configuration and account API, section 16. */
export const indexRateRoutes: FastifyPluginAsyncTypebox = async app => {
  const alerts = new IndexRateAlerts(app.ports)
  const admin = { config: { needs: 'admin' as const } }
  const tags = ['index rate alert']
  const response = { 200: IndexRateAlertRecord, ...V1_ERROR_REPLIES }

  app.get(
    INDEX_RATE,
    { ...admin, schema: { summary: 'Read the alert on the rate of stored lines', tags, response } },
    async ({ caller }) => alerts.get(caller),
  )
  app.put(
    INDEX_RATE,
    {
      ...admin,
      schema: {
        summary: 'Create or replace the alert on the rate of stored lines',
        tags,
        body: IndexRateAlertWrite,
        response,
      },
    },
    async ({ caller, body }) => alerts.replace(caller, body),
  )
}
