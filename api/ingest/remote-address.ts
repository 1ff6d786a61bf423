import type { FastifyRequest } from 'fastify'

/**
 * Address of the sender of a request. It must be read when the request begins, because a closed connection has none.
 *
 * @returns empty if the connection is already closed
 */
export function remoteAddressOf({ ip }: { readonly ip: FastifyRequest['ip'] | undefined }): string {
  return ip ?? ''
}
