import type { ExemptionCut } from '../../../schemas/log/cuts.ts'
import { exemptions } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const exemptionCuts = defineEntityCuts({
  cut: 'exemption',
  kind: exemptions,

  payloadOf({ value }) {
    const { account, pipeline, node, key, untilMs, lastMs: forgetMs } = value
    return { accountId: account, pipeline, node, key, untilMs, forgetMs }
  },

  /** The exemption of the cut, as one that has ended and is forgotten at its original time. */
  withoutEffect(cut) {
    const { accountId: account, pipeline, node, key, forgetMs } = JSON.parse(cut.payload) as ExemptionCut
    return { account, pipeline, node, key, untilMs: 0, lastMs: forgetMs, reason: '', createdAtMs: 0 }
  },
})
