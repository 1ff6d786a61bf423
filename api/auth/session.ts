import { parseCookie, stringifySetCookie } from 'cookie'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import { type Seal, SealError } from '../../engine/configuration/seal.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../engine/times/duration.ts'
import { forbidden } from '../http/errors.ts'
import { isUpgrade } from '../http/web-sockets.ts'

/** Lifetime of a session, and of one that the user asked to keep. */
const SESSION_MS = 12 * HOUR_MS
const KEPT_SESSION_MS = 30 * DAY_MS

/** Header that scripts of another site cannot send without being asked for it first (CORS). */
const CONSOLE_HEADER = 'x-weir-console'
const HEADER_REQUIRED = `"${CONSOLE_HEADER}" header must be 1: a session is for the console of this installation`
const ORIGIN_REQUIRED =
  '"origin" header must be the address of this installation: a session is for its console'

/** Place of the sealed text, so that no other encrypted secret can pass as a session. */
const PLACE = 'session'
const NAME_DIGITS = 8

/** Session that a request carries. */
export interface SentSession {
  /** Access token; absent if the session has ended, or is not of this installation. */
  readonly token?: string | undefined
  /** Reason why this request must not use its session; absent: it may. */
  readonly refusal?: string | undefined
}

interface Session {
  readonly token: string
  /** UNIX ms. */
  readonly untilMs: number
}

export interface SessionPorts {
  readonly seal: Seal
  readonly clock: Clock
  /** UUID of the log. */
  readonly logId: string
}

/**
 * Sessions of the console. A session is a cookie that holds an access token, encrypted with the secret key of the
 * installation. The server stores nothing, so every process with the API accepts it, and a revoked token ends it.
 */
export class Sessions {
  readonly #ports: SessionPorts
  readonly #name: string

  constructor(ports: SessionPorts) {
    this.#ports = ports
    this.#name = `weir_session_${ports.logId.replaceAll(/[^0-9A-Za-z]/g, '').slice(0, NAME_DIGITS)}`
  }

  /**
   * @param tokenEndMs end of the token, UNIX ms; null: it has none. The session never outlives it.
   * @returns value of the header set-cookie
   */
  begin(request: FastifyRequest, token: string, tokenEndMs: number | null, isKept: boolean): string {
    const nowMs = this.#ports.clock.wallMs()
    const wantedMs = nowMs + (isKept ? KEPT_SESSION_MS : SESSION_MS)
    const untilMs = Math.min(wantedMs, tokenEndMs ?? wantedMs)
    const session: Session = { token, untilMs }
    const value = this.#ports.seal.close(JSON.stringify(session), PLACE)
    return this.#cookie(request, value, Math.floor((untilMs - nowMs) / SECOND_MS))
  }

  /** @returns value of the header set-cookie that removes the session from the browser */
  end(request: FastifyRequest): string {
    return this.#cookie(request, '', 0)
  }

  /** @returns the session of a request, if it carries one */
  sentWith(request: FastifyRequest): SentSession | undefined {
    const { cookie } = request.headers
    if (cookie === undefined) return undefined
    const sealed = parseCookie(cookie)[this.#nameFor(request)]
    if (sealed === undefined || sealed === '') return undefined
    return { token: this.#tokenIn(sealed), refusal: refusalOf(request) }
  }

  #tokenIn(sealed: string): string | undefined {
    const { seal, clock } = this.#ports
    try {
      const { token, untilMs } = JSON.parse(seal.open(sealed, PLACE)) as Session
      return untilMs > clock.wallMs() ? token : undefined
    } catch (error) {
      if (error instanceof SealError) return undefined
      throw error
    }
  }

  #cookie(request: FastifyRequest, value: string, maxAge: number): string {
    const name = this.#nameFor(request)
    const secure = isSecure(request)
    return stringifySetCookie(
      { name, value, maxAge, path: '/', httpOnly: true, sameSite: 'strict', secure },
      { encode: text => text },
    )
  }

  /** Other servers of the host cannot set a cookie with this prefix, which needs HTTPS. */
  #nameFor(request: FastifyRequest): string {
    return isSecure(request) ? `__Host-${this.#name}` : this.#name
  }
}

/** @throws ApiError 403 unless the request comes from a console */
export function assertFromConsole(request: FastifyRequest): void {
  if (request.headers[CONSOLE_HEADER] !== '1') throw forbidden(HEADER_REQUIRED)
}

/**
 * Browsers send the cookie also with requests that other pages of the host caused, from another port, for example. Their
 * reads reveal nothing to those pages, but changes and WebSockets must prove that they come from the console.
 */
function refusalOf(request: FastifyRequest): string | undefined {
  const { method, headers, host, raw } = request
  if (isUpgrade(raw)) return isOrigin(headers.origin, host) ? undefined : ORIGIN_REQUIRED
  if (method === 'GET' || method === 'HEAD' || headers[CONSOLE_HEADER] === '1') return undefined
  return HEADER_REQUIRED
}

function isOrigin(origin: string | undefined, host: string): boolean {
  return origin !== undefined && URL.canParse(origin) && new URL(origin).host === host
}

function isSecure({ protocol }: FastifyRequest): boolean {
  return protocol === 'https'
}
