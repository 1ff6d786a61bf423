import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Registry } from '@prometheus-io/client'
import Type from 'typebox'
import type { ServiceStatus } from './readiness.ts'

export interface OperationsOptions {
  readonly status: ServiceStatus
  /** Absent where metrics are nobody's business. */
  readonly registry: Registry | undefined
}

/** For those who run the service; they need no credential. */
export const operationsRoutes: FastifyPluginAsyncTypebox<OperationsOptions> = async (
  app,
  { status, registry },
) => {
  const tags = ['operations']
  const config = { needs: 'public' as const }

  app.get(
    '/healthz',
    {
      config,
      schema: {
        summary: 'Whether the process answers',
        tags,
        response: { 200: Type.Object({ status: Type.Literal('ok') }) },
      },
    },
    async () => ({ status: 'ok' as const }),
  )

  const NotReady = Type.Object({
    status: Type.Literal('not ready'),
    reasons: Type.Array(Type.String({ description: 'A sentence for each' })),
  })
  app.get(
    '/readyz',
    {
      config,
      schema: {
        summary: 'Whether the process can do its work, and if not, why',
        tags,
        response: { 200: Type.Object({ status: Type.Literal('ready') }), 503: NotReady },
      },
    },
    async (_request, reply) => {
      const reasons = await status.notReady()
      if (reasons.length === 0) return { status: 'ready' as const }
      return reply
        .code(503)
        .header('retry-after', '2')
        .send({ status: 'not ready' as const, reasons: [...reasons] })
    },
  )

  if (registry === undefined) return
  app.get(
    '/metrics',
    { config, schema: { summary: 'Metrics in the Prometheus text format', tags, produces: ['text/plain'] } },
    async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()),
  )
}
