import type { Clock } from '../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { enterpriseOfAccount } from '../../engine/configuration/enterprise-accounts.ts'
import type { Logger } from '../../engine/logger.ts'
import type { NetworkAddress, Outbound } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import { ApiError } from '../http/errors.ts'
import { ConnectionAttempts } from './connection-attempts.ts'

/** Configuration and account API, section 13: clients wait 15 s at most. */
const PATIENCE_MS = 3_000

export interface ReachPorts {
  readonly configuration: Pick<ConfigurationLog, 'get'>
  readonly outbound: Pick<Outbound, 'connect'>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Tests whether an address that users name accepts connections, without revealing the network. Every failure takes the
 * same time and gives the same sentence. The number of attempts is limited at each process (see `ConnectionAttempts`).
 * Neither the time of an answer nor a later attempt reveals which address of a list is open.
 */
export class Reach {
  readonly #ports: ReachPorts
  readonly #attempts = new ConnectionAttempts()

  constructor(ports: ReachPorts) {
    this.#ports = ports
  }

  /**
   * @param what begins the sentence of the refusal
   * @throws ApiError 400 after three seconds if no address has accepted a connection. 429 at once if the account or its
   *   enterprise has used its attempts. A list of addresses that was open within this minute is accepted again
   */
  async assertOpen(account: string, addresses: readonly NetworkAddress[], what: string): Promise<void> {
    const { configuration, clock } = this.#ports
    const enterprise = enterpriseOfAccount(configuration, account) ?? account
    const attempt = this.#attempts.begin({ account, enterprise }, listText(addresses), clock.monotonicMs())
    if (attempt.isOpen) return
    attempt.isOpen = await this.#isAnyOpen(account, addresses)
    if (!attempt.isOpen)
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
}

/** Text of a list of addresses; equal for the same addresses in any order. */
function listText(addresses: readonly NetworkAddress[]): string {
  return [...new Set(addresses.map(textOf))].toSorted().join(' ')
}

function textOf({ host, port }: NetworkAddress): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host.toLowerCase()}:${port}`
}
