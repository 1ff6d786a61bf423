import type { ConfigurationView } from '../../configuration/kind.ts'
import { TailRules } from './tail-rules.ts'
import type { LineVisibility } from './tailed-partition.ts'

/** All lines are visible except those that a rule drops entirely. Accounts without such rules have no cost. */
export function seenByRules(configuration: ConfigurationView): LineVisibility {
  const rules = new TailRules(configuration)
  return (account, line, stretch) => {
    if (!rules.hidesAny(account)) return true
    const isSeen = rules.sees(account, line.record, line.stored.timeMs)
    stretch.left -= rules.spentUnits
    return isSeen
  }
}
