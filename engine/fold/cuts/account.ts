import { FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { AccountCut } from '../../../schemas/log/cuts.ts'
import { defineCut } from './cut-kind.ts'

/** Facts of an account that its lines need. */
export const accountCut = defineCut<AccountCut>({
  kind: 'account',
  behaviour: FIRST_BEHAVIOUR,
  address: 'home',
  parse: text => JSON.parse(text) as AccountCut,
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
