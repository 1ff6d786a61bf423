import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { V1Error } from '../../schemas/http/error-replies.ts'
import { Healthy, NotReady, ReadinessQuery, Ready } from '../../schemas/http/operations-api.ts'

/** Routes for operators of the service; they need no credential. */
export const operationsRoutes: FastifyPluginAsyncTypebox = async app => {
  const { status, registry, only } = app.ports
  const tags = ['operations']
  const config = { needs: 'public' as const }

  app.get(
    '/healthz',
    {
      config,
      schema: {
        summary: 'Check that the process answers',
        tags,
        response: { 200: Healthy },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  app.get(
    '/readyz',
    {
      config,
      schema: {
        summary: 'Read whether the process is ready, and the reasons if it is not',
        tags,
        querystring: ReadinessQuery,
        response: { 200: Ready, 400: V1Error, 503: NotReady },
      },
    },
    async ({ query }, reply) => {
      const reasons = await (query.for === 'ingest' ? status.notTaking() : status.notReady())
      if (reasons.length === 0) return { status: 'ready' as const }
      return reply
        .code(503)
        .header('retry-after', '2')
        .send({ status: 'not ready' as const, reasons: [...reasons] })
    },
  )

  // The address for senders does not serve metrics.
  if (only === 'ingest') return
  app.get(
    '/metrics',
    { config, schema: { summary: 'Metrics in the Prometheus text format', tags, produces: ['text/plain'] } },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  )
}
