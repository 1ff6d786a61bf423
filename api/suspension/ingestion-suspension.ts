import {
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import { type Account, accounts, secretHash } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { suspensionTokens } from '../../engine/configuration/kinds/suspension.ts'
import { newKey } from '../../engine/configuration/mint.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { badRequest, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy' | 'settings'>

/** Maximum number of tokens per account; a further one replaces the oldest. */
const MAX_TOKENS = 20

/**
 * Whether an account accepts lines (configuration and account API, section 15). Tokens are entities of the configuration,
 * so each works once, whichever process receives it.
 */
export class IngestionSuspension {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  isIngesting(caller: Caller): boolean {
    return !this.#account(caller).value.ingestionSuspended
  }

  /** @returns a token that confirms the suspension */
  async offer(caller: Caller): Promise<string> {
    const { clock, entropy, settings } = this.#ports
    const author = authorOf(caller)
    const token = newKey(entropy)
    await untilNotOvertaken(() => {
      const nowMs = clock.wallMs()
      const held = this.#configuration.list(suspensionTokens, author.account)
      const fresh = held.filter(({ value }) => value.expiresAtMs > nowMs).slice(1 - MAX_TOKENS)
      const value = {
        account: author.account,
        expiresAtMs: nowMs + settings.suspensionTokenMinutes * MINUTE_MS,
      }
      return this.#configuration.append(
        [
          ...held.filter(each => !fresh.includes(each)).map(each => remove(suspensionTokens, each)),
          create(suspensionTokens, secretHash(token), value),
        ],
        author,
      )
    })
    return token
  }

  /** @throws ApiError 400 when the token is wrong, old or used */
  async confirm(caller: Caller, token: string): Promise<void> {
    await untilNotOvertaken(() => {
      const account = this.#account(caller)
      const offered = this.#configuration.get(suspensionTokens, secretHash(token))
      if (offered?.value.account !== account.id || offered.value.expiresAtMs <= this.#ports.clock.wallMs())
        throw badRequest([{ message: '"token" is wrong, too old or used already', key: 'token' }])
      return this.#configuration.append(
        [remove(suspensionTokens, offered), replace(accounts, account, suspended(account, true))],
        authorOf(caller),
      )
    })
  }

  async resume(caller: Caller): Promise<void> {
    await untilNotOvertaken(async () => {
      const account = this.#account(caller)
      if (!account.value.ingestionSuspended) return
      await this.#configuration.append(
        [replace(accounts, account, suspended(account, false))],
        authorOf(caller),
      )
    })
  }

  #account(caller: Caller): Entity<Account> {
    const account = this.#configuration.get(accounts, accountOf(caller).shortId)
    if (account === undefined) throw notFound()
    return account
  }

  get #configuration(): ConfigurationLog {
    return this.#ports.configuration
  }
}

function suspended({ value }: Entity<Account>, ingestionSuspended: boolean): Account {
  return { ...value, ingestionSuspended }
}
