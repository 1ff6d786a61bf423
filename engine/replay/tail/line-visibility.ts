import type { ConfigurationView } from '../../configuration/kind.ts'
import { TailRules } from './tail-rules.ts'
import type { LineVisibility } from './tailed-partition.ts'

/** Everything is seen but what a rule drops entirely. An account without such rules pays nothing. */
export function seenByRules(configuration: ConfigurationView): LineVisibility {
  const rules = new TailRules(configuration)
  return (account, line) => !rules.hidesAny(account) || rules.sees(account, line.record, line.stored.timeMs)
}
