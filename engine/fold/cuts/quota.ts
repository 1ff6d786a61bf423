import { THIRD_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** Restrictions of an account because its quota, or a percentage of it, is used up. */
export const quotaCut = defineSentCut({
  kind: 'quota',
  behaviour: THIRD_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply(quota, cut, { accounts, forward }) {
    const account = accounts.of(quota.accountId)
    account.rules.setQuota(quota)
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ account }, entity) => account === entity,

  restore(quota, _cut, { accounts }) {
    accounts.of(quota.accountId).rules.setQuota(quota)
  },
})
