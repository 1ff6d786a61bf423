import swagger from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance, FastifyPluginAsync, FastifySchema } from 'fastify'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { documentedSchema } from './documented-schema.ts'
import { nameSchemas, withMarkedNames } from './named-schemas.ts'
import { documentNodeTypes } from './node-schemas.ts'

const TOKEN = 'accessToken'
const SERVICE_KEY = 'serviceKey'
const ENTERPRISE_KEY = 'enterpriseServiceKey'
const INGESTION_KEY = 'ingestionKey'
const ACCESS_KEY = 'accessKey'

/** Collects the API document from the routes registered after this call. */
export async function documentRoutes(
  app: FastifyInstance,
  version: string,
  catalogue: Catalogue,
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Weir',
        version,
        description:
          'Log management and telemetry pipelines: ingestion, search, usage, pipelines, configuration.',
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      components: {
        securitySchemes: {
          [TOKEN]: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'The word Token, a blank, an access token.',
          },
          [SERVICE_KEY]: {
            type: 'apiKey',
            in: 'header',
            name: 'servicekey',
            description: 'Older APIs (v1, v2) only.',
          },
          [ENTERPRISE_KEY]: {
            type: 'apiKey',
            in: 'header',
            name: 'enterprise-servicekey',
            description: 'The older API of enterprises only.',
          },
          [INGESTION_KEY]: { type: 'apiKey', in: 'header', name: 'apikey', description: 'Ingestion only.' },
          [ACCESS_KEY]: {
            type: 'apiKey',
            in: 'header',
            name: 'Authorization',
            description: 'An access key of a gateway route, alone or after the word Bearer.',
          },
        },
      },
    },
    transform: ({ schema, url, route }) => ({
      schema: {
        ...(withMarkedNames({ ...schema, ...documentedParts(schema) }) as FastifySchema),
        security: securityOf(route.config?.needs, url),
      },
      url,
    }),
    transformObject: given => {
      if (!('openapiObject' in given)) return given.swaggerObject
      const document = nameSchemas(given.openapiObject)
      documentNodeTypes(document as Parameters<typeof documentNodeTypes>[0], catalogue)
      return document
    },
  })
}

/** Returns those parts of a route's schema that may contain keywords of our own. */
function documentedParts({ body, response }: FastifySchema = {}): FastifySchema {
  const parts = Object.entries({ body, response }).filter(([, part]) => part !== undefined)
  return Object.fromEntries(parts.map(([name, part]) => [name, documentedSchema(part)]))
}

function securityOf(needs: string | undefined, url: string): Record<string, string[]>[] {
  if (needs === 'public') return []
  if (needs === 'ingest') return [{ [INGESTION_KEY]: [] }, { [TOKEN]: [] }]
  if (needs === 'access-key') return [{ [ACCESS_KEY]: [] }]
  if (url.startsWith('/v1/enterprise/')) return [{ [TOKEN]: [] }, { [ENTERPRISE_KEY]: [] }]
  return url.startsWith('/v3/') ? [{ [TOKEN]: [] }] : [{ [TOKEN]: [] }, { [SERVICE_KEY]: [] }]
}

/** Serves the document, and a page to read it. */
export async function serveDocument(app: FastifyInstance): Promise<void> {
  const hidden = { config: { needs: 'public' as const }, schema: { hide: true } }
  let document: string | undefined
  app.get('/openapi.json', hidden, async (_request, reply) => {
    // It is long, and always the same.
    document ??= JSON.stringify(app.swagger())
    return reply.type('application/json; charset=utf-8').send(document)
  })
  const page: FastifyPluginAsync = async scope => {
    scope.addHook('onRoute', options => {
      options.config = { needs: 'public', ...options.config }
    })
    // The page uses only its own files; the headers of the API would forbid its scripts and styles.
    await scope.register(swaggerUi, { routePrefix: '/docs', staticCSP: true })
  }
  await app.register(page)
}
