import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyPluginAsync } from 'fastify'
import { FixedAnswer } from '../http/fixed-answer.ts'

/** `/openapi.json` and `/docs`: the document that `collectDocument` collects, and a page to read it. */
export async function apiDocumentRoutes(app: FastifyInstance): Promise<void> {
  const hidden = { config: { needs: 'public' as const }, schema: { hide: true } }
  const document = new FixedAnswer(() => app.makeDocument(), app.ports.bodyTurns)
  app.get('/openapi.json', hidden, async (request, reply) => document.send(request, reply))
  const page: FastifyPluginAsync = async scope => {
    scope.addHook('onRoute', options => {
      options.config = { needs: 'public', ...options.config }
      // The plugin would print the document for each request.
      if (options.url === '/docs/json') options.handler = (request, reply) => document.send(request, reply)
      if (options.url === '/docs/yaml') options.handler = (_request, reply) => reply.redirect('/openapi.json')
    })
    // The page uses only its own files; the headers of the API would forbid its scripts and styles.
    await scope.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  }
  await app.register(page)
}
