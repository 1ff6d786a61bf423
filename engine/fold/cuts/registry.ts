import type { Cut, CutName } from '../../../schemas/log/control.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { accountCut } from './account.ts'
import type { CutKind, TopicShape } from './cut-kind.ts'
import { deadLetterCut } from './dead-letter.ts'
import { exemptionCut } from './exemption.ts'
import { lineRulesCut } from './line-rules.ts'
import { lossCut } from './loss.ts'
import { pipelineCut } from './pipeline.ts'
import { profileResetCut } from './profile-reset.ts'
import { quotaCut } from './quota.ts'
import { sliceCut } from './slice.ts'
import { spreadCut } from './spread.ts'
import { stateVariablesCut } from './state-variables.ts'

/**
 * Every kind of cut, with its effect in partitions. A new kind is a file beside this one and a line here. If the
 * configuration sends it, it also has a line in `SentCuts` (schemas/log/cuts.ts). A file and a line in
 * `engine/configuration/cuts` then say how an entity becomes a cut. Two registries are necessary because the fold and
 * the configuration must not import each other. A test beside that registry holds the two against each other.
 */
const KINDS: Readonly<Record<CutName, CutKind>> = {
  pipeline: pipelineCut,
  account: accountCut,
  slice: sliceCut,
  spread: spreadCut,
  'dead-letter': deadLetterCut,
  exemption: exemptionCut,
  'line-rules': lineRulesCut,
  quota: quotaCut,
  loss: lossCut,
  'profile-reset': profileResetCut,
  'state-variables': stateVariablesCut,
}

/** Names of all kinds. */
export const CUT_NAMES: readonly CutName[] = Object.values(KINDS).map(({ kind }) => kind)

export function kindOf({ kind }: Pick<Cut, 'kind'>): CutKind {
  return KINDS[kind]
}

/** Kinds whose cuts are forgotten at some time. */
export const FORGOTTEN_KINDS: readonly CutKind[] = Object.values(KINDS).filter(
  ({ forget }) => forget !== undefined,
)

/** Cuts that the worker of a partition writes because of the shape of its topic. */
export function cutsOfTopic(topic: TopicShape): Cut[] {
  return Object.values(KINDS).flatMap(({ ofTopic }) => ofTopic?.(topic) ?? [])
}

/** Behaviour number that a program must know to apply a cut. */
export function behaviourOfCut(catalogue: Catalogue, cut: Cut): number {
  return kindOf(cut).behaviourOf(catalogue, cut)
}
