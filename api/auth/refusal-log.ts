import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ApiError } from '../http/errors.ts'
import type { Caller } from './caller.ts'

const QUIET_MS = 10_000
const FORGOTTEN_AFTER_MS = 600_000

/**
 * Says why requests are turned away with 503 or 429: at once for the first, then every ten seconds with how many there were.
 * A full log under load would otherwise fill the operator's disk with the same sentence. What is too much (429) is so of
 * each caller alone: a sender that runs away is named, whoever else is refused beside it.
 */
export class RefusalLog {
  readonly #clock: Clock
  readonly #told = new Map<string, { toldAtMs: number; silent: number }>()
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
    const told = this.#told.get(about)
    if (told !== undefined && nowMs - told.toldAtMs < QUIET_MS) {
      told.silent++
      return
    }
    const { method } = request
    const route = request.routeOptions.url
    request.log.warn({ method, route, subject, account, alsoRefused: told?.silent ?? 0 }, message)
    this.#told.set(about, { toldAtMs: nowMs, silent: 0 })
    this.#forget(nowMs)
  }

  /** How many are remembered. */
  get size(): number {
    return this.#told.size
  }

  /** There may be as many callers as there are credentials. */
  #forget(nowMs: number): void {
    if (nowMs - this.#forgottenAtMs < FORGOTTEN_AFTER_MS) return
    this.#forgottenAtMs = nowMs
    for (const [about, { toldAtMs }] of this.#told)
      if (nowMs - toldAtMs >= FORGOTTEN_AFTER_MS) this.#told.delete(about)
  }
}

/** Undefined on public routes, and where the credential is not known yet. */
function callerOf({ caller, ingestion }: FastifyRequest): Caller | undefined {
  return caller ?? ingestion?.caller ?? undefined
}
