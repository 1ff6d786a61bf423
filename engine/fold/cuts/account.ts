import { FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** Facts of an account that its lines need. */
export const accountCut = defineSentCut({
  kind: 'account',
  behaviour: FIRST_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply({ accountId, retentionDays }, cut, { accounts, forward }) {
    const account = accounts.of(accountId)
    account.retentionDays = retentionDays
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ account }, entity) => account === entity,

  restore({ accountId, retentionDays }, _cut, { accounts }) {
    accounts.of(accountId).retentionDays = retentionDays
  },
})
