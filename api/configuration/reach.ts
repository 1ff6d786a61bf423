import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { accounts } from '../../engine/configuration/entities.ts'
import type { Logger } from '../../engine/logger.ts'
import { type NetworkAddress, type Outbound, OutboundError } from '../../engine/outbound/outbound.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { ApiError } from '../http/errors.ts'
import { tooManyRequests } from '../http/rate-limit.ts'

/** Configuration and account API, section 13: clients wait 15 s at most. */
const PATIENCE_MS = 3_000
const TRY_EVERY_MS = MINUTE_MS

export interface ReachPorts {
  readonly configuration: Pick<ConfigurationLog, 'get'>
  readonly outbound: Outbound
  readonly clock: Clock
  readonly logger: Logger
}

interface Try {
  readonly atMs: number
  readonly account: string
  /** All addresses that were tried together. */
  readonly list: string
  /** True once one of them has accepted a connection, and the answer says so. */
  isOpen: boolean
}

/**
 * Tests whether an address that users name accepts connections, without revealing the network. Every failure takes the
 * same time and gives the same sentence. All accounts of an enterprise share one attempt per minute at each process.
 * Neither the time of an answer nor a later attempt reveals which address of a list is open.
 */
export class Reach {
  readonly #ports: ReachPorts
  /** Last attempt of each enterprise, or of each account without one, oldest first. Each is at most a minute old. */
  readonly #tries = new Map<string, Try>()

  constructor(ports: ReachPorts) {
    this.#ports = ports
  }

  /**
   * @param what begins the sentence of the refusal
   * @throws ApiError 400 after three seconds if no address has accepted a connection. 429 at once if the enterprise has
   *   used its attempt of this minute. A list of addresses that was open then is accepted again
   */
  async assertOpen(account: string, addresses: readonly NetworkAddress[], what: string): Promise<void> {
    const nowMs = this.#ports.clock.monotonicMs()
    const list = listText(addresses)
    const owner = this.#ports.configuration.get(accounts, account)?.value.enterprise ?? account
    this.#forget(nowMs)
    const last = this.#tries.get(owner)
    if (last !== undefined) {
      // A successful attempt with a part of the list would reveal the place of the open address.
      if (last.isOpen && last.account === account && last.list === list) return
      throw tooManyRequests(
        'Connections to other hosts and ports are tried once a minute for all accounts of an enterprise together',
        Math.ceil((last.atMs + TRY_EVERY_MS - nowMs) / 1_000),
      )
    }
    const one: Try = { atMs: nowMs, account, list, isOpen: false }
    this.#tries.set(owner, one)
    one.isOpen = await this.#isAnyOpen(account, addresses)
    if (!one.isOpen)
      throw new ApiError(
        400,
        'BadRequest',
        `${what}: no connection was established within ${PATIENCE_MS / 1_000} s`,
      )
  }

  /**
   * A single open address is reported at once. With several addresses, or a closed one, nothing ends before the time is
   * over. The duration would otherwise reveal which address is open, or why one failed.
   */
  async #isAnyOpen(account: string, addresses: readonly NetworkAddress[]): Promise<boolean> {
    const { outbound, clock, logger } = this.#ports
    const enough = new AbortController()
    const { signal } = enough
    const timeUp = clock.sleep(PATIENCE_MS, signal)
    const connected = Promise.withResolvers<void>()
    let isOpen = false
    for (const address of addresses)
      outbound.connect(address, signal).then(
        connection => {
          connection.destroy()
          isOpen = true
          if (addresses.length === 1) connected.resolve()
        },
        (error: unknown) => {
          if (!(error instanceof OutboundError)) connected.reject(error)
          else if (!signal.aborted) logger.info({ account, why: error.message }, 'an address is out of reach')
        },
      )
    try {
      await Promise.race([connected.promise, timeUp])
      return isOpen
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

/** Text of a list of addresses; equal for the same addresses in any order. */
function listText(addresses: readonly NetworkAddress[]): string {
  return [...new Set(addresses.map(textOf))].toSorted().join(' ')
}

function textOf({ host, port }: NetworkAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host.toLowerCase()}:${port}`
}
