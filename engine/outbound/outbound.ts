import type { Duplex } from 'node:stream'

/** Address of a listener: a name or an IP address, and a port from 1 to 65535. */
export interface NetworkAddress {
  readonly host: string
  readonly port: number
}

/**
 * `DENIED`: refused by a rule of the operator or a fixed rule; `UNRESOLVED`: the name has no address; `NOT_CONNECTED`: no
 * address answered.
 */
export type OutboundErrorCode = 'DENIED' | 'UNRESOLVED' | 'NOT_CONNECTED'

/** Reason for a missing connection. Only operators see it: users must not learn about the internal network. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** The only way to connect to addresses that a user named. */
export interface Outbound {
  /**
   * Opens a TCP connection. A name is resolved once and each of its addresses is judged. The connection is made to an
   * allowed address.
   *
   * @param signal ends the attempt; a connection that was already returned belongs to the caller and is not affected
   * @throws OutboundError also when the signal is aborted
   */
  connect(address: NetworkAddress, signal: AbortSignal): Promise<Duplex>
}
