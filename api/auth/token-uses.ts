import type { Clock } from '../../engine/clock/clock.ts'
import type { Change, ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { accessTokens } from '../../engine/configuration/entities.ts'
import { tokenUses } from '../../engine/configuration/kinds/token-uses.ts'
import type { Logger } from '../../engine/logger.ts'
import { HOUR_MS, MINUTE_MS } from '../../engine/times/duration.ts'

const LOOK_EVERY_MS = MINUTE_MS
const MAX_CHANGES_AT_ONCE = 1_000

/** Author of these changes in the audit. */
const USES_SUBJECT = 'token-uses'

export interface TokenUsesPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Time of the last use of each access token. A request only writes to memory. Any process that sees a use an hour after
 * the recorded one updates the configuration. So there is at most one change per token and hour. The time in every
 * process, also after a restart, is correct to within an hour.
 */
export class TokenUses {
  readonly #ports: TokenUsesPorts
  readonly #seenMs = new Map<string, number>()

  constructor(ports: TokenUsesPorts) {
    this.#ports = ports
  }

  note(token: string, nowMs: number): void {
    this.#seenMs.set(token, nowMs)
  }

  /** UNIX ms; null: no use is known. */
  lastMs(token: string): number | null {
    const known = [this.#seenMs.get(token), this.#storedMs(token)].filter(each => each !== undefined)
    return known.length === 0 ? null : Math.max(...known)
  }

  /** Keeps the configuration up to date until the signal is aborted. */
  async follow(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#ports
    while (!signal.aborted) {
      await clock.sleep(LOOK_EVERY_MS, signal)
      if (signal.aborted) return
      await this.flush().catch(error =>
        logger.warn({ err: error }, 'when tokens were last used could not be written; trying again'),
      )
    }
  }

  async flush(): Promise<void> {
    const { configuration } = this.#ports
    const changes = [...this.#seenMs].flatMap(([token, atMs]) => this.#changeOf(token, atMs))
    for (let first = 0; first < changes.length; first += MAX_CHANGES_AT_ONCE)
      await configuration.append(changes.slice(first, first + MAX_CHANGES_AT_ONCE), {
        subjectId: USES_SUBJECT,
        account: '',
      })
  }

  #changeOf(token: string, atMs: number): Change[] {
    const known = this.#ports.configuration.get(accessTokens, token)
    if (known === undefined) this.#seenMs.delete(token)
    const storedMs = this.#storedMs(token)
    if (known === undefined || (storedMs !== undefined && atMs - storedMs < HOUR_MS)) return []
    const value = { account: known.value.account ?? '', atMs }
    return [{ kind: tokenUses, id: token, expectedVersion: -1, value }]
  }

  #storedMs(token: string): number | undefined {
    return this.#ports.configuration.get(tokenUses, token)?.value.atMs
  }
}
