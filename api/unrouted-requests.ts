import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteTable } from './auth/route-table.ts'
import { errorText } from './error-reply.ts'
import type { EarlyAnswers } from './http/early-answer.ts'
import { ApiError, badRequest, notFound } from './http/errors.ts'
import { forwardedAddresses } from './http/forwarded-for.ts'

export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/**
 * Reduces `x-forwarded-for` to addresses, whatever proxies write and senders claim. Without an address it becomes that of
 * the peer.
 */
export function cleanForwarded(headers: IncomingHttpHeaders): void {
  const header = headers['x-forwarded-for']
  if (header === undefined) return
  headers['x-forwarded-for'] = forwardedAddresses([header].flat().join()).join()
}

/**
 * Refuses a request without exactly one `Host` (RFC 9112, section 3.2). Of several headers Node uses the first, and a
 * proxy in front perhaps the last: they could mean different hosts.
 *
 * @throws ApiError 400
 */
export function assertOneHost({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined)
    throw badRequest([{ message: '"host" header is required', key: 'host' }])
  const given = rawHeaders.filter(
    (name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host',
  )
  if (given.length > 1) throw badRequest([{ message: '"host" header must be there only once', key: 'host' }])
}

/** Refuses an `Expect` other than 100-continue, which Node does not pass to any route. */
export function refuseExpectation(
  request: IncomingMessage,
  response: ServerResponse,
  requestId: string,
): void {
  const message = '"expect" header must be 100-continue'
  const refusal = new ApiError(417, 'BadRequest', message, { details: [{ message, key: 'expect' }] })
  // A body that may follow is not read.
  const body = errorText(refusal, request.url ?? '')
  response.writeHead(refusal.status, lastHeaders(requestId, body)).end(body)
}

/** Refuses a path that cannot be decoded: it reaches neither a route nor a hook. */
export function refuseBadPath(request: FastifyRequest, reply: FastifyReply, early: EarlyAnswers): void {
  const refusal = new ApiError(400, 'BadRequest', 'The path is not valid: it cannot be percent-decoded')
  void reply
    .code(refusal.status)
    .headers(errorHeaders(request.id))
    .send(early.lasting(reply, errorText(refusal, request.raw.url ?? '')))
}

/**
 * Refuses input that is not (yet) a valid HTTP request: there is neither a request nor a reply object, only the
 * connection.
 */
export function refuseBadRequest(
  error: Error & { readonly code?: string },
  socket: Socket,
  request: { readonly id: string; readonly maxHeadBytes: number },
): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const refusal = refusalOfNoRequest(error.code, request.maxHeadBytes)
  const body = errorText(refusal, '/')
  const headers = Object.entries(lastHeaders(request.id, body)).map(([name, value]) => `${name}: ${value}`)
  const head = [`HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`, ...headers].join('\r\n')
  // Closes the connection even if the sender keeps its end open, which would also keep the memory of its request.
  socket.end(`${head}\r\n\r\n${body}`, () => socket.destroy())
}

/** Returns the refusal of a method or path that no route has. */
export function refusalOfUnknown(routes: RouteTable, method: string, url: string): ApiError {
  const allowed = routes.methodsOf(url.split('?', 1)[0] as string)
  if (allowed.length === 0 || allowed.includes(method)) return notFound()
  return new ApiError(405, 'MethodNotAllowed', `${method} is not offered here; ${allowed.join(', ')} is`, {
    headers: { allow: allowed.join(', ') },
  })
}

function refusalOfNoRequest(code: string | undefined, maxHeadBytes: number): ApiError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError(408, 'RequestTimeout', 'The request was not completed in time')
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        431,
        'BadRequest',
        `The address and the headers of the request are longer than ${maxHeadBytes} bytes together`,
      )
    default:
      return new ApiError(400, 'BadRequest', 'The request is not valid HTTP')
  }
}

/** Headers of answers that no hook of the framework sees. */
function errorHeaders(requestId: string): Record<string, string> {
  return { ...SAFE_HEADERS, 'x-request-id': requestId, 'content-type': 'application/json; charset=utf-8' }
}

/** Headers of an answer after which the connection is closed. */
function lastHeaders(requestId: string, body: string): Record<string, string | number> {
  return {
    ...errorHeaders(requestId),
    connection: 'close',
    'content-length': Buffer.byteLength(body),
  }
}
