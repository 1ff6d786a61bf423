import swagger from '@fastify/swagger'
import type { FastifyInstance, FastifySchema } from 'fastify'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { Steps } from '../../engine/steps.ts'
import { documentedSchema } from './documented-schema.ts'
import { namingSchemas, withMarkedNames } from './named-schemas.ts'
import { documentingNodeTypes } from './node-schemas.ts'

const TOKEN = 'accessToken'
const SERVICE_KEY = 'serviceKey'
const ENTERPRISE_KEY = 'enterpriseServiceKey'
const INGESTION_KEY = 'ingestionKey'
const ACCESS_KEY = 'accessKey'

/** Routes that are described in one step. */
const ROUTES_OF_STEP = 4

/** Name of the function that describes the routes of the present step. */
const DESCRIBE_STEP = 'describeStep'

declare module 'fastify' {
  interface FastifyInstance {
    /** Makes the API document in steps, once the server is ready. */
    makeDocument(): Steps<object>
  }
}

type OpenApi = Readonly<Record<string, unknown>> & {
  readonly paths?: Readonly<Record<string, object>>
}

/** Collects the API document from the routes registered after this call. */
export async function collectDocument(
  app: FastifyInstance,
  version: string,
  catalogue: Catalogue,
): Promise<void> {
  const step = new DescribedStep()
  await app.register(swagger, {
    decorator: DESCRIBE_STEP as 'swagger',
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
      schema: step.includesNext()
        ? {
            ...(withMarkedNames({ ...schema, ...documentedParts(schema) }) as FastifySchema),
            security: securityOf(route.config?.needs, url),
          }
        : { hide: true },
      url,
    }),
    transformObject: given => step.end('openapiObject' in given ? (given.openapiObject as OpenApi) : {}),
  })
  app.decorate('makeDocument', function* () {
    const described = yield* step.describing(app[DESCRIBE_STEP as 'swagger'])
    const document = yield* namingSchemas(described)
    yield* documentingNodeTypes(document as Parameters<typeof documentingNodeTypes>[0], catalogue)
    return document
  })
}

/**
 * Describes routes in steps. The plugin describes all routes at once, except hidden ones, and keeps a description unless it is null. So it
 * is called for each step, while the routes of all other steps are hidden.
 */
class DescribedStep {
  /** First route of the step. */
  #first = 0
  /** Routes that the plugin has asked for in the present call. */
  #asked = 0
  #document: OpenApi = {}

  /** Whether the next route belongs to the step. */
  includesNext(): boolean {
    const route = this.#asked++
    return route >= this.#first && route < this.#first + ROUTES_OF_STEP
  }

  /** Describes all routes. */
  *describing(describe: () => unknown): Steps<OpenApi> {
    const paths: Record<string, object> = {}
    this.#first = 0
    do {
      this.#asked = 0
      describe()
      for (const [path, operations] of Object.entries(this.#document.paths ?? {}))
        paths[path] = { ...paths[path], ...operations }
      this.#first += ROUTES_OF_STEP
      yield
    } while (this.#first < this.#asked)
    return { ...this.#document, paths }
  }

  /** @param document description of the step @returns null, so that the plugin does not keep it */
  end(document: OpenApi): never {
    this.#document = document
    return null as never
  }
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
