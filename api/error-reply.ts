import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  BudgetExhausted,
  ConfigurationRejected,
  type RejectionCode,
} from '../engine/configuration/rejection.ts'
import { pointerTo } from '../engine/event/problem.ts'
import { BodyError } from '../engine/lines/scan/body-error.ts'
import { isLogAway, LogError } from '../engine/log/log.ts'
import { StoreError } from '../engine/store/store.ts'
import type { RefusalLog } from './auth/refusal-log.ts'
import { ApiError, badRequest, notFound, payloadTooLarge, unavailable } from './http/errors.ts'
import { ProblemsError } from './http/problems-error.ts'
import { tooManyRequests } from './http/rate-limit.ts'
import { detailsOf, findingsOf, problemsOf } from './http/validation.ts'
import { sendPushFailure } from './ingest/push-failure.ts'

/**
 * Turns an error into a status and a body, in one place: plain ones follow the configuration and account API (section
 * 3.1). Those of `/v3` follow the pipeline API (section 1.3), with an additional `error` for clients that read both.
 * Those of gateway routes have the form of the
 * gateway route's source (`sendPushFailure`).
 */
export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  refusals: RefusalLog,
): FastifyReply {
  const isV3 = isVersion3(request.url)
  const known = apiErrorOf(error, request)
  if (known.status === 503 || known.status === 429) {
    refusals.note(request, known)
  } else if (known.status >= 500) {
    request.log.error({ err: error, method: request.method, route: request.routeOptions.url }, known.message)
  }
  if (request.routeOptions.config?.errors === 'push') return sendPushFailure(known, request, reply)
  const body = isV3 ? v3Body : plainBody
  return reply.code(known.status).headers(known.headers).send(body(known))
}

/** Answer to a request that never reached a route; it is sent outside of the request's own life cycle. */
export function errorText(error: ApiError, url: string): string {
  return JSON.stringify(isVersion3(url) ? v3Body(error) : plainBody(error))
}

function plainBody(error: ApiError): object {
  const body = { error: error.message, code: error.code, status: 'error' }
  return error.details === undefined ? body : { details: error.details, ...body }
}

const DAMAGED_RETRY_S = 60
const LOG_FULL =
  'The log is full: nothing was changed. Deletions, revocations and suspensions continue longest. Free disk space, or raise ' +
  'WEIR_LOG_MAX_BYTES'

const V3_CODES: Readonly<Record<string, string>> = {
  BadRequest: 'EVALIDATION',
  NotAuthorized: 'EUNAUTHORIZED',
  Forbidden: 'EFORBIDDEN',
  NotFound: 'ENOTFOUND',
  MethodNotAllowed: 'EMETHODNOTALLOWED',
  Conflict: 'ECONFLICT',
  RequestTimeout: 'EREQUESTTIMEOUT',
  PayloadTooLarge: 'EPAYLOADTOOLARGE',
  TooManyRequests: 'ETOOMANYREQUESTS',
  ServerError: 'ESERVERERROR',
  ServiceUnavailable: 'EUNAVAILABLE',
}

function v3Body(error: ApiError): object {
  const { status, code, message } = error
  const body = { status, code: V3_CODES[code] ?? code, message, error: message }
  if (error instanceof ProblemsError) return { ...body, errors: error.problems }
  if (error.details === undefined) return body
  // Pointers lead into the body; the pointer to the whole body is empty (pipeline API, section 1.3).
  const errors = error.details.map(({ message, key }) => ({
    instancePath: key === 'body' ? '' : pointerTo('', key),
    message,
  }))
  return { ...body, errors }
}

