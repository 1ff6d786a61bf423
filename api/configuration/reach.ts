import type { Clock } from '../../engine/clock/clock.ts'
import type { Logger } from '../../engine/logger.ts'
import { type NetworkAddress, type Outbound, OutboundError } from '../../engine/outbound/outbound.ts'
import { ApiError } from '../http/errors.ts'
import { tooManyRequests } from '../http/rate-limit.ts'

/** Configuration and account API, section 13: clients wait 15 s at most. */
const PATIENCE_MS = 3_000
const TRY_EVERY_MS = 60_000

export interface ReachPorts {
  readonly outbound: Outbound
  readonly clock: Clock
  readonly logger: Logger
}

interface Try {
  readonly atMs: number
  /** The address that accepted a connection. */
  accepted?: string
}

/**
 * Whether what users name accepts connections, told so that it cannot be used to look around in our network: all that is
 * not open takes the same time and gives the same sentence, and an account has one try a minute at each process. What
 * accepted a connection counts as open for the rest of its minute.
 */
export class Reach {
  readonly #ports: ReachPorts
  /** The last of each account, those that began first in front; none is much older than a minute. */
  readonly #tries = new Map<string, Try>()

  constructor(ports: ReachPorts) {
    this.#ports = ports
  }

  /**
   * @param what begins the sentence of the refusal
   * @throws ApiError 400 three seconds later unless one of the addresses accepts a connection until then; 429 at once
   *   when the account has had its try of this minute
   */
  async assertOpen(account: string, addresses: readonly NetworkAddress[], what: string): Promise<void> {
    const nowMs = this.#ports.clock.monotonicMs()
    const texts = addresses.map(textOf)
    this.#forget(nowMs)
    const last = this.#tries.get(account)
    if (last !== undefined) {
      if (last.accepted !== undefined && texts.includes(last.accepted)) return
      throw tooManyRequests(
        'Connections to other hosts and ports are tried once a minute for each account',
        Math.ceil((last.atMs + TRY_EVERY_MS - nowMs) / 1_000),
      )
    }
    const one: Try = { atMs: nowMs }
    this.#tries.set(account, one)
    const accepted = await this.#firstThatAccepts(account, addresses)
    if (accepted === undefined)
      throw new ApiError(
        400,
        'BadRequest',
        `${what}: no connection came about within ${PATIENCE_MS / 1_000} s`,
      )
    one.accepted = textOf(accepted)
  }

  /** @returns undefined when none has, and only once the time is up: how soon one fails says why */
  async #firstThatAccepts(
    account: string,
    addresses: readonly NetworkAddress[],
  ): Promise<NetworkAddress | undefined> {
    const { outbound, clock, logger } = this.#ports
    const enough = new AbortController()
    const { signal } = enough
    const timeUp = clock.sleep(PATIENCE_MS, signal).then(() => undefined)
    const connected = Promise.withResolvers<NetworkAddress>()
    for (const address of addresses)
      outbound.connect(address, signal).then(
        connection => {
          connection.destroy()
          connected.resolve(address)
        },
        (error: unknown) => {
          if (!(error instanceof OutboundError)) connected.reject(error)
          else if (!signal.aborted) logger.info({ account, why: error.message }, 'an address is out of reach')
        },
      )
    try {
      return await Promise.race([connected.promise, timeUp])
    } finally {
      enough.abort()
    }
  }

  #forget(nowMs: number): void {
    for (const [account, { atMs }] of this.#tries) {
      if (nowMs - atMs < TRY_EVERY_MS) return
      this.#tries.delete(account)
    }
  }
}

function textOf({ host, port }: NetworkAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host.toLowerCase()}:${port}`
}
