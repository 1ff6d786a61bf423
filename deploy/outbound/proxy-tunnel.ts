import { request } from 'node:http'
import { isIP, type Socket } from 'node:net'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'

const OK = 200

/**
 * Asks a proxy for a connection to a server (CONNECT). The connection to the proxy is closed if that fails.
 *
 * @param endpoint address of the proxy, whose user and password are sent
 * @throws OutboundError
 */
export function proxyTunnel(
  socket: Socket,
  endpoint: URL,
  { host, port }: NetworkAddress,
  signal: AbortSignal,
): Promise<Socket> {
  const { username, password } = endpoint
  const target = isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`
  const credentials = [username, password].map(decodeURIComponent).join(':')
  return new Promise((done, fail) => {
    const refuse = (message: string, cause?: unknown) => {
      socket.destroy()
      fail(new OutboundError('NOT_CONNECTED', `the proxy ${endpoint.hostname} ${message}`, { cause }))
    }
    request({
      method: 'CONNECT',
      path: target,
      headers: {
        host: target,
        ...(username !== '' && {
          'proxy-authorization': `Basic ${Buffer.from(credentials).toString('base64')}`,
        }),
      },
      createConnection: () => socket,
      signal,
    })
      .once('connect', ({ statusCode }, tunnel, head) => {
        if (statusCode !== OK) refuse(`answers ${statusCode}`)
        else if (head.length > 0) refuse('sends data before the server could')
        else done(tunnel as Socket)
      })
      .once('response', ({ statusCode }) => refuse(`answers ${statusCode}`))
      .once('error', cause => refuse('does not answer', cause))
      .end()
  })
}
