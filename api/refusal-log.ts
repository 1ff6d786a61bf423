import type { FastifyRequest } from 'fastify'
import type { Clock } from '../engine/clock/clock.ts'

const QUIET_MS = 10_000

/**
 * Says why requests are turned away with 503 or 429: at once for the first, then every ten seconds with how many there were.
 * A full log under load would otherwise fill the operator's disk with the same sentence.
 */
export class RefusalLog {
  readonly #clock: Clock
  readonly #told = new Map<string, { toldAtMs: number; silent: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  note(request: FastifyRequest, sentence: string): void {
    const nowMs = this.#clock.monotonicMs()
    const told = this.#told.get(sentence)
    if (told !== undefined && nowMs - told.toldAtMs < QUIET_MS) {
      told.silent++
      return
    }
    const { method } = request
    request.log.warn({ method, route: request.routeOptions.url, alsoRefused: told?.silent ?? 0 }, sentence)
    this.#told.set(sentence, { toldAtMs: nowMs, silent: 0 })
  }
}
