import type { StateVariablesCut } from '../../../schemas/log/cuts.ts'
import { INITIAL_VARIABLES } from '../../nodes/contract/pipeline-variables.ts'
import { stateVariables } from '../kinds/state-variables.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const stateVariablesCuts = defineEntityCuts({
  cut: 'state-variables',
  kind: stateVariables,

  payloadOf: ({ value: { account, state } }) => ({ accountId: account, state }),

  withoutEffect({ payload }) {
    const { accountId: account } = JSON.parse(payload) as StateVariablesCut
    return { account, state: INITIAL_VARIABLES, updatedAtMs: 0 }
  },
})
