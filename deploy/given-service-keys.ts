import { planChanges } from '../api/configuration/plan-limits.ts'
import { untilNotOvertaken } from '../api/http/overtaken.ts'
import type { Clock } from '../engine/clock/clock.ts'
import { type ConfigurationLog, create } from '../engine/configuration/configuration-log.ts'
import { type AccountKey, accountKeys, accounts, secretHash } from '../engine/configuration/entities.ts'
import { newShortId } from '../engine/configuration/mint.ts'
import { ConfigurationRejected } from '../engine/configuration/rejection.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import type { Logger } from '../engine/logger.ts'
import type { GivenServiceKey } from './settings/setting-values.ts'
import { type Settings, SettingsError } from './settings/settings.ts'

const NAME = 'WEIR_SERVICE_KEYS'

interface Ports {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly logger: Logger
}

/**
 * Creates missing service keys from the settings: an account without one cannot write groups (configuration and account
 * API, sections 9 and 11). Keys are unique in an installation, so of several processes that start together one creates
 * it.
 *
 * @throws SettingsError with a sentence for each key that is not possible
 */
export async function makeGivenServiceKeys(settings: Settings, ports: Ports): Promise<void> {
  const { configuration, logger } = ports
  const { serviceKeys: given, bootstrapServiceKey } = settings
  if (given.length > 0) {
    await configuration.catchUp()
    const problems = given.map(each => problemOf(each, configuration)).filter(each => each !== undefined)
    if (problems.length > 0) throw new SettingsError(problems)
    for (const each of given) await make(each, settings, ports)
  }
  if (bootstrapServiceKey !== undefined && holderOf(bootstrapServiceKey, configuration) === undefined)
    logger.warn(
      {},
      `WEIR_BOOTSTRAP_SERVICE_KEY applies only to a first start, and this key does not exist. Use ${NAME}`,
    )
}

async function make(given: GivenServiceKey, settings: Settings, ports: Ports): Promise<void> {
  const { account, key } = given
  const { configuration, clock, entropy } = ports
  try {
    await untilNotOvertaken(async () => {
      if (holderOf(key, configuration) !== undefined) return
      const value = { account, type: 'service' as const, key, name: NAME, createdAtMs: clock.wallMs() }
      await configuration.append(
        [...planChanges(configuration, account, settings), create(accountKeys, newShortId(entropy), value)],
        { subjectId: 'settings', account },
      )
    })
  } catch (error) {
    if (!(error instanceof ConfigurationRejected)) throw error
    // Taken: another process has created it in the meantime.
    if (error.code !== 'TAKEN') throw new SettingsError([`${NAME}, account ${account}: ${error.message}`])
  }
  const problem = problemOf(given, configuration)
  if (problem !== undefined) throw new SettingsError([problem])
}

/** Reason why the key cannot be a service key of its account. */
function problemOf({ account, key }: GivenServiceKey, configuration: ConfigurationLog): string | undefined {
  if (configuration.get(accounts, account) === undefined)
    return `${NAME} has a key for the account ${account}, which does not exist`
  const holder = holderOf(key, configuration)
  if (holder === undefined) return undefined
  if (holder.account !== account)
    return `${NAME} has a key for the account ${account} that belongs to another account`
  return holder.type === 'service'
    ? undefined
    : `${NAME} has a key for the account ${account} that is its ingestion key`
}

function holderOf(key: string, configuration: ConfigurationLog): AccountKey | undefined {
  return configuration.find(accountKeys, 'hash', secretHash(key))?.value
}
