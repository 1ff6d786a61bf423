import { setImmediate } from 'node:timers/promises'
import fastify, { type FastifyInstance } from 'fastify'
import { RefusalLog } from '../../../api/auth/refusal-log.ts'
import { sendError } from '../../../api/error-reply.ts'
import { ingestRoutes } from '../../../api/ingest/ingest-routes.ts'
import type { TestInstallation } from '../test-installation.ts'

/** Requests with this header go on together with others. */
export const HELD = 'x-held'
/** Turns of the event loop in which requests gather. */
const GATHERING_TURNS = 5

/**
 * The ingestion routes of an installation on a server of their own. Whole requests wait at a gate until others are there. All of
 * them then go on in one step, which a server alone does only by chance.
 */
export async function gatedIngestion({ app: { ports } }: TestInstallation): Promise<FastifyInstance> {
  const app = fastify()
  app.decorate('ports', ports)
  const refusals = new RefusalLog(ports.clock)
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
  let held: (() => void)[] = []
  const open = async () => {
    for (let turn = 0; turn < GATHERING_TURNS; turn++) await setImmediate()
    const released = held
    held = []
    for (const release of released) release()
  }
  app.addHook('preHandler', (request, _reply, done) => {
    if (request.headers[HELD] === undefined) return done()
    if (held.push(done) === 1) void open()
  })
  const { ingest } = ports
  if (ingest === undefined) throw new Error('the installation has no ingestion')
  await app.register(ingestRoutes, { ingest })
  await app.listen({ port: 0, host: '127.0.0.1' })
  return app
}
