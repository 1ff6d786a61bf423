import type { Cut } from '../../../schemas/log/control.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { accountCut } from './account.ts'
import type { CutKind } from './cut-kind.ts'
import { deadLetterCut } from './dead-letter.ts'
import { exemptionCut } from './exemption.ts'
import { lineRulesCut } from './line-rules.ts'
import { lossCut } from './loss.ts'
import { pipelineCut } from './pipeline.ts'
import { quotaCut } from './quota.ts'
import { sliceCut } from './slice.ts'
import { spreadCut } from './spread.ts'

/** Every kind of cut. A new kind is a file beside this one and a line here. */
const KINDS: Readonly<Record<Cut['kind'], CutKind>> = {
  pipeline: pipelineCut,
  account: accountCut,
  slice: sliceCut,
  spread: spreadCut,
  'dead-letter': deadLetterCut,
  exemption: exemptionCut,
  'line-rules': lineRulesCut,
  quota: quotaCut,
  loss: lossCut,
}

export function kindOf({ kind }: Pick<Cut, 'kind'>): CutKind {
  return KINDS[kind]
}

/** Behaviour number that a program must know to apply a cut. */
export function behaviourOfCut(catalogue: Catalogue, cut: Cut): number {
  return kindOf(cut).behaviourOf(catalogue, cut)
}
