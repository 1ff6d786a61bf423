/**
 * `DENIED`: refused by a rule of the operator or a fixed rule; `UNRESOLVED`: the name has no address; `NOT_CONNECTED`: no
 * address answered; `NOT_VERIFIED`: the certificate of the server does not prove its name; `TIMED_OUT`: no complete answer
 * within the time of the request; `BROKEN`: the connection ended before the answer was complete; `INVALID`: the request
 * cannot be written as HTTP.
 */
export type OutboundErrorCode =
  | 'DENIED'
  | 'UNRESOLVED'
  | 'NOT_CONNECTED'
  | 'NOT_VERIFIED'
  | 'TIMED_OUT'
  | 'BROKEN'
  | 'INVALID'

/** Reason for a missing connection or answer. Only operators see it: users must not learn about the internal network. */
export class OutboundError extends Error {
  override readonly name = 'OutboundError'
  readonly code: OutboundErrorCode

  constructor(code: OutboundErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
