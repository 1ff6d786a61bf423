import type { Cut } from '../../../schemas/log/control.ts'
import { accountCuts } from './account.ts'
import { deadLetterCuts } from './dead-letter.ts'
import type { EntityCuts } from './entity-cuts.ts'
import { exemptionCuts } from './exemption.ts'
import { lineRulesCuts } from './line-rules.ts'
import { pipelineCuts } from './pipeline.ts'
import { profileResetCuts } from './profile-reset.ts'
import { quotaCuts } from './quota.ts'
import { spreadCuts } from './spread.ts'
import { stateVariablesCuts } from './state-variables.ts'

/**
 * Every kind of cut that the configuration sends, in the order in which a partition applies the cuts of an account. A new
 * kind is a file beside this one, and a line here. Its effect in partitions is in `engine/fold/cuts`. Two registries are
 * necessary because the fold and the configuration must not import each other. The test beside this file holds the two
 * against each other.
 */
export const ENTITY_CUTS: readonly EntityCuts[] = [
  accountCuts,
  pipelineCuts,
  deadLetterCuts,
  exemptionCuts,
  profileResetCuts,
  stateVariablesCuts,
  lineRulesCuts,
  quotaCuts,
  // Last: a partition that reports that an account is spread has all of its pipelines.
  spreadCuts,
]

const BY_CUT = new Map<Cut['kind'], EntityCuts>(ENTITY_CUTS.map(each => [each.cut, each]))

/** @returns undefined for cuts that do not come from the configuration: the partition or an operator writes them */
export function entityCutsOf({ kind }: Pick<Cut, 'kind'>): EntityCuts | undefined {
  return BY_CUT.get(kind)
}
