import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** Empties the profile of a node, at the place of the cut. */
export const profileResetCut = defineSentCut({
  kind: 'profile-reset',
  behaviour: TWELFTH_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply({ accountId, pipeline, node }, cut, { accounts, forward }) {
    const account = accounts.of(accountId)
    account.profileResets.add(cut.entity)
    account.resetProfile(pipeline, node)
    forward(account, cut)
    return undefined
  },

  /** Keyed partitions know it before they receive a profile, so that the same reset never empties that one, too. */
  isPartOf: ({ profileResets }, entity) => profileResets.has(entity),

  restore({ accountId }, { entity }, { accounts }) {
    accounts.of(accountId).profileResets.add(entity)
  },
})
