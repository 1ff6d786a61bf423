import { TWELFTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { defineSentCut } from './cut-kind.ts'

/** State variables of a pipeline, which its scripts read. */
export const stateVariablesCut = defineSentCut({
  kind: 'state-variables',
  behaviour: TWELFTH_BEHAVIOUR,
  address: 'home',
  accountOf: ({ accountId }) => accountId,

  apply({ accountId, state }, cut, { accounts, forward }) {
    const account = accounts.of(accountId)
    account.variables.set(cut.entity, state)
    forward(account, cut)
    return undefined
  },

  isPartOf: ({ variables }, entity) => variables.has(entity),

  restore({ accountId, state }, { entity }, { accounts }) {
    accounts.of(accountId).variables.set(entity, state)
  },
})
