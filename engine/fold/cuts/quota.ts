import { THIRD_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { QuotaCut } from '../../../schemas/log/cuts.ts'
import { defineCut } from './cut-kind.ts'

/** Restrictions of an account because its quota, or a percentage of it, is used up. */
export const quotaCut = defineCut<QuotaCut>({
  kind: 'quota',
  behaviour: THIRD_BEHAVIOUR,
  address: 'home',
  parse: text => JSON.parse(text) as QuotaCut,
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
