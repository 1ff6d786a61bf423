import { THIRD_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** Exclusion and retention rules of an account. */
export const lineRulesCut = defineSentCut({
  kind: 'line-rules',
  behaviour: THIRD_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply(rules, cut, { accounts, forward }) {
    const account = accounts.of(rules.accountId)
    account.rules.set(rules)
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ account }, entity) => account === entity,

  restore(rules, _cut, { accounts }) {
    accounts.of(rules.accountId).rules.set(rules)
  },
})
