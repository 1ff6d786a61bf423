import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PushFailure, PushReply } from '../../engine/nodes/contract/define-push-source.ts'
import type { Refusal } from '../../engine/nodes/contract/refusal.ts'
import { ApiError } from '../http/errors.ts'
import { OpenHead } from './request-metadata.ts'

/** The source of the gateway route refuses the body. */
export class RefusedBody extends ApiError {
  /** Place in the body; null: the whole body. */
  readonly field: string | null

  constructor({ code, field, message }: Refusal) {
    super(400, code, message)
    this.field = field
  }
}

/** Codes of the component reference, section 6.1. */
const CODES: Readonly<Record<string, string>> = {
  BadRequest: 'ERR_BAD_REQUEST',
  NotAuthorized: 'ERR_UNAUTHORIZED',
  Forbidden: 'ERR_FORBIDDEN',
  NotFound: 'ERR_NOT_FOUND',
  MethodNotAllowed: 'ERR_METHOD_NOT_ALLOWED',
  NotDeployed: 'ERR_NOT_DEPLOYED',
  RequestTimeout: 'ERR_REQUEST_TIMEOUT',
  PayloadTooLarge: 'ERR_PAYLOAD_TOO_LARGE',
  UnsupportedEncoding: 'ERR_UNSUPPORTED_ENCODING',
  LoopDetected: 'ERR_LOOP_DETECTED',
  TooManyRequests: 'ERR_TOO_MANY_REQUESTS',
  ServerError: 'ERR_SERVER',
  ServiceUnavailable: 'ERR_BUSY',
}

/**
 * Answers a request to a gateway route that is not accepted, in the form of its source. `pushed` is absent if the server
 * refused the request before it reached the route.
 */
export function sendPushFailure(
  error: ApiError,
  { pushed, raw }: Pick<FastifyRequest, 'raw'> & Partial<Pick<FastifyRequest, 'pushed'>>,
  reply: FastifyReply,
): FastifyReply {
  const { status, code, message, headers } = error
  const failure: PushFailure = {
    status,
    code: CODES[code] ?? code,
    field: error instanceof RefusedBody ? error.field : null,
    message,
    hasKey: (pushed?.key ?? '') !== '',
  }
  const own = pushed?.source?.refusedReply?.(failure, new OpenHead({ raw, ...pushed }, pushed.receivedAtMs))
  return sendPushReply(reply.headers(headers), own ?? commonReply(failure), status)
}

/** Components, section 6.1. */
function commonReply({ code, message }: PushFailure): PushReply {
  return { body: { status: 'error', code, error: message } }
}

/** @param status unless the answer has its own */
export function sendPushReply(
  reply: FastifyReply,
  { status: own, contentType, body }: PushReply,
  status: number,
): FastifyReply {
  if (contentType !== undefined) reply.type(contentType)
  return reply.code(own ?? status).send(body)
}
