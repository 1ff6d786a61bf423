import { accounts } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const accountCuts = defineEntityCuts({
  cut: 'account',
  kind: accounts,

  payloadOf: ({ id, value }) => ({ accountId: id, retentionDays: value.retentionDays }),

  withoutEffect: () => undefined,
})
