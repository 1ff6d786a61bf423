import type { Duplex } from 'node:stream'
import type { HttpAnswer, HttpRequest } from './http-exchange.ts'

/** Address of a listener: a name or an IP address, and a port from 1 to 65535. */
export interface NetworkAddress {
  readonly host: string
  readonly port: number
}

/** TLS of a connection. */
export interface TlsOptions {
  /** Certificates in PEM that are trusted instead of those of the system. */
  readonly ca?: string
  /** False: a certificate is accepted unseen. Default true. */
  readonly verifiesCertificate?: boolean
  /** Protocols that are offered (ALPN), the preferred one first. */
  readonly protocols?: readonly string[]
}

/** The only way to connect to addresses that a user named. */
export interface Outbound {
  /**
   * Opens a TCP connection. A name is resolved once and each of its addresses is judged. The connection is made to an
   * allowed address, and its other end is judged again.
   *
   * @param signal ends the attempt; a connection that was already returned belongs to the caller and is not affected
   * @throws OutboundError also when the signal is aborted
   */
  connect(address: NetworkAddress, signal: AbortSignal): Promise<Duplex>

  /**
   * Opens a TLS connection over a connection of `connect`.
   *
   * @throws OutboundError `NOT_VERIFIED` when the certificate of the server is not trusted, or is that of another name
   */
  connectTls(address: NetworkAddress, options: TlsOptions, signal: AbortSignal): Promise<Duplex>

  /**
   * Sends one request, over a connection of `connect` or `connectTls` that later requests use again. Redirects are answers,
   * and no proxy is used except that of the request. The request names the installations that it came through, so that
   * a loop ends.
   *
   * @throws OutboundError
   */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>
}
