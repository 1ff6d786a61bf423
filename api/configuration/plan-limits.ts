import { type Change, replace } from '../../engine/configuration/configuration-log.ts'
import { accounts, type Plan } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/fold.ts'

/** What the operator lets every account have; undefined: what its plan says. */
export interface PlanLimits {
  readonly maxIngestionKeys?: number | undefined
  readonly maxServiceKeys?: number | undefined
}

/**
 * Limits hold at the log, by the plan of the account: only there can they be exact whoever creates keys at the same
 * time. So what the operator has set is written into the plan along with what it limits, ahead of it.
 */
export function planChanges(configuration: ConfigurationView, id: string, limits: PlanLimits): Change[] {
  const account = configuration.get(accounts, id)
  if (account === undefined) return []
  const { plan } = account.value
  const { maxIngestionKeys = plan.maxIngestionKeys, maxServiceKeys = plan.maxServiceKeys } = limits
  const wanted: Plan = { ...plan, maxIngestionKeys, maxServiceKeys }
  const isSame = plan.maxIngestionKeys === maxIngestionKeys && plan.maxServiceKeys === maxServiceKeys
  return isSame ? [] : [replace(accounts, account, { ...account.value, plan: wanted })]
}
