import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ApiError } from '../http/errors.ts'
import type { Caller } from './caller.ts'

const QUIET_MS = 10_000
const FORGOTTEN_AFTER_MS = 600_000

/**
 * Logs why requests are refused with 503 or 429: the first one at once, then their number every ten seconds. Otherwise a
 * full log under load would fill the operator's disk with the same message. Refusals with 429 are logged per caller, so
 * that each runaway sender is named.
 */
export class RefusalLog {
  readonly #clock: Clock
  readonly #logged = new Map<string, { loggedAtMs: number; silent: number }>()
  #forgottenAtMs = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(request: FastifyRequest, { status, message }: Pick<ApiError, 'status' | 'message'>): void {
    const nowMs = this.#clock.monotonicMs()
    const caller = callerOf(request)
    const subject = caller?.subjectId
    const account = caller?.account?.shortId
    const about = status === 429 ? JSON.stringify([message, subject, account]) : message
    const logged = this.#logged.get(about)
    if (logged !== undefined && nowMs - logged.loggedAtMs < QUIET_MS) {
      logged.silent++
      return
    }
    const { method } = request
    const route = request.routeOptions.url
    request.log.warn({ method, route, subject, account, alsoRefused: logged?.silent ?? 0 }, message)
    this.#logged.set(about, { loggedAtMs: nowMs, silent: 0 })
    this.#forget(nowMs)
  }

  /** Number of remembered callers and reasons. */
  get size(): number {
    return this.#logged.size
  }

  /** Without it, memory would grow with the number of credentials. */
  #forget(nowMs: number): void {
    if (nowMs - this.#forgottenAtMs < FORGOTTEN_AFTER_MS) return
    this.#forgottenAtMs = nowMs
    for (const [about, { loggedAtMs }] of this.#logged)
      if (nowMs - loggedAtMs >= FORGOTTEN_AFTER_MS) this.#logged.delete(about)
  }
}

/** The caller of a request; undefined on public routes, and before the credential is known. */
function callerOf({ caller, ingestion }: FastifyRequest): Caller | undefined {
  return caller ?? ingestion?.caller ?? undefined
}
