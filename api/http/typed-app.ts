import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

/** Instance that types requests by the schemas of their routes, for functions that add a part of a plugin's routes. */
export type TypedApp = Parameters<FastifyPluginAsyncTypebox>[0]
