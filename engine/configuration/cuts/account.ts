import type { AccountCut } from '../../../schemas/log/cuts.ts'
import { type Account, accounts } from '../entities.ts'
import { defineEntityCuts } from './entity-cuts.ts'

export const accountCuts = defineEntityCuts<Account>({
  cut: 'account',
  kind: accounts,

  payloadOf({ id, value }) {
    const payload: AccountCut = { accountId: id, retentionDays: value.retentionDays }
    return JSON.stringify(payload)
  },

  withoutEffect: () => undefined,
})
