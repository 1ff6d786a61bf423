import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { ExemptionCut } from '../../../schemas/log/cuts.ts'
import { defineCut } from './cut-kind.ts'

/** A key that a throttle does not limit until a log time. */
export const exemptionCut = defineCut<ExemptionCut>({
  kind: 'exemption',
  behaviour: SECOND_BEHAVIOUR,
  address: 'home',
  parse: text => JSON.parse(text) as ExemptionCut,
  accountOf: ({ accountId }) => accountId,
  isOver: ({ forgetMs }, timeMs) => timeMs >= forgetMs,

  apply(exemption, cut, { accounts, forward }) {
    forward(accounts.exempt(cut.entity, exemption), cut)
    return undefined
  },

  isPartOf: ({ exemptions }, entity) => exemptions.has(entity),

  restore(exemption, { entity }, { accounts }) {
    accounts.exempt(entity, exemption)
  },

  forget: (accounts, timeMs) => accounts.forgetExemptions(timeMs),
})
