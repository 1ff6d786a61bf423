import { SECOND_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { DeadLetterCut } from '../../../schemas/log/cuts.ts'
import { defineCut } from './cut-kind.ts'

/** Whether a pipeline keeps failed events. The checkpoint contains its effect with the account's dead letters. */
export const deadLetterCut = defineCut<DeadLetterCut>({
  kind: 'dead-letter',
  behaviour: SECOND_BEHAVIOUR,
  address: 'home',
  parse: text => JSON.parse(text) as DeadLetterCut,
  accountOf: ({ accountId }) => accountId,

  apply({ accountId, isEnabled }, cut, { accounts, forward }) {
    const account = accounts.of(accountId)
    account.deadLetters.set(cut.entity, isEnabled)
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ deadLetters }, entity) => deadLetters.has(entity),
})
