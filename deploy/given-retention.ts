import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { accounts, INSTALLATION_KEY, installations } from '../engine/configuration/entities.ts'
import type { Logger } from '../engine/logger.ts'
import type { Settings } from './settings/settings.ts'

/** Warns that WEIR_RETENTION_DAYS, which only counts at a first start, differs from the present retention. */
export function noteGivenRetention(
  { retentionDays: given }: Settings,
  { configuration, logger }: { readonly configuration: ConfigurationLog; readonly logger: Logger },
): void {
  const account = configuration.get(installations, INSTALLATION_KEY)?.value.account
  const held = account === undefined ? undefined : configuration.get(accounts, account)?.value.retentionDays
  if (given === undefined || held === undefined || held === given) return
  logger.warn(
    { account, days: held },
    `WEIR_RETENTION_DAYS is ${given}, but applies only to a first start: the retention of account ${account} is ${held} days. ` +
      `"weir retention set ${given}" changes it`,
  )
}
