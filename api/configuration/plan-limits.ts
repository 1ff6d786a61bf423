import { type Change, replace } from '../../engine/configuration/configuration-log.ts'
import { accounts } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'

/** Limits that the operator sets for every account; undefined: the limit of its plan. */
export interface PlanLimits {
  readonly maxIngestionKeys?: number | undefined
  readonly maxServiceKeys?: number | undefined
  readonly maxMemberKeys?: number | undefined
}

const LIMITS = ['maxIngestionKeys', 'maxServiceKeys', 'maxMemberKeys'] as const

/**
 * The log enforces limits by the plan of the account: only there are they exact when several processes create keys at the
 * same time. So the operator's limit is first written into the plan, together with the change that it limits.
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
