import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** Whether a pipeline keeps failed events. The checkpoint contains its effect with the account's dead letters. */
export const deadLetterCut = defineSentCut({
  kind: 'dead-letter',
  behaviour: SECOND_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply({ accountId, isEnabled }, cut, { accounts, forward }) {
    const account = accounts.of(accountId)
    account.deadLetters.set(cut.entity, isEnabled)
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ deadLetters }, entity) => deadLetters.has(entity),
})
