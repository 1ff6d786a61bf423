import { type Change, replace } from '../../engine/configuration/configuration-log.ts'
import { accounts } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'

/** What the operator lets every account have; undefined: what its plan says. */
export interface PlanLimits {
  readonly maxIngestionKeys?: number | undefined
  readonly maxServiceKeys?: number | undefined
  readonly maxMemberKeys?: number | undefined
}

const LIMITS = ['maxIngestionKeys', 'maxServiceKeys', 'maxMemberKeys'] as const

/**
 * Limits hold at the log, by the plan of the account: only there can they be exact whoever creates keys at the same
 * time. So what the operator has set is written into the plan first, along with what it limits.
 */
export function planChanges(configuration: ConfigurationView, id: string, limits: PlanLimits): Change[] {
  const account = configuration.get(accounts, id)
  if (account === undefined) return []
  const { plan } = account.value
  const others = LIMITS.filter(name => limits[name] !== undefined && limits[name] !== plan[name])
  if (others.length === 0) return []
  const changed = Object.fromEntries(others.map(name => [name, limits[name]]))
  return [replace(accounts, account, { ...account.value, plan: { ...plan, ...changed } })]
}
