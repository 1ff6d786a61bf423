import type { Duplex } from 'node:stream'

/** Where something listens: a name or an address, and a port from 1 to 65535. */
export interface NetworkAddress {
  readonly host: string
  readonly port: number
}

/** `DENIED`: a rule of the operator's or of our own; `UNRESOLVED`: the name has no address; else nobody answered. */
export type OutboundErrorCode = 'DENIED' | 'UNRESOLVED' | 'NOT_CONNECTED'

/** Why there is no connection. For the operator alone: users are not told, since it says what is in our network. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The only way to addresses that a user named. */
export interface Outbound {
  /**
   * Opens a TCP connection. A name is resolved once, each of its addresses is judged, and the connection is made to
   * one that was let through.
   *
   * @param signal ends the attempt; the connection that it led to belongs to the caller and is not touched any more
   * @throws OutboundError also once the signal is aborted
   */
  connect(address: NetworkAddress, signal: AbortSignal): Promise<Duplex>
}
