import { MAX_PROBLEMS } from '../../engine/event/problem.ts'

/** One finding of a validation: `key` is the path of the member, as in `channels[0].url`. */
export interface ValidationDetail {
  readonly message: string
  readonly key: string
}

/** An error with everything that an API answer needs, and without its cause. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly details: readonly ValidationDetail[] | undefined
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: number,
    code: string,
    message: string,
    options: {
      details?: readonly ValidationDetail[]
      headers?: Record<string, string>
      cause?: unknown
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.status = status
    this.code = code
    this.details = options.details
    this.headers = options.headers ?? {}
  }
}

/** A refusal that names the wrong members, at most the first thousand of them: configuration file, section 3. */
export function badRequest(details: readonly ValidationDetail[]): ApiError {
  return new ApiError(400, 'BadRequest', details[0]?.message ?? 'Bad Request', {
    details: details.slice(0, MAX_PROBLEMS),
  })
}

export function notAuthorized(message = 'Not Authorized'): ApiError {
  return new ApiError(401, 'NotAuthorized', message)
}

export function forbidden(message = 'Forbidden'): ApiError {
  return new ApiError(403, 'Forbidden', message)
}

export function notFound(message = 'Resource Not Found'): ApiError {
  return new ApiError(404, 'NotFound', message)
}

export function payloadTooLarge(message = 'Request Entity Too Large'): ApiError {
  return new ApiError(413, 'PayloadTooLarge', message)
}

/** The store or the log cannot handle the request now; the caller should try again later. */
export function unavailable(message: string, retryAfterS = 2): ApiError {
  return new ApiError(503, 'ServiceUnavailable', message, { headers: { 'retry-after': String(retryAfterS) } })
}
