import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { PushSource } from '../../engine/nodes/contract/define-push-source.ts'
import { COMMON_KEY_PLACES, type KeyPlace } from '../../engine/nodes/contract/key-place.ts'
import { pushSchema } from '../../schemas/http/lines/push-api.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError } from '../http/errors.ts'
import type { PushFront } from './push-front.ts'
import { remoteAddressOf } from './remote-address.ts'

/** Other addresses below `/v1` do not have this form. */
const GATEWAY_ROUTE = '/v1/:routeId(^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$)'
const ID_END = '/v1/'.length + 36
const METHODS = ['POST', 'PUT'] as const
const OTHER_METHODS = ['GET', 'PATCH', 'DELETE', 'OPTIONS'] as const

declare module 'fastify' {
  interface FastifyRequest {
    /** Facts of a request, on the addresses of gateway routes. */
    pushed: {
      readonly gatewayRoute: string
      /** Rest of the path behind the id of the gateway route, as sent; may be empty. */
      readonly suffix: string
      /** UNIX ms. */
      readonly receivedAtMs: number
      /** The source; undefined for an unknown gateway route, and for a source that does not run. */
      readonly source: PushSource | undefined
      readonly keys: readonly KeyPlace[]
      /** Key of the request, valid or not; empty: none. */
      readonly key: string
      /** null before the key is checked. */
      readonly caller: Caller | null
      /** Address of the sender, read before the sender can have gone; empty: unknown. */
      readonly remoteAddress: string
    }
  }
}

/** The addresses of gateway routes: components, section 6.1. Bodies are read as bytes, whatever their content type. */
export function servePushes(
  app: FastifyInstance,
  front: Pick<PushFront, 'authenticateEarly' | 'take'>,
): void {
  app.decorateRequest('pushed')
  for (const url of [GATEWAY_ROUTE, `${GATEWAY_ROUTE}/*`]) {
    app.route({
      method: [...METHODS],
      url,
      config: { needs: 'access-key', errors: 'push' },
      schema: { ...pushSchema, hide: url !== GATEWAY_ROUTE },
      validatorCompiler: () => () => true,
      onRequest: (request, reply, done) => {
        request.headers['content-type'] = 'application/json'
        request.pushed = addressOf(request)
        front.authenticateEarly(request, reply)
        done()
      },
      handler: (request, reply) => front.take(request, reply),
    })
    app.route({
      method: [...OTHER_METHODS],
      url,
      config: { needs: 'public', errors: 'push' },
      schema: { hide: true },
      onRequest: async ({ method }) => {
        const allow = METHODS.join(', ')
        throw new ApiError(405, 'MethodNotAllowed', `${method} is not offered here; ${allow} is`, {
          headers: { allow },
        })
      },
      handler: async () => {},
    })
  }
}

function addressOf(request: FastifyRequest): FastifyRequest['pushed'] {
  const { raw } = request
  const path = (raw.url ?? '').split('?', 1)[0] as string
  const suffix = path.slice(ID_END)
  return {
    gatewayRoute: path.slice('/v1/'.length, ID_END),
    suffix: suffix === '/' ? '' : suffix,
    receivedAtMs: 0,
    source: undefined,
    keys: COMMON_KEY_PLACES,
    key: '',
    caller: null,
    remoteAddress: remoteAddressOf(request),
  }
}
