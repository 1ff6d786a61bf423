import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { NetworkAddress, TlsOptions } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'

/** Opens TLS over a connection, as `Outbound.connectTls` does. The connection is closed if that fails. */
export function tlsConnection(
  socket: Socket,
  { host, port }: NetworkAddress,
  { ca, verifiesCertificate = true, protocols }: TlsOptions,
  signal: AbortSignal,
): Promise<TLSSocket> {
  return new Promise((done, fail) => {
    const secure = connect({
      socket,
      host,
      // Addresses have no server name: RFC 6066.
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: verifiesCertificate,
      ...(ca !== undefined && { ca }),
      ...(protocols !== undefined && { ALPNProtocols: [...protocols] }),
    })
    const giveUp = () => secure.destroy(new Error('it took too long'))
    const finished = () => {
      signal.removeEventListener('abort', giveUp)
      secure.off('error', failed).off('close', closed)
    }
    const failed = (cause: Error) => {
      finished()
      secure.on('error', () => {}).destroy()
      // The type of the property is wrong: it is the code of the error, or null.
      const isUntrusted = (secure.authorizationError as Error | string | null) !== null
      fail(
        isUntrusted && !signal.aborted
          ? new OutboundError('NOT_VERIFIED', `the certificate of ${host}:${port} is not accepted`, { cause })
          : new OutboundError('NOT_CONNECTED', `${host}:${port} does not complete a TLS handshake`, {
              cause,
            }),
      )
    }
    const closed = () => failed(new Error('the connection ended'))
    if (signal.aborted) giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    secure
      .once('error', failed)
      .once('close', closed)
      .once('secureConnect', () => {
        finished()
        secure.on('error', () => {})
        done(secure)
      })
  })
}
