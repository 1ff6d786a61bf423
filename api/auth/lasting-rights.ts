import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import { accessScopeOf } from './access-scope.ts'
import type { ConfigurationAuthenticator } from './authenticator.ts'
import { accountOf, isGuarded, refusalOf } from './permission.ts'
import { credentialsOf, needsOf } from './request-caller.ts'

/** Interval of reviews: a token expires without a change of the configuration. */
const REVIEW_MS = 500

/** Present rights to see lines. */
export interface PresentRights {
  /** Undefined: every line of the account. */
  readonly scope: Query | undefined
}

export interface LastingRightsPorts {
  readonly configuration: ConfigurationLog
  readonly authenticator: ConfigurationAuthenticator
  readonly clock: Clock
}

/**
 * The rights of a long-lived request. They end when its credential ends, when the credential no longer has the rights
 * that the route needs, and when the account is closed.
 */
export class LastingRights {
  readonly #ports: LastingRightsPorts
  readonly #request: FastifyRequest
  readonly #account: string

  /** @throws ApiError 403 for a caller without an account */
  constructor(request: FastifyRequest, ports: LastingRightsPorts) {
    this.#request = request
    this.#ports = ports
    this.#account = accountOf(request.caller).shortId
  }

  /** @returns undefined without any remaining right */
  now(): PresentRights | undefined {
    const { configuration, authenticator } = this.#ports
    const needs = needsOf(this.#request)
    if (!isGuarded(needs)) return undefined
    const result = authenticator.authenticate(credentialsOf(this.#request))
    if ('failure' in result) return undefined
    const { caller } = result
    if (refusalOf(needs, caller) !== undefined || caller.account?.shortId !== this.#account) return undefined
    return { scope: accessScopeOf(configuration, caller) }
  }

  /**
   * Calls the listener whenever the rights may have changed: after each change of the configuration, and twice a second.
   */
  async keepReviewing(review: () => void, signal: AbortSignal): Promise<void> {
    const { configuration, clock } = this.#ports
    const ignoreChanges = configuration.subscribe(review)
    while (!signal.aborted) {
      await clock.sleep(REVIEW_MS, signal)
      if (!signal.aborted) review()
    }
    ignoreChanges()
  }
}