function apiErrorOf(error: unknown, { method, url }: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof BodyError) return ofBody(error)
  if (error instanceof ConfigurationRejected) return rejected(error)
  if (error instanceof BudgetExhausted) return tooManyRequests(error.message, error.retryAfterS)
  if (error instanceof LogError) return ofLog(error, method)
  if (error instanceof StoreError && error.retriable) {
    return unavailable('The store cannot be reached at the moment')
  }
  // A retry helps only after an operator has acted; the sentence names the action.
  if (error instanceof StoreError && error.code === 'STORE_DAMAGED')
    return unavailable(error.message, DAMAGED_RETRY_S)
  return (
    ofFramework(error as FastifyError, isVersion3(url)) ??
    new ApiError(500, 'ServerError', 'Internal Server Error')
  )
}

function ofBody({ fault, message }: BodyError): ApiError {
  if (fault === 'too large') return payloadTooLarge()
  if (fault === 'no lines') return badRequest([{ message, key: 'lines' }])
  return new ApiError(400, 'BadRequest', message)
}

const REJECTIONS: Readonly<Record<RejectionCode, readonly [number, string]>> = {
  CHANGED_MEANWHILE: [409, 'Conflict'],
  TAKEN: [409, 'Conflict'],
  PIPELINE_LIMIT: [403, 'ERR_PLAN_EXCEEDED_PIPELINE_LIMIT'],
  NODE_LIMIT: [403, 'ERR_PLAN_EXCEEDED_NODE_LIMIT'],
  KEY_LIMIT: [400, 'BadRequest'],
  EXEMPTION_LIMIT: [400, 'BadRequest'],
  RULE_LIMIT: [400, 'BadRequest'],
  TOKEN_LIMIT: [400, 'BadRequest'],
  ISSUER_GONE: [401, 'NotAuthorized'],
  GROUP_IN_USE: [409, 'Conflict'],
  SIZE_LIMIT: [400, 'BadRequest'],
  UNKNOWN_GROUP: [400, 'BadRequest'],
}

function rejected({ code, message }: ConfigurationRejected): ApiError {
  if (code === 'SIZE_LIMIT') return badRequest([{ message, key: 'body' }])
  const [status, name] = REJECTIONS[code]
  return new ApiError(status, name, message)
}

const UNKNOWN = 'whether the change holds is not known.'
/** A repeated POST may create a second object. */
const READ_FIRST = 'Read the present state before you send the request again: it may be done twice.'
const REPEAT = 'Read the present state, or send the request again: doing it twice has no further effect.'
const WHAT_NEXT: Readonly<Record<string, string>> = { PUT: REPEAT, PATCH: REPEAT, DELETE: REPEAT }

function ofLog(error: LogError, method: string): ApiError {
  if (error.code === 'LOG_RECORD_TOO_LARGE') return payloadTooLarge()
  if (error.code === 'LOG_FULL') return unavailable(LOG_FULL)
  if (error.code === 'LOG_TAIL_LOST') return unavailable(error.message)
  if (isLogAway(error)) {
    // A read has no effects, so a failure leaves nothing uncertain.
    if (method === 'GET' || method === 'HEAD') return unavailable('The log cannot be read at the moment')
    return unavailable(
      `The log cannot be written at the moment; ${UNKNOWN} ${WHAT_NEXT[method] ?? READ_FIRST}`,
    )
  }
  return new ApiError(500, 'ServerError', 'Internal Server Error', { cause: error })
}

/** Refusals of the framework itself: bodies that are invalid, too large or unreadable. */
function ofFramework(error: FastifyError, isV3: boolean): ApiError | undefined {
  const validation = findingsOf(error)
  if (validation !== undefined) {
    return isV3 ? new ProblemsError(problemsOf(validation)) : badRequest(detailsOf(validation))
  }
  if (error.statusCode === 413) return payloadTooLarge()
  if (error.statusCode === 404) return notFound()
  if (error.statusCode !== undefined && error.statusCode >= 400 && error.statusCode < 500) {
    // The remaining refusals of the framework concern bodies: their length, or an early end.
    return badRequest([{ message: error.message, key: 'body' }])
  }
  return undefined
}

function isVersion3(url: string): boolean {
  return /^\/v3([/?]|$)/i.test(url)
}
