import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** A key that a throttle does not limit until a log time. */
export const exemptionCut = defineSentCut({
  kind: 'exemption',
  behaviour: SECOND_BEHAVIOUR,
  address: 'home',
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
