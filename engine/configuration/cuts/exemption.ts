import type { ExemptionCut } from '../../../schemas/log/cuts.ts'
import { type Exemption, exemptions } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const exemptionCuts = defineEntityCuts<Exemption>({
  cut: 'exemption',
  kind: exemptions,

  payloadOf({ value }) {
    const { account, pipeline, node, key, untilMs, lastMs: forgetMs } = value
    const payload: ExemptionCut = { accountId: account, pipeline, node, key, untilMs, forgetMs }
    return JSON.stringify(payload)
  },

  /** It has ended, and is forgotten when the lost one would have been. */
  withoutEffect(cut) {
    const { accountId: account, pipeline, node, key, forgetMs } = JSON.parse(cut.payload) as ExemptionCut
    return { account, pipeline, node, key, untilMs: 0, lastMs: forgetMs, reason: '', createdAtMs: 0 }
  },
})
